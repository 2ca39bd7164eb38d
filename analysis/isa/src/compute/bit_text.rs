//! Bit maps for people: `bits 31 to 24: bits 15 to 8 of a`, or one formula for all bits.

use super::{
    bit_map::{BitFunction, BitMap},
    boolean::{COLUMNS, formula},
};

/// The register that a leaf holds, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in texts.
    pub name: String,
    /// Width of the register in bits.
    pub bits: u32,
    /// The bit of the register at which the leaf starts.
    pub start: u32,
}

/// A bit map in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitText {
    /// The places in the result, `bits 31 to 24`, and what they hold, in Markdown; from the highest. The place is empty
    /// if there is only one line, for all bits.
    pub lines: Vec<(String, String)>,
    /// Whether each bit is the same function of the bits at its place, with no bit left out: the text says no more than
    /// the operation.
    pub is_uniform: bool,
}

/// A bit of a source, counted in its register.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SourceBit<'a> {
    name: &'a str,
    width: u32,
    bit: u32,
}

/// Neighbouring bits that are made alike.
struct Run<'a> {
    low: u32,
    high: u32,
    table: u8,
    /// The sources of the lowest bit, and by how much those of the next ones are higher: 1, 0 or -1.
    sources: Vec<(SourceBit<'a>, Option<i32>)>,
    /// The bits as a number, if they are constants.
    constant: Option<u128>,
}

impl<'a> Run<'a> {
    fn new(at: u32, function: &BitFunction, all: &'a [Source]) -> Option<Run<'a>> {
        let sources = sources(function, all)?;
        Some(Run {
            low: at,
            high: at,
            table: function.table(),
            sources: sources.into_iter().map(|it| (it, None)).collect(),
            constant: function.as_constant().map(u128::from),
        })
    }

    /// Whether the next bit belongs to the run; then it does.
    fn takes(&mut self, function: &BitFunction, all: &'a [Source]) -> bool {
        let count = self.high + 1 - self.low;
        if let (Some(number), Some(bit)) = (&mut self.constant, function.as_constant()) {
            *number |= u128::from(bit) << count;
            self.high += 1;
            return true;
        }
        let Some(next) = sources(function, all) else {
            return false;
        };
        if self.constant.is_some() || function.table() != self.table {
            return false;
        }
        let steps = self.sources.iter().zip(&next).map(|((first, step), next)| {
            let expected = |step: i32| first.bit.checked_add_signed(step * count as i32);
            let possible = match step {
                Some(it) => (*it..=*it).find(|it| expected(*it) == Some(next.bit)),
                None => [1, 0, -1]
                    .into_iter()
                    .find(|it| expected(*it) == Some(next.bit)),
            };
            possible.filter(|_| first.name == next.name)
        });
        let Some(steps) = steps.collect::<Option<Vec<i32>>>() else {
            return false;
        };
        if steps.len() != next.len() || self.sources.len() != next.len() {
            return false;
        }
        for ((_, step), found) in self.sources.iter_mut().zip(steps) {
            *step = Some(found);
        }
        self.high += 1;
        true
    }

    fn count(&self) -> u32 {
        self.high + 1 - self.low
    }

    /// The highest and the lowest bit of a source, and whether they count down.
    fn ends(&self, (first, step): (SourceBit<'a>, Option<i32>)) -> (u32, u32) {
        let last = step.unwrap_or(0) * (self.count() as i32 - 1);
        (first.bit.saturating_add_signed(last), first.bit)
    }

    /// Whether it is all of a register, each bit at its place.
    fn is_whole(&self, source: (SourceBit<'a>, Option<i32>)) -> bool {
        self.ends(source) == (source.0.width - 1, 0)
    }

    /// Whether it has several bits, each from another one.
    fn is_moved(&self) -> bool {
        self.sources.iter().any(|it| it.1 == Some(1))
    }

    fn is_copy(&self) -> bool {
        self.table == COLUMNS[0] && self.sources.len() == 1
    }

    /// Whether its places and those of its sources begin and end with bytes, or are the sign of one.
    fn is_of_bytes(&self) -> bool {
        let is_aligned = |it: &(SourceBit<'a>, Option<i32>)| match it.1 {
            Some(1) => it.0.bit.is_multiple_of(8) && self.count().is_multiple_of(8),
            _ => it.0.bit % 8 == 7,
        };
        let places = self.low.is_multiple_of(8) && (self.high + 1).is_multiple_of(8);
        places && (self.is_copy() && self.sources.iter().all(is_aligned) || self.constant.is_some())
    }

    /// Its places in the result.
    fn places(&self, bytes: bool) -> String {
        match bytes {
            true => range("byte", self.high / 8, self.low / 8),
            false => range("bit", self.high, self.low),
        }
    }

    /// Its contents in words.
    fn text(&self, bytes: bool) -> String {
        if let Some(number) = self.constant {
            return match number {
                0..=9 => format!("{number}"),
                _ => format!("{number:#x}"),
            };
        }
        if let [source] = self.sources[..]
            && matches!(self.table, 0xf0 | 0x0f)
        {
            let sign = if self.is_copy() { "" } else { "~" };
            let name = format!("`{sign}{}`", source.0.name);
            let (high, low) = self.ends(source);
            return match bytes {
                _ if self.is_whole(source) => name,
                true if high == low => format!("the sign of byte {} of {name}", low / 8),
                true => format!("{} of {name}", range("byte", high / 8, low / 8)),
                false => format!("{} of {name}", range("bit", high, low)),
            };
        }
        let names: Vec<String> = self
            .sources
            .iter()
            .map(
                |source| match (self.is_whole(*source), self.ends(*source)) {
                    (true, _) => source.0.name.to_owned(),
                    (false, (high, low)) if high == low => format!("{}[{low}]", source.0.name),
                    (false, (high, low)) => format!("{}[{high}:{low}]", source.0.name),
                },
            )
            .collect();
        let name = |at: usize| names.get(at).map_or("", |it| it.as_str());
        format!("`{}`", formula(self.table, [name(0), name(1), name(2)]))
    }
}

fn range(unit: &str, high: u32, low: u32) -> String {
    match high == low {
        true => format!("{unit} {low}"),
        false => format!("{unit}s {high} to {low}"),
    }
}

fn sources<'a>(function: &BitFunction, all: &'a [Source]) -> Option<Vec<SourceBit<'a>>> {
    let bits = function.bits().iter();
    bits.map(|it| {
        let source = all.get(it.leaf as usize)?;
        Some(SourceBit {
            name: &source.name,
            width: source.bits,
            bit: source.start + u32::from(it.bit),
        })
    })
    .collect()
}

impl BitMap {
    /// The map in at most so many lines; `None` if a bit is unknown or more lines are needed. `all` are the sources of
    /// the leaves of the graph, by their numbers.
    #[must_use]
    pub fn text(&self, all: &[Source], most: usize) -> Option<BitText> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for (at, function) in (0..).zip(self.functions()?) {
            if !runs.last_mut().is_some_and(|it| it.takes(&function, all)) {
                runs.push(Run::new(at, &function, all)?);
            }
        }
        runs.reverse();
        if let [only] = &runs[..] {
            return Some(BitText {
                lines: vec![(String::new(), only.text(false))],
                is_uniform: only.constant.is_none()
                    && only.sources.iter().all(|it| only.is_whole(*it)),
            });
        }
        // Bytes of several places are counted as bytes, unless they are registers.
        let moved = || runs.iter().filter(|it| it.is_moved());
        let bytes = runs.iter().all(Run::is_of_bytes)
            && moved().count() > 1
            && moved().any(|it| !it.sources.iter().all(|source| it.is_whole(*source)));
        let line = |it: &Run<'_>| (it.places(bytes), it.text(bytes));
        let zeros = runs.iter().filter(|it| it.constant == Some(0)).count();
        let mut lines: Vec<(String, String)> = match runs.len() > most && zeros > 1 {
            true => {
                let others = runs.iter().filter(|it| it.constant != Some(0));
                others.map(line).collect()
            }
            false => runs.iter().map(line).collect(),
        };
        if lines.len() < runs.len() {
            lines.push(("other bits".to_owned(), "0".to_owned()));
        }
        (lines.len() <= most).then_some(BitText {
            lines,
            is_uniform: false,
        })
    }
}

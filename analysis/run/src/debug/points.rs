//! Where a run stops: breakpoints with conditions and counts, watched registers and memory, findings.

use isa::compute::AddressSpace;
use rustc_hash::FxHashMap;

use super::{
    evaluate::{Found, Scope},
    expression::Expression,
};
use crate::{
    machine::{
        Machine,
        inspect::{Known, View, WARP, WarpId},
        single::Next,
    },
    outcome::FindingCode,
};

/// A breakpoint.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// Its number.
    pub id: u64,
    /// It is hit where this is true in a lane.
    pub condition: Option<Expression>,
    /// At which hits the run stops.
    pub hits: Option<Hits>,
    /// The message that is logged instead of a stop.
    pub log: Option<Vec<Piece>>,
}

/// At which hits of a breakpoint a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hits {
    /// From this one on.
    From(u64),
    /// At this one.
    At(u64),
    /// Before this one.
    Below(u64),
    /// At each multiple of it.
    Every(u64),
}

impl Hits {
    /// Reads `5`, `>= 5`, `> 5`, `== 5`, `< 5`, `<= 5` or `% 5`.
    ///
    /// # Errors
    /// It is something else, as a sentence.
    pub fn parse(text: &str) -> Result<Hits, String> {
        let text = text.trim();
        let digits = text.trim_start_matches(|it: char| !it.is_ascii_digit());
        let operator = text[..text.len() - digits.len()].trim();
        let number: Option<u64> = digits.trim().parse().ok();
        let found = number.and_then(|it| {
            Some(match operator {
                "" | "=" | "==" => Hits::At(it),
                ">=" => Hits::From(it),
                ">" => Hits::From(it.checked_add(1)?),
                "<" => Hits::Below(it),
                "<=" => Hits::Below(it.checked_add(1)?),
                "%" if it > 0 => Hits::Every(it),
                _ => return None,
            })
        });
        found.ok_or_else(|| {
            format!("`{text}` does not count hits: write 5, >= 5, > 5, == 5, < 5 or % 5")
        })
    }

    fn stops(self, hit: u64) -> bool {
        match self {
            Hits::From(it) => hit >= it,
            Hits::At(it) => hit == it,
            Hits::Below(it) => hit < it,
            Hits::Every(it) => hit.is_multiple_of(it),
        }
    }
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// It is written as it is.
    Text(String),
    /// Its value is written.
    Value(Expression),
}

impl Piece {
    /// Reads a message with expressions in braces: `x = {%r1}`.
    ///
    /// # Errors
    /// What is in braces is not an expression, as a sentence.
    pub fn parse(text: &str) -> Result<Vec<Piece>, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let Some(length) = rest[open..].find('}') else {
                break;
            };
            if open > 0 {
                pieces.push(Piece::Text(rest[..open].to_owned()));
            }
            let inside = &rest[open + 1..open + length];
            pieces.push(Piece::Value(Expression::parse(inside)?));
            rest = &rest[open + length + 1..];
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(pieces)
    }
}

/// A register or memory whose changes stop a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watch {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The thread for which it was named.
    pub view: View,
    /// Watched data.
    pub what: Watched,
}

/// The watched data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// A register of the function, by its slot, in some lanes.
    Register {
        /// The slot.
        slot: u32,
        /// The function, by its index in the code.
        function: usize,
        /// The lanes as a mask.
        lanes: u32,
    },
    /// Memory.
    Memory {
        /// The state space.
        space: AddressSpace,
        /// The first byte.
        address: u64,
        /// The number of bytes.
        count: usize,
    },
}

impl Watch {
    /// Its contents now; `None` if it does not exist.
    pub(super) fn contents(&self, machine: &Machine<'_>) -> Option<Known> {
        match self.what {
            Watched::Register {
                slot,
                function,
                lanes,
            } => {
                let view = self.view;
                let same = machine.function_of(view.warp, view.frame) == Some(function);
                let (bits, undefined) = machine
                    .register(view.warp, view.frame, slot)
                    .filter(|_| same)?;
                let lanes = (0..WARP).filter(|it| lanes >> it & 1 == 1);
                let bytes = lanes.flat_map(|lane| {
                    let known = undefined >> lane & 1 == 0;
                    bits[lane].to_le_bytes().map(|it| known.then_some(it))
                });
                Some(bytes.collect())
            }
            Watched::Memory {
                space,
                address,
                count,
            } => Some(machine.read_bytes(self.view, space, address, count)),
        }
    }
}

/// Everything at which a run stops.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// The breakpoints, by function and instruction.
    pub breakpoints: FxHashMap<(usize, u32), Vec<Breakpoint>>,
    /// The watched registers and memory.
    pub watches: Vec<Watch>,
    /// The codes of findings at which it does not stop.
    pub ignored: Vec<FindingCode>,
    /// Whether it stops where an instruction makes NaN of operands that are none.
    pub nan: bool,
    /// The number of the source line of each instruction, by function; 0 where there is none. [`super::Goal::Line`]
    /// needs it.
    pub lines: Vec<Vec<u32>>,
}

/// A breakpoint that was hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hit {
    /// The numbers of those at which the run stops.
    pub(super) stops: Vec<u64>,
    /// The first lane in which the condition holds.
    pub(super) lane: usize,
    /// The logged message.
    pub(super) logs: Vec<String>,
}

impl Points {
    /// The number of the source line of an instruction.
    pub(super) fn line(&self, function: usize, pc: u32) -> u32 {
        let lines = self.lines.get(function);
        lines.and_then(|it| it.get(pc as usize)).map_or(0, |it| *it)
    }

    /// The breakpoints that the next instruction hits; `counts` has the hits so far.
    pub(super) fn hit(
        &self,
        scope: Scope<'_, '_>,
        next: &Next,
        counts: &mut FxHashMap<u64, u64>,
    ) -> Option<Hit> {
        let points = self.breakpoints.get(&(next.function, next.pc))?;
        let mut found: Option<Hit> = None;
        for point in points {
            let Some(lane) = lane_of(scope, next, point.condition.as_ref()) else {
                continue;
            };
            let count = counts.entry(point.id).or_default();
            *count += 1;
            if point.hits.is_some_and(|it| !it.stops(*count)) {
                continue;
            }
            let hit = found.get_or_insert_with(Hit::default);
            match &point.log {
                Some(pieces) => hit.logs.push(message(in_lane(scope, next, lane), pieces)),
                None if hit.stops.is_empty() => {
                    hit.lane = lane;
                    hit.stops.push(point.id);
                }
                None => hit.stops.push(point.id),
            }
        }
        found
    }
}

impl Points {
    /// The breakpoints at which a run that goes back stops before the next instruction, with the first lane that fits.
    pub(super) fn passes(&self, scope: Scope<'_, '_>, next: &Next) -> Option<(Vec<u64>, usize)> {
        let points = self.breakpoints.get(&(next.function, next.pc))?;
        let points = points.iter().filter(|it| it.log.is_none());
        let found =
            points.filter_map(|it| Some((it.id, lane_of(scope, next, it.condition.as_ref())?)));
        let found: Vec<(u64, usize)> = found.collect();
        let lane = found.first()?.1;
        Some((found.into_iter().map(|it| it.0).collect(), lane))
    }
}

fn in_lane<'m, 'a>(scope: Scope<'m, 'a>, next: &Next, lane: usize) -> Scope<'m, 'a> {
    Scope {
        view: view_of(next.warp, next.frame, lane),
        ..scope
    }
}

fn view_of(warp: WarpId, frame: usize, lane: usize) -> View {
    View { warp, frame, lane }
}

/// The first lane in which a condition holds; what cannot be told does not.
fn lane_of(scope: Scope<'_, '_>, next: &Next, condition: Option<&Expression>) -> Option<usize> {
    let mut lanes = (0..WARP).filter(|it| next.lanes >> it & 1 == 1);
    match condition {
        None => lanes.next(),
        Some(it) => lanes.find(|lane| {
            let value = in_lane(scope, next, *lane).number(it);
            value.is_ok_and(|it| it.is_true())
        }),
    }
}

fn message(scope: Scope<'_, '_>, pieces: &[Piece]) -> String {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Value(it) => match scope.find(it) {
            Ok(Found::Row(row, _)) => row.show(scope.view.lane, false),
            Ok(Found::Lane(row, _, lane)) => row.show(lane, false),
            Ok(Found::Number(it)) => it.to_string(),
            Ok(Found::Part(_)) => match scope.number(it) {
                Ok(it) => it.to_string(),
                Err(problem) => format!("<{problem}>"),
            },
            Err(problem) => format!("<{problem}>"),
        },
    });
    pieces.collect()
}

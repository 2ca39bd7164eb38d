//! Cases that judges outside this program decided, see `tests/computations/README.md`.

use std::{collections::BTreeMap, io::Read, path::Path};

use super::statement::{Compiled, Registers, compile};
use crate::{
    compute::{
        ElementType, LANES, ValueType,
        float::{Format, Number, bits},
    },
    types::Class,
};

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judge {
    /// The constant folding of ptxas.
    Folding,
    /// The reference in Python, with exact numbers.
    Reference,
    /// The compiler of the host, on the same source.
    Host,
}

impl Judge {
    pub(super) const ALL: [Judge; 3] = [Judge::Folding, Judge::Reference, Judge::Host];

    /// The recorded cases.
    fn files(self) -> &'static [&'static str] {
        match self {
            Judge::Folding => &["folded.txt.gz"],
            Judge::Reference => &["reference.txt.gz", "matrices.txt.gz"],
            Judge::Host => &["host.txt.gz"],
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Judge::Folding => "ptxas",
            Judge::Reference => "reference",
            Judge::Host => "host",
        }
    }

    /// The recorded cases as text.
    pub(super) fn recorded(self) -> String {
        let folder =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/computations/recorded");
        let mut text = String::new();
        for file in self.files() {
            let packed = std::fs::read(folder.join(file)).expect("the recorded cases are there");
            let mut unpacked = flate2::read::GzDecoder::new(&packed[..]);
            unpacked.read_to_string(&mut text).expect("they are text");
        }
        text
    }
}

/// The bound on the error of an approximation.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// So many units in the last place.
    Ulp(f64),
    /// A share of the result.
    Relative(f64),
    Absolute(f64),
    /// The manual says only that it is gross: the upper half of a double.
    Gross,
}

/// A register with its class, and its type if it is written.
struct Operand<'a> {
    name: String,
    class: Class,
    ty: &'a str,
}

/// A form with its cases.
pub(super) struct Form<'a> {
    /// Its statements, with `;` after each.
    pub(super) text: &'a str,
    inputs: Vec<Operand<'a>>,
    outputs: Vec<Operand<'a>>,
    within: Option<Bound>,
    /// Registers that are neither.
    between: Vec<Operand<'a>>,
    cases: Vec<&'a str>,
}

fn operands(text: &str) -> Vec<Operand<'_>> {
    let words = text.split(' ').filter(|it| !it.is_empty());
    let operands = words.map(|word| {
        let mut parts = word.split(':');
        Operand {
            name: format!("${}", parts.next().unwrap()),
            class: Class::from_word(parts.next().unwrap()).unwrap(),
            ty: parts.next().unwrap_or_default(),
        }
    });
    operands.collect()
}

/// Reads a file of cases.
pub(super) fn forms(text: &str) -> Vec<Form<'_>> {
    let mut forms: Vec<Form<'_>> = Vec::new();
    for line in text.lines().filter(|it| !it.starts_with('#')) {
        if !line.contains('\t') {
            let form = forms.last_mut().expect("a form is before its cases");
            form.cases.push(line);
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let within = fields[3].split_once(' ').map(|(kind, size)| {
            let size = size.parse().unwrap();
            match kind {
                "ulp" => Bound::Ulp(size),
                "relative" => Bound::Relative(size),
                "absolute" => Bound::Absolute(size),
                _ => Bound::Gross,
            }
        });
        forms.push(Form {
            text: fields[0],
            inputs: operands(fields[1]),
            outputs: operands(fields[2]),
            within,
            between: operands(fields.get(4).copied().unwrap_or_default()),
            cases: Vec::new(),
        });
    }
    forms
}

/// How the cases of a form went.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) equal: usize,
    /// The manual leaves them open, and so does the program.
    pub(super) open: usize,
    pub(super) excepted: usize,
    /// The cases that differ, with what the program gives.
    pub(super) different: Vec<String>,
}

impl Form<'_> {
    /// The statements as programs.
    pub(super) fn compile(&self) -> Result<Vec<Compiled>, String> {
        let mut classes: BTreeMap<String, Class> = BTreeMap::new();
        let all = self.inputs.iter().chain(&self.outputs);
        for operand in all.chain(&self.between) {
            classes.insert(operand.name.clone(), operand.class);
        }
        let statements = self.text.split(';').filter(|it| !it.trim().is_empty());
        let programs = statements.map(|it| compile(it, &mut classes));
        let programs: Result<Vec<_>, _> = programs.collect();
        programs.map_err(|it| format!("{it:?}"))
    }

    /// Runs the cases.
    pub(super) fn run(&self, judge: Judge) -> Outcome {
        let mut outcome = Outcome::default();
        let statements = match self.compile() {
            Ok(it) => it,
            Err(it) => {
                outcome.different.push(it);
                return outcome;
            }
        };
        for case in &self.cases {
            let words: Vec<&str> = case.split(' ').collect();
            let lanes = words.iter().any(|it| it.contains(','));
            let (got, open, words) = if lanes {
                let active = u32::from_str_radix(words[0], 16).unwrap();
                let (got, open) = self.values::<LANES>(&statements, &words[1..], active);
                (got, open, &words[1..])
            } else {
                let (got, open) = self.values::<1>(&statements, &words, 1);
                (got, open, &words[..])
            };
            let wanted = &words[self.inputs.len()..];
            let mut good = true;
            let mut all_open = true;
            for ((operand, got), wanted) in self.outputs.iter().zip(&got).zip(wanted) {
                for (lane, wanted) in wanted.split(',').enumerate() {
                    let left_open = open[lane];
                    all_open &= left_open;
                    good &= match wanted {
                        // A lane that does not take part.
                        "-" => true,
                        "?" => left_open,
                        // What ptxas makes of it is not specified.
                        _ if left_open => judge != Judge::Reference,
                        _ => self.same(judge, operand.ty, got[lane], wanted),
                    };
                }
            }
            if !good && self.is_excepted(judge, words, &got) {
                outcome.excepted += 1;
            } else if !good {
                let open = if open.contains(&true) { " (open)" } else { "" };
                outcome.different.push(format!("{case} -> {got:x?}{open}"));
            } else if all_open && !self.outputs.is_empty() {
                outcome.open += 1;
            } else {
                outcome.equal += 1;
            }
        }
        outcome
    }

    /// Whether a difference is one of the exceptions; those are of statements with one result in one lane.
    fn is_excepted(&self, judge: Judge, words: &[&str], got: &[Vec<u128>]) -> bool {
        let numbers = words.iter().map(|it| u128::from_str_radix(it, 16));
        let Ok(numbers) = numbers.collect::<Result<Vec<_>, _>>() else {
            return false;
        };
        let (operands, wanted) = numbers.split_at(self.inputs.len());
        EXCEPTIONS.iter().any(|it| {
            it.judge == judge
                && it.heads.iter().any(|head| self.text.starts_with(head))
                && (it.applies)(operands, got[0][0], wanted[0])
        })
    }

    /// The results of a case, and in which lanes they are open.
    fn values<const N: usize>(
        &self,
        statements: &[Compiled],
        words: &[&str],
        active: u32,
    ) -> (Vec<Vec<u128>>, Vec<bool>) {
        let mut registers: Registers<N> = BTreeMap::new();
        for (operand, word) in self.inputs.iter().zip(words) {
            let mut values = [0; N];
            for (value, word) in values.iter_mut().zip(word.split(',')) {
                *value = u128::from_str_radix(word, 16).unwrap();
            }
            registers.insert(operand.name.clone(), values);
        }
        let mut carry = [0; N];
        let mut open = vec![false; N];
        for statement in statements {
            let left_open = statement.run(&mut registers, &mut carry, active);
            for (all, one) in open.iter_mut().zip(left_open) {
                *all |= one;
            }
        }
        let written = self.outputs.iter().map(|it| registers[&it.name].to_vec());
        (written.collect(), open)
    }

    /// Whether a result is what a judge has; its unknown digits are `x`.
    fn same(&self, judge: Judge, ty: &str, got: u128, wanted: &str) -> bool {
        let unknown = wanted.bytes().fold(0u128, |mask, digit| {
            mask << 4 | if digit == b'x' { 15 } else { 0 }
        });
        let wanted = u128::from_str_radix(&wanted.replace('x', "0"), 16).unwrap();
        if got & !unknown == wanted {
            return true;
        }
        let Some(ty) = ValueType::from_word(ty) else {
            return false;
        };
        let ElementType::Float(format) = ty.element else {
            return false;
        };
        (0..ty.count).all(|index| {
            let at = index * format.bits();
            let part = |it: u128| (it >> at) as u64 & (u64::MAX >> (64 - format.bits()));
            let (got, wanted) = (part(got & !unknown), part(wanted));
            if got == wanted {
                return true;
            }
            if bits::is_nan(format, got) || bits::is_nan(format, wanted) {
                // Which NaN an f64 is the manual leaves open, and ptxas is a program of the host.
                let same_kind = bits::is_nan(format, got) == bits::is_nan(format, wanted);
                return same_kind && (judge != Judge::Reference || format == Format::F64);
            }
            let Some(bound) = self.within else {
                return false;
            };
            near(bound, format, got, wanted)
        })
    }
}

/// Whether the distance of two numbers is within the bound and the rounding of both.
fn near(bound: Bound, format: Format, got: u64, wanted: u64) -> bool {
    let number = |it: u64| {
        let bits = Number::decode(format, it).round(Format::F64, crate::compute::Mode::NearestEven);
        f64::from_bits(bits)
    };
    let (a, b) = (number(got), number(wanted));
    let magnitude = wanted & !(1 << (format.bits() - 1));
    let ulp = number(magnitude) - number(magnitude.saturating_sub(1));
    let distance = (a - b).abs();
    match bound {
        Bound::Ulp(count) => distance <= (count + 1.0) * ulp,
        Bound::Relative(share) => distance <= share * b.abs() + ulp,
        Bound::Absolute(size) => distance <= size + ulp,
        Bound::Gross => distance <= b.abs() * 2f64.powi(-19),
    }
}

/// Cases in which a judge is wrong, or speaks of what the manual leaves open.
struct Exception {
    judge: Judge,
    /// Starts of the statements.
    heads: &'static [&'static str],
    /// Whether it is about a case: its operands, what the program gives, and what the judge has.
    applies: fn(&[u128], u128, u128) -> bool,
}

const EXCEPTIONS: [Exception; 4] = [
    // The folding of ptxas 13.5 rounds ties of a difference toward zero, not to even.
    Exception {
        judge: Judge::Folding,
        heads: &[
            "add.f32", "add.rn.", "add.ftz.", "sub.f32", "sub.rn.", "sub.ftz.",
        ],
        applies: |_, got, wanted| got.abs_diff(wanted) == 1 && got % 2 == 0,
    },
    // It takes a NaN whose fraction is in the 13 low bits only, which tf32 does not have, for infinity.
    Exception {
        judge: Judge::Folding,
        heads: &["cvt.rna."],
        applies: |operands, _, _| operands[0] & 0x7fff_e000 == 0x7f80_0000,
    },
    // The manual has subnormal operands flushed. ptxas drops `.ftz` of these, and GPUs round what is not flushed.
    Exception {
        judge: Judge::Reference,
        heads: &[
            "cvt.rm.ftz.f16.f32",
            "cvt.rm.ftz.sat.f16.f32",
            "cvt.rp.ftz.f16.f32",
            "cvt.rp.ftz.sat.f16.f32",
        ],
        applies: |operands, _, _| operands[0] & 0x7f80_0000 == 0,
    },
    // It negates the offset -2^31, which has no positive counterpart in 32 bits.
    Exception {
        judge: Judge::Folding,
        heads: &["fns.b32"],
        applies: |operands, _, _| operands[2] == 1 << 31,
    },
];

/// How the cases of a judge went.
#[derive(Default)]
pub(super) struct Report {
    pub(super) forms: usize,
    pub(super) equal: usize,
    pub(super) open: usize,
    pub(super) excepted: usize,
    /// The forms that differ, with their first case.
    pub(super) different: Vec<String>,
}

/// Runs all cases of a judge.
pub(super) fn report(judge: Judge, text: &str) -> Report {
    let mut report = Report::default();
    for form in forms(text) {
        let outcome = form.run(judge);
        report.forms += 1;
        report.equal += outcome.equal;
        report.open += outcome.open;
        report.excepted += outcome.excepted;
        if let Some(first) = outcome.different.first() {
            let (count, all) = (outcome.different.len(), form.cases.len());
            let line = format!("{}\n    {count} of {all}: {first}", form.text);
            report.different.push(line);
        }
    }
    report
}

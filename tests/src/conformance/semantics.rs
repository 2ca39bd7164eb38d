//! The machine code that is left of statements after optimization, against the semantics in the tables.
//!
//! A statement is put into kernels whose registers come from parameters. In one of them its results are unused; in the
//! others it is between two accesses to the same address, of which ptxas makes one if nothing keeps them apart.

use std::{collections::BTreeMap, fmt::Write as _, io, path::Path};

use isa::{
    semantics::{Control, Keep, Order, Semantics},
    table::tables,
};
use serde::{Deserialize, Serialize};

use super::{program::Case, ptxas::Ptxas};

/// The targets that are tried until ptxas makes code for one of them.
const TARGETS: [&str; 6] = [
    "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_107a", "sm_75",
];
/// The version of programs that are made for another target than the statement was recorded for.
const VERSION: &str = "9.5";
/// Parameters of the kernels in addition to the usual ones: initial values and the address of the results.
const PARAMETERS: &str = ".param .align 16 .b8 in[4096], .param .u64 outp";
/// Registers of the accesses around a statement.
const REGISTERS: &str = ".reg .b32 za, zb, zv, zw, zs; .reg .b64 zx, zout; ld.param.b32 zv, [in+4064]; \
    ld.param.b32 zw, [in+4068]; ld.param.b32 zs, [in+4072]; ld.param.b64 zx, [in+4080]; ld.param.b64 zout, [outp];";

/// Two accesses to one address.
struct Pair {
    name: &'static str,
    /// The opcode of machine code that is counted.
    opcode: &'static str,
    /// The text before and after the statement.
    both: (&'static str, &'static str),
    /// The same with one of the accesses only.
    one: (&'static str, &'static str),
}

const PAIRS: [Pair; 5] = [
    Pair {
        name: "global loads",
        opcode: "LDG",
        both: (
            "ld.global.b32 za, [zx];",
            "ld.global.b32 zb, [zx]; st.global.b32 [zout+16388], zb; st.global.b32 [zout+16384], za;",
        ),
        one: (
            "",
            "ld.global.b32 zb, [zx]; st.global.b32 [zout+16388], zb;",
        ),
    },
    Pair {
        name: "shared loads",
        opcode: "LDS",
        both: (
            "ld.shared.b32 za, [zs];",
            "ld.shared.b32 zb, [zs]; st.global.b32 [zout+16388], zb; st.global.b32 [zout+16384], za;",
        ),
        one: (
            "",
            "ld.shared.b32 zb, [zs]; st.global.b32 [zout+16388], zb;",
        ),
    },
    Pair {
        name: "global stores",
        opcode: "STG",
        both: ("st.global.b32 [zx], zv;", "st.global.b32 [zx], zw;"),
        one: ("", "st.global.b32 [zx], zw;"),
    },
    Pair {
        name: "shared stores",
        opcode: "STS",
        both: ("st.shared.b32 [zs], zv;", "st.shared.b32 [zs], zw;"),
        one: ("", "st.shared.b32 [zs], zw;"),
    },
    Pair {
        name: "load after store",
        opcode: "LDG",
        both: (
            "st.global.b32 [zx], zv;",
            "ld.global.b32 zb, [zx]; st.global.b32 [zout+16388], zb;",
        ),
        one: ("st.global.b32 [zx], zv;", "st.global.b32 [zout+16388], zv;"),
    },
];

/// A statement and the result of ptxas for it at `-O3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Optimized {
    /// The statement, with the version and target of the measurement.
    #[serde(flatten)]
    pub case: Case,
    /// Whether something is left of it when its results are unused.
    pub kept: bool,
    /// The pairs of accesses around it of which both are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<String>,
}

/// Measures a statement; `None` if ptxas makes code of it for no target.
///
/// # Errors
/// Files cannot be written or a process cannot be started.
pub fn measure(ptxas: &Ptxas, nvdisasm: &Path, case: &Case) -> io::Result<Option<Optimized>> {
    let own = (case.version.as_str(), case.target.as_str());
    let others = TARGETS.iter().map(|it| (VERSION, *it));
    for (version, target) in [own].into_iter().chain(others) {
        let case = Case {
            version: version.to_owned(),
            target: target.to_owned(),
            ..case.clone()
        };
        let Some(text) = kernels(&case) else {
            return Ok(None);
        };
        if let Some(listing) = ptxas.listing(nvdisasm, &case.target, &text)? {
            return Ok(Some(read(case, &listing)));
        }
    }
    Ok(None)
}

/// The program with all kernels; `None` if the statement declares registers of its own.
fn kernels(case: &Case) -> Option<String> {
    if case.statement.contains(".reg") {
        return None;
    }
    let used = used_registers(case);
    let initial: String = used.iter().enumerate().map(initial).collect();
    let stores: String = used.iter().enumerate().map(store).collect();
    let statement = format!("{{ {} }}", case.statement);
    let mut bodies = vec![String::new(), statement.clone()];
    for pair in &PAIRS {
        for (before, after) in [pair.both, pair.one] {
            bodies.push(format!("{before}\n{statement}\n{after}\n{stores}"));
        }
    }
    let mut out = case.header();
    for (index, body) in bodies.iter().enumerate() {
        let body = format!("{REGISTERS}\n{initial}\n{body}");
        out.push_str(&case.entry(&format!("zk{index}"), PARAMETERS, &body));
    }
    Some(out.replace('`', ""))
}

/// The registers of a statement with their types.
fn used_registers(case: &Case) -> Vec<(String, &'static str)> {
    let declared: Vec<(&'static str, &'static str, u32)> = case.registers().collect();
    let mut used: Vec<(String, &'static str)> = Vec::new();
    let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '%' | '.');
    for word in case.statement.split(|it| !is_word(it)) {
        // Modifiers follow the opcode, components follow a register.
        let name = word.split('.').next().unwrap_or_default();
        let class = declared.iter().find_map(|(class, prefix, count)| {
            let number: u32 = name.strip_prefix(prefix)?.parse().ok()?;
            (number < *count && name == format!("{prefix}{number}")).then_some(*class)
        });
        if let Some(class) = class
            && !used.iter().any(|it| it.0 == name)
        {
            used.push((name.to_owned(), class));
        }
    }
    used
}

/// The width of a class in bits; 1 for predicates.
fn bits(class: &str) -> u32 {
    match class {
        "pred" => 1,
        "f16x2" => 32,
        _ => class[1..].parse().expect("a class ends with its width"),
    }
}

/// Statements that load a register from a parameter.
fn initial((index, (name, class)): (usize, &(String, &'static str))) -> String {
    let at = index * 16 % 4000;
    match bits(class) {
        1 => {
            format!("{{ .reg .b32 zq; ld.param.b32 zq, [in+{at}]; setp.ne.u32 {name}, zq, 0; }}\n")
        }
        128 => format!(
            "{{ .reg .b64 zq<2>; ld.param.b64 zq0, [in+{at}]; ld.param.b64 zq1, [in+{}]; mov.b128 {name}, {{zq0, zq1}}; }}\n",
            at + 8
        ),
        bits => format!("ld.param.b{bits} {name}, [in+{at}];\n"),
    }
}

/// Statements that store a register.
fn store((index, (name, class)): (usize, &(String, &'static str))) -> String {
    let at = index * 32;
    match bits(class) {
        1 => format!(
            "{{ .reg .b32 zq; selp.b32 zq, 1, 0, {name}; st.global.b32 [zout+{at}], zq; }}\n"
        ),
        128 => format!(
            "{{ .reg .b64 zq<2>; mov.b128 {{zq0, zq1}}, {name}; st.global.b64 [zout+{at}], zq0; st.global.b64 [zout+{}], zq1; }}\n",
            at + 8
        ),
        bits => format!("st.global.b{bits} [zout+{at}], {name};\n"),
    }
}

/// Reads the machine code of the kernels.
fn read(case: Case, listing: &str) -> Optimized {
    let mut code: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    let mut kernel = None;
    for line in listing.lines() {
        if let Some(name) = line.trim().strip_prefix(".section\t.text.") {
            let name = name.split(',').next().unwrap_or_default();
            kernel = name
                .strip_prefix("zk")
                .and_then(|it| it.parse::<usize>().ok());
        }
        let instruction = line.trim_start().strip_prefix("/*");
        if let (Some(kernel), Some((_, text))) =
            (kernel, instruction.and_then(|it| it.split_once("*/")))
        {
            let text = text.split(';').next().unwrap_or_default().trim();
            code.entry(kernel).or_default().push(text);
        }
    }
    // What follows the end of a kernel is a loop and padding.
    for instructions in code.values_mut() {
        let padding = |it: &&str| it.starts_with("NOP") || it.starts_with("BRA");
        while instructions.last().is_some_and(padding) {
            instructions.pop();
        }
    }
    let count = |kernel: usize, opcode: &str| {
        let is_access = |it: &&&str| {
            let words = it.split_whitespace().find(|it| !it.starts_with('@'));
            let name = words.and_then(|it| it.split('.').next());
            name == Some(opcode)
        };
        code.get(&kernel)
            .map_or(0, |it| it.iter().filter(is_access).count())
    };
    let mut apart = Vec::new();
    for (index, pair) in PAIRS.iter().enumerate() {
        let both = 2 + 2 * index;
        if count(both + 1, pair.opcode) < count(both, pair.opcode) {
            apart.push(pair.name.to_owned());
        }
    }
    Optimized {
        kept: code.get(&0) != code.get(&1),
        case,
        apart,
    }
}

/// How the tables disagree with a measurement; `None` if they agree, or say nothing about such a statement.
#[must_use]
pub fn disagreement(row: &Optimized) -> Option<String> {
    let semantics = semantics(&row.case.statement)?;
    let expected = match semantics.keep {
        Keep::Group => row.kept,
        _ if semantics.cost.subroutine => row.kept,
        _ => semantics.stays(),
    };
    if expected != row.kept {
        let tables = if expected { "it stays" } else { "it goes" };
        return Some(format!(
            "the tables say that {tables} when it is not read, ptxas does not"
        ));
    }
    let expected = match semantics.order {
        Order::All | Order::AcquireRelease => PAIRS.len(),
        Order::None if is_value(&semantics) => 0,
        _ => return None,
    };
    (expected != row.apart.len()).then(|| {
        format!(
            "by the tables {expected} of {} pairs stay apart, ptxas keeps {:?}",
            PAIRS.len(),
            row.apart
        )
    })
}

/// Whether it computes and does nothing else; others ptxas may take for an access that they are not, as `prefetch`.
fn is_value(semantics: &Semantics) -> bool {
    semantics.reads.is_empty() && !semantics.stays() && !semantics.cost.subroutine
}

/// The semantics of a statement by the tables; `None` unless it is one instruction after which control continues.
fn semantics(statement: &str) -> Option<Semantics> {
    let text = statement.trim().strip_suffix(';')?;
    if text.contains(';') || text.contains(": ") {
        return None;
    }
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ')?.1.trim_start(),
        None => text,
    };
    let head = text.split_whitespace().next()?;
    let mut words = head.split('.');
    let opcode = words.next()?;
    let semantics = tables().semantics(opcode, words);
    (semantics.control == Control::Next).then_some(semantics)
}

/// The disagreements of the tables with measurements, and how many rows they speak of.
#[must_use]
pub fn report(rows: &[Optimized]) -> (usize, String) {
    let mut out = String::new();
    let mut wrong = 0;
    for row in rows {
        if let Some(problem) = disagreement(row) {
            wrong += 1;
            let case = &row.case;
            writeln!(out, "{} {}: {problem}", case.target, case.statement)
                .expect("a string takes everything");
        }
    }
    (wrong, out)
}

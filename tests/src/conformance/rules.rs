//! Statements that show rules of ptxas one by one, each with its verdict.
//!
//! A file of them is plain text: `#` starts a comment, `@ 9.0 sm_90` names the module of the lines that follow,
//! and every other line is a statement after `+` if ptxas accepts it, after `-` if not. Registers and names
//! are as in generated statements, such as `b32_1` and ``gbuf` ``.

use isa::target::{Module, Target, TextureMode, Version};

use super::{generator::program_of, program::Case};

/// The file of the project.
const FILE: &str = include_str!("../../conformance/recorded/rules.txt");

/// A statement and whether ptxas accepts it.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The line of the file, from 1 on.
    pub line: usize,
    /// Statement in its module.
    pub case: Case,
    /// Whether ptxas accepts it.
    pub accepted: bool,
}

/// All of them.
///
/// # Errors
/// A line is none of the notation, or its statement has no program.
pub fn rules() -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    let mut module = None;
    for (index, line) in FILE.lines().enumerate() {
        let line_number = index + 1;
        let wrong = |what: &str| format!("line {line_number}: {what}: {line}");
        let (mark, rest) = line.split_at(line.len().min(1));
        match mark {
            "" | "#" => {}
            "@" => module = Some(parse_module(rest).ok_or_else(|| wrong("no module"))?),
            "+" | "-" => {
                let module = module.ok_or_else(|| wrong("no module before it"))?;
                let statement = rest.trim().to_owned();
                let words: String = statement
                    .chars()
                    .take_while(|it| !it.is_whitespace() && *it != ';')
                    .collect();
                let case = program_of(statement, &words, module)
                    .ok_or_else(|| wrong("the module lacks what it names"))?;
                rules.push(Rule {
                    line: line_number,
                    case,
                    accepted: mark == "+",
                });
            }
            _ => return Err(wrong("not of the notation")),
        }
    }
    Ok(rules)
}

/// `9.0 sm_90`, perhaps with `texmode_independent` after it.
fn parse_module(text: &str) -> Option<Module> {
    let mut words = text.split_whitespace();
    let version = Version::parse(words.next()?)?;
    let target = Target::parse(words.next()?)?;
    let texture_mode = match words.next() {
        None => TextureMode::Unified,
        Some("texmode_independent") => TextureMode::Independent,
        Some(_) => return None,
    };
    Some(Module {
        version,
        target,
        texture_mode,
    })
}

//! Answers to whatever a person types: words, opcodes with modifiers, whole statements, numbers, messages.
//!
//! [`explain`] tries, in this order: calculators, messages of ptxas, machine instructions, names of pages, numbers, statements and
//! opcodes, words of other languages, declarations, and at last a search in the texts. What finds nothing gets close
//! names.

mod computed;
mod ranking;
mod search;
mod spelling;
mod statement;
mod terms;
#[cfg(test)]
mod tests;

use isa::{
    documentation::{self, Topic},
    target::{Target, least_version},
};

use crate::{DocumentationKey, Explanation, Explanations};

use super::{
    calculators::calculate,
    chapters,
    documentation::{documentation, documented, sources},
    literal,
};

/// The concept that explains a guard.
const GUARD: &str = "predication";
/// Pages that one question gets at most.
const MAX_PAGES: usize = 6;
/// Pages that a search finds at most.
const MAX_HITS: usize = 7;

/// The answer to what a user typed, for a target if one is given.
///
/// # Errors
///
/// The name of the target is not one that ptxas knows; the error is the name.
pub fn explain(question: &str, target: Option<&str>) -> Result<Explanations, String> {
    let target = match target {
        None => None,
        Some(name) => Some(
            Target::parse(name)
                .filter(|it| it.to_string() == name && least_version(*it).is_some())
                .ok_or_else(|| name.to_owned())?,
        ),
    };
    let asked = cleaned(question);
    let mut found = answers(asked, target);
    let lower = asked.to_lowercase();
    if found.is_empty() && lower != asked {
        found = answers(&lower, target);
    }
    if found.is_empty() {
        found = ranking::subjects(asked)
            .into_iter()
            .map(|it| subject(it, target))
            .find(|it| !it.is_empty())
            .unwrap_or_default();
    }
    if found.is_empty() {
        found.extend(unfinished_message(asked));
    }
    let mut similar = Vec::new();
    if found.is_empty() && ranking::is_known(asked) {
        found = searched(asked, target);
    }
    if found.is_empty() && !asked.contains(char::is_whitespace) {
        similar = spelling::similar(asked);
        found = misspelt(asked, &mut similar, target);
    }
    if found.is_empty() && similar.is_empty() {
        found = searched(asked, target);
    }
    if found.is_empty() && similar.is_empty() {
        similar = spelling::similar(asked);
    }
    found.truncate(MAX_PAGES);
    Ok(Explanations { found, similar })
}

/// The answers to the subject of a question in words, if it has a name.
fn subject(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    if !asked.contains(char::is_whitespace) {
        return answers(asked, target);
    }
    let mut found = named(asked, target);
    if found.is_empty() {
        found = alias(asked, target);
    }
    found
}

/// The page of the name that a misspelt one is nearest to, if one is nearer than all others; it leaves the names that
/// are close.
fn misspelt(asked: &str, similar: &mut Vec<String>, target: Option<Target>) -> Vec<Explanation> {
    let Some(nearest) = similar.first() else {
        return Vec::new();
    };
    let mut found = answers(nearest, target);
    found.truncate(1);
    if let Some(first) = found.first_mut() {
        first.text = format!(
            "Nothing is called `{asked}`; the nearest name is `{nearest}`.\n\n{}",
            first.text
        );
        similar.remove(0);
    }
    found
}

/// The page that answers a question in words best, and a list of others.
fn searched(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let mut hits = ranking::ranked(asked);
    hits.truncate(MAX_HITS);
    let Some((best, others)) = hits.split_first() else {
        return Vec::new();
    };
    let first = page(best.name, best.key, target);
    first
        .into_iter()
        .chain(search::list(asked, others))
        .collect()
}

/// A page, with what a target has of it.
fn page(name: &str, key: &DocumentationKey, target: Option<Target>) -> Option<Explanation> {
    let text = match key {
        DocumentationKey::Instruction(name) => statement::page(name, target)?,
        DocumentationKey::Chapter(title) => chapters::page(title)?,
        key => format!("{}{}", documentation(key)?, sources(key)),
    };
    Some(Explanation {
        name: name.to_owned(),
        kind: key.kind(),
        text,
    })
}

/// The answers that are certain, most to the point first.
fn answers(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let mut found: Vec<Explanation> = calculated(asked).into_iter().collect();
    if found.is_empty() {
        found = message(asked);
    }
    if found.is_empty() {
        found = machine_instruction(asked, target);
    }
    if found.is_empty() {
        found = named(asked, target);
    }
    // An alias says more than a name that is nearly the same: `ballot` is `vote` before `.ballot`.
    let is_certain = |it: &Explanation| it.name == asked || it.kind == "concept";
    if !found.is_empty() && !found.iter().any(is_certain) {
        let near = std::mem::replace(&mut found, alias(asked, target));
        let near = near.into_iter().filter(|it| !found.contains(it));
        found.extend(near.collect::<Vec<_>>());
    }
    // `1.5` is a version and a number.
    if found.iter().all(|it| it.kind == "version") {
        found.extend(number(asked));
    }
    if found.is_empty() && asked.starts_with('@') && !asked.contains(char::is_whitespace) {
        found = named(GUARD, target);
    }
    // `wgmma descriptor` begins like a statement.
    if found.is_empty() && asked.contains(char::is_whitespace) {
        found = alias(asked, target);
    }
    if found.is_empty() {
        found = statement::explain(asked, target);
    }
    if found.is_empty() {
        found = alias(asked, target);
    }
    if found.is_empty() {
        found = declaration(asked);
    }
    if found.is_empty() {
        found = search::prefix(asked).into_iter().collect();
    }
    found
}

/// The question without quotes, comments, `asm("…")` and the semicolon at its end.
fn cleaned(question: &str) -> &str {
    let mut text = question.trim();
    if text.starts_with("asm") || text.starts_with("__asm") {
        text = text.split('"').nth(1).unwrap_or(text).trim();
    }
    text = text.split("//").next().unwrap_or(text).trim();
    text = text.trim_matches(['`', '"']).trim();
    text.trim_end_matches([';', '?', '!', ',', ' ']).trim()
}

/// The answer of a calculator to `swizzle mode=128 row=3`.
fn calculated(asked: &str) -> Option<Explanation> {
    let text = match calculate(asked)? {
        Ok(text) => text,
        Err(error) => format!("Invalid values: {error}"),
    };
    Some(Explanation {
        name: asked.to_owned(),
        kind: "calculation",
        text,
    })
}

/// The page of a message of ptxas, and that of the instruction or modifier it names.
fn message(asked: &str) -> Vec<Explanation> {
    // `ptxas file.ptx, line 7; error   : Arguments mismatch for instruction 'max'`
    let after_severity = asked.match_indices(':').find_map(|(at, _)| {
        let before = asked[..at].trim_end();
        let severities = ["error", "warning", "fatal", "info"];
        let is_severity = severities.iter().any(|it| before.ends_with(it));
        is_severity.then(|| &asked[at + 1..])
    });
    let text = after_severity.unwrap_or(asked).trim();
    // `(C7508) Potential Performance Loss: …`
    let text = match text.strip_prefix("(C").and_then(|it| it.split_once(") ")) {
        Some((code, text)) if code.bytes().all(|it| it.is_ascii_digit()) => text,
        _ => text,
    };
    let Some(entry) = documentation::ptxas_message(text) else {
        return Vec::new();
    };
    let mut found = vec![Explanation {
        name: text.to_owned(),
        kind: "message of ptxas",
        text: entry.text.to_owned(),
    }];
    for word in text.split('\'').skip(1).step_by(2) {
        let mut pages = named(word, None);
        if pages.is_empty() {
            pages = statement::explain(word, None);
        }
        found.extend(pages.into_iter().take(1));
    }
    found
}

/// The message of ptxas of which only the first words are given: `label expected`.
fn unfinished_message(asked: &str) -> Option<Explanation> {
    let asked = asked.to_lowercase();
    let mut entries = documentation::entries(Topic::PtxasMessages).iter();
    let begins = |it: &&str| it.to_lowercase().starts_with(&asked);
    let entry = entries.find(|it| it.words.iter().any(begins))?;
    let name = entry.words.iter().find(|it| begins(it))?;
    asked.contains(' ').then(|| Explanation {
        name: (*name).to_owned(),
        kind: "message of ptxas",
        text: entry.text.to_owned(),
    })
}

/// The pages that are called this, with or without their period or per cent sign.
fn named(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let plain = |it: &str| {
        let it = it.trim_start_matches(['.', '%']).to_ascii_lowercase();
        it.replace(['-', '_'], " ")
    };
    // `PTX ISA 8.7`
    let number = asked.rsplit(' ').next().unwrap_or(asked);
    let before = asked.strip_suffix(number).unwrap_or_default().trim_end();
    let asked = match before.to_lowercase().as_str() {
        "ptx" | "ptx isa" | "ptx version" | "version" => number,
        _ => asked,
    };
    let wanted = plain(asked);
    let all = documented();
    let is_exact = |it: &&(String, DocumentationKey)| it.0 == asked;
    let is_near = |it: &&(String, DocumentationKey)| {
        plain(&it.0) == wanted || plain(&it.0) == wanted.trim_end_matches('s')
    };
    let keep = |it: &&(String, DocumentationKey)| {
        !matches!(
            it.1,
            DocumentationKey::PtxasMessage(_) | DocumentationKey::MachineInstruction(_)
        )
    };
    let mut hits: Vec<_> = all.iter().filter(keep).filter(is_exact).collect();
    hits.extend(
        all.iter()
            .filter(keep)
            .filter(is_near)
            .filter(|it| it.0 != asked),
    );
    if asked.starts_with(['.', '%']) && hits.iter().any(|it| it.0 == asked) {
        hits.retain(|it| it.0 == asked);
    }
    if hits.is_empty() {
        return pattern(asked).into_iter().collect();
    }
    // A word that is a concept asks for it first, as `cluster` does; a compound such as `local-memory` is a name.
    let is_name = |it: &(String, DocumentationKey)| it.0 == asked && asked.contains(['-', '_']);
    hits.sort_by_key(|it| {
        let is_concept = matches!(it.1, DocumentationKey::Concept(_));
        (!is_name(it), !is_concept)
    });
    let mut seen = Vec::new();
    hits.into_iter()
        .filter_map(|(name, key)| {
            let page = page(name, key, target)?;
            if seen.contains(&page.text) {
                return None;
            }
            seen.push(page.text.clone());
            Some(page)
        })
        .collect()
}

/// The page of a machine instruction, `LDG.E.128` or `@P0 HMMA.16816.F32 R4, R8, R10, R4`, and those of the PTX that it
/// stands for. They are written in capitals.
fn machine_instruction(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let mut words = asked.split_whitespace();
    let opcode = words.find(|it| !it.starts_with('@')).unwrap_or_default();
    let opcode = opcode.split('.').next().unwrap_or_default();
    let Some(entry) = documentation::machine_instruction(opcode) else {
        return Vec::new();
    };
    // `LD.GLOBAL.F32` is PTX in capitals.
    let lower = asked.to_lowercase();
    let mut found: Vec<Explanation> = statement::fitting(&lower, target).into_iter().collect();
    let is_ptx = !found.is_empty();
    found.push(Explanation {
        name: opcode.to_owned(),
        kind: "machine instruction",
        text: entry.text.to_owned(),
    });
    let ptx = opcode.to_lowercase();
    if is_ptx {
        return found;
    }
    if documentation::instruction(&ptx).is_some() {
        found.extend(named(&ptx, target));
    } else if documentation::aliases().any(|it| it.0 == opcode) {
        found.extend(alias(opcode, target));
    }
    found
}

/// The page of a word that a pattern matches: `%envreg7`, `.m16n8k16`, `.x32`; or of a component: `%tid.x`.
fn pattern(asked: &str) -> Option<Explanation> {
    let component = asked
        .strip_prefix('%')
        .unwrap_or(asked)
        .rsplit_once('.')
        .filter(|it| matches!(it.1, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a"));
    if let Some((register, component)) = component
        && let Some(entry) = documentation::entry(Topic::SpecialRegisters, &format!("%{register}"))
    {
        return Some(Explanation {
            name: format!("%{register}.{component}"),
            kind: "special register",
            text: format!(
                "The `.{component}` component of `%{register}`. {}",
                entry.text
            ),
        });
    }
    let topics = [
        (Topic::SpecialRegisters, '%', "special register"),
        (Topic::Modifiers, '.', "modifier"),
        (Topic::Types, '.', "type"),
        (Topic::Directives, '.', "directive"),
    ];
    topics.into_iter().find_map(|(topic, sign, kind)| {
        let word = if asked.starts_with(sign) {
            asked.to_owned()
        } else {
            format!("{sign}{asked}")
        };
        // In these names the differing part is a number.
        let entry = documentation::entry(topic, &word)
            .filter(|_| word.contains(|it: char| it.is_ascii_digit()))?;
        Some(Explanation {
            name: word,
            kind,
            text: entry.text.to_owned(),
        })
    })
}

/// A constant, in other notations.
fn number(asked: &str) -> Option<Explanation> {
    let negated = asked.strip_prefix('-');
    let digits = negated.unwrap_or(asked);
    if !digits.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let text = match negated {
        Some(digits) => literal::describe_negated(digits)?,
        None => literal::describe(digits, None)?,
    };
    Some(Explanation {
        name: asked.to_owned(),
        kind: "constant",
        text,
    })
}

/// The pages for a word of CUDA C++, SASS, Triton or everyday speech.
fn alias(asked: &str, target: Option<Target>) -> Vec<Explanation> {
    let plain = |it: &str| {
        it.trim_end_matches("()")
            .trim_start_matches(['.', '%'])
            .replace(['-', '_'], " ")
            .trim()
            .to_lowercase()
    };
    let wanted = plain(asked.split('(').next().unwrap_or(asked));
    let is_wanted = |it: &str| plain(it) == wanted || plain(it) == wanted.trim_end_matches('s');
    let exact = documentation::aliases().find(|it| it.0 == asked);
    let found = exact.or_else(|| documentation::aliases().find(|it| is_wanted(it.0)));
    let Some((_, names)) = found.or_else(|| {
        // `blockIdx.y`
        let whole = asked.strip_suffix(['x', 'y', 'z'])?.strip_suffix('.')?;
        documentation::aliases().find(|it| it.0 == whole)
    }) else {
        return Vec::new();
    };
    let pages = names.iter().flat_map(|name| {
        // `Debugging` is a chapter, and a concept but for its case.
        let chapter = DocumentationKey::Chapter((*name).to_owned());
        let mut pages: Vec<Explanation> = page(name, &chapter, target).into_iter().collect();
        if pages.is_empty() {
            pages = named(name, target);
        }
        if pages.is_empty() {
            pages.extend(search::prefix(name));
        }
        pages.truncate(1);
        pages
    });
    pages.collect()
}

/// The words of a directive or declaration: `.visible .entry k(`, `.reg .b32 %r<4>`.
fn declaration(asked: &str) -> Vec<Explanation> {
    if !asked.starts_with(['.', '@']) || !asked.contains([' ', '(', '<']) {
        return Vec::new();
    }
    let mut found: Vec<Explanation> = Vec::new();
    let words = asked.split(|it: char| it.is_whitespace() || "(){}[],;=".contains(it));
    for word in words.filter(|it| it.starts_with(['.', '@'])) {
        for page in named(word, None).into_iter().take(1) {
            if !found.contains(&page) {
                found.push(page);
            }
        }
    }
    // `.version 8.0`, `.target sm_90a`, `.pragma "nounroll"`
    let rest = asked.split_whitespace().skip(1);
    for word in rest.filter(|it| !it.starts_with('.')).take(2) {
        let word = word.trim_matches(['"', ',']);
        found.extend(
            named(word, None)
                .into_iter()
                .filter(|it| matches!(it.kind, "version" | "target" | "pragma")),
        );
    }
    found
}

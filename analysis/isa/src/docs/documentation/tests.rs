//! Every page is read as it is written.

use std::collections::BTreeMap;

use super::*;
use crate::{
    directive::{GATES, PRAGMAS, TARGET_OPTIONS},
    performance::TUNING,
    special::SPECIAL_REGISTERS,
    table::{Form, OperandPattern, tables},
    target::{Target, targets, versions},
    types::CLASSES,
    variable::{ATTRIBUTES, StateSpace, type_words},
};

/// The words that have no documentation yet. Remove a word once it has some.
const UNDOCUMENTED: &[&str] = &[];
/// Completion shows summaries of one line.
const MAX_SUMMARY: usize = 90;

#[test]
fn the_pages_are_read() {
    let page = instruction("add").expect("a page");
    assert_eq!(page.summary, "Adds two numbers.");
    assert!(page.code.starts_with("d = a + b;\n"));
    assert_eq!(page.operand("b").expect("an operand").text, "the addends.");
    assert!(page.all_notes().starts_with("- "));
    assert_eq!(page.related, ["sub", "addc", "mad", "fma"]);
    assert_eq!(page.examples[0].target.to_string(), "sm_20");
    assert!(page.examples[0].program().contains("add.s32 %r0"));
    assert!(
        modifier("add", "cc")
            .expect("a word")
            .text
            .contains("carry")
    );
}

#[test]
fn words_are_found_by_their_patterns() {
    let entries =
        page::entries("\n## `.rn`, `.rz`\n\nRounds. Or not.\n\n## `.m*n*k*`\n\nA shape.\n");
    let summary = |word| page::find(&entries, word).map(Entry::summary);
    assert_eq!(summary(".rz"), Some("Rounds."));
    assert_eq!(summary(".m16n8k4"), Some("A shape."));
    assert_eq!(summary(".m16n8"), None);
    assert_eq!(summary(".mnk"), None);
}

#[test]
fn machine_instructions_are_found_in_listings() {
    let summary = |text| machine_instruction(text).map(Entry::summary);
    assert_eq!(
        summary("@!UP0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64]"),
        Some("Loads from global memory: `ld.global`.")
    );
    assert_eq!(
        summary("STG"),
        Some("Stores to global memory: `st.global`.")
    );
    assert_eq!(summary("@P0"), None);
    assert_eq!(summary("ld.global"), None);
}

#[test]
fn sections_have_links() {
    assert_eq!(
        section_link("9.7.9.26.4.1").as_deref(),
        Some(
            "https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async-bulk"
        )
    );
    assert_eq!(
        section_link("10.1").as_deref(),
        Some("https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-tid")
    );
    assert_eq!(section_link("99"), None);
}

/// Whoever doubts a page finds the section of the manual that it was held against.
#[test]
fn every_page_has_its_source() {
    let mut wrong: Vec<String> = Vec::new();
    let mut seen = 0;
    let mut check = |name: String, source: Option<&ManualPart>| {
        let Some(source) = source else {
            wrong.push(format!("{name} is not in manual.tsv"));
            return;
        };
        seen += 1;
        if source
            .version
            .is_some_and(|it| !["9.3", "9.4"].contains(&it))
        {
            wrong.push(format!("{name}: unknown version of the manual"));
        }
        if source.version.is_none() != source.sections.is_empty() && name != "9.4" {
            wrong.push(format!(
                "{name}: a version without sections, or the other way round"
            ));
        }
        for section in &source.sections {
            if section_title(section).is_none() {
                wrong.push(format!("{name}: {section} is not a section"));
            }
        }
    };
    for page in instructions() {
        let source = instruction_source(page.name);
        check(page.name.to_owned(), source);
    }
    for topic in Topic::ALL.into_iter().filter(|it| it.kind().is_some()) {
        for entry in entries(topic) {
            let name = entry.words.first().copied().unwrap_or_default();
            check(name.to_owned(), source(topic, entry));
        }
    }
    let listed = SOURCES.len();
    assert_eq!(wrong, [""; 0]);
    assert_eq!(seen, listed, "manual.tsv has pages that are not there");
    // The tables name the section of each form.
    for instruction in tables().instructions() {
        let source = instruction_source(instruction.name).expect("a source");
        let section = instruction.section;
        assert!(
            section.is_empty() || source.sections.contains(&section),
            "{}: {section}",
            instruction.name
        );
    }
}

/// The names of an operand, and of those in its brackets.
#[test]
fn figures_are_those_of_pages() {
    for (kind, name, concept) in &*FIGURES {
        let found = entry(Topic::Concepts, concept).expect("a concept");
        assert_eq!(found.words.first(), Some(concept));
        let start = name.strip_suffix('*').unwrap_or(name);
        let is_there = SOURCES
            .keys()
            .any(|it| it.0 == *kind && it.1.starts_with(start));
        assert!(is_there, "{kind} {name}");
    }
    assert_eq!(figure("instruction", "mbarrier.init"), Some("mbarrier"));
    assert_eq!(figure("modifier", ".cluster"), Some("scope"));
    assert_eq!(figure("modifier", ".clusters"), None);
}

fn names(pattern: &'static OperandPattern, all: &mut Vec<&'static str>) {
    match &pattern.form {
        Form::Plain(_) => all.push(pattern.name),
        Form::Pair(_, second) => {
            all.push(pattern.name);
            names(second, all);
        }
        Form::Bracket(elements, _) => elements.iter().for_each(|it| names(it, all)),
    }
}

/// The operands of all instructions of a name.
fn operands_of(name: &str) -> Vec<&'static str> {
    let mut all = Vec::new();
    for instruction in tables().with_name(name) {
        let variants = instruction.variants.iter();
        for pattern in variants.flat_map(|it| &it.operands) {
            names(pattern, &mut all);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Walks through everything that the tables know.
#[test]
#[expect(
    clippy::print_stdout,
    reason = "the counts are for people, with --nocapture"
)]
fn everything_is_documented() {
    let mut missing: Vec<String> = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut see = |kind: &'static str, name: String, is_there: bool| {
        *counts.entry(kind).or_default() += 1;
        if !is_there {
            missing.push(format!("{kind} {name}"));
        }
    };
    for instruction in tables().instructions() {
        let name = instruction.name;
        let page = super::instruction(name);
        see("instruction", name.to_owned(), page.is_some());
        for operand in operands_of(name) {
            let text = page.and_then(|it| it.operand(operand));
            see("operand", format!("{name} {operand}"), text.is_some());
        }
        for word in &instruction.words {
            let text = modifier(name, word);
            see("modifier", format!("{name} .{word}"), text.is_some());
        }
    }
    let mut look =
        |kind, topic, word: &str| see(kind, word.to_owned(), entry(topic, word).is_some());
    for (word, _) in CLASSES {
        look("type", Topic::Types, &format!(".{word}"));
    }
    for word in type_words() {
        look("type", Topic::Types, word);
    }
    for word in [".reg", ".const", ".global", ".local", ".param", ".shared"] {
        let space = StateSpace::from_word(word).expect("a state space");
        look("state space", Topic::StateSpaces, space.word());
    }
    for (target, _) in targets() {
        look("target", Topic::Targets, &target.to_string());
    }
    for register in SPECIAL_REGISTERS {
        let name = register.written(Some(1));
        look("special register", Topic::SpecialRegisters, &name);
    }
    for version in versions() {
        look("version", Topic::Versions, &version.to_string());
    }
    let pragmas = PRAGMAS.iter().map(|it| &it.name);
    for word in pragmas.chain(TARGET_OPTIONS) {
        look("pragma or option", Topic::Pragmas, word);
    }
    let gated = GATES.iter().flat_map(|it| it.3).copied();
    let known = gated
        .chain(TUNING.iter().map(|it| it.word))
        .chain(ATTRIBUTES.iter().map(|it| it.word));
    for word in known.filter(|it| it.starts_with(['.', '@'])) {
        look("directive", Topic::Directives, word);
    }
    println!("documented, of what is in the tables:");
    for (kind, count) in &counts {
        let lacking = missing.iter().filter(|it| it.starts_with(kind)).count();
        println!("{kind:>18} {:>6} of {count}", count - lacking);
    }
    assert!(
        counts["modifier"] > 2000 && counts["operand"] > 500,
        "{counts:?}"
    );
    assert_eq!(missing, UNDOCUMENTED);
}

/// Everything in the pages is about something that the tables have.
#[test]
fn nothing_else_is_documented() {
    let mut wrong: Vec<String> = Vec::new();
    for page in instructions() {
        let name = page.name;
        let all = || tables().with_name(name);
        if all().next().is_none() {
            wrong.push(format!("{name} is not an instruction"));
        }
        let known = operands_of(name);
        for word in page.operands.iter().flat_map(|it| &it.words) {
            if !known.contains(word) {
                wrong.push(format!("{name} has no operand {word}"));
            }
        }
        let words: Vec<String> = all()
            .flat_map(|it| &it.words)
            .map(|it| format!(".{it}"))
            .collect();
        for word in page.modifiers.iter().flat_map(|it| &it.words) {
            let fits = |it: &String| page::matches(word, it);
            if !words.iter().any(fits) {
                wrong.push(format!("{name} has no modifier {word}"));
            }
        }
        for related in &page.related {
            let mut names = tables().instructions();
            if !names.any(|it| it.name == *related || it.opcode == *related) {
                wrong.push(format!("{name} names {related}"));
            }
        }
        for tag in page.tagged_notes().flat_map(|it| it.tags) {
            let is_target = Target::parse(tag).is_some();
            let of_kind = |it: &String| {
                let rest = it.strip_prefix(tag);
                rest.is_some_and(|it| it.is_empty() || it.starts_with("::"))
            };
            if !is_target && !words.iter().any(of_kind) {
                wrong.push(format!("{name}: a note about {tag}"));
            }
        }
        let summary = page.summary;
        if summary.chars().count() > MAX_SUMMARY
            || !summary.ends_with('.')
            || summary.contains('\n')
        {
            wrong.push(format!("{name}: the summary is not a short sentence"));
        }
        if page.examples.is_empty() {
            wrong.push(format!("{name} has no example"));
        }
    }
    wrong.sort();
    assert_eq!(wrong, [""; 0]);
}

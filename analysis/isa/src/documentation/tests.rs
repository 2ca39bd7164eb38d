//! Every page is read as it is written.

use super::*;

#[test]
fn the_pages_are_read() {
    let page = instruction("add").expect("a page");
    assert_eq!(page.summary, "Adds two numbers.");
    assert_eq!(page.code, "d = a + b;\n");
    assert_eq!(page.operand("b").expect("an operand").text, "the summands.");
    assert!(page.notes.starts_with("- "));
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

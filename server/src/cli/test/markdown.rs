//! Kernels on pages of Markdown.

use analysis::EntryPlace;

const FENCE: &str = "```";

/// Returns whether a file is a page of Markdown.
pub(super) fn is_markdown(path: &std::path::Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|it| it.eq_ignore_ascii_case("md"))
}

/// The blocks of PTX on a page that describe a run.
///
/// Each is the page with all other lines empty, so that findings have the lines of the page.
pub(super) fn modules(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = (0..).zip(page.lines());
    while let Some((line, text)) = lines.next() {
        let Some(language) = text.trim_start().strip_prefix(FENCE) else {
            continue;
        };
        let body = lines.by_ref().map(|it| it.1);
        let body: Vec<&str> = body.take_while(|it| it.trim() != FENCE).collect();
        let is_ptx = language.split_whitespace().next() == Some("ptx");
        if is_ptx && body.iter().any(|it| it.contains(EntryPlace::RUN_WORD)) {
            found.push(format!("{}{}\n", "\n".repeat(line + 1), body.join("\n")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn blocks_keep_their_lines() {
        let page = "# Page\n```sh\nrun: no\n```\n```ptx\nadd;\n```\n```ptx 8.0 sm_90\n// run: x\nret;\n```\n```ptx\n// run: open";
        expect![[r#"
            [
                "\n\n\n\n\n\n\n\n// run: x\nret;\n",
                "\n\n\n\n\n\n\n\n\n\n\n\n// run: open\n",
            ]
        "#]]
        .assert_debug_eq(&modules(page));
    }
}

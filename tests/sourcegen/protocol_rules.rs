//! The page with the table of the rules of protocols.

use std::fmt::Write as _;

use analysis::DIAGNOSTIC_CODES;

/// Writes the Markdown of the page.
pub(crate) fn generate() -> String {
    let mut page = String::from(
        "# Rules of protocols\n\n\
         These diagnostics are about the protocols between threads, copies and matrix units: their mistakes hang a \
         GPU or give wrong numbers, and `ptxas` accepts nearly all of them.\n\
         Each links to its page; `ptx-analyzer protocols FILE` prints the protocols of a file.\n\
         In functions that only exercise one instruction after another, and where several threads of a warp do the \
         work of one, warnings are hints.\n\n\
         | code | level | finding |\n|---|---|---|\n",
    );
    for code in DIAGNOSTIC_CODES.iter().filter(|it| it.is_of_protocols()) {
        let _ = writeln!(
            page,
            "| [`{name}`](diagnostics/{name}.md) | {} | {} |",
            code.default_level(),
            code.summary,
            name = code.name,
        );
    }
    page
}

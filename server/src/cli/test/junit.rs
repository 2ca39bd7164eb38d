//! Results in the format of JUnit, which services of continuous integration read.

use std::fmt::Write as _;

use super::Verdict;

/// A document with a suite for each file.
pub(super) fn document(verdicts: &[Verdict]) -> String {
    let failures = |verdicts: &[&Verdict]| verdicts.iter().filter(|it| !it.passes()).count();
    let seconds = |verdicts: &[&Verdict]| verdicts.iter().map(|it| it.seconds).sum::<f64>();
    let all: Vec<&Verdict> = verdicts.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites tests=\"{}\" failures=\"{}\" time=\"{:.3}\">",
        all.len(),
        failures(&all),
        seconds(&all)
    );
    for suite in all.chunk_by(|a, b| a.file == b.file) {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" time=\"{:.3}\">",
            escaped(&suite[0].file),
            suite.len(),
            failures(suite),
            seconds(suite)
        );
        for it in suite {
            let _ = write!(
                out,
                "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
                escaped(&it.file),
                escaped(&it.label),
                it.seconds
            );
            if it.passes() {
                out += "/>\n";
                continue;
            }
            let message = it.messages.first().map_or("", String::as_str);
            let _ = writeln!(
                out,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                escaped(message),
                escaped(&it.text)
            );
        }
        out += "  </testsuite>\n";
    }
    out += "</testsuites>\n";
    out
}

/// Text for XML, which has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for it in text.chars() {
        match it {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            it if it.is_control() => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}

//! Plain text for clients that cannot show Markdown.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// The text of a Markdown document without its markup.
///
/// Code keeps its lines, list items keep a dash, and the target of a link follows its text when
/// the two differ.
pub fn to_plain_text(markdown: &str) -> String {
    let mut out = String::new();
    let mut links: Vec<(String, usize)> = Vec::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak => out.push(' '),
            Event::HardBreak => out.push('\n'),
            Event::Rule => block(&mut out, "\n"),
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_))
                if !out.ends_with("- ") =>
            {
                block(&mut out, "\n\n");
            }
            Event::Start(Tag::List(_)) => block(&mut out, "\n"),
            Event::Start(Tag::Item) => {
                block(&mut out, "\n");
                out.push_str("- ");
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push((dest_url.into_string(), out.len()));
            }
            Event::End(TagEnd::Link) => {
                if let Some((target, start)) = links.pop()
                    && out.get(start..) != Some(&target)
                {
                    out.push_str(&format!(" ({target})"));
                }
            }
            _ => {}
        }
    }
    out.trim_end().to_owned()
}

/// Makes the text end with `gap`, unless it is empty.
fn block(out: &mut String, gap: &str) {
    if out.is_empty() {
        return;
    }
    out.truncate(out.trim_end_matches('\n').len());
    out.push_str(gap);
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(markdown: &str, expect: Expect) {
        expect.assert_eq(&super::to_plain_text(markdown));
    }

    #[test]
    fn markup_goes_and_code_stays() {
        check(
            "```ptx\n.reg .b32 %r<100>\nadd.s32 *a*;\n```\n\n---\n\n**Register** `%r12`, _32_ bits,\nof kernel \\*k.",
            expect![[r#"
                .reg .b32 %r<100>
                add.s32 *a*;

                Register %r12, 32 bits, of kernel *k."#]],
        );
    }

    #[test]
    fn lists_headings_and_links() {
        check(
            "# Title\nText &amp; [manual](https://example.com/a) <https://example.com>\n\n- one\n- two\n\nend",
            expect![[r#"
                Title

                Text & manual (https://example.com/a) https://example.com
                - one
                - two

                end"#]],
        );
    }
}

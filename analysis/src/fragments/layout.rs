//! Templates written anew: one statement a line, and lines of PTX as strings.

use syntax::{
    SyntaxKind, TextRange, TextSize,
    host::{Escapes, Language, Literal, Part},
    lexer::tokenize,
    text::Edit,
};

use super::{kind, view::FragmentView};

/// Strings that are longer than this, in bytes, do not move the ends of the others.
const MAX_ALIGNED: usize = 72;

/// A line of a template: the columns by which it is indented, and its text as the host writes it.
struct TemplateLine {
    indent: usize,
    text: String,
}

impl FragmentView<'_> {
    /// The edit of the file that puts each statement on a line of its own, as in the formatted text of the module.
    /// None if the template is more than literals with blanks between them, or has that form already.
    #[must_use]
    pub fn one_a_line(&self, formatted: &str) -> Option<Edit> {
        let literals = self.literals()?;
        let (first, last) = (literals.first()?, literals.last()?);
        let lines = self.lines(formatted)?;
        let text = if literals.iter().all(|it| it.escapes == Escapes::C) {
            self.strings(first, &lines)
        } else if literals.len() == 1 && self.spans_lines(first) {
            return self.block(first, &lines);
        } else {
            return None;
        };
        let range = first.range.cover(last.range);
        (self.host_text(range) != text).then(|| Edit::new(range, text))
    }

    /// The literals of the template, if there is nothing else.
    fn literals(&self) -> Option<Vec<Literal>> {
        let mut literals: Vec<Literal> = Vec::new();
        for part in self.parts()? {
            let Part::Literal(literal) = part else {
                return None;
            };
            if literal.conditional {
                return None;
            }
            if let Some(before) = literals.last() {
                let between = TextRange::new(before.range.end(), literal.range.start());
                if !self.host_text(between).trim().is_empty() {
                    return None;
                }
            }
            literals.push(*literal);
        }
        Some(literals)
    }

    /// Whether a literal may have line breaks.
    fn spans_lines(&self, literal: &Literal) -> bool {
        let text = self.host_text(literal.range);
        literal.escapes == Escapes::Raw && text.starts_with('R')
            || text.contains("\"\"\"")
            || text.contains("\'\'\'")
    }

    /// The statements of the template as lines: the words of the file, the blanks of the formatted module.
    fn lines(&self, formatted: &str) -> Option<Vec<TemplateLine>> {
        let is_blank = |kind: SyntaxKind| matches!(kind, SyntaxKind::WHITESPACE);
        let own = tokenize(&self.module);
        let (mut before, mut ours) = (0, Vec::new());
        let template = self.template();
        for index in 0..own.len() {
            let start = TextSize::new(own.start(index) as u32);
            let range = TextRange::new(start, TextSize::new(own.start(index + 1) as u32));
            if is_blank(own.kind(index)) {
                continue;
            }
            if range.end() <= template.start() {
                before += 1;
            } else if template.contains_range(range) {
                ours.push(range);
            }
        }
        let tokens = tokenize(formatted);
        let mut words = (0..tokens.len())
            .filter(|it| !is_blank(tokens.kind(*it)))
            .skip(before);
        let mut lines: Vec<TemplateLine> = Vec::new();
        for range in ours {
            let index = words.next()?;
            if tokens.text(formatted, index) != &self.module[range] {
                return None;
            }
            let blank = match index.checked_sub(1) {
                Some(it) if is_blank(tokens.kind(it)) => tokens.text(formatted, it),
                _ => "",
            };
            let word = self.as_written(range)?;
            match (blank.rsplit_once('\n'), lines.last_mut()) {
                (None, Some(line)) => {
                    line.text.push_str(blank);
                    line.text.push_str(&word);
                }
                (broken, _) => lines.push(TemplateLine {
                    indent: broken.map_or(0, |it| it.1.len()),
                    text: word,
                }),
            }
        }
        let least = lines.iter().map(|it| it.indent).min()?;
        for line in &mut lines {
            line.indent -= least;
        }
        Some(lines)
    }

    /// Lines as string literals of C, below each other, with their ends in one column.
    fn strings(&self, first: &Literal, lines: &[TemplateLine]) -> String {
        let column = self.column(first.range.start());
        let length = |it: &TemplateLine| it.indent + it.text.chars().count();
        let all = lines.iter().map(length);
        let width = all.filter(|it| *it <= MAX_ALIGNED).max().unwrap_or(0);
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                text.push('\n');
                text.push_str(&" ".repeat(column));
            }
            text.push('"');
            text.push_str(&" ".repeat(line.indent));
            text.push_str(&line.text);
            if index + 1 < lines.len() {
                text.push_str(&" ".repeat(width.saturating_sub(length(line))));
                text.push_str("\\n\\t");
            }
            text.push('"');
        }
        text
    }

    /// Lines as the content of a literal that may have line breaks.
    fn block(&self, literal: &Literal, lines: &[TemplateLine]) -> Option<Edit> {
        let column = self.indentation(literal.range.start()) + 4;
        let mut text = String::new();
        for line in lines {
            text.push('\n');
            text.push_str(&" ".repeat(column + line.indent));
            text.push_str(&line.text);
        }
        text.push('\n');
        text.push_str(&" ".repeat(column - 4));
        (self.host_text(literal.content) != text).then(|| Edit::new(literal.content, text))
    }
}

/// Lines of PTX as string literals for a statement of assembly; none if the first of them is not PTX.
#[must_use]
pub fn lines_as_strings(text: &str, language: Language) -> Option<String> {
    let first = text
        .split_whitespace()
        .find(|it| !matches!(*it, "{" | "}"))?;
    let first = first.trim_start_matches('{');
    if !kind::begins_ptx(first) || text.contains('"') {
        return None;
    }
    let operands = text
        .as_bytes()
        .windows(2)
        .any(|it| it[0] == b'%' && it[1].is_ascii_digit());
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let code = line.trim();
        if code.is_empty() {
            out.push_str(line);
            continue;
        }
        let start = line.len() - line.trim_start().len();
        let code = match language {
            Language::Cuda | Language::C => {
                let code = match operands {
                    true => doubled(code),
                    false => code.to_owned(),
                };
                format!("\"{}\\n\\t\"", code.replace('\\', "\\\\"))
            }
            Language::Rust => format!("\"{}\",", code.replace('{', "{{").replace('}', "}}")),
            Language::Python => format!("\"{code}\\n\\t\""),
            Language::Llvm => return None,
        };
        out.push_str(&line[..start]);
        out.push_str(&code);
        out.push_str(&line[start + line.trim().len()..]);
    }
    Some(out)
}

/// Doubles the percent signs that are neither doubled nor those of operands.
fn doubled(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        out.push(char);
        if char != '%' {
            continue;
        }
        match chars.peek() {
            Some('%') => out.extend(chars.next()),
            Some(it) if it.is_ascii_digit() => {}
            _ => out.push('%'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use syntax::text::apply_edit;

    use super::*;
    use crate::{AnalysisHost, Change, FileContents, FileId, FormattingOptions, HostFile};

    /// Checks the text with the first fragment formatted.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(text: &str, language: Language, expect: Expect) {
        let file = HostFile::new(text, language);
        let view = file.view(0, text, "sm_90a");
        let mut host = AnalysisHost::new();
        host.apply_change(Change {
            files: vec![(FileId(0), Some(FileContents::new(&view.module).into()))],
            config: None,
        });
        let edits = host
            .analysis()
            .formatting(FileId(0), None, FormattingOptions::default())
            .expect("nothing is written");
        let mut formatted = view.module.clone();
        for edit in edits.iter().rev() {
            apply_edit(&mut formatted, edit).expect("it fits");
        }
        let mut text = text.to_owned();
        match view.one_a_line(&formatted) {
            Some(edit) => apply_edit(&mut text, &edit).expect("it fits"),
            None => text = "nothing to do\n".to_owned(),
        }
        expect.assert_eq(&text);
    }

    #[test]
    fn statements_get_lines_of_their_own() {
        check(
            "void f(int x) {\n  asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %0, %%laneid;\"\n   \"@p add.u32 %0, %0, 1; }\" : \"+r\"(x));\n}\n",
            Language::Cuda,
            expect![[r#"
                void f(int x) {
                  asm volatile("{                               \n\t"
                               "    .reg .pred p;               \n\t"
                               "    setp.eq.u32 p, %0, %%laneid;\n\t"
                               "    @p add.u32  %0, %0, 1;      \n\t"
                               "}" : "+r"(x));
                }
            "#]],
        );
        check(
            "void f(int x) {\n  asm volatile(R\"(bar.sync 0; add.u32 %0,%0, 1;)\" : \"+r\"(x));\n}\n",
            Language::Cuda,
            expect![[r#"
                void f(int x) {
                  asm volatile(R"(
                      bar.sync 0;
                      add.u32  %0, %0, 1;
                  )" : "+r"(x));
                }
            "#]],
        );
        check(
            "void f(int x) {\n  asm volatile(\"bar.sync 0;\" /* why */ \"bar.sync 1;\");\n}\n",
            Language::Cuda,
            expect![[r#"
                nothing to do
            "#]],
        );
    }

    #[test]
    fn lines_of_ptx_become_strings() {
        let check = |text: &str, language, expected: Option<&str>| {
            assert_eq!(
                lines_as_strings(text, language).as_deref(),
                expected,
                "{text}"
            );
        };
        check(
            "  mov.u32 %0, %laneid;\n  bar.sync 0;\n",
            Language::Cuda,
            Some("  \"mov.u32 %0, %%laneid;\\n\\t\"\n  \"bar.sync 0;\\n\\t\"\n"),
        );
        check(
            "mov.u32 a, %laneid;",
            Language::C,
            Some("\"mov.u32 a, %laneid;\\n\\t\""),
        );
        check(
            "{ mov.u32 a, {}; }",
            Language::Rust,
            Some("\"{{ mov.u32 a, {{}}; }}\","),
        );
        check("int x = 3;", Language::Cuda, None);
        check("return x;", Language::Cuda, None);
    }
}

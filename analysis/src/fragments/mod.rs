//! PTX inside programs in other languages: each statement of assembly as a module of its own, with the way
//! from its text to the host's and back.
//!
//! The work of a compiler on a statement before the assembler sees it: literals are read and joined,
//! placeholders become registers that a prologue declares, and what cannot be known is a hole, about which nothing
//! is said. The module is an ordinary file for the analysis; [`HostFile`] says what of its answers holds in the host.

mod edits;
mod filter;
mod guards;
mod judge;
mod kind;
mod layout;
mod lints;
mod marks;
mod names;
mod operands;
mod report;
mod shape;
mod source;
mod strings;
mod targets;
mod template;
#[cfg(test)]
pub(crate) mod tests;
mod view;

use isa::target::{Target, versions};
use syntax::{
    TextRange, TextSize,
    host::{Dialect, Host, Language, Statement, lex},
};

use crate::diagnostics::registry::{SYNTAX_ERROR, UNCLOSED_DELIMITER};

pub use judge::HostSettings;
pub use layout::lines_as_strings;
pub use targets::{CommandTargets, candidates as candidate_targets, words_of_command};
pub use view::{FragmentOperand, FragmentView};

use kind::Kind;
use marks::Marks;
use operands::Operands;
use report::Report;
use shape::{FragmentShape, Neighbours};
use source::Source;
use template::Template;

/// A file of another language with the PTX in it.
#[derive(Clone, Debug)]
pub struct HostFile {
    language: Language,
    host: Host,
    fragments: Vec<Fragment>,
    neighbours: Neighbours,
    marks: Marks,
}

/// The PTX of one statement.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The index of its statement.
    statement: u32,
    /// Whether it is PTX whatever is around it.
    sure: bool,
    dialect: Dialect,
    template: Template,
    operands: Operands,
    shape: FragmentShape,
    report: Report,
    /// The text that the prologue and the epilogue add so that its braces and its last statement are closed.
    closing: Closing,
}

/// The parts missing from a fragment for a module around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Closing {
    before: u32,
    after: u32,
    semicolon: bool,
}

impl HostFile {
    /// Finds the PTX in a text.
    #[must_use]
    pub fn new(text: &str, language: Language) -> HostFile {
        let host = lex(text, language);
        let mut fragments: Vec<Fragment> = Vec::new();
        let mut neighbours = Neighbours::default();
        let mut looks = strings::LOOKS;
        let mut is_device = kind::has_device_code(text, language);
        for (index, statement) in (0..).zip(&host.statements) {
            let source = Source::new(text, &host, statement);
            let mut fragment = Fragment::new(index, source, statement);
            let in_device = language == Language::Cuda || statement.in_device;
            let not_string =
                in_device && strings::find(&source, statement, &mut looks, &mut fragment.report);
            // A lone brace says nothing about its language, but closes the block of another statement.
            if !fragment.operands.foreign {
                neighbours.add(&fragment.shape);
            }
            match fragment.kind(&source, statement, language) {
                Kind::Ptx => fragment.sure = true,
                Kind::Likely => {}
                Kind::Other if not_string && fragment.range().is_some() => fragment.sure = true,
                Kind::Other => continue,
            }
            is_device |= fragment.sure;
            fragments.push(fragment);
        }
        fragments.retain(|it| it.sure || is_device);
        for fragment in &mut fragments {
            fragment.close(&neighbours, &host.statements[fragment.statement as usize]);
        }
        names::find(text, &host, &mut fragments);
        for fragment in &mut fragments {
            let statement = &host.statements[fragment.statement as usize];
            lints::find(Source::new(text, &host, statement), statement, fragment);
        }
        // What stands for a template may be defined elsewhere.
        fragments.sort_by_key(|it| it.range().map(TextRange::start));
        HostFile {
            language,
            marks: Marks::new(text),
            host,
            fragments,
            neighbours,
        }
    }

    /// The fragments, in the order of the text.
    #[must_use]
    pub fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The names of the targets that a comment in the file says.
    #[must_use]
    pub fn marked_targets(&self) -> &[String] {
        &self.marks.targets
    }

    /// The index of the fragment that has an offset of the file in its template.
    #[must_use]
    pub fn fragment_at(&self, offset: TextSize) -> Option<usize> {
        let index = self
            .fragments
            .partition_point(|it| it.range().is_some_and(|it| it.end() < offset));
        let range = self.fragments.get(index)?.range()?;
        range.contains_inclusive(offset).then_some(index)
    }

    fn statement(&self, fragment: &Fragment) -> &Statement {
        &self.host.statements[fragment.statement as usize]
    }
}

impl Fragment {
    /// The text that a statement is assembled to, whatever it is.
    fn new(index: u32, source: Source<'_>, statement: &Statement) -> Fragment {
        let mut report = Report::default();
        let operands = operands::operands(&source, statement, &mut report);
        let template = template::template(source, statement, &operands, &mut report);
        Fragment {
            statement: index,
            sure: false,
            dialect: statement.dialect,
            shape: FragmentShape::new(&template.text.text),
            template,
            operands,
            report,
            closing: Closing::default(),
        }
    }

    fn kind(&self, source: &Source<'_>, statement: &Statement, language: Language) -> Kind {
        let Fragment {
            operands,
            template,
            shape,
            ..
        } = self;
        kind::kind(source, statement, language, operands, template, shape)
    }

    /// From the first to the last character of the template in the file.
    #[must_use]
    pub fn range(&self) -> Option<TextRange> {
        let runs = self.template.text.map.runs();
        Some(runs.first()?.host.cover(runs.last()?.host))
    }

    /// The module for a target such as `sm_90a`; an unknown one is read as `sm_90a`.
    #[must_use]
    pub fn module(&self, target: &str) -> String {
        self.text_for(Target::parse(target).unwrap_or(targets::USUAL))
    }

    /// The module for a target.
    fn text_for(&self, target: Target) -> String {
        let mut text = self.prologue(target);
        text.push_str(&self.template.text.text);
        text.push('\n');
        if self.closing.semicolon {
            text.push(';');
        }
        for _ in 0..self.closing.after {
            text.push('}');
        }
        text.push_str("}\n");
        text
    }

    /// The text before the template.
    fn prologue(&self, target: Target) -> String {
        use std::fmt::Write as _;
        let version = versions().last().expect("there are versions");
        let mut text = format!(
            ".version {version}\n.target {target}\n.address_size 64\n.func ptx_fragment()\n{{\n"
        );
        for (index, operand) in (0..).zip(&self.operands.list) {
            if let Some(word) = operand.class.word(target) {
                let name = template::name(self.dialect, index);
                let _ = writeln!(text, ".reg {word} {name};");
            }
        }
        for _ in 0..self.closing.before {
            text.push('{');
        }
        text.push('\n');
        text
    }

    /// Decides how the fragment is closed, and says what has no end.
    fn close(&mut self, neighbours: &Neighbours, statement: &Statement) {
        let place = |range| self.template.text.map.to_host(range);
        let known = !self.template.has_holes && statement.complete;
        if known && !neighbours.explain_braces(&self.shape) {
            let extra = self.shape.extra.filter(|_| self.shape.closes > 0);
            let unclosed = self.shape.unclosed.filter(|_| self.shape.opens > 0);
            if let Some(range) = extra {
                let message = "this `}` closes no block".to_owned();
                self.report.add(place(range), UNCLOSED_DELIMITER, message);
            } else if let Some(range) = unclosed {
                let message = "this `{` is not closed".to_owned();
                self.report.add(place(range), UNCLOSED_DELIMITER, message);
            }
        }
        if known
            && let Some(last) = self.shape.unfinished
            && !neighbours.explain_end(&self.shape)
            && !statement.in_define
        {
            let at = TextRange::empty(last.end());
            let range = place(last).or(place(at));
            let message = "`;` is missing at the end of this statement".to_owned();
            self.report.add(range, SYNTAX_ERROR, message);
        }
        self.closing = Closing {
            before: self.shape.closes,
            after: self.shape.opens,
            semicolon: self.shape.unfinished.is_some(),
        };
    }
}

//! A fragment as editors ask about it: the module for one target, and the way between that and the file.

use isa::target::Target;
use syntax::{
    TextRange, TextSize,
    host::{Dialect, Part, RunKind},
    text::Edit,
};

use crate::{AnalysisConfig, Diagnostic, Severity};

use super::{
    Fragment, HostFile, HostSettings,
    guards::{Preprocessor, Truth},
    operands::{Class, Operand},
    source::Source,
    targets::{USUAL, candidates},
    template,
};

/// A fragment with its module for one target.
#[derive(Clone, Debug)]
pub struct FragmentView<'a> {
    file: &'a HostFile,
    fragment: &'a Fragment,
    source: Source<'a>,
    /// The text of the module.
    pub module: String,
    /// The length of what is before the template in the module.
    prologue: TextSize,
    target: Target,
}

/// An operand of a statement, as its host has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentOperand {
    /// Its number, from 0.
    pub index: u32,
    /// Its placeholder as it is usually written: `%0`, `$0`, `{0}` or `{name}`.
    pub placeholder: String,
    /// The type of its register, such as `.b32`; none for constants and what is not known.
    pub register: Option<&'static str>,
    /// The constraint or class of registers, as it is written.
    pub constraint: String,
    /// The expression of the host and where it appears, in the file.
    pub expression: Option<(String, TextRange)>,
    /// Whether the statement writes it.
    pub written: bool,
    /// Whether the statement reads it.
    pub read: bool,
    /// Whether it is a constant that the compiler writes as a number.
    pub constant: bool,
}

impl HostFile {
    /// The index of the fragment that has an offset of the file inside a literal of its template.
    #[must_use]
    pub fn fragment_inside(&self, offset: TextSize) -> Option<usize> {
        let index = self.fragment_at(offset)?;
        // A fragment ends where the next one may begin.
        [Some(index), index.checked_add(1)]
            .into_iter()
            .flatten()
            .filter(|it| *it < self.fragments.len())
            .find(|it| self.is_inside(&self.fragments[*it], offset))
    }

    /// Whether an offset of the file is between the quotes of a literal of a template.
    fn is_inside(&self, fragment: &Fragment, offset: TextSize) -> bool {
        let statement = self.statement(fragment);
        let layer = statement
            .layer
            .and_then(|it| self.host.layers.get(it as usize));
        let own = match layer {
            None => Some(offset),
            Some(layer) => layer.text.map.to_text(offset),
        };
        let inside = |at: TextSize| {
            statement.template.iter().any(|it| match it {
                Part::Literal(it) => it.content.contains_inclusive(at),
                _ => false,
            })
        };
        own.is_some_and(inside)
    }

    /// The statement at an offset of the file, inside a literal of its template, that may become PTX when more is
    /// written.
    #[must_use]
    pub fn draft(&self, text: &str, offset: TextSize) -> Option<Fragment> {
        let (index, statement) = (0..).zip(&self.host.statements).find(|(_, it)| {
            // Those of other layers have other offsets.
            it.layer.is_none() && it.range.contains_inclusive(offset)
        })?;
        let source = Source::new(text, &self.host, statement);
        let fragment = Fragment::new(index, source, statement);
        (self.is_inside(&fragment, offset) && !fragment.operands.foreign).then_some(fragment)
    }

    /// A fragment for a target by its name; an unknown one is read as `sm_90a`.
    #[must_use]
    pub fn view<'a>(&'a self, index: usize, text: &'a str, target: &str) -> FragmentView<'a> {
        self.view_of(&self.fragments[index], text, target)
    }

    /// As [`HostFile::view`], of a fragment that [`HostFile::draft`] has made.
    #[must_use]
    pub fn view_of<'a>(
        &'a self,
        fragment: &'a Fragment,
        text: &'a str,
        target: &str,
    ) -> FragmentView<'a> {
        let target = Target::parse(target).unwrap_or(USUAL);
        FragmentView {
            file: self,
            fragment,
            source: Source::new(text, &self.host, self.statement(fragment)),
            module: fragment.text_for(target),
            prologue: TextSize::of(&*fragment.prologue(target)),
            target,
        }
    }

    /// The target for which questions about a fragment are answered: the first one that the file is compiled for and
    /// that the conditions around the fragment admit. If nothing says for which, one on which nothing is wrong.
    pub fn usual_target(
        &self,
        index: usize,
        text: &str,
        settings: &HostSettings,
        config: &AnalysisConfig,
        check: &mut dyn FnMut(&str) -> Vec<Diagnostic>,
    ) -> String {
        let fragment = &self.fragments[index];
        let statement = self.statement(fragment);
        let source = Source::new(text, &self.host, statement);
        let admits = |it: &Target| {
            Preprocessor::new(source.all(), source.macros(), Some(*it))
                .compiled(&statement.conditions)
                != Truth::No
        };
        let named = match settings.targets.is_empty() {
            true => &self.marks.targets,
            false => &settings.targets,
        };
        let named: Vec<Target> = named.iter().filter_map(|it| Target::parse(it)).collect();
        if let Some(target) = named
            .iter()
            .copied()
            .find(admits)
            .or(named.first().copied())
        {
            return target.to_string();
        }
        let mut best: Option<(usize, Target)> = None;
        for target in candidates().filter(admits) {
            let only = HostSettings {
                targets: vec![target.to_string()],
            };
            let found = self.diagnostics(index, text, &only, config, check);
            let errors = found.iter().filter(|it| it.severity == Severity::Error);
            let errors = errors.count();
            if best.is_none_or(|it| errors < it.0) {
                best = Some((errors, target));
            }
            if errors == 0 {
                break;
            }
        }
        best.map_or(USUAL, |it| it.1).to_string()
    }
}

impl FragmentView<'_> {
    /// The place in the module of an offset of the file; none outside what the module has of it.
    #[must_use]
    pub fn to_module(&self, offset: TextSize) -> Option<TextSize> {
        let own = self.fragment.template.text.map.to_text(offset)?;
        Some(self.prologue + own)
    }

    /// The range of the file that a range of the module comes from; none if it is not all of the template.
    #[must_use]
    pub fn to_host(&self, range: TextRange) -> Option<TextRange> {
        self.fragment.template.text.map.to_host(self.own(range)?)
    }

    /// The part of the module that the file has.
    #[must_use]
    pub fn template(&self) -> TextRange {
        TextRange::at(self.prologue, self.fragment.template.text.len())
    }

    fn own(&self, range: TextRange) -> Option<TextRange> {
        let template = self.template();
        template
            .contains_range(range)
            .then(|| range - self.prologue)
    }

    /// The statements of the template: where they are in the file, and their text in the module.
    pub fn statements(&self) -> impl Iterator<Item = (TextRange, &str)> {
        let text = &self.fragment.template.text;
        let statements = self.fragment.shape.statements.iter();
        statements.filter_map(|it| Some((text.map.to_host(*it)?, &text.text[*it])))
    }

    /// The edit of the file that has the effect of one of the module; none if that touches what is not copied as it
    /// is from one literal.
    #[must_use]
    pub fn edit(&self, edit: &Edit) -> Option<Edit> {
        let range = self.own(edit.range)?;
        self.file.host_edit(self.fragment, range, &edit.insert)
    }

    /// How a text of PTX is written at a range of the file; none if it cannot be written there.
    #[must_use]
    pub fn escaped(&self, at: TextRange, insert: &str) -> Option<String> {
        self.file.escaped(self.fragment, at, insert)
    }

    /// The operand whose placeholder is at an offset of the file, and where.
    #[must_use]
    pub fn operand_at(&self, offset: TextSize) -> Option<(FragmentOperand, TextRange)> {
        let text = &self.fragment.template.text;
        self.fragment
            .template
            .placeholders
            .iter()
            .find_map(|placeholder| {
                let range = text.map.to_host(placeholder.range)?;
                let operand = placeholder.operand?;
                let at = range.contains_inclusive(offset) && !range.is_empty();
                at.then(|| Some((self.operand(operand)?, range)))?
            })
    }

    /// The places in the file of the placeholders of an operand.
    pub fn placeholders(&self, operand: u32) -> impl Iterator<Item = TextRange> + '_ {
        let template = &self.fragment.template;
        template
            .placeholders
            .iter()
            .filter(move |it| it.operand == Some(operand))
            .filter_map(|it| template.text.map.to_host(it.range))
    }

    /// An operand by its number.
    #[must_use]
    pub fn operand(&self, index: u32) -> Option<FragmentOperand> {
        let operand = self.fragment.operands.list.get(index as usize)?;
        Some(FragmentOperand {
            index,
            placeholder: self.placeholder(index, operand),
            register: operand.class.word(self.target),
            constraint: operand.constraint.clone(),
            expression: operand.expression.and_then(|it| self.expression(it)),
            written: operand.written,
            read: operand.read,
            constant: matches!(operand.class, Class::Immediate(_)),
        })
    }

    /// All operands, in their order.
    pub fn operands(&self) -> impl Iterator<Item = FragmentOperand> + '_ {
        let count = self.fragment.operands.list.len() as u32;
        (0..count).filter_map(|it| self.operand(it))
    }

    /// The name that an operand has in the module.
    #[must_use]
    pub fn name(&self, operand: u32) -> String {
        template::name(self.fragment.dialect, operand)
    }

    /// Whether a part of the template is known only to the compiler.
    #[must_use]
    pub fn has_holes(&self) -> bool {
        self.fragment.template.has_holes
    }

    fn placeholder(&self, index: u32, operand: &Operand) -> String {
        match (self.fragment.dialect, operand.name) {
            (Dialect::Rust, Some(name)) => format!("{{{}}}", self.source.text(name).trim()),
            (Dialect::Rust, None) => format!("{{{index}}}"),
            (dialect, _) => template::name(dialect, index),
        }
    }

    /// An expression and its place in the file, without the blanks around it.
    fn expression(&self, range: TextRange) -> Option<(String, TextRange)> {
        let text = self.source.text(range);
        let trimmed = text.trim();
        let before = TextSize::of(&text[..text.len() - text.trim_start().len()]);
        let range = TextRange::at(range.start() + before, TextSize::of(trimmed));
        Some((trimmed.to_owned(), self.source.in_file(range)?))
    }

    /// A text in which operands are named as the host names them.
    #[must_use]
    pub fn words(&self, text: String) -> String {
        self.fragment.words(text)
    }

    /// The parts of the template; none if it is in another string.
    pub(super) fn parts(&self) -> Option<&[Part]> {
        let statement = self.file.statement(self.fragment);
        statement.layer.is_none().then_some(&*statement.template)
    }

    /// The text of the file at a range.
    pub(super) fn host_text(&self, range: TextRange) -> &str {
        self.source.text(range)
    }

    /// The column of an offset of the file, in characters.
    pub(super) fn column(&self, offset: TextSize) -> usize {
        let before = self.source.text(TextRange::up_to(offset));
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().count()
    }

    /// The blanks at the start of the line of an offset of the file, in characters.
    pub(super) fn indentation(&self, offset: TextSize) -> usize {
        let before = self.source.text(TextRange::up_to(offset));
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().take_while(|it| it.is_whitespace()).count()
    }

    /// A range of the module as the file writes it; none if a part of it is in several literals.
    pub(super) fn as_written(&self, range: TextRange) -> Option<String> {
        let own = self.own(range)?;
        let mut written = String::new();
        for (run_range, run) in self.fragment.template.text.map.runs_in(own) {
            let host = match run.kind {
                RunKind::Copied => run_range.intersect(own)? - run_range.start() + run.host.start(),
                RunKind::Inserted => return None,
                _ if !own.contains_range(run_range) => return None,
                _ => run.host,
            };
            written.push_str(self.source.text(host));
        }
        Some(written)
    }

    /// The range of the file that all of a range of the module comes from, if it is not split between literals.
    #[must_use]
    pub fn in_one_piece(&self, range: TextRange) -> Option<TextRange> {
        let own = self.own(range)?;
        let placeholders = &self.fragment.template.placeholders;
        match placeholders.iter().find(|it| it.range == own) {
            Some(_) => self.fragment.template.text.map.to_host(own),
            None => self.fragment.whole(own),
        }
    }

    /// Whether a name may be one of other fragments of the file, too.
    #[must_use]
    pub fn is_shared(&self, name: &str) -> bool {
        self.file.neighbours.declare(name)
    }

    /// How placeholders are written.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.fragment.dialect
    }

    /// The name of the target.
    #[must_use]
    pub fn target(&self) -> String {
        self.target.to_string()
    }
}

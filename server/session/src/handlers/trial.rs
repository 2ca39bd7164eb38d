//! Statements on values of their operands: from asm strings, and from selections of PTX.

use std::fmt::Write as _;

use analysis::{FragmentOperand, FragmentView};
use isa::types::Class;
use run::statements::{Operand, Statements, show};
use serde_json::json;
use syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize, token_at};

use super::{Handler, Priority, Reads, Run, embedded};
use crate::{
    embedded::HostDocument,
    lsp::{
        ext::{self, Trial, TrialInput, TryStatementsParams},
        lsp_types::{CodeAction, Command, Range, Url},
    },
    snapshot::{Answer, Document, Snapshot},
};

pub(crate) const TRY_STATEMENTS: Handler<TryStatementsParams, Option<Trial>> = Handler {
    method: ext::TRY_STATEMENTS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let range = document.text_range(params.range);
        let subject = match &document.host {
            Some(host) => match fragment(snapshot, host, range) {
                Some(it) => Some(Subject::of_fragment(&host.view(
                    snapshot,
                    document.file,
                    it,
                )?)),
                None => None,
            },
            None => Subject::of_range(snapshot, document, range)?,
        };
        Ok(subject.map(|it| it.answer(snapshot, params)))
    }),
};

/// The code action that asks for values; none where nothing can be tried. Whether the statements can run is decided when
/// it is chosen.
pub(super) fn action(
    snapshot: &Snapshot,
    document: &Document,
    uri: &Url,
    range: Range,
) -> Answer<Option<CodeAction>> {
    let shared = &snapshot.shared;
    if !shared.client.tries_statements || shared.host.run_statements().is_none() {
        return Ok(None);
    }
    let at = document.text_range(range);
    let is_there = match &document.host {
        Some(host) => fragment(snapshot, host, at).is_some(),
        // Almost every place in PTX is a statement, so that only a selection means it.
        None if at.is_empty() => false,
        None => match snapshot.analysis.contents(document.file)? {
            Some(contents) => selected(&contents.tree.syntax(), at).is_some(),
            None => false,
        },
    };
    let title = "Try this PTX…".to_owned();
    Ok(is_there.then(|| CodeAction {
        title: title.clone(),
        command: Some(Command {
            title,
            command: ext::TRY.to_owned(),
            arguments: Some(vec![json!(uri), json!(range)]),
        }),
        ..CodeAction::default()
    }))
}

/// The fragment around the start of a range, else the first one that the range touches.
fn fragment(snapshot: &Snapshot, host: &HostDocument, range: TextRange) -> Option<usize> {
    if !snapshot.embedded {
        return None;
    }
    let around = host.file().fragment_inside(range.start());
    around.or_else(|| match range.is_empty() {
        true => None,
        false => host.fragments_in(range).next(),
    })
}

/// Statements with what the document knows of their operands.
struct Subject {
    text: String,
    declared: Vec<(String, Class)>,
    target: Option<String>,
    /// The operands of an asm statement, each with its name in `text`.
    operands: Vec<(String, FragmentOperand)>,
    /// The reason for which they cannot be read.
    problem: Option<&'static str>,
}

impl Subject {
    /// An asm statement: its operands have the types of their constraints.
    fn of_fragment(view: &FragmentView<'_>) -> Subject {
        let mut text = view.module[view.template()].to_owned();
        let mut operands: Vec<(String, FragmentOperand)> = view
            .operands()
            .map(|it| (view.name(it.index), it))
            .collect();
        // A number as the constraint means the register of that output.
        for at in 0..operands.len() {
            let (name, operand) = &operands[at];
            let tied = operand.constraint.parse::<usize>().ok();
            if let Some((first, output)) = tied.and_then(|it| operands.get(it)) {
                text = replace_word(&text, name, first);
                let (first, placeholder) = (first.clone(), output.placeholder.clone());
                operands[at].0 = first;
                operands[at].1.placeholder = placeholder;
            }
        }
        let mut declared: Vec<(String, Class)> = Vec::new();
        for (name, operand) in &operands {
            let word = operand.register.map(|it| it.trim_start_matches('.'));
            let class = word.and_then(Class::from_word);
            if let Some(class) = class
                && declared.iter().all(|it| it.0 != *name)
                && has_word(&text, name)
            {
                declared.push((name.clone(), class));
            }
        }
        Subject {
            text,
            declared,
            target: Some(view.target()),
            operands,
            problem: view
                .has_holes()
                .then_some("a part of this text is known only to the compiler"),
        }
    }

    /// The statements of PTX that a range touches; none if it touches none.
    fn of_range(
        snapshot: &Snapshot,
        document: &Document,
        range: TextRange,
    ) -> Answer<Option<Subject>> {
        let Some(contents) = snapshot.analysis.contents(document.file)? else {
            return Ok(None);
        };
        let root = contents.tree.syntax();
        let Some(range) = selected(&root, range) else {
            return Ok(None);
        };
        let text = root.text().slice(range).to_string();
        let code = snapshot.analysis.code(document.file)?;
        let inside = |it: &&analysis::code::Function| {
            let mut instructions = it.instructions.iter();
            instructions.any(|it| range.contains_range(it.range))
        };
        let function = code.functions.iter().find(inside);
        let registers = function.map_or(&[][..], |it| &it.registers);
        let mut declared: Vec<(String, Class)> = Vec::new();
        for it in registers {
            // Blocks may have registers of one name.
            let others = registers.iter().filter(|other| other.name == it.name);
            if it.lanes <= 1 && others.count() == 1 && has_word(&text, &it.name) {
                declared.push((it.name.clone(), it.class));
            }
        }
        Ok(Some(Subject {
            text,
            declared,
            target: snapshot.analysis.target(document.file)?,
            operands: Vec::new(),
            problem: None,
        }))
    }

    fn answer(&self, snapshot: &Snapshot, params: &TryStatementsParams) -> Trial {
        let mut trial = Trial {
            statements: self.text.trim().to_owned(),
            target: self.target.clone().unwrap_or_default(),
            ..Trial::default()
        };
        let run = match (snapshot.shared.host.run_statements(), self.problem) {
            (Some(run), None) => run,
            (None, _) => {
                trial.problem = Some("this server cannot run PTX".to_owned());
                return trial;
            }
            (_, Some(problem)) => {
                trial.problem = Some(problem.to_owned());
                return trial;
            }
        };
        let statements = match Statements::new(&self.text, &self.declared, self.target.as_deref()) {
            Ok(it) => it,
            Err(problem) => {
                trial.problem = Some(self.named(problem.message));
                return trial;
            }
        };
        trial.statements.clone_from(&statements.text);
        trial.target.clone_from(&statements.target);
        let inputs: Vec<&Operand> = statements.inputs().collect();
        for (index, input) in inputs.iter().enumerate() {
            let value = params.values.get(index);
            let problem = value.and_then(|it| input.check(it).err());
            trial.inputs.push(self.input(input, problem));
        }
        if !params.run {
            return trial;
        }
        if params.values.len() > inputs.len() {
            let (some, found) = (inputs.len(), params.values.len());
            let plural = if some == 1 { "" } else { "s" };
            trial.problem = Some(format!("expected {some} value{plural}, found {found}"));
            return trial;
        }
        let named = inputs.iter().zip(&params.values);
        let values: Vec<String> = named
            .map(|(input, value)| format!("{}={value}", input.name))
            .collect();
        match run(&statements, &values) {
            Ok(tried) => {
                let mut shown = format!("// for {}\n{}\n\n", statements.target, statements.text);
                for (input, value) in trial.inputs.iter().zip(&params.values) {
                    let _ = writeln!(shown, "{} = {}", title(input), value.trim());
                }
                if !trial.inputs.is_empty() {
                    shown.push('\n');
                }
                shown += &show(&statements, &tried);
                for (name, operand) in &self.operands {
                    if *name != operand.placeholder {
                        shown = replace_word(&shown, name, &operand.placeholder);
                    }
                }
                trial.shown = Some(shown);
            }
            Err(problem) => trial.problem = Some(self.named(problem)),
        }
        trial
    }

    fn input(&self, input: &Operand, problem: Option<String>) -> TrialInput {
        let is_it = |it: &&(String, FragmentOperand)| it.0 == input.name && it.1.read;
        let operand = self.operands.iter().find(is_it).map(|it| &it.1);
        let expression = operand.and_then(|it| it.expression.as_ref());
        let expression = expression.map(|it| embedded::one_line(&it.0, 80));
        let number = expression.as_deref().and_then(|it| number(input, it));
        TrialInput {
            name: operand.map_or_else(|| input.name.clone(), |it| it.placeholder.clone()),
            ty: input.form.word(),
            sample: number.unwrap_or_else(|| input.sample()),
            expression,
            problem: problem.map(|it| self.named(it)),
        }
    }

    /// A message in which operands are named as the document names them.
    fn named(&self, mut message: String) -> String {
        for (name, operand) in &self.operands {
            message = message.replace(&format!("`{name}`"), &format!("`{}`", operand.placeholder));
        }
        message
    }
}

/// An input with its type and its expression.
fn title(input: &TrialInput) -> String {
    match &input.expression {
        Some(it) => format!("{} (.{}, {it})", input.name, input.ty),
        None => format!("{} (.{})", input.name, input.ty),
    }
}

/// A number of the host language as a value of an operand.
fn number(input: &Operand, expression: &str) -> Option<String> {
    let digits = expression.trim_start_matches('-');
    let is_octal = digits.len() > 1
        && digits.starts_with('0')
        && digits[1..].starts_with(|it: char| it.is_ascii_digit());
    if !digits.starts_with(|it: char| it.is_ascii_digit()) || is_octal {
        return None;
    }
    let is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    let suffix = |it: char| match it {
        'u' | 'U' | 'l' | 'L' => true,
        'f' | 'F' => !is_hex,
        _ => false,
    };
    let number = expression.trim_end_matches(suffix);
    input.check(number).is_ok().then(|| number.to_owned())
}

/// The range of the statements that a range of a file touches, with declarations and labels; `None` without an
/// instruction.
fn selected(root: &SyntaxNode, range: TextRange) -> Option<TextRange> {
    let statement = |offset: TextSize| {
        let token = token_at(root, offset)?;
        let mut around = token.parent_ancestors();
        let node = around.find(|it| it.kind() == SyntaxKind::INSTRUCTION)?;
        Some(syntax::trimmed_range(&node))
    };
    if range.is_empty() {
        return statement(range.start()).filter(|it| it.contains_inclusive(range.start()));
    }
    let last = range.end() - TextSize::new(1);
    let ends = [range.start(), last].into_iter().filter_map(statement);
    let touching = ends.filter(|it| it.intersect(range).is_some_and(|it| !it.is_empty()));
    let whole = touching.fold(range, TextRange::cover);
    // Tokens of the range alone, as editors request code actions at each change of the selection, in files of any length.
    let first = token_at(root, whole.start());
    let tokens = std::iter::successors(first, |it| it.next_token());
    let mut tokens = tokens.take_while(|it| it.text_range().start() < whole.end());
    let is_inside = |it: &SyntaxNode| {
        it.kind() == SyntaxKind::INSTRUCTION && whole.contains_range(syntax::trimmed_range(it))
    };
    tokens
        .any(|it| it.parent_ancestors().any(|it| is_inside(&it)))
        .then_some(whole)
}

/// The places of a name in a text.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '%');
    text.match_indices(name).map(|it| it.0).filter(move |at| {
        let after = text[at + name.len()..].chars().next();
        let before = text[..*at].chars().next_back();
        !after.is_some_and(part) && !before.is_some_and(part)
    })
}

fn has_word(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

fn replace_word(text: &str, name: &str, other: &str) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for at in words(text, name) {
        out += &text[copied..at];
        out += other;
        copied = at + name.len();
    }
    out + &text[copied..]
}

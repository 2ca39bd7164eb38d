//! Advice about the agreement between a statement of assembly and its instructions.

use isa::{
    semantics::{Control, Keep, Order, Proxy, Semantics},
    special,
};
use rustc_hash::FxHashSet;
use syntax::{
    SyntaxKind, TextRange,
    host::{Dialect, Statement},
    lexer::tokenize,
    text::Edit,
};

use crate::{
    Severity,
    diagnostics::registry::{
        ASM_CONSTRAINT, ASM_GENERIC_ADDRESS, ASM_MISSING_VOLATILE, ASM_NAMED_LABEL,
        ASM_PARTIAL_OUTPUT, ASM_WRITTEN_INPUT,
    },
};

use super::{
    Fragment,
    operands::{Class, Operand},
    source::Source,
};

/// An instruction of a fragment. Ranges are those of its text.
struct FragmentInstruction<'a> {
    /// From its guard to its semicolon.
    range: TextRange,
    /// Its guard, without blanks.
    guard: Option<String>,
    /// The opcode with its modifiers.
    head: TextRange,
    opcode: &'a str,
    /// The modifiers, without their periods.
    words: Vec<&'a str>,
    /// The names among its operands.
    names: Vec<&'a str>,
}

impl FragmentInstruction<'_> {
    /// Its effects; none if there is no such instruction.
    fn semantics(&self) -> Option<Semantics> {
        let tables = isa::table::tables();
        tables.with_opcode(self.opcode).next()?;
        Some(tables.semantics(self.opcode, self.words.iter().copied()))
    }
}

/// The instructions of a fragment.
fn instructions(fragment: &Fragment) -> impl Iterator<Item = FragmentInstruction<'_>> {
    let text = &*fragment.template.text.text;
    let statements = fragment.shape.statements.iter();
    statements.filter_map(|it| instruction(text, *it))
}

fn instruction(text: &str, range: TextRange) -> Option<FragmentInstruction<'_>> {
    let part = &text[range];
    let tokens = tokenize(part);
    let mut words = Vec::new();
    let mut names = Vec::new();
    let mut opcode = None;
    let mut guard: Option<String> = None;
    let mut in_guard = false;
    let mut head: Option<TextRange> = None;
    for index in 0..tokens.len() {
        let word = tokens.text(part, index);
        let place = TextRange::at(
            range.start() + syntax::TextSize::new(tokens.start(index) as u32),
            syntax::TextSize::of(word),
        );
        match tokens.kind(index) {
            SyntaxKind::AT if opcode.is_none() => in_guard = true,
            SyntaxKind::BANG if in_guard => guard = Some("!".to_owned()),
            SyntaxKind::IDENT if in_guard => {
                guard.get_or_insert_default().push_str(word);
                in_guard = false;
            }
            SyntaxKind::IDENT if opcode.is_none() => {
                opcode = Some(word);
                head = Some(place);
            }
            SyntaxKind::IDENT => names.push(word),
            SyntaxKind::DOTTED if opcode.is_some() && names.is_empty() => {
                words.push(&word[1..]);
                head = head.map(|it| it.cover(place));
            }
            _ => {}
        }
    }
    Some(FragmentInstruction {
        range,
        guard,
        head: head?,
        opcode: opcode?,
        words,
        names,
    })
}

pub(super) fn find(source: Source<'_>, statement: &Statement, fragment: &mut Fragment) {
    labels(source, fragment);
    volatile(source, statement, fragment);
    outputs(fragment);
    inputs(fragment);
    addresses(source, fragment);
}

/// The lint of rustc against names of labels, which is an error unless the crate allows it. It looks at the beginnings
/// of lines and statements.
fn labels(source: Source<'_>, fragment: &mut Fragment) {
    if fragment.dialect != Dialect::Rust || source.all().contains("named_asm_labels") {
        return;
    }
    let text = &*fragment.template.text.text;
    let begins = |it: &&TextRange| {
        let before = text[..usize::from(it.start())].trim_end_matches([' ', '\t', '\r']);
        before.is_empty() || before.ends_with(['\n', ';'])
    };
    let found: Vec<_> = fragment
        .shape
        .labels
        .iter()
        .filter(begins)
        .copied()
        .collect();
    for range in found {
        let message = format!(
            "rustc denies names of labels in `asm!`: `#[allow(named_asm_labels)]` admits `{}`",
            &fragment.template.text.text[range]
        );
        let place = fragment.template.text.map.to_host(range);
        fragment.report.add(place, ASM_NAMED_LABEL, message);
    }
}

/// The reason for which an instruction must run where it is, as often as it is written there.
fn effect(instruction: &FragmentInstruction<'_>) -> Option<(&'static str, Severity)> {
    let semantics = instruction.semantics()?;
    let changes = |name: &&str| {
        special::find(name)
            .and_then(|it| special::get(it.0))
            .is_some_and(|it| special::changes(it.name))
    };
    if !semantics.writes.is_empty() {
        return Some(("writes memory", Severity::Warning));
    }
    if semantics.order != Order::None {
        return Some(("orders accesses to memory", Severity::Warning));
    }
    if semantics.keep != Keep::No && semantics.control == Control::Next {
        return Some(("has an effect", Severity::Warning));
    }
    if instruction.names.iter().any(changes) {
        return Some(("has another value each time", Severity::Warning));
    }
    // Its lanes: code that is right exchanges the same values wherever it stays.
    if semantics.fresh {
        return Some(("depends on the active threads", Severity::Hint));
    }
    let constant = |word: &&str| word.starts_with("const") || word.starts_with("param");
    let changing = semantics.reads.iter().any(|it| {
        !matches!(
            it.proxy,
            Proxy::Readonly | Proxy::Texture | Proxy::TensorMap
        )
    });
    (changing && !instruction.words.iter().any(constant))
        .then_some(("reads memory that may change", Severity::Hint))
}

/// Measured with nvcc 13.5: without `volatile` and `"memory"` a statement with outputs vanishes if they are not used,
/// leaves loops, and moves over accesses to memory. With either it stays; one without outputs is volatile.
fn volatile(source: Source<'_>, statement: &Statement, fragment: &mut Fragment) {
    let operands = &fragment.operands;
    let outputs = operands.list.iter().any(|it| it.written);
    if statement.volatile || operands.memory || operands.open || !outputs {
        return;
    }
    let effects = instructions(fragment).filter_map(|it| Some((it.head, effect(&it)?)));
    // The first of the worst.
    let Some((head, (what, severity))) = effects.min_by_key(|it| it.1.1 != Severity::Warning)
    else {
        return;
    };
    let word = &fragment.template.text.text[head];
    let (missing, insert) = match statement.dialect {
        Dialect::Cuda => ("`volatile`", Some(" volatile")),
        Dialect::Llvm if source.text(statement.keyword) == "asm" => {
            ("`sideeffect`", Some(" sideeffect"))
        }
        Dialect::Llvm => ("the argument that says that it has effects", None),
        Dialect::Rust => ("no option `pure`", None),
    };
    let message = format!(
        "the compiler may drop or move this `{word}`, which {what}: the statement needs {missing}"
    );
    let place = fragment.template.text.map.to_host(head);
    let keyword = source.in_file(statement.keyword);
    let edit = insert.and_then(|it| Some(Edit::new(TextRange::empty(keyword?.end()), it)));
    let title = format!("Insert `{}`", insert.unwrap_or_default().trim());
    let before = fragment.report.diagnostics.len();
    fragment
        .report
        .repaired(place, ASM_MISSING_VOLATILE, message, &title, edit);
    if let Some(added) = fragment.report.diagnostics.get_mut(before) {
        added.severity = severity;
    }
}

/// Inputs that an instruction writes: the compiler continues as if the register had its value.
fn inputs(fragment: &mut Fragment) {
    if fragment.template.has_holes || fragment.dialect == Dialect::Rust {
        return;
    }
    let text = &*fragment.template.text.text;
    let tables = isa::table::tables();
    let mut found: Vec<(u32, TextRange)> = Vec::new();
    let mut seen = FxHashSet::default();
    let known = |it: &FragmentInstruction<'_>| tables.with_opcode(it.opcode).next().is_some();
    for instruction in instructions(fragment).filter(known) {
        let role = tables.role(instruction.opcode, || instruction.words.iter().copied());
        let operands = TextRange::new(instruction.head.end(), instruction.range.end());
        for (index, operand) in (0..).zip(split(text, operands)) {
            let address = text[operand].trim_start().starts_with('[');
            if address || !role.writes(index) {
                continue;
            }
            let placeholders = &fragment.template.placeholders;
            let first = placeholders.partition_point(|it| it.range.start() < operand.start());
            let written = placeholders[first..]
                .iter()
                .take_while(|it| it.range.end() <= operand.end());
            for placeholder in written {
                let Some(number) = placeholder.operand else {
                    continue;
                };
                let known = fragment.operands.list.get(number as usize);
                let input = known.is_some_and(|it| {
                    !it.written && !matches!(it.class, Class::Text | Class::Unknown)
                });
                if input && seen.insert(number) {
                    found.push((number, placeholder.range));
                }
            }
        }
    }
    for (index, range) in found {
        let operand = &fragment.operands.list[index as usize];
        let constraint = &operand.constraint;
        let place = fragment.template.text.map.to_host(range);
        let name = super::template::name(fragment.dialect, index);
        if matches!(operand.class, Class::Immediate(_)) {
            let message = format!("`{name}` is a constant, and this instruction writes it");
            fragment.report.add(place, ASM_CONSTRAINT, message);
            continue;
        }
        let repaired = match fragment.dialect {
            Dialect::Cuda => format!("make it an output, `\"+{constraint}\"`"),
            Dialect::Llvm | Dialect::Rust => "make it an output".to_owned(),
        };
        let message = format!(
            "`{name}` is an input, and this instruction writes it: the compiler may use the register as unchanged; {repaired}"
        );
        fragment.report.add(place, ASM_WRITTEN_INPUT, message);
    }
}

/// The operands in a range of a text, divided at the commas outside brackets.
fn split(text: &str, range: TextRange) -> Vec<TextRange> {
    let part = &text[range];
    let tokens = tokenize(part);
    let (mut depth, mut start) = (0i32, 0);
    let mut operands = Vec::new();
    let at = |from: usize, to: usize| {
        let offset = |it: usize| range.start() + syntax::TextSize::new(it as u32);
        TextRange::new(offset(from), offset(to))
    };
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            SyntaxKind::L_BRACE | SyntaxKind::L_BRACKET | SyntaxKind::L_PAREN => depth += 1,
            SyntaxKind::R_BRACE | SyntaxKind::R_BRACKET | SyntaxKind::R_PAREN => depth -= 1,
            SyntaxKind::COMMA if depth == 0 => {
                operands.push(at(start, tokens.start(index)));
                start = tokens.start(index + 1);
            }
            _ => {}
        }
    }
    operands.push(at(start, part.len()));
    operands
}

/// Outputs that are only written where a guard holds: what the variable had before is lost where it does not.
fn outputs(fragment: &mut Fragment) {
    let known = !fragment.template.has_holes && fragment.shape.opens + fragment.shape.closes == 0;
    if !known || fragment.dialect != Dialect::Cuda {
        return;
    }
    let instructions: Vec<_> = instructions(fragment).collect();
    let branches = instructions
        .iter()
        .filter_map(FragmentInstruction::semantics)
        .any(|it| it.control.leaves());
    if branches {
        return;
    }
    let mut found = Vec::new();
    for (index, operand) in (0..).zip(&fragment.operands.list) {
        if !operand.written || operand.read {
            continue;
        }
        let mut uses = fragment
            .template
            .placeholders
            .iter()
            .filter(|it| it.operand == Some(index))
            .peekable();
        let Some(first) = uses.peek().map(|it| it.range) else {
            continue;
        };
        let mut guards = uses.map(|used| {
            let mut all = instructions.iter();
            let around = all.find(|it| it.range.contains_range(used.range));
            around.and_then(|it| it.guard.as_deref())
        });
        let Some(Some(guard)) = guards.next() else {
            continue;
        };
        if guards.all(|it| it == Some(guard)) {
            found.push((index, first, guard.to_owned()));
        }
    }
    for (index, range, guard) in found {
        let constraint = &fragment.operands.list[index as usize].constraint;
        let message = format!(
            "`%{index}` is written only where `{guard}` holds; with `{constraint}` its value is undefined elsewhere: `{}` keeps the one it had",
            constraint.replace('=', "+")
        );
        let place = fragment.template.text.map.to_host(range);
        fragment.report.add(place, ASM_PARTIAL_OUTPUT, message);
    }
}

/// Whether an expression of C++ is surely a generic pointer: the address of something, or a cast to a pointer.
fn is_pointer(expression: &str) -> bool {
    let expression = expression.trim();
    let cast = ["reinterpret_cast<", "static_cast<", "const_cast<"]
        .iter()
        .find_map(|it| expression.strip_prefix(it))
        .or_else(|| expression.strip_prefix('('));
    let to = cast.and_then(|it| it.find(['>', ')']).map(|end| it[..end].trim_end()));
    expression.starts_with('&') || to.is_some_and(|it| it.ends_with('*'))
}

/// Operands of 64 bits that are generic pointers, as addresses in shared memory: those are offsets into it.
fn addresses(source: Source<'_>, fragment: &mut Fragment) {
    if fragment.dialect != Dialect::Cuda {
        return;
    }
    let is_wide = |it: &Operand| {
        it.class == Class::Register(".b64")
            && it.expression.is_some_and(|it| is_pointer(source.text(it)))
    };
    if !fragment.operands.list.iter().any(is_wide) {
        return;
    }
    let text = &*fragment.template.text.text;
    let mut found = Vec::new();
    for instruction in instructions(fragment) {
        // One state space, and one address.
        let spaces = instruction.words.iter().filter(|it| {
            matches!(
                it.split(':').next(),
                Some("shared" | "global" | "local" | "const" | "param")
            )
        });
        let spaces: Vec<_> = spaces.collect();
        let shared = matches!(spaces[..], [one] if one.starts_with("shared"));
        if !shared || text[instruction.range].matches('[').count() != 1 {
            continue;
        }
        for placeholder in &fragment.template.placeholders {
            let range = placeholder.range;
            let operand = placeholder
                .operand
                .and_then(|it| fragment.operands.list.get(it as usize));
            let address = text[..usize::from(range.start())].trim_end().ends_with('[');
            if instruction.range.contains_range(range) && address && operand.is_some_and(is_wide) {
                found.push((range, instruction.head));
            }
        }
    }
    for (range, head) in found {
        let text = &fragment.template.text.text;
        let message = format!(
            "`{}` is a generic pointer, and `{}` takes an address in shared memory: `__cvta_generic_to_shared` makes one",
            &text[range], &text[head]
        );
        let place = fragment.template.text.map.to_host(range);
        fragment.report.add(place, ASM_GENERIC_ADDRESS, message);
    }
}

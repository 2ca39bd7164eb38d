//! Completion inside strings.

use analysis::{
    CompletionItem, CompletionKind, Completions, FilePosition, Fragment, FragmentOperand,
    FragmentView,
};
use syntax::{
    TextRange, TextSize,
    host::{Dialect, Language},
};

use super::one_line;
use crate::{
    embedded::HostDocument,
    snapshot::{Answer, Document, Snapshot},
};

/// An item and what is inserted for it.
pub(in crate::handlers) struct FragmentCompletion {
    /// The item, with the label that is shown.
    pub(in crate::handlers) item: CompletionItem,
    /// The text to insert, as it is written in the string.
    pub(in crate::handlers) text: String,
    /// The text that the editor compares with the typed word.
    pub(in crate::handlers) filter: String,
}

/// The completions at an offset of a document: the range that they replace, the items, and whether there are more.
pub(in crate::handlers) fn completion(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<(TextRange, Vec<FragmentCompletion>, bool)>> {
    if !snapshot.embedded {
        return Ok(None);
    }
    let (file, text) = (host.file(), host.text());
    let draft: Fragment;
    let view = match file.fragment_inside(offset) {
        Some(index) => host.view(snapshot, document.file, index)?,
        // C++ also has assembly for other machines.
        None if host.language() == Language::C && file.fragments().is_empty() => return Ok(None),
        None => {
            let Some(found) = file.draft(text, offset) else {
                return Ok(None);
            };
            draft = found;
            let settings = host.settings(snapshot, document.file);
            let target = settings.targets.first().map_or("", |it| it);
            file.view_of(&draft, text, target)
        }
    };
    let word = Word::before(text, offset, view.dialect());
    let (Some(start), Some(end)) = (view.to_module(word.range.start()), view.to_module(offset))
    else {
        return Ok(None);
    };
    if end < start {
        return Ok(None);
    }
    // A sign that begins a name means nothing before the name is there.
    let written = if word.is_name {
        word.name
    } else {
        &text[word.range]
    };
    let mut module = view.module.clone();
    module.replace_range(usize::from(start)..usize::from(end), written);
    let at = start + TextSize::of(written);
    let found =
        snapshot
            .shared
            .fragments
            .query(&snapshot.settings, &module, |analysis, file| {
                analysis.completions(FilePosition { file, offset: at })
            })?;
    let Some(found) = found else {
        return Ok(None);
    };
    let replace = match word.is_name {
        true => word.range,
        false => TextRange::new(offset - found.replace.len().min(word.range.len()), offset),
    };
    let incomplete = found.is_incomplete;
    let typed = &text[replace];
    let items = items(&view, found, replace, typed);
    Ok(Some((replace, items, incomplete)))
}

/// The word before the cursor, as the host writes it.
struct Word<'a> {
    range: TextRange,
    /// Whether it begins with a sign of placeholders or registers.
    is_name: bool,
    /// The sign in PTX.
    name: &'a str,
}

impl Word<'_> {
    fn before(text: &str, offset: TextSize, dialect: Dialect) -> Word<'_> {
        let before = &text.as_bytes()[..usize::from(offset)];
        let is_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
        let word = before.iter().rev().take_while(|it| is_word(it)).count();
        let is_sign = |it: &u8| match dialect {
            Dialect::Cuda => *it == b'%',
            Dialect::Llvm => matches!(it, b'%' | b'$'),
            Dialect::Rust => matches!(it, b'%' | b'{'),
        };
        let rest = &before[..before.len() - word];
        let signs = rest.iter().rev().take(2).take_while(|it| is_sign(it));
        let signs = signs.count();
        let start = rest.len() - signs;
        let percent = signs > 0 && before[start] == b'%';
        Word {
            range: TextRange::new(TextSize::new(start as u32), offset),
            is_name: signs > 0,
            name: if percent { "%" } else { "" },
        }
    }
}

fn items(
    view: &FragmentView<'_>,
    found: Completions,
    replace: TextRange,
    typed: &str,
) -> Vec<FragmentCompletion> {
    let operands: Vec<_> = view.operands().collect();
    let name = |it: &FragmentOperand| match view.dialect() {
        Dialect::Cuda => format!("%{}", it.index),
        Dialect::Llvm | Dialect::Rust => format!("${}", it.index),
    };
    let at_operand = found.items.iter().any(|it| {
        matches!(
            it.kind,
            CompletionKind::Register | CompletionKind::SpecialRegister | CompletionKind::Parameter
        )
    });
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for item in found.items {
        // The function around the fragment is ours.
        if item.kind == CompletionKind::Function {
            continue;
        }
        let operand = operands.iter().find(|it| name(it) == item.label);
        if let Some(operand) = operand {
            first.push(of_operand(operand));
            continue;
        }
        let plain = match &item.insert {
            Some(it) => it.plain.clone(),
            None => item.label.clone(),
        };
        let Some(text) = view.escaped(replace, &plain) else {
            continue;
        };
        let filter = match typed.starts_with("%%") || !typed.starts_with('%') {
            true if item.insert.is_none() => text.clone(),
            _ => item.label.clone(),
        };
        others.push(FragmentCompletion {
            text,
            filter,
            item: CompletionItem {
                insert: None,
                ..item
            },
        });
    }
    if at_operand {
        first.extend(operands.iter().filter(|it| it.constant).map(of_operand));
    }
    first.append(&mut others);
    first
}

fn of_operand(operand: &FragmentOperand) -> FragmentCompletion {
    let expression = operand.expression.as_ref();
    let expression = expression.map_or_else(String::new, |it| one_line(&it.0, 40));
    let detail = match operand.constraint.is_empty() {
        true => expression,
        false => format!("{expression} \"{}\"", operand.constraint),
    };
    FragmentCompletion {
        text: operand.placeholder.clone(),
        filter: operand.placeholder.clone(),
        item: CompletionItem {
            detail: Some(detail),
            ..CompletionItem::new(operand.placeholder.clone(), CompletionKind::Register)
        },
    }
}

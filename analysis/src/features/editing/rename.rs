//! Rename, of what can be renamed without changing what any other name means.
//!
//! One register of a numbered declaration gets a declaration of its own; the whole family is renamed at its
//! declaration, or with a new name that has angle brackets.
//!
//! The safety of a rename is not decided by rules but tried out: the edited functions are lowered
//! again and must mean the same.

#[cfg(test)]
mod tests;

use salsa::Database;
use syntax::{
    Cursor, FileContents, SyntaxKind, TextRange, TextSize,
    lexer::is_identifier,
    text::{Edit, apply_edit},
};

use crate::{
    FileEdits, FilePosition, RenameError, RenamePreparation, SourceChange, SymbolKind,
    db::SourceFile,
    hir::{
        body::{Body, Definition, DefinitionId, Duplicate, Reference, Target, body},
        items::{Function, item_offsets, items},
        module::module_scope,
        number::split_name,
        symbol::{
            NameAt, Symbol, declarations, function_start, linked_files, name_at, occurrences,
            word_at,
        },
        tree::{for_each_token, name, node_at, trimmed, variable_text},
    },
};

/// Words of `.loc` that ptxas reads as keywords everywhere.
const UNREADABLE: [&str; 2] = ["inlined_at", "function_name"];

type Result<T> = std::result::Result<T, RenameError>;

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    Err(RenameError(why.into()))
}

/// The range that a rename at a position would replace.
pub(crate) fn prepare_rename(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Result<RenamePreparation> {
    let (name, family) = renamable(db, file, at)?;
    let range = match &family {
        Some(prefix) if alone(&name).is_none() => {
            TextRange::at(name.range.start(), TextSize::of(&**prefix))
        }
        _ => name.range,
    };
    let text = word_at(db, file, at.offset).map(|it| it.text().to_owned());
    let mut placeholder = text.unwrap_or_default();
    placeholder.truncate(range.len().into());
    Ok(RenamePreparation { range, placeholder })
}

/// The numbered declaration that the register at a position belongs to: the place of its name, and the declaration
/// as it is written, such as `%r<100>`. Renaming there renames the whole family.
pub(crate) fn family(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<RenamePreparation> {
    let name = name_at(db, file, at.offset)?;
    let (function, definition, _) = alone(&name)?;
    let found = body(db, function).definition(definition);
    Some(RenamePreparation {
        range: found.name_range + function_start(db, function),
        placeholder: format!("{}<{}>", found.name, found.count?),
    })
}

/// The one member of a numbered declaration in a function that a name means.
fn alone<'db>(name: &NameAt<'db>) -> Option<(Function<'db>, DefinitionId, u32)> {
    match name.symbol {
        Symbol::Local {
            function,
            definition,
            member: Some(member),
        } => Some((function, definition, member)),
        _ => None,
    }
}

/// The name at a position, and the prefix to rename if it is parameterised.
fn renamable(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Result<(NameAt<'_>, Option<Box<str>>)> {
    let Some(word) = word_at(db, file, at.offset) else {
        return refuse("There is no name here.");
    };
    let Some(name) = name_at(db, file, at.offset) else {
        let is_name = word
            .parent()
            .is_some_and(|it| matches!(it.kind(), SyntaxKind::NAME_REFERENCE | SyntaxKind::NAME));
        return if is_name {
            refuse(format!(
                "`{}` has no declaration that could be renamed with it.",
                word.text()
            ))
        } else {
            refuse(format!(
                "`{}` is a word of the language and cannot be renamed.",
                word.text()
            ))
        };
    };
    let family = match &name.symbol {
        Symbol::Special(..) => {
            return refuse(format!(
                "`{}` is a special register and cannot be renamed.",
                word.text()
            ));
        }
        Symbol::WarpSize => {
            return refuse("`WARP_SZ` is a constant of PTX and cannot be renamed.");
        }
        Symbol::Local {
            function,
            definition,
            ..
        } => {
            let body = body(db, *function);
            let found = body.definition(*definition);
            let in_list = found.kind == SymbolKind::Label
                && body
                    .references_to(*definition, None)
                    .any(|it| it.range.len() != found.name_range.len());
            if in_list {
                return refuse(format!(
                    "`{}` is used in a numbered list of branch targets; rename the whole list by hand.",
                    found.name
                ));
            }
            found.count.map(|_| found.name.clone())
        }
        Symbol::Module { file, name, member } => {
            let family = declarations(db, *file, name, *member)
                .iter()
                .any(|it| it.count.is_some());
            family.then(|| name.clone())
        }
        Symbol::SectionLabel { .. } => None,
    };
    Ok((name, family))
}

/// The edits that give the name at a position a new name.
pub(crate) fn rename(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    new_name: &str,
) -> Result<SourceChange> {
    let (name, family) = renamable(db, file, at)?;
    let new_prefix = family.as_ref().and_then(|_| prefix_of_family(new_name));
    if let (Some((function, definition, member)), None) = (alone(&name), new_prefix) {
        check_name(new_name, false)?;
        check_local(db, function, definition, new_name)?;
        return rename_alone(db, file, function, definition, member, new_name);
    }
    let new_name = new_prefix.unwrap_or(new_name);
    check_name(new_name, family.is_some())?;
    // The other names of a family keep their numbers.
    let symbol = match name.symbol {
        Symbol::Local {
            function,
            definition,
            ..
        } => Symbol::Local {
            function,
            definition,
            member: None,
        },
        Symbol::Module { file, name, .. } => Symbol::Module {
            file,
            name,
            member: None,
        },
        other => other,
    };
    let mut files = vec![file];
    if let Symbol::Module { name, .. } = &symbol {
        files.extend(linked_files(db, file, name));
        for file in &files {
            check_module(db, *file, new_name)?;
            check_locals(db, *file, name, new_name)?;
        }
    }
    if let Symbol::Local {
        function,
        definition,
        ..
    } = symbol
    {
        check_local(db, function, definition, new_name)?;
    }
    let mut change = SourceChange::default();
    for file in files {
        let mut edits: Vec<Edit> = occurrences(db, &symbol, file)
            .into_iter()
            .map(|it| {
                let range = it.location.range;
                // `%r12` keeps its number.
                let range = match &family {
                    Some(prefix) => TextRange::at(range.start(), TextSize::of(&**prefix)),
                    None => range,
                };
                Edit::new(range, new_name)
            })
            .collect();
        edits.dedup_by_key(|it| it.range);
        check_functions(db, file, &edits, new_name)?;
        if !edits.is_empty() {
            change.files.push(FileEdits {
                file: file.id(db),
                edits,
            });
        }
    }
    change.files.sort_by_key(|it| it.file);
    Ok(change)
}

/// The prefix in a new name that is written like a numbered declaration: `%x` of `%x<>` or `%x<9>`.
fn prefix_of_family(new_name: &str) -> Option<&str> {
    let (prefix, count) = new_name.strip_suffix('>')?.split_once('<')?;
    count
        .bytes()
        .all(|it| it.is_ascii_digit())
        .then_some(prefix)
}

/// The edits that give one member of a numbered declaration a name and a declaration of its own.
fn rename_alone(
    db: &dyn Database,
    file: SourceFile,
    function: Function<'_>,
    definition: DefinitionId,
    member: u32,
    new_name: &str,
) -> Result<SourceChange> {
    let body = body(db, function);
    let start = function_start(db, function);
    let found = body.definition(definition);
    if split_name(new_name)
        .is_some_and(|(prefix, number)| *prefix == *found.name && Some(number) < found.count)
    {
        return refuse(format!(
            "`{new_name}` is a register of `{}<{}>` already.",
            found.name,
            found.count.unwrap_or_default()
        ));
    }
    let uses = body.references_to(definition, Some(member));
    let mut edits: Vec<Edit> = uses.map(|it| Edit::new(it.range, new_name)).collect();
    let used_alone = body.references_to(definition, None).count() == edits.len();
    let (declaration, own) = declaration_of_one(
        &function.green(db).cursor(),
        found.name_range,
        new_name,
        used_alone,
    )
    .ok_or_else(|| RenameError(format!("`{}` has no declaration.", found.name)))?;
    edits.push(declaration.clone());
    edits.sort_by_key(|it| it.range.start());
    // A declaration of its own is before that of the family.
    let place = declaration.range.start();
    let added = body
        .definitions
        .partition_point(|it| it.name_range.start() < place) as DefinitionId;
    let moved = |id: DefinitionId| id + u32::from(own && added <= id);
    let same = edited_body(db, function, TextSize::default(), &edits).is_some_and(|new| {
        same_meaning(body, &new, moved, |it| match (it.target, it.member) {
            (Target::Definition(id), Some(it)) if id == definition && it == member => {
                Some(if own { added } else { definition })
            }
            _ => None,
        })
    });
    if !same {
        return refuse_meaning(new_name, function.name(db));
    }
    for edit in &mut edits {
        edit.range += start;
    }
    Ok(SourceChange {
        files: vec![FileEdits {
            file: file.id(db),
            edits,
        }],
    })
}

/// The edit that declares a member of a family on its own, and whether the family stays beside it: if nothing else of
/// it is used, it goes.
fn declaration_of_one(
    function: &Cursor<'_>,
    family: TextRange,
    new_name: &str,
    used_alone: bool,
) -> Option<(Edit, bool)> {
    let declaration = node_at(function, SyntaxKind::VARIABLE_DECLARATION, family.start())?;
    let mut declarators = declaration.nodes();
    let declarator = declarators.find(|it| name(it).is_some_and(|it| it.range() == family))?;
    if used_alone {
        let count = declarator
            .nodes()
            .find(|it| it.kind() == SyntaxKind::COUNT_SUFFIX)?;
        let range = family.cover(trimmed(&count));
        return Some((Edit::new(range, new_name), false));
    }
    let text = variable_text(&declaration, &declarator);
    let (head, rest) = text.split_once('<')?;
    let head = head.trim_end().strip_suffix(name(&declarator)?.text())?;
    let (_, rest) = rest.split_once('>')?;
    let place = trimmed(&declaration).start();
    let before = text_before(function, place);
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    // A comment after the declaration of the family stays with it.
    let gap = match line.trim().is_empty() && before.contains('\n') {
        true if before.ends_with(&format!("\r\n{line}")) => format!("\r\n{line}"),
        true => format!("\n{line}"),
        false => " ".to_owned(),
    };
    let insert = format!("{head}{new_name}{rest};{gap}");
    Some((Edit::new(TextRange::empty(place), insert), true))
}

/// The text of a function before an offset, as far back as its line and the end of the line before it.
fn text_before(function: &Cursor<'_>, offset: TextSize) -> String {
    let mut text = String::new();
    for_each_token(function, &mut |token| {
        if token.range().end() <= offset {
            let own = token.text();
            match own.rfind('\n') {
                Some(at) => {
                    text.clear();
                    let start = own[..at].strip_suffix('\r').map_or(at, str::len);
                    text.push_str(&own[start..]);
                }
                None => text.push_str(own),
            }
        }
    });
    text
}

fn check_name(name: &str, family: bool) -> Result<()> {
    if !is_identifier(name) {
        return refuse(format!(
            "`{name}` is not a name: names consist of letters, digits, `_` and `$`, may start with `%`, and do not start with a digit."
        ));
    }
    if name == "WARP_SZ" {
        return refuse("`WARP_SZ` is a constant of PTX.");
    }
    if UNREADABLE.contains(&name) {
        return refuse(format!(
            "`{name}` is a keyword of `.loc`: ptxas does not read it as a name."
        ));
    }
    if isa::special::find(name).is_some() {
        return refuse(format!("`{name}` is a special register."));
    }
    if family && name.ends_with(|it: char| it.is_ascii_digit()) {
        return refuse(format!(
            "The prefix of numbered names cannot end with a digit: `{name}1` would be read as number {}1.",
            name.trim_start_matches(|it: char| !it.is_ascii_digit())
        ));
    }
    Ok(())
}

fn check_module(db: &dyn Database, file: SourceFile, new_name: &str) -> Result<()> {
    let scope = module_scope(db, file);
    if !scope.find(new_name).is_empty() || !scope.family(new_name).is_empty() {
        return refuse(format!("`{new_name}` is declared in the module already."));
    }
    Ok(())
}

/// Checks that a name of a function may be that of something else: ptxas crashes on some programs in which it is the name
/// of the function itself, and a branch before a label means a declaration of the module with its name.
fn check_local(
    db: &dyn Database,
    function: Function<'_>,
    definition: DefinitionId,
    new_name: &str,
) -> Result<()> {
    if new_name == function.name(db) {
        return refuse(format!("`{new_name}` is the name of the function."));
    }
    match body(db, function).definition(definition).kind {
        SymbolKind::Label => check_module(db, function.file(db), new_name),
        _ => Ok(()),
    }
}

/// Checks that no function has a name that would get in the way of a new one of the module, as [`check_local`] does.
fn check_locals(db: &dyn Database, file: SourceFile, old_name: &str, new_name: &str) -> Result<()> {
    for function in &items(db, file).functions {
        let own = function.name(db) == old_name;
        let in_the_way =
            |it: &Definition| *it.name == *new_name && (own || it.kind == SymbolKind::Label);
        if body(db, *function).definitions.iter().any(in_the_way) {
            return refuse(format!(
                "`{new_name}` is declared in `{}` already.",
                function.name(db)
            ));
        }
    }
    Ok(())
}

/// Checks that the edited functions mean the same as before.
fn check_functions(
    db: &dyn Database,
    file: SourceFile,
    edits: &[Edit],
    new_name: &str,
) -> Result<()> {
    let offsets = item_offsets(db, file);
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        let end = *start + function.green(db).text_len();
        let from = edits.partition_point(|it| it.range.start() < *start);
        let to = edits.partition_point(|it| it.range.start() < end);
        if from == to {
            continue;
        }
        let edited = edited_body(db, *function, *start, &edits[from..to]);
        if !edited.is_some_and(|it| same_meaning(body(db, *function), &it, |id| id, |_| None)) {
            return refuse_meaning(new_name, function.name(db));
        }
    }
    Ok(())
}

fn refuse_meaning<T>(new_name: &str, function: &str) -> Result<T> {
    refuse(format!(
        "`{new_name}` has a meaning in `{function}` already, which the rename would change."
    ))
}

/// The body of a function after some edits, unless they make an error of the parser.
fn edited_body(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    edits: &[Edit],
) -> Option<Body> {
    let mut text = function.green(db).node().to_string();
    for edit in edits.iter().rev() {
        let edit = Edit::new(edit.range - start, edit.insert.clone());
        apply_edit(&mut text, &edit).ok()?;
    }
    let contents = FileContents::new(&text);
    let node = contents.tree.cursor().nodes().next()?;
    let errors = contents.errors.first().map_or(&[][..], |it| it);
    (errors.len() == function.errors(db).len()).then(|| Body::of(&node, errors))
}

/// Whether the names of a body mean the same as before, where definitions have `moved` and some references mean a
/// definition `alone` that was a member of another.
fn same_meaning(
    old: &Body,
    new: &Body,
    moved: impl Fn(DefinitionId) -> DefinitionId,
    alone: impl Fn(&Reference) -> Option<DefinitionId>,
) -> bool {
    let added = match old.definitions.len().checked_sub(1) {
        Some(last) => moved(last as DefinitionId) as usize - last,
        None => 0,
    };
    let duplicates = old.duplicates.iter().map(|it| Duplicate {
        definition: moved(it.definition),
        first: moved(it.first),
    });
    duplicates.eq(new.duplicates.iter().copied())
        && old.definitions.len() + added == new.definitions.len()
        && old.free.len() == new.free.len()
        && old.references.len() == new.references.len()
        // Free names are numbered in the order of their first use, so equal numbers mean equal names.
        && old.references.iter().zip(&new.references).all(|(old, new)| {
            let (target, member) = match (alone(old), old.target) {
                (Some(id), _) => (Target::Definition(id), None),
                (None, Target::Definition(id)) => (Target::Definition(moved(id)), old.member),
                (None, other) => (other, old.member),
            };
            (target, member) == (new.target, new.member)
        })
}

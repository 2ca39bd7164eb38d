//! Directives, by the place where they may appear, and the words in them.

use isa::{
    directive::{TARGET_OPTIONS, gate},
    documentation::{Topic, entries, entry},
    performance::{Owner, TUNING, Values, tuning},
    target::{Module, targets, versions},
    types::CLASSES,
};

use salsa::Database;
use syntax::SyntaxKind;

use crate::{
    CompletionItem, CompletionKind, DocumentationKey, Insertion,
    db::SourceFile,
    hir::{declared::Header, items::items},
};

/// Directives that begin an item of a module, the frequent ones first.
pub(in crate::features) const OF_MODULE: &[&str] = &[
    ".visible", ".entry", ".func", ".global", ".const", ".shared", ".extern", ".weak", ".common",
    ".file", ".section", ".pragma", ".alias",
];
/// Directives that begin a module, in order.
pub(in crate::features) const OF_HEADER: &[&str] = &[".version", ".target", ".address_size"];
/// Directives that begin a statement.
pub(in crate::features) const OF_BODY: &[&str] = &[
    ".reg",
    ".shared",
    ".local",
    ".param",
    ".loc",
    ".pragma",
    ".global",
    ".const",
    ".branchtargets",
    ".calltargets",
    ".callprototype",
];
/// The end of a label for numbered registers.
pub(super) const FAMILY: &str = "<…>";
/// Takes the alignment of a variable, in bytes.
const ALIGN: &str = ".align";
/// The directives that may follow a linking directive.
const LINKED: &[&str] = &[".entry", ".func", ".global", ".const", ".shared"];
/// Types of variables that are not register classes.
const OPAQUE: &[&str] = &["texref", "samplerref", "surfref"];

fn add(words: &[&str], module: Module, kind: CompletionKind, items: &mut Vec<CompletionItem>) {
    for word in words {
        let gate = gate(word);
        if gate.admits_version(module.version) && gate.admits_target(module.target) {
            items.push(CompletionItem {
                detail: entry(Topic::Directives, word).map(|it| it.summary().to_owned()),
                documentation: Some(DocumentationKey::Directive((*word).to_owned())),
                ..CompletionItem::new(*word, kind)
            });
        }
    }
}

/// Directives of the module: those first that its header still lacks, those last that it has.
pub(super) fn of_module(
    module: Module,
    header: Header,
    has_size: bool,
    items: &mut Vec<CompletionItem>,
) {
    let there = [
        header.version.is_some(),
        header.target.is_some() && !header.forced,
        has_size,
    ];
    let with = |wanted: bool| -> Vec<&'static str> {
        let all = OF_HEADER.iter().zip(there);
        all.filter(|it| it.1 == wanted).map(|it| *it.0).collect()
    };
    for words in [&with(false), OF_MODULE, &with(true)] {
        add(words, module, CompletionKind::Directive, items);
    }
}

/// Lets the directives of the header bring a blank and a choice among their values.
pub(super) fn with_values(module: Module, items: &mut [CompletionItem]) {
    for item in items {
        if !OF_HEADER.contains(&item.label.as_str()) {
            continue;
        }
        let mut values = Vec::new();
        words(std::slice::from_ref(&item.label), module, &mut values);
        // Neither targets that the version lacks nor options, which follow a target.
        let values: Vec<String> = values
            .into_iter()
            .filter(|it| it.detail.is_none() && !TARGET_OPTIONS.contains(&it.label.as_str()))
            .map(|it| it.label)
            .collect();
        item.insert = Some(Insertion {
            snippet: format!("{} ${{1|{}|}}", item.label, values.join(",")),
            plain: format!("{} ", item.label),
        });
        item.continues = true;
    }
}

/// Whether a file says the size of its addresses.
pub(super) fn has_address_size(db: &dyn Database, file: SourceFile) -> bool {
    let mut items = items(db, file).module.items(db).iter();
    items.any(|it| it.green.cursor().kind() == SyntaxKind::ADDRESS_SIZE_DIRECTIVE)
}

/// Whether the tokens begin a list of labels or functions.
pub(super) fn lists_names(tokens: &[String]) -> bool {
    let first = tokens.first().map(String::as_str);
    matches!(first, Some(".branchtargets" | ".calltargets"))
}

pub(super) fn of_body(module: Module, items: &mut Vec<CompletionItem>) {
    add(OF_BODY, module, CompletionKind::Directive, items);
}

/// The types of a declaration, the frequent ones of its state space first.
fn types(space: &str, opaque: &[&str], items: &mut Vec<CompletionItem>) {
    let frequent: &[&str] = match space {
        ".reg" => &["b32", "b64", "pred", "f32", "b16", "f64"],
        ".param" => &["u64", "u32", "b64", "b32", "f32", "b8"],
        _ => &["b8", "b32", "f32", "u32", "b64", "u64"],
    };
    let mut classes: Vec<&str> = CLASSES.iter().map(|it| it.0).collect();
    let rank = |word: &str| frequent.iter().position(|it| *it == word);
    classes.sort_by_key(|it| rank(it).unwrap_or(frequent.len()));
    for word in classes.into_iter().chain(opaque.iter().copied()) {
        let word = format!(".{word}");
        items.push(CompletionItem {
            detail: entry(Topic::Types, &word).map(|it| it.summary().to_owned()),
            documentation: Some(DocumentationKey::Type(word.clone())),
            ..CompletionItem::new(word, CompletionKind::Type)
        });
    }
}

/// The words that can follow the tokens of a directive.
pub(super) fn words(tokens: &[String], module: Module, items: &mut Vec<CompletionItem>) {
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let Some(first) = tokens.first() else {
        return;
    };
    let function = tokens.iter().any(|it| matches!(*it, ".entry" | ".func"));
    if awaits_number(&tokens) {
        numbers(&tokens, items);
        return;
    }
    match *first {
        ".version" => {
            for version in versions().collect::<Vec<_>>().into_iter().rev() {
                let text = version.to_string();
                items.push(CompletionItem {
                    documentation: Some(DocumentationKey::Version(text.clone())),
                    ..CompletionItem::new(text, CompletionKind::Value)
                });
            }
        }
        ".target" => {
            for (target, least) in targets().collect::<Vec<_>>().into_iter().rev() {
                let text = target.to_string();
                // A target that the version lacks is offered last.
                let at = if least <= module.version {
                    items.iter().take_while(|it| it.detail.is_none()).count()
                } else {
                    items.len()
                };
                let detail = (least > module.version).then(|| format!("needs PTX ISA {least}"));
                items.insert(
                    at,
                    CompletionItem {
                        detail,
                        documentation: Some(DocumentationKey::Target(text.clone())),
                        ..CompletionItem::new(text, CompletionKind::Value)
                    },
                );
            }
            let options = TARGET_OPTIONS
                .iter()
                .filter(|it| !tokens.contains(it))
                .map(|it| CompletionItem::new(*it, CompletionKind::Value));
            // After a target, an option is likelier than another target.
            let place = if tokens.len() == 1 { items.len() } else { 0 };
            items.splice(place..place, options);
        }
        ".address_size" => {
            for size in ["64", "32"] {
                items.push(CompletionItem::new(size, CompletionKind::Value));
            }
        }
        _ if function => function_words(&tokens, module, items),
        ".visible" | ".extern" | ".weak" | ".common" if tokens.len() == 1 => {
            add(LINKED, module, CompletionKind::Directive, items);
        }
        ".file" | ".loc" | ".pragma" | ".alias" | ".section" => {}
        _ => declaration_words(&tokens, module, items),
    }
}

/// Words of the header of a function: of a parameter within the parentheses, else directives.
fn function_words(tokens: &[&str], module: Module, items: &mut Vec<CompletionItem>) {
    let depth = tokens.iter().fold(0i32, |depth, it| match *it {
        "(" => depth + 1,
        ")" => depth - 1,
        _ => depth,
    });
    if depth > 0 {
        let start = tokens.iter().rposition(|it| matches!(*it, "(" | ","));
        let words = &tokens[start.map_or(0, |it| it + 1)..];
        if words.is_empty() {
            add(
                &[".param", ".reg"],
                module,
                CompletionKind::StateSpace,
                items,
            );
        } else {
            declaration_words(words, module, items);
        }
    } else if tokens.contains(&")") {
        let owner = if tokens.contains(&".entry") {
            Owner::Entry
        } else {
            Owner::Function
        };
        let words: Vec<&str> = TUNING
            .iter()
            .filter(|it| it.fits(owner))
            .map(|it| it.word)
            .collect();
        add(&words, module, CompletionKind::Directive, items);
    }
}

/// Words of the declaration of a variable or parameter, before its name.
fn declaration_words(tokens: &[&str], module: Module, items: &mut Vec<CompletionItem>) {
    let is_type = |it: &&str| {
        let word = it.trim_start_matches('.');
        CLASSES.iter().any(|it| it.0 == word) || OPAQUE.contains(&word)
    };
    if tokens.contains(&".ptr") {
        let spaces = [".global", ".shared", ".const", ".local", ".align"];
        add(&spaces, module, CompletionKind::StateSpace, items);
    } else if let Some(class) = tokens.iter().find(|it| is_type(it)) {
        if tokens.contains(&".reg") && tokens.last() == Some(class) {
            families(class, items);
        }
        if tokens.contains(&".param") {
            add(&[".ptr"], module, CompletionKind::Directive, items);
        }
    } else if tokens
        .iter()
        .all(|it| it.starts_with('.') || it.parse::<u32>().is_ok())
    {
        let opaque = if tokens.contains(&".reg") {
            &[]
        } else {
            OPAQUE
        };
        let space = tokens.iter().rev().find(|it| **it != ALIGN);
        let in_memory = !tokens.contains(&".reg");
        // Arrays in memory mostly name their alignment, parameters only as structures.
        let aligns = in_memory && !tokens.contains(&ALIGN);
        let first = aligns && !tokens.contains(&".param");
        if first {
            add(&[ALIGN], module, CompletionKind::Directive, items);
        }
        types(space.copied().unwrap_or_default(), opaque, items);
        for word in [".v2", ".v4"] {
            items.push(CompletionItem::new(word, CompletionKind::Type));
        }
        if aligns && !first {
            add(&[ALIGN], module, CompletionKind::Directive, items);
        }
        if in_memory {
            add(&[".attribute"], module, CompletionKind::Directive, items);
        }
    }
}

/// The usual name of a family of registers.
fn families(class: &str, items: &mut Vec<CompletionItem>) {
    let name = match class {
        ".pred" => "%p",
        ".b16" | ".u16" | ".s16" | ".f16" => "%rs",
        ".b32" | ".u32" | ".s32" | ".f16x2" => "%r",
        ".b64" | ".u64" | ".s64" => "%rd",
        ".b128" => "%rq",
        ".f32" => "%f",
        ".f64" => "%fd",
        _ => return,
    };
    items.push(CompletionItem {
        detail: Some("numbered registers".to_owned()),
        insert: Some(Insertion {
            snippet: format!("{name}<${{1:16}}>;"),
            plain: format!("{name}<16>;"),
        }),
        ..CompletionItem::new(format!("{name}{FAMILY}"), CompletionKind::Snippet)
    });
}

/// The strings that `.pragma` knows, in quotes where none is begun.
pub(super) fn pragmas(quoted: bool, items: &mut Vec<CompletionItem>) {
    for it in entries(Topic::Pragmas) {
        // The options of `.target` are explained on the same page.
        let is_pragma = |it: &&&str| !it.contains(['*', ' ']) && !TARGET_OPTIONS.contains(*it);
        for word in it.words.iter().filter(is_pragma) {
            items.push(CompletionItem {
                detail: Some(it.summary().to_owned()),
                documentation: Some(DocumentationKey::Pragma((*word).to_owned())),
                ..match quoted {
                    true => CompletionItem::new(format!("\"{word}\""), CompletionKind::Value),
                    false => CompletionItem::new(*word, CompletionKind::Value),
                }
            });
        }
    }
}

/// Whether the tokens end where only a number can follow: after a directive that takes one, or a comma of its list.
fn awaits_number(tokens: &[&str]) -> bool {
    let words = tokens.iter().rev();
    let mut values = words.skip_while(|it| **it == "," || it.parse::<u64>().is_ok());
    match (tokens.last(), values.next()) {
        (Some(&last), Some(&word)) if last == word || last == "," => {
            word == ALIGN || tuning(word).is_some_and(|it| it.values != Values::None)
        }
        _ => false,
    }
}

/// The numbers that a directive takes, if few or some are usual.
fn numbers(tokens: &[&str], items: &mut Vec<CompletionItem>) {
    let Some(word) = tokens.iter().rev().find(|it| it.starts_with('.')) else {
        return;
    };
    let usual: &[u64] = match tuning(word) {
        None => &[16, 8, 4, 128, 32, 64, 2, 1, 1024],
        Some(it) => it.usual,
    };
    let texts = usual.iter().map(u64::to_string);
    items.extend(texts.map(|it| CompletionItem::new(it, CompletionKind::Value)));
}

//! Declarations of variables: their words and numbers; what the words say together is judged in `storage`.

use crate::{
    FixKind,
    db::SourceFile,
    diagnostics::{
        error_map::ErrorMap,
        finding::Finding,
        fix::Repair,
        place::{ItemIndex, Place},
        rules::declarations::{
            attributes,
            context::{Judge, ParameterOwner},
            initializers,
        },
        suggestion::most_similar,
    },
    hir::{
        body::body,
        declaration::{Declaration, Literal, Word, WordKind},
        declared::{declared, header},
        in_force::{in_force, in_force_at_item},
        items::{Function, items},
        module::{module_item_order, module_scope},
        resolve::{module_name, resolve},
        tree::{for_each_declaration, has_word, trimmed},
    },
};

use isa::{
    operand::Operand,
    target::TextureMode,
    types::Class,
    variable::{
        MAX_ALIGNMENT, MAX_PARAMETER_ALIGNMENT, MAX_VECTOR_BITS, StateSpace, VariableType,
        bank_gate, stand_in, type_words,
    },
};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

/// The variables that a body declares.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    let cursor = function.green(db).cursor();
    let header = header(db, function.file(db));
    let in_force = in_force(db, function);
    let owner = if has_word(&cursor, ".entry") {
        ParameterOwner::Entry
    } else {
        ParameterOwner::Function
    };
    let body = body(db, function);
    let types = declared(db, function);
    let resolve = |range: TextRange, name: &str| resolve(db, function, body, types, range, name);
    let errors_at = ErrorMap::new(function.errors(db));
    let mut each = |node: &Cursor<'_>| {
        let range = trimmed(node);
        if errors_at.meets(range) {
            return;
        }
        let mut judge = Judge {
            owner,
            module: in_force.as_ref().map(|it| it.at(range.start())),
            forced: header.forced,
            independent: header.texture_mode == TextureMode::Independent,
            resolve: &resolve,
            findings,
        };
        judge.declaration(&Declaration::of(node));
    };
    for_each_declaration(&cursor, &mut |statement| {
        if statement.kind() == SyntaxKind::VARIABLE_DECLARATION {
            each(statement);
        }
    });
}

/// The variables of the module.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let header = header(db, file);
    let before = &items(db, file).before;
    for (index, item) in (0u32..).zip(items(db, file).module.items(db)) {
        let cursor = item.green.cursor();
        if cursor.kind() != SyntaxKind::VARIABLE_DECLARATION || !item.errors.is_empty() {
            continue;
        }
        let order = module_item_order(before, index);
        let resolve = |_: TextRange, name: &str| {
            let declarations = module_scope(db, file).find(name);
            if declarations.iter().any(|it| it.order <= order) {
                module_name(db, file, name)
            } else {
                Operand::Unknown
            }
        };
        let mut found = Vec::new();
        let mut judge = Judge {
            owner: ParameterOwner::Module,
            module: in_force_at_item(db, file, index),
            forced: header.forced,
            independent: header.texture_mode == TextureMode::Independent,
            resolve: &resolve,
            findings: &mut found,
        };
        judge.declaration(&Declaration::of(&cursor));
        findings.extend(found.into_iter().map(|it| (ItemIndex::Other(index), it)));
    }
}

/// The largest number in `<…>` that ptxas reads.
const MAX_COUNT: u64 = u32::MAX as u64;

/// The places of words: each class may only be followed by itself and later ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    Linkage,
    Space,
    Vector,
    Type,
}

fn position(kind: &WordKind<'_>) -> Option<Position> {
    Some(match kind {
        WordKind::Linkage(_) => Position::Linkage,
        WordKind::Space(_)
        | WordKind::Bank(_)
        | WordKind::Alignment(_)
        | WordKind::Attribute(_) => Position::Space,
        WordKind::Vector(_) => Position::Vector,
        WordKind::Type(_) => Position::Type,
        WordKind::Unknown => return None,
    })
}

impl Judge<'_> {
    fn declaration(&mut self, declaration: &Declaration<'_>) {
        if !self.words(declaration) || !self.numbers(declaration) {
            return;
        }
        let Some((ty, ty_word)) = declaration.ty() else {
            return;
        };
        let spaces: Vec<_> = declaration
            .words
            .iter()
            .filter(|it| matches!(it.kind, WordKind::Space(_)))
            .collect();
        if let [first, second, ..] = spaces[..] {
            let (first, second) = (first.token, second.token);
            self.report(
                second.range(),
                format!(
                    "`{}` is a second state space beside `{}`",
                    second.text(),
                    first.text()
                ),
                None,
            )
            .fixes = vec![remove(second.range(), second.text())];
            return;
        }
        let Some((space, space_word)) = declaration.space() else {
            self.without_space(declaration);
            return;
        };
        if !self.vector(declaration, ty, ty_word) {
            return;
        }
        if let Some(word) = declaration
            .words
            .iter()
            .find(|it| matches!(it.kind, WordKind::Bank(_)))
        {
            let text = "a constant bank";
            if !self.gate(word.range, text, &bank_gate()) {
                return;
            }
        }
        for declarator in &declaration.declarators {
            let before = self.findings.len();
            self.declarator(declaration, declarator, (ty, ty_word), (space, space_word));
            if self.findings.len() == before {
                initializers::check(self, declaration, declarator, (ty, ty_word.range), space);
            }
        }
        attributes::of_variable(self, declaration, space);
    }

    /// Reports that there is no state space before the type.
    fn without_space(&mut self, declaration: &Declaration<'_>) {
        // What declares no name needs none.
        if declaration.declarators.is_empty() {
            return;
        }
        let ty = declaration
            .words
            .iter()
            .find(|it| matches!(it.kind, WordKind::Vector(_) | WordKind::Type(_)));
        let Some(ty) = ty else {
            return;
        };
        let (range, text) = (ty.token.range(), ty.token.text());
        let space = match self.owner {
            ParameterOwner::Module => ".global",
            ParameterOwner::Entry | ParameterOwner::Function => ".reg",
        };
        let message = format!("expected a state space such as `{space}` before the type `{text}`");
        self.report(range, message, None).fixes = vec![Repair::new(
            FixKind::CorrectDeclaration,
            format!("Insert `{space}`"),
            TextRange::empty(range.start()),
            format!("{space} "),
        )];
    }

    /// Whether the words are known and in order.
    fn words(&mut self, declaration: &Declaration<'_>) -> bool {
        if let Some(pointer) = &declaration.pointer {
            let message = "`.ptr` is for parameters of entries only".to_owned();
            self.report(pointer.token.range(), message, None);
            return false;
        }
        let mut last: Option<&Word<'_>> = None;
        for word in &declaration.words {
            let Some(place) = position(&word.kind) else {
                self.unknown(word);
                return false;
            };
            let text = word.token.text();
            if let Some(before) = last
                && let Some(latest) = position(&before.kind)
            {
                let once = place != Position::Space;
                if place == latest && once {
                    let what = match place {
                        Position::Linkage => "one linking directive",
                        Position::Vector => "one vector size",
                        _ => "one type",
                    };
                    self.report(
                        word.range,
                        format!(
                            "a variable has {what}: `{}` and `{text}` exclude each other",
                            before.token.text()
                        ),
                        None,
                    )
                    .fixes = vec![remove(word.range, text)];
                    return false;
                }
                if place < latest {
                    self.misplaced(declaration, word, place);
                    return false;
                }
            }
            last = Some(word);
        }
        if declaration.ty().is_none() {
            let end = last.map_or(trimmed(&declaration.node), |it| it.range);
            let name = declaration.declarators.first().and_then(|it| it.name);
            let (range, message) = match name {
                Some(name) => (name.range(), format!("`{}` has no type", name.text())),
                None => (end, "the type of the variable is missing".to_owned()),
            };
            self.report(
                range,
                message,
                Some("expected a type such as `.b32` before the name".to_owned()),
            );
            return false;
        }
        true
    }

    /// A word that is after one that it must precede.
    fn misplaced(&mut self, declaration: &Declaration<'_>, word: &Word<'_>, place: Position) {
        let Some(before) = declaration
            .words
            .iter()
            .find(|it| position(&it.kind).is_some_and(|it| it > place))
        else {
            return;
        };
        let text = word.token.text();
        let message = format!("`{text}` must precede `{}`", before.token.text());
        let help = "the order is: linking directive; state space, `.align` and `.attribute`; vector size; type";
        // An alignment moves with its number; the texts of lists are not at hand.
        let moved = match word.kind {
            WordKind::Alignment(it) => it.value.map(|it| format!(".align {it}")),
            WordKind::Attribute(_) | WordKind::Bank(_) => None,
            _ => Some(text.to_owned()),
        };
        let fixes = moved.map(|moved| Repair {
            title: format!("Move `{text}` before `{}`", before.token.text()),
            edits: vec![
                (
                    Place::Own(TextRange::empty(before.range.start())),
                    format!("{moved} "),
                ),
                (Place::Own(word.range), String::new()),
            ],
            preferred: true,
            kind: FixKind::CorrectDeclaration,
        });
        self.report(word.range, message, Some(help.to_owned()))
            .fixes
            .extend(fixes);
    }

    fn unknown(&mut self, word: &Word<'_>) {
        let text = word.token.text();
        let (range, other) = (word.token.range(), stand_in(text));
        if let Some(other) = other {
            self.report(
                range,
                format!("no variable has the type `{text}`: only instructions know it"),
                Some(format!("such values are kept in `{other}`")),
            )
            .fixes = vec![Repair::new(
                FixKind::CorrectDeclaration,
                format!("Replace `{text}` by `{other}`"),
                range,
                other,
            )];
            return;
        }
        let words = [
            ".extern",
            ".visible",
            ".weak",
            ".common",
            ".align",
            ".attribute",
        ];
        let spaces = [".reg", ".const", ".global", ".local", ".param", ".shared"];
        let similar = most_similar(text, words.into_iter().chain(spaces).chain(type_words()));
        let message = format!("`{text}` is not valid in a declaration");
        let help = similar.map(|it| format!("did you mean `{it}`?"));
        self.report(range, message, help).fixes = similar
            .map(|it| Repair::respell(range, text, it.to_owned()))
            .into_iter()
            .collect();
    }

    /// Whether the numbers of the declaration are what they should be.
    fn numbers(&mut self, declaration: &Declaration<'_>) -> bool {
        let before = self.findings.len();
        for word in &declaration.words {
            match word.kind {
                WordKind::Alignment(it) => self.alignment(declaration, it),
                WordKind::Bank(it) => self.whole(it),
                _ => {}
            }
        }
        for declarator in &declaration.declarators {
            let sizes = declarator.dimensions.iter().filter_map(|it| it.size);
            for number in sizes.chain(declarator.count) {
                self.whole(number);
            }
            let Some(count) = declarator.count else {
                continue;
            };
            if count.value.is_some_and(|it| it > MAX_COUNT && it < 1 << 63) {
                self.report(
                    count.range,
                    format!("a parameterised name makes at most {MAX_COUNT} names"),
                    None,
                );
            }
            let after = declarator.dimensions.first().map(|it| it.range);
            let equals = declarator.equals.map(|it| it.range());
            if let Some(range) = after.or(equals) {
                let what = if after.is_some() {
                    "an array"
                } else {
                    "an initial value"
                };
                self.report(
                    range,
                    format!("a parameterised name cannot have {what}"),
                    Some("declare each variable by itself, or an array without `<…>`".to_owned()),
                )
                .related = vec![(Place::Own(count.range), "this makes several names")];
            }
        }
        self.findings.len() == before
    }

    /// Numbers of declarations are integers.
    fn whole(&mut self, number: Literal) {
        if number.float {
            self.report(
                number.range,
                "this number must be an integer".to_owned(),
                None,
            );
        }
    }

    fn alignment(&mut self, declaration: &Declaration<'_>, number: Literal) {
        if number.float {
            return self.whole(number);
        }
        let Some(value) = number.value else {
            return;
        };
        let parameter = declaration.space().map(|it| it.0) == Some(StateSpace::Parameter);
        let most = if parameter && self.owner != ParameterOwner::Module {
            MAX_PARAMETER_ALIGNMENT
        } else {
            MAX_ALIGNMENT
        };
        if value.is_power_of_two() && value <= most {
            return;
        }
        let round = value.checked_next_power_of_two().unwrap_or(most).min(most);
        let message = if value.is_power_of_two() {
            format!("an alignment of {value} bytes is too large: at most {most} are possible here")
        } else {
            format!("an alignment must be a power of two, which {value} is not")
        };
        self.report(number.range, message, None).fixes = vec![
            Repair::new(
                FixKind::CorrectDeclaration,
                format!("Replace {value} by {round}"),
                number.range,
                round.to_string(),
            )
            .preferred(true),
        ];
    }

    /// Whether the type may have the vector size.
    fn vector(
        &mut self,
        declaration: &Declaration<'_>,
        ty: VariableType,
        ty_word: Word<'_>,
    ) -> bool {
        let Some((lanes, word)) = declaration.vector() else {
            return true;
        };
        let text = ty_word.token.text();
        let message = match ty {
            VariableType::Basic(Class::Pred) => {
                if declaration.declarators.is_empty() {
                    return true;
                }
                "there are no vectors of predicates".to_owned()
            }
            VariableType::Basic(class) => {
                let bits = class.bits() * u32::from(lanes);
                if bits <= MAX_VECTOR_BITS {
                    return true;
                }
                format!(
                    "`{}` of `{text}` has {bits} bits; a vector has at most {MAX_VECTOR_BITS}",
                    word.token.text()
                )
            }
            _ => format!("there are no vectors of `{text}`"),
        };
        self.report(word.range, message, None);
        false
    }
}

/// The repair that removes a word.
fn remove(range: TextRange, text: &str) -> Repair {
    Repair::new(
        FixKind::CorrectDeclaration,
        format!("Remove `{text}`"),
        range,
        "",
    )
}

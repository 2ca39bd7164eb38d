//! Initial values of variables.

use isa::{
    initializer::{Accepted, FIELD_WORDS, Form, accepted, fields, gate, is_mask, is_sampler_field},
    operand::{Operand, Space, Symbol},
    types::Class,
    variable::{Opaque, StateSpace, VariableType},
};
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    FixKind, Severity,
    constant::{Value, evaluate},
    diagnostics::{
        finding::finding, fix::Repair, registry::INVALID_INITIALIZER,
        rules::declarations::context::Judge, suggestion::most_similar,
    },
    hir::{
        declaration::{Declaration, Declarator},
        linkage::Linkage,
        operand::describe,
        tree::trimmed,
    },
};

/// Judges the initial value of a variable, if it has one.
pub(in crate::diagnostics) fn check(
    judge: &mut Judge<'_>,
    declaration: &Declaration<'_>,
    declarator: &Declarator<'_>,
    (ty, ty_range): (VariableType, TextRange),
    space: StateSpace,
) {
    let (Some(node), Some(equals)) = (declarator.initializer, declarator.equals) else {
        return;
    };
    let name = declarator.name.map_or("the variable", |it| it.text());
    let whole = TextRange::new(equals.range().start(), trimmed(&node).end());
    let remove = || {
        Repair::new(
            FixKind::CorrectInitializer,
            "Remove the initial value".to_owned(),
            whole,
            "",
        )
    };
    if !matches!(space, StateSpace::Global | StateSpace::Const) {
        let message = format!(
            "`{name}` is in `{}`: only `.global` and `.const` variables have initial values",
            space.word()
        );
        let finding = judge.push(finding(equals.range(), INVALID_INITIALIZER, message, None));
        finding.fixes = vec![remove()];
        return;
    }
    if declaration.linkage().map(|it| it.0) == Some(Linkage::Extern) {
        let message = format!("`{name}` is `.extern`: its initial value belongs to its definition");
        let finding = judge.push(finding(equals.range(), INVALID_INITIALIZER, message, None));
        finding.fixes = vec![remove()];
        return;
    }
    let shape = declaration.shape(declarator);
    let mut levels: Vec<Level> = shape.dimensions.into_iter().map(Level::Array).collect();
    if shape.lanes > 1 {
        levels.push(Level::Vector(shape.lanes.into()));
    }
    if let (Some(Level::Array(0)), true) = (levels.first(), is_empty_list(&node)) {
        let message = format!("`{name}` has no size, and no values that would give it one");
        wrong(judge, trimmed(&node), message);
        return;
    }
    let mut check = Check {
        judge,
        ty,
        ty_range,
        accepted: accepted(ty),
    };
    check.level(&levels, &node);
}

fn is_empty_list(node: &Cursor<'_>) -> bool {
    node.kind() == SyntaxKind::INITIALIZER_LIST && node.nodes().next().is_none()
}

fn wrong(judge: &mut Judge<'_>, range: TextRange, message: String) {
    judge.push(finding(range, INVALID_INITIALIZER, message, None));
}

/// One pair of braces of a list of values.
#[derive(Clone, Copy, Debug)]
enum Level {
    /// A dimension with its number of elements; 0 if it is open.
    Array(u64),
    /// A vector with its number of elements.
    Vector(u64),
}

/// The initial value of one variable.
struct Check<'a, 'b> {
    judge: &'a mut Judge<'b>,
    ty: VariableType,
    /// The word of the type.
    ty_range: TextRange,
    accepted: Accepted,
}

impl Check<'_, '_> {
    fn wrong(&mut self, range: TextRange, message: String) {
        wrong(self.judge, range, message);
    }

    /// The values of a dimension, or of an element if no dimension is left. The depth is that of the
    /// dimensions and of the tree, which the parser bounds. Returns whether to continue: like ptxas, this
    /// stops at the first mistake, as what follows would mostly repeat it.
    fn level(&mut self, levels: &[Level], node: &Cursor<'_>) -> bool {
        let Some((level, rest)) = levels.split_first() else {
            return self.element(node);
        };
        if node.kind() == SyntaxKind::FIELD_INITIALIZER {
            // ptxas reads a field among the elements of an array as no value.
            return true;
        }
        if node.kind() != SyntaxKind::INITIALIZER_LIST {
            let (what, count) = match *level {
                Level::Array(0) => ("an array", "…".to_owned()),
                Level::Array(count) => ("an array", count.to_string()),
                Level::Vector(count) => ("a vector", count.to_string()),
            };
            self.wrong(
                trimmed(node),
                format!("the values of {what} of {count} elements must be in braces of their own"),
            );
            return false;
        }
        let values: Vec<_> = node.nodes().collect();
        let count = values.len() as u64;
        match *level {
            Level::Vector(lanes) if count != lanes => {
                self.wrong(
                    trimmed(node),
                    format!("a vector of {lanes} elements needs {lanes} values, not {count}"),
                );
                return false;
            }
            Level::Array(size) if size > 0 && count > size => {
                self.surplus(&values, size);
                return false;
            }
            _ => {}
        }
        values.iter().all(|it| self.level(rest, it))
    }

    /// Values beyond the end of an array.
    fn surplus(&mut self, values: &[Cursor<'_>], size: u64) {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let Some((kept, surplus)) = values.split_at_checked(size) else {
            return;
        };
        let (Some(kept), Some(first), Some(last)) = (kept.last(), surplus.first(), surplus.last())
        else {
            return;
        };
        let range = TextRange::new(trimmed(first).start(), trimmed(last).end());
        let message = format!("{} values for {size} elements", values.len());
        let finding = self
            .judge
            .push(finding(range, INVALID_INITIALIZER, message, None));
        finding.fixes = vec![Repair::new(
            FixKind::CorrectInitializer,
            "Remove the surplus values".to_owned(),
            TextRange::new(trimmed(kept).end(), trimmed(last).end()),
            "",
        )];
    }

    fn element(&mut self, node: &Cursor<'_>) -> bool {
        if let VariableType::Opaque(opaque) = self.ty {
            return self.fields(opaque, node);
        }
        let word = self.ty.word();
        let range = trimmed(node);
        if node.kind() == SyntaxKind::INITIALIZER_LIST {
            // ptxas looks into no list that stands for a packed value, though it takes no other.
            let packed = matches!(
                self.ty,
                VariableType::Basic(Class::F16x2) | VariableType::Packed { .. }
            );
            if packed {
                return true;
            }
            self.wrong(range, "a single value has no braces".to_owned());
            return false;
        }
        if node.kind() == SyntaxKind::FIELD_INITIALIZER {
            self.wrong(range, format!("`{word}` has no fields"));
            return false;
        }
        if !self.accepted.integer && !self.accepted.float {
            self.wrong(
                range,
                format!("variables of type `{word}` have no initial value"),
            );
            return false;
        }
        // What is wrong with constants is reported elsewhere.
        match evaluate(node, &mut Vec::new()) {
            Value::Wrong => true,
            Value::Constant(it) => {
                let float = it.integer().is_none();
                let fits = if float {
                    self.accepted.float
                } else {
                    self.accepted.integer
                };
                if !fits {
                    self.mismatch(node, float);
                }
                fits
            }
            Value::Offset(base, _) => self.address(&base, true),
            Value::Other(base) => self.address(&base, false),
        }
    }

    /// A float for an integer or the other way round.
    fn mismatch(&mut self, node: &Cursor<'_>, float: bool) {
        let word = self.ty.word();
        let (found, wanted) = if float {
            ("a floating-point number", "an integer")
        } else {
            ("an integer", "a floating-point number")
        };
        let range = trimmed(node);
        let decimal = !float
            && node.kind() == SyntaxKind::LITERAL
            && node.tokens().next().is_some_and(|it| {
                it.text().bytes().all(|it| it.is_ascii_digit())
                    && (it.text() == "0" || !it.text().starts_with('0'))
            });
        let finding = self.judge.push(finding(
            range,
            INVALID_INITIALIZER,
            format!("this is {found}; the initial value of a `{word}` is {wanted}"),
            None,
        ));
        if decimal {
            finding.fixes = vec![
                Repair::new(
                    FixKind::CorrectInitializer,
                    "Append `.0`".to_owned(),
                    TextRange::empty(range.end()),
                    ".0",
                )
                .preferred(true),
            ];
        }
    }

    /// An address, or what looks like one, plus an integer if `offset`.
    fn address(&mut self, node: &Cursor<'_>, offset: bool) -> bool {
        let range = trimmed(node);
        let word = self.ty.word();
        let operator = apply(node);
        if let Some((Operator::Mask(mask, at), inner)) = operator {
            if offset {
                self.wrong(range, "nothing can be added to a masked value".to_owned());
                return false;
            }
            return self.mask(mask, at, &inner);
        }
        if operator.is_none() && node.kind() != SyntaxKind::NAME_REFERENCE {
            self.form(range);
            return false;
        }
        if self.unknown(node) {
            return true;
        }
        if !self.accepted.address {
            let help = self.accepted.masked_address.then(|| {
                "invalid mask: must select exactly one byte, as in `0xff(name)`".to_owned()
            });
            let pointer = match self.ty {
                VariableType::Basic(Class::B32 | Class::S32) => Some(".u32"),
                VariableType::Basic(Class::B64 | Class::S64) => Some(".u64"),
                _ => None,
            };
            let message =
                format!("this is an address; only `.u32` and `.u64` hold addresses, not `{word}`");
            let ty = self.ty_range;
            let finding = self
                .judge
                .push(finding(range, INVALID_INITIALIZER, message, help));
            finding.fixes = pointer
                .map(|it| {
                    let title = format!("Replace `{word}` by `{it}`");
                    Repair::new(FixKind::CorrectInitializer, title, ty, it).preferred(true)
                })
                .into_iter()
                .collect();
            return false;
        }
        self.symbol(node, offset)
    }

    /// Whether the name in a value is unknown, which is reported elsewhere.
    fn unknown(&self, node: &Cursor<'_>) -> bool {
        let name = apply(node).map_or(*node, |it| it.1);
        name.kind() == SyntaxKind::NAME_REFERENCE
            && name.tokens().next().is_none_or(|it| {
                it.text() != "WARP_SZ"
                    && (self.judge.resolve)(it.range(), it.text()) == Operand::Unknown
            })
    }

    /// The problem with an initial value that has no valid form.
    fn form(&mut self, range: TextRange) {
        self.judge.push(finding(
            range,
            INVALID_INITIALIZER,
            "invalid initial value".to_owned(),
            Some("initial values are constants and addresses: `name`, `name+4`, `name+-4`, `generic(name)+4`".to_owned()),
        ));
    }

    /// `name` or `generic(name)`, plus an integer if `offset`.
    fn symbol(&mut self, node: &Cursor<'_>, offset: bool) -> bool {
        let operator = apply(node);
        let generic = operator.is_some();
        let name = operator.map_or(*node, |it| it.1);
        let range = trimmed(&name);
        if name.kind() != SyntaxKind::NAME_REFERENCE {
            self.form(range);
            return false;
        }
        let Some(token) = name.tokens().next() else {
            return true;
        };
        let text = token.text();
        if text == "WARP_SZ" {
            self.form(range);
            return false;
        }
        let form = match (self.judge.resolve)(token.range(), text) {
            Operand::Unknown => return true,
            Operand::Symbol(
                Symbol::Variable(Space::Global | Space::Const, _)
                | Symbol::TextureReference
                | Symbol::SamplerReference
                | Symbol::SurfaceReference,
            ) => Form::Address,
            Operand::Symbol(symbol @ (Symbol::Function | Symbol::Entry)) => {
                if generic {
                    self.wrong(
                        range,
                        format!("`generic` takes a variable; `{text}` is a function"),
                    );
                    return false;
                }
                if offset {
                    self.wrong(
                        range,
                        format!("`{text}` is a function: nothing can be added to its address"),
                    );
                    return false;
                }
                if symbol == Symbol::Entry {
                    Form::Entry
                } else {
                    Form::Function
                }
            }
            Operand::Symbol(Symbol::Variable(..)) => {
                self.wrong(
                    range,
                    format!("the address of `{text}` is not fixed: only `.global` and `.const` variables can be named here"),
                );
                return false;
            }
            other => {
                self.wrong(
                    range,
                    format!("`{text}` is {}, which has no address", describe(&other)),
                );
                return false;
            }
        };
        let subject = match form {
            Form::Entry => "the address of an entry as initial value",
            Form::Function => "the address of a function as initial value",
            _ => "an address as initial value",
        };
        (!generic
            || self.judge.gate(
                trimmed(node),
                "`generic` in an initial value",
                &gate(Form::Generic),
            ))
            && self.judge.gate(range, subject, &gate(form))
    }

    /// `0xff(name)`, `0xff00(generic(name)+4)`, `0xff(12)`
    fn mask(&mut self, mask: Option<u64>, at: TextRange, inner: &Cursor<'_>) -> bool {
        if !mask.is_some_and(is_mask) {
            self.judge.push(finding(
                at,
                INVALID_INITIALIZER,
                "invalid mask: must select exactly one byte".to_owned(),
                Some("masks are `0xff`, `0xff00`, `0xff0000` and so on".to_owned()),
            ));
            return false;
        }
        if !self.judge.gate(at, "the mask operator", &gate(Form::Mask)) {
            return false;
        }
        let word = self.ty.word();
        let range = trimmed(inner);
        let (base, offset) = match evaluate(inner, &mut Vec::new()) {
            Value::Wrong => return true,
            Value::Constant(it) if it.integer().is_none() => {
                self.wrong(
                    range,
                    "a mask is applied to an address or an integer".to_owned(),
                );
                return false;
            }
            Value::Constant(_) => {
                if !self.accepted.integer {
                    self.wrong(range, format!("a masked integer is not a `{word}`"));
                    return false;
                }
                let subject = "a mask of an integer";
                return self.judge.gate(at, subject, &gate(Form::MaskedInteger));
            }
            Value::Offset(base, _) => (base, true),
            Value::Other(base) => (base, false),
        };
        let plain = match apply(&base) {
            Some((operator, _)) => matches!(operator, Operator::Generic),
            None => base.kind() == SyntaxKind::NAME_REFERENCE,
        };
        if !plain {
            self.form(trimmed(&base));
            return false;
        }
        if self.unknown(&base) {
            return true;
        }
        if !self.accepted.masked_address {
            self.wrong(
                at,
                format!("a byte of an address is a `.u8`, `.u32` or `.u64`, not a `{word}`"),
            );
            return false;
        }
        self.symbol(&base, offset)
    }

    /// `{ width = 4, filter_mode = nearest }`
    fn fields(&mut self, opaque: Opaque, node: &Cursor<'_>) -> bool {
        let word = self.ty.word();
        if node.kind() == SyntaxKind::FIELD_INITIALIZER {
            return true;
        }
        if node.kind() != SyntaxKind::INITIALIZER_LIST {
            self.wrong(
                trimmed(node),
                format!("the initial value of a `{word}` is a list such as `{{ width = 4 }}`"),
            );
            return false;
        }
        let known = fields(opaque);
        let values: Vec<_> = node.nodes().collect();
        if values.len() > known.len() {
            self.surplus(&values, known.len() as u64);
            return false;
        }
        values.iter().all(|it| self.field(known, it))
    }

    fn field(&mut self, known: &'static [&'static str], node: &Cursor<'_>) -> bool {
        let word = self.ty.word();
        let Some(field) = node
            .token(SyntaxKind::IDENT)
            .filter(|_| node.kind() == SyntaxKind::FIELD_INITIALIZER)
        else {
            self.wrong(
                trimmed(node),
                format!(
                    "the values of a `{word}` need the names of their fields, as in `width = 4`"
                ),
            );
            return false;
        };
        if !known.contains(&field.text()) {
            let similar = most_similar(field.text(), known.iter().copied());
            let help = match similar {
                Some(it) => format!("did you mean `{it}`?"),
                None => format!("its fields are {}", known.join(", ")),
            };
            let finding = self.judge.push(finding(
                field.range(),
                INVALID_INITIALIZER,
                format!("a `{word}` has no field `{}`", field.text()),
                Some(help),
            ));
            finding.fixes = similar
                .map(|it| Repair::respell(field.range(), field.text(), it.to_owned()))
                .into_iter()
                .collect();
            return false;
        }
        if self.judge.independent && word == ".texref" && is_sampler_field(field.text()) {
            let message = format!(
                "`{}` is that of the sampler: ptxas ignores it in a `.texref` with texmode_independent",
                field.text()
            );
            self.judge
                .push(finding(field.range(), INVALID_INITIALIZER, message, None))
                .severity = Severity::Information;
        }
        let Some(value) = node.nodes().next() else {
            return true;
        };
        let token = value
            .tokens()
            .next()
            .filter(|_| value.kind() == SyntaxKind::NAME_REFERENCE);
        match (evaluate(&value, &mut Vec::new()), token) {
            (Value::Wrong | Value::Constant(_), _) => true,
            (_, Some(token)) if FIELD_WORDS.contains(&token.text()) => true,
            (_, token) => {
                let similar =
                    token.and_then(|it| most_similar(it.text(), FIELD_WORDS.iter().copied()));
                let finding = self.judge.push(finding(
                    trimmed(&value),
                    INVALID_INITIALIZER,
                    "the value of a field is a constant or one of its words".to_owned(),
                    Some(format!("the words are {}", FIELD_WORDS.join(", "))),
                ));
                if let (Some(token), Some(similar)) = (token, similar) {
                    finding.fixes = vec![Repair::respell(
                        token.range(),
                        token.text(),
                        similar.to_owned(),
                    )];
                }
                false
            }
        }
    }
}

/// An operator of initial values.
#[derive(Clone, Copy)]
enum Operator {
    /// `generic(…)`
    Generic,
    /// `0xff(…)` with its mask, if it is an integer, and its place.
    Mask(Option<u64>, TextRange),
}

/// The operator of a node and what it is applied to.
fn apply<'a>(node: &Cursor<'a>) -> Option<(Operator, Cursor<'a>)> {
    if node.kind() != SyntaxKind::APPLY_EXPRESSION {
        return None;
    }
    let mut children = node.nodes();
    let (operator, inner) = (children.next()?, children.next()?);
    let generic = operator
        .token(SyntaxKind::IDENT)
        .is_some_and(|it| it.text() == "generic");
    if generic {
        return Some((Operator::Generic, inner));
    }
    let mask = match evaluate(&operator, &mut Vec::new()) {
        Value::Constant(it) => it.integer().and_then(|it| u64::try_from(it).ok()),
        _ => None,
    };
    Some((Operator::Mask(mask, trimmed(&operator)), inner))
}

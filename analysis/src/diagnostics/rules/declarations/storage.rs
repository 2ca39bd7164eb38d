//! Where variables live: which types each state space holds, arrays, constant banks, `.common`.

use isa::{
    types::Class,
    variable::{
        LAST_BANK, Opaque, StateSpace, VariableType, bank_gate, body_parameter_gate, gate,
        module_register_gate, stand_in, texture_space_gate,
    },
};
use syntax::TextRange;

use crate::{
    FixKind, Severity,
    diagnostics::{
        fix::Repair,
        rules::declarations::context::{Judge, ParameterOwner},
    },
    hir::{
        declaration::{Declaration, Declarator, Word, WordKind},
        linkage::Linkage,
    },
};

impl Judge<'_> {
    /// Judges one name of a declaration whose words are in order.
    pub(in crate::diagnostics) fn declarator(
        &mut self,
        declaration: &Declaration<'_>,
        declarator: &Declarator<'_>,
        (ty, ty_word): (VariableType, Word<'_>),
        (space, space_word): (StateSpace, Word<'_>),
    ) {
        let name = declarator.name.map_or("the variable", |it| it.text());
        let array = !declarator.dimensions.is_empty();
        let vector = declaration.vector().is_some();
        if !self.ty(name, array, (ty, ty_word), (space, space_word)) {
            return;
        }
        if !self.space(declaration, declarator, ty, (space, space_word)) {
            return;
        }
        if !self.sizes(declaration, declarator) {
            return;
        }
        let linkage = declaration.linkage();
        if let Some((Linkage::Common, word)) = linkage {
            if space != StateSpace::Global {
                self.report(
                    word.range,
                    format!(
                        "`.common` variables are `.global`; `{name}` is `{}`",
                        space.word()
                    ),
                    None,
                );
            } else if matches!(ty, VariableType::Opaque(_)) && !array {
                let text = ty_word.token.text();
                self.report(word.range, format!("a `{text}` cannot be `.common`"), None);
            }
        }
        let subject = format!("a variable of type `{}`", ty_word.token.text());
        self.gate(ty_word.range, &subject, &gate(ty, vector, array));
    }

    /// Whether the type may appear here.
    fn ty(
        &mut self,
        name: &str,
        array: bool,
        (ty, ty_word): (VariableType, Word<'_>),
        (space, space_word): (StateSpace, Word<'_>),
    ) -> bool {
        let (range, text) = (ty_word.range, ty_word.token.text());
        match ty {
            VariableType::Basic(Class::Pred) => {
                if array {
                    self.report(range, "there are no arrays of predicates".to_owned(), None);
                    return false;
                }
                if space != StateSpace::Register {
                    let mut fixes = Vec::new();
                    if self.owner != ParameterOwner::Module {
                        fixes.push(Repair::new(
                            FixKind::CorrectDeclaration,
                            format!("Replace `{}` by `.reg`", space.word()),
                            space_word.range,
                            ".reg",
                        ));
                    }
                    let message = format!(
                        "predicates are registers; `{name}` is in `{}`",
                        space.word()
                    );
                    self.report(range, message, None).fixes = fixes;
                    return false;
                }
            }
            VariableType::Packed { scalar: false, .. } if !array => {
                let other = stand_in(text);
                let help = other.map(|it| format!("such values are kept in `{it}`"));
                self.report(
                    range,
                    format!("only instructions know the type `{text}`"),
                    help,
                )
                .fixes = other
                    .map(|it| {
                        Repair::new(
                            FixKind::CorrectDeclaration,
                            format!("Replace `{text}` by `{it}`"),
                            range,
                            it,
                        )
                    })
                    .into_iter()
                    .collect();
                return false;
            }
            VariableType::Opaque(opaque) => {
                if self.owner != ParameterOwner::Module {
                    let message = format!(
                        "a `{text}` is declared outside bodies or as a parameter of an entry"
                    );
                    self.report(range, message, None);
                    return false;
                }
                if space != StateSpace::Global && !array {
                    let message =
                        format!("a `{text}` is `.global`; `{name}` is in `{}`", space.word());
                    self.report(range, message, None);
                    return false;
                }
                if opaque == Opaque::Sampler && !self.independent && !array {
                    self.report(
                        range,
                        "a `.samplerref` needs `.target texmode_independent`".to_owned(),
                        Some("otherwise textures have their samplers with them".to_owned()),
                    );
                    return false;
                }
            }
            _ => {}
        }
        true
    }

    /// Whether the state space may hold the variable here.
    fn space(
        &mut self,
        declaration: &Declaration<'_>,
        declarator: &Declarator<'_>,
        ty: VariableType,
        (space, space_word): (StateSpace, Word<'_>),
    ) -> bool {
        let name = declarator.name.map_or("the variable", |it| it.text());
        let array = !declarator.dimensions.is_empty();
        let range = space_word.range;
        match (space, self.owner) {
            (StateSpace::Register, _) if array => {
                let at = declarator.dimensions.first().map_or(range, |it| it.range);
                let count = declarator.dimensions.first().and_then(|it| it.size?.value);
                let finding = self.report(
                    at,
                    format!("`{name}` is a register, and there are no arrays of registers"),
                    Some("`<…>` declares several registers".to_owned()),
                );
                if let (Some(count), [_]) = (count, &declarator.dimensions[..]) {
                    finding.fixes = vec![Repair::new(
                        FixKind::CorrectDeclaration,
                        format!("Declare {count} registers"),
                        at,
                        format!("<{count}>"),
                    )];
                }
                false
            }
            (StateSpace::Register | StateSpace::Local, ParameterOwner::Module) => {
                let subject = format!("a `{}` variable outside functions", space.word());
                let admitted = self.gate(range, &subject, &module_register_gate());
                if admitted && self.module.is_some() {
                    self.report(
                        range,
                        format!("`{name}` outside functions turns off the ABI"),
                        None,
                    )
                    .severity = Severity::Warning;
                }
                admitted
            }
            (StateSpace::Parameter, ParameterOwner::Module) => {
                let message =
                    format!("`{name}` is a parameter, and there are none outside functions");
                self.report(range, message, None);
                false
            }
            (StateSpace::Parameter, _) => {
                let vector = declaration.vector().is_some();
                let packed = matches!(
                    ty,
                    VariableType::Basic(Class::F16x2) | VariableType::Packed { .. }
                );
                if (vector || packed) && !array {
                    self.report(
                        range,
                        format!("a `.param` variable is not a vector and no packed type, except in arrays; `{name}` is one"),
                        None,
                    );
                    return false;
                }
                let version = self.module.map(|it| it.version);
                version.is_none_or(|it| {
                    let gate = body_parameter_gate(self.owner == ParameterOwner::Entry, it);
                    self.gate(range, "a `.param` variable in a body", &gate)
                })
            }
            (StateSpace::Texture, owner) => {
                if !self.gate(range, "`.tex`", &texture_space_gate()) {
                    return false;
                }
                let word = matches!(ty, VariableType::Basic(Class::U32 | Class::U64));
                if !word || array || declaration.vector().is_some() {
                    let message =
                        format!("`{name}` must be a single `.u32` or `.u64`, as all of `.tex`");
                    self.report(range, message, None);
                } else if owner != ParameterOwner::Module {
                    let message = "textures are declared outside functions".to_owned();
                    self.report(range, message, None);
                }
                true
            }
            (StateSpace::Const, _) => self.bank(declaration, declarator),
            _ => true,
        }
    }

    /// Whether the constant bank may hold the variable.
    fn bank(&mut self, declaration: &Declaration<'_>, declarator: &Declarator<'_>) -> bool {
        let bank = declaration.words.iter().find_map(|it| match it.kind {
            WordKind::Bank(bank) => Some((bank.value?, it.range)),
            _ => None,
        });
        // While there were banks, a variable without one was in bank 0.
        let banks = || {
            let module = self.module?;
            bank_gate().until.filter(|it| module.version <= *it)
        };
        let implied = || {
            let word = declaration.space()?.1;
            banks().map(|_| (0, word.range))
        };
        let Some((bank, range)) = bank.or_else(implied) else {
            return true;
        };
        let open = declarator
            .dimensions
            .first()
            .is_some_and(|it| it.elements() == Some(0));
        let external = open && declaration.linkage().map(|it| it.0) == Some(Linkage::Extern);
        let message = match (bank, external) {
            (0, false) => return true,
            (0, true) => "bank 0 holds no `.extern` array of unknown size".to_owned(),
            (1..=LAST_BANK, true) => return true,
            (1..=LAST_BANK, false) => {
                format!("bank {bank} is for `.extern` arrays of unknown size only")
            }
            _ => format!("there is no constant bank {bank}: the last one is {LAST_BANK}"),
        };
        self.report(range, message, None);
        false
    }

    /// Whether the array has a size.
    fn sizes(&mut self, declaration: &Declaration<'_>, declarator: &Declarator<'_>) -> bool {
        let name = declarator.name.map_or("the variable", |it| it.text());
        let Some((first, rest)) = declarator.dimensions.split_first() else {
            return true;
        };
        if let Some(open) = rest.iter().find(|it| it.elements() == Some(0)) {
            let message = format!("only the first dimension of `{name}` may be left open");
            self.report(open.range, message, None);
            return false;
        }
        let linkage = declaration.linkage();
        let external = linkage.is_some_and(|it| it.0 == Linkage::Extern);
        if first.elements() != Some(0) || external || declarator.initializer.is_some() {
            return true;
        }
        let start = declaration.words.first().map(|it| it.range.start());
        let owner = self.owner;
        let finding = self.report(
            first.range,
            format!("`{name}` has no size"),
            Some(
                "write the number of elements, or initial values, or make it `.extern`".to_owned(),
            ),
        );
        if let (ParameterOwner::Module, None, Some(start)) = (owner, linkage, start) {
            finding.fixes = vec![Repair::new(
                FixKind::CorrectDeclaration,
                "Make it `.extern`".to_owned(),
                TextRange::empty(start),
                ".extern ",
            )];
        }
        false
    }
}

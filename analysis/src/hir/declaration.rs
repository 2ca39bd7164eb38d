//! A declaration of variables, or of one parameter, as data: its words, each with its place.
//!
//! Borrowed from the tree and cheap to make; what must outlive it is [`Shape`].

use crate::hir::linkage::Linkage;

use isa::{
    operand::{Operand, Space, Symbol},
    types::Class,
    variable::{Opaque, StateSpace, VariableType, vector_length},
};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

use super::{
    number::integer,
    tree::{self, trimmed},
};

/// A declaration of variables, or of one parameter.
#[derive(Clone, Debug)]
pub(crate) struct Declaration<'a> {
    /// The `VARIABLE_DECLARATION` or `PARAMETER`.
    pub(crate) node: Cursor<'a>,
    /// The words before the names, in the order of the text.
    pub(crate) words: Vec<Word<'a>>,
    /// The words after `.ptr` of a parameter, which are about what it points to.
    pub(crate) pointer: Option<Pointer<'a>>,
    /// The names with what follows each of them; one for a parameter.
    pub(crate) declarators: Vec<Declarator<'a>>,
}

/// One word of a declaration, with its number or list if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    /// The dotted word.
    pub(crate) token: CursorToken<'a>,
    /// The word with its number or list.
    pub(crate) range: TextRange,
    /// The message.
    pub(crate) kind: WordKind<'a>,
}

/// The meaning of a word of a declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WordKind<'a> {
    /// A linking directive.
    Linkage(Linkage),
    /// A state space.
    Space(StateSpace),
    /// The bank after `.const`; its token is the bracket.
    Bank(Literal),
    /// `.align` with its number.
    Alignment(Literal),
    /// `.attribute(…)`: its node.
    Attribute(Cursor<'a>),
    /// The number of elements of a vector.
    Vector(u8),
    /// A type.
    Type(VariableType),
    /// A word that declarations do not have.
    Unknown,
}

/// A number of a declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Literal {
    /// Where it appears; where it is missing if there is none.
    pub(crate) range: TextRange,
    /// Its value; `None` if it is missing, no integer or too large.
    pub(crate) value: Option<u64>,
    /// Whether it is a floating-point number.
    pub(crate) float: bool,
}

/// `.ptr .global .align 8`
#[derive(Clone, Debug)]
pub(crate) struct Pointer<'a> {
    /// The word `.ptr`.
    pub(crate) token: CursorToken<'a>,
    /// The words after it.
    pub(crate) words: Vec<Word<'a>>,
}

/// A declared name with what follows it.
#[derive(Clone, Debug)]
pub(crate) struct Declarator<'a> {
    /// The `DECLARATOR`, or the `PARAMETER` itself.
    pub(crate) node: Cursor<'a>,
    /// The name; none for `_` and in broken text.
    pub(crate) name: Option<CursorToken<'a>>,
    /// The number in angle brackets of a parameterised name; the range is that of the brackets.
    pub(crate) count: Option<Literal>,
    /// The array dimensions; the ranges include the brackets.
    pub(crate) dimensions: Vec<Dimension>,
    /// The `=`.
    pub(crate) equals: Option<CursorToken<'a>>,
    /// The node after the `=`.
    pub(crate) initializer: Option<Cursor<'a>>,
}

/// One pair of brackets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dimension {
    /// From `[` to `]`.
    pub(crate) range: TextRange,
    /// The number between them; none for `[]`.
    pub(crate) size: Option<Literal>,
}

impl Dimension {
    /// The number of elements: 0 if it is left open, `None` if it is not a number.
    pub(crate) fn elements(&self) -> Option<u64> {
        self.size.map_or(Some(0), |it| it.value)
    }
}

/// The properties that two declarations of one name must have in common, without places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The state space.
    pub(crate) space: Option<StateSpace>,
    /// The type.
    pub(crate) ty: Option<VariableType>,
    /// Elements of the vector; 1 if it is none.
    pub(crate) lanes: u8,
    /// The alignment in bytes as written.
    pub(crate) alignment: Option<u64>,
    /// The array dimensions; 0 for an open one.
    pub(crate) dimensions: Vec<u64>,
}

impl<'a> Declaration<'a> {
    /// Reads a `VARIABLE_DECLARATION` or a `PARAMETER`.
    pub(crate) fn of(node: &Cursor<'a>) -> Declaration<'a> {
        // One of each name, and up to so many words, are in nearly every declaration.
        let mut words = Vec::with_capacity(4);
        let mut pointer: Option<Pointer<'a>> = None;
        let mut declarators = Vec::with_capacity(1);
        for child in node.children() {
            let word = match child {
                NodeOrToken::Token(token) if token.kind() == SyntaxKind::DOTTED => {
                    if token.text() == ".ptr" && pointer.is_none() {
                        pointer = Some(Pointer {
                            token,
                            words: Vec::new(),
                        });
                        continue;
                    }
                    Some(plain(token))
                }
                NodeOrToken::Token(_) => None,
                NodeOrToken::Node(child) => match child.kind() {
                    SyntaxKind::ALIGN => child.token(SyntaxKind::DOTTED).map(|token| Word {
                        token,
                        range: trimmed(&child),
                        kind: WordKind::Alignment(literal(&child)),
                    }),
                    SyntaxKind::BANK => child.token(SyntaxKind::L_BRACKET).map(|token| Word {
                        token,
                        range: trimmed(&child),
                        kind: WordKind::Bank(literal(&child)),
                    }),
                    SyntaxKind::ATTRIBUTE => child.token(SyntaxKind::DOTTED).map(|token| Word {
                        token,
                        range: trimmed(&child),
                        kind: WordKind::Attribute(child),
                    }),
                    SyntaxKind::DECLARATOR => {
                        declarators.push(declarator(&child));
                        None
                    }
                    _ => None,
                },
            };
            let list = pointer.as_mut().map_or(&mut words, |it| &mut it.words);
            list.extend(word);
        }
        if node.kind() == SyntaxKind::PARAMETER {
            declarators.push(declarator(node));
        }
        Declaration {
            node: *node,
            words,
            pointer,
            declarators,
        }
    }

    fn find<T>(&self, of: impl Fn(&WordKind<'a>) -> Option<T>) -> Option<(T, Word<'a>)> {
        self.words
            .iter()
            .find_map(|word| Some((of(&word.kind)?, *word)))
    }

    /// The first linking directive.
    pub(crate) fn linkage(&self) -> Option<(Linkage, Word<'a>)> {
        self.find(|it| match it {
            WordKind::Linkage(it) => Some(*it),
            _ => None,
        })
    }

    /// The first state space.
    pub(crate) fn space(&self) -> Option<(StateSpace, Word<'a>)> {
        self.find(|it| match it {
            WordKind::Space(it) => Some(*it),
            _ => None,
        })
    }

    /// The first type.
    pub(crate) fn ty(&self) -> Option<(VariableType, Word<'a>)> {
        self.find(|it| match it {
            WordKind::Type(it) => Some(*it),
            _ => None,
        })
    }

    /// The type, if it is a fundamental one.
    pub(crate) fn class(&self) -> Option<Class> {
        match self.ty()?.0 {
            VariableType::Basic(class) => Some(class),
            _ => None,
        }
    }

    /// The first vector word.
    pub(crate) fn vector(&self) -> Option<(u8, Word<'a>)> {
        self.find(|it| match it {
            WordKind::Vector(it) => Some(*it),
            _ => None,
        })
    }

    /// The last alignment before the type, which counts: after it, an entry's parameter says what it
    /// points to.
    pub(crate) fn alignment(&self) -> Option<(Literal, Word<'a>)> {
        let own = self
            .words
            .iter()
            .take_while(|it| !matches!(it.kind, WordKind::Type(_)));
        let alignments = own.filter_map(|word| match word.kind {
            WordKind::Alignment(it) => Some((it, *word)),
            _ => None,
        });
        alignments.last()
    }

    /// The properties with which other declarations of a name must agree.
    pub(crate) fn shape(&self, declarator: &Declarator<'a>) -> Shape {
        let mut dimensions: Vec<u64> = declarator
            .dimensions
            .iter()
            .map(|it| it.elements().unwrap_or_default())
            .collect();
        if let (Some(first @ 0), Some(list)) = (dimensions.first_mut(), declarator.initializer)
            && list.kind() == SyntaxKind::INITIALIZER_LIST
        {
            *first = list.nodes().count() as u64;
        }
        Shape {
            space: self.space().map(|it| it.0),
            ty: self.ty().map(|it| it.0),
            lanes: self.vector().map_or(1, |it| it.0),
            alignment: self.alignment().and_then(|it| it.0.value),
            dimensions,
        }
    }
}

impl Shape {
    /// Whether ptxas takes both for one variable: the type and the dimensions agree, where an open first
    /// dimension agrees with any. State space and alignment do not matter.
    pub(crate) fn agrees(&self, other: &Shape) -> bool {
        let sizes = || self.dimensions.iter().zip(&other.dimensions).enumerate();
        self.ty == other.ty
            && self.lanes == other.lanes
            && self.dimensions.len() == other.dimensions.len()
            && sizes().all(|(index, (a, b))| a == b || (index == 0 && (*a == 0 || *b == 0)))
    }
}

impl std::fmt::Display for Shape {
    /// The words that matter for [`Shape::agrees`]: `.v2 .f32 [4][2]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.lanes > 1 {
            write!(f, ".v{} ", self.lanes)?;
        }
        f.write_str(self.ty.map_or("", VariableType::word))?;
        for (index, size) in self.dimensions.iter().enumerate() {
            let blank = if index == 0 { " " } else { "" };
            match size {
                0 => write!(f, "{blank}[]")?,
                _ => write!(f, "{blank}[{size}]")?,
            }
        }
        Ok(())
    }
}

/// A dotted word without number or list.
fn plain(token: CursorToken<'_>) -> Word<'_> {
    let word = token.text();
    let kind = Linkage::from_word(word)
        .map(WordKind::Linkage)
        .or_else(|| StateSpace::from_word(word).map(WordKind::Space))
        .or_else(|| vector_length(word).map(WordKind::Vector))
        .or_else(|| VariableType::from_word(word).map(WordKind::Type))
        .unwrap_or(WordKind::Unknown);
    Word {
        token,
        range: token.range(),
        kind,
    }
}

/// The number in a node that has one.
fn literal(node: &Cursor<'_>) -> Literal {
    let child = node.node(SyntaxKind::LITERAL);
    let token = child.and_then(|it| it.tokens().next());
    Literal {
        range: token.map_or(TextRange::empty(trimmed(node).end()), |it| it.range()),
        value: token.and_then(|it| integer(it.text())),
        float: token.is_some_and(|it| it.kind() == SyntaxKind::FLOAT),
    }
}

fn declarator<'a>(node: &Cursor<'a>) -> Declarator<'a> {
    let equals = node.token(SyntaxKind::EQ);
    let initializer = equals.and_then(|equals| {
        node.nodes()
            .find(|it| it.range().start() >= equals.range().end())
    });
    Declarator {
        node: *node,
        name: tree::name(node),
        count: node.node(SyntaxKind::COUNT_SUFFIX).map(|it| Literal {
            range: trimmed(&it),
            ..literal(&it)
        }),
        dimensions: node
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::ARRAY_DIMENSION)
            .map(|it| Dimension {
                range: trimmed(&it),
                size: it.node(SyntaxKind::LITERAL).map(|_| literal(&it)),
            })
            .collect(),
        equals,
        initializer,
    }
}

/// A name as an operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declared(pub(crate) Operand);

impl Declared {
    /// Whether it is a register, and not a place in memory.
    pub(crate) fn is_register(&self) -> bool {
        matches!(self.0, Operand::Register { .. })
    }
}

// The operands of declarations hold no floating-point number.
impl Eq for Declared {}

/// Where a declaration appears.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Outside functions.
    Module,
    /// Among the parameters of an entry,
    Entry,
    /// or of a function.
    Function,
    /// The body of either.
    Body,
    /// Among the results of a function.
    Returns,
}

/// The operand of one declarator, given that of its declaration: an array has no value.
pub(super) fn declarator_of(declared: &Operand, declarator: &Cursor<'_>) -> Operand {
    match declared {
        Operand::Symbol(Symbol::Variable(space, Some(_)))
            if declarator
                .nodes()
                .any(|it| it.kind() == SyntaxKind::ARRAY_DIMENSION) =>
        {
            Operand::Symbol(Symbol::Variable(*space, None))
        }
        _ => declared.clone(),
    }
}

/// The operand that a declaration with these words declares.
pub(super) fn variable(node: &Cursor<'_>, owner: Owner) -> Operand {
    let declaration = Declaration::of(node);
    let opaque = match declaration.ty() {
        Some((VariableType::Opaque(it), _)) => Some(it),
        _ => None,
    };
    let unified = || {
        let mut attributes = node.nodes().filter(|it| it.kind() == SyntaxKind::ATTRIBUTE);
        attributes.any(|it| tree::has_word(&it, ".unified"))
    };
    match (opaque, declaration.space().map(|it| it.0)) {
        // The textures of PTX ISA 1.x are variables of a space of their own.
        (Some(Opaque::Texture), _) | (_, Some(StateSpace::Texture)) => {
            Operand::Symbol(Symbol::TextureReference)
        }
        (Some(Opaque::Sampler), _) => Operand::Symbol(Symbol::SamplerReference),
        (Some(Opaque::Surface), _) => Operand::Symbol(Symbol::SurfaceReference),
        (None, Some(StateSpace::Register)) => {
            declaration
                .class()
                .map_or(Operand::Unknown, |class| Operand::Register {
                    class,
                    lanes: declaration.vector().map_or(1, |it| it.0),
                })
        }
        // What it is without a type is not known.
        (None, Some(_)) if declaration.ty().is_none() => Operand::Unknown,
        (None, Some(space)) => {
            let space = match space {
                StateSpace::Const => Space::Const,
                StateSpace::Local => Space::Local,
                StateSpace::Shared => Space::Shared,
                StateSpace::Parameter => match owner {
                    Owner::Entry => Space::EntryParameter,
                    Owner::Returns => Space::ReturnParameter,
                    Owner::Function => Space::InputParameter,
                    Owner::Module | Owner::Body => Space::LocalParameter,
                },
                _ if unified() => Space::Unified,
                // The others are dealt with above.
                _ => Space::Global,
            };
            let scalar = declaration.vector().is_none();
            let class = declaration.class().filter(|_| scalar);
            Operand::Symbol(Symbol::Variable(space, class))
        }
        (None, None) => Operand::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use syntax::FileContents;

    use super::*;

    /// Writes what the declarations and parameters of a text say.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let contents = FileContents::new(text);
        let root = contents.tree.cursor();
        let mut out = String::new();
        tree::for_each_node(&root, &mut |node| {
            if matches!(
                node.kind(),
                SyntaxKind::VARIABLE_DECLARATION | SyntaxKind::PARAMETER
            ) {
                let declaration = Declaration::of(node);
                for word in &declaration.words {
                    let kind = match &word.kind {
                        WordKind::Attribute(_) => "Attribute".to_owned(),
                        WordKind::Alignment(it) => format!("Alignment({:?})", it.value),
                        WordKind::Bank(it) => format!("Bank({:?})", it.value),
                        other => format!("{other:?}"),
                    };
                    let _ = writeln!(out, "{:?}: {kind}", &text[word.range]);
                }
                if let Some(pointer) = &declaration.pointer {
                    let words: Vec<_> = pointer.words.iter().map(|it| &text[it.range]).collect();
                    let _ = writeln!(out, ".ptr {words:?}");
                }
                for it in &declaration.declarators {
                    let shape = declaration.shape(it);
                    let _ = writeln!(
                        out,
                        "{:?} count {:?} {:?} {:?} x{} align {:?} {:?} = {:?}",
                        it.name.map(|it| it.text()),
                        it.count.map(|it| it.value),
                        shape.space,
                        shape.ty,
                        shape.lanes,
                        shape.alignment,
                        shape.dimensions,
                        it.initializer.map(|it| &text[trimmed(&it)]),
                    );
                }
            }
        });
        expect.assert_eq(&out);
    }

    #[test]
    fn variables() {
        check(
            ".visible .align 8 .const[2] .align 0x10 .v2 .f32 a[][0x4] = {{1.0, 2.0}}, b<3>;",
            expect![[r#"
                ".visible": Linkage(Visible)
                ".align 8": Alignment(Some(8))
                ".const": Space(Const)
                "[2]": Bank(Some(2))
                ".align 0x10": Alignment(Some(16))
                ".v2": Vector(2)
                ".f32": Type(Basic(F32))
                Some("a") count None Some(Const) Some(Basic(F32)) x2 align Some(16) [1, 4] = Some("{{1.0, 2.0}}")
                Some("b") count Some(Some(3)) Some(Const) Some(Basic(F32)) x2 align Some(16) [] = None
            "#]],
        );
        check(
            ".global .attribute(.managed) .texref t = {};",
            expect![[r#"
            ".global": Space(Global)
            ".attribute(.managed)": Attribute
            ".texref": Type(Opaque(Texture))
            Some("t") count None Some(Global) Some(Opaque(Texture)) x1 align None [] = Some("{}")
        "#]],
        );
        check(
            ".shared .bf16 x[1.5];",
            expect![[r#"
            ".shared": Space(Shared)
            ".bf16": Unknown
            Some("x") count None Some(Shared) None x1 align None [0] = None
        "#]],
        );
    }

    #[test]
    fn parameters() {
        check(
            ".func (.reg .b32 _) f(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 q[12]);",
            expect![[r#"
                ".reg": Space(Register)
                ".b32": Type(Basic(B32))
                None count None Some(Register) Some(Basic(B32)) x1 align None [] = None
                ".param": Space(Parameter)
                ".u64": Type(Basic(U64))
                .ptr [".global", ".align 4"]
                Some("p") count None Some(Parameter) Some(Basic(U64)) x1 align None [] = None
                ".param": Space(Parameter)
                ".align 8": Alignment(Some(8))
                ".b8": Type(Basic(B8))
                Some("q") count None Some(Parameter) Some(Basic(B8)) x1 align Some(8) [12] = None
            "#]],
        );
    }
}

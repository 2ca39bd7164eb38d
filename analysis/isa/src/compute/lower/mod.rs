//! From the lines of a table to a program: what the names mean in a statement, and what its types are.

mod apply;
mod bulk;
mod calls;
mod effects;
mod expressions;
mod fabric;
mod floats;
mod lanes;
mod matrix;
mod memory;
mod obstacle;
mod operands;
mod product;
mod tensor;
mod texture;

pub(super) use operands::register_bits;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    builder::Builder,
    exact::Int,
    float::Format,
    matrix::MatrixProgram,
    memory::{AddressSpace, Bulk, Counter, MapStore, Place, Store, Until},
    node::Node,
    program::{Destination, Exactness, Program},
    tensor::TensorStep,
    texture::{TexelStore, TextureRequest},
    value_type::{ElementType, ValueType},
};
use crate::{
    computation::{
        Clause, Computation, Definition, Effect, Expression, Primitive, Test, TestSubject,
    },
    operand::Operand,
};

/// The number of lanes of a warp.
pub const LANES: usize = 32;

/// An operand of a statement by its name in the table.
#[derive(Clone, Copy, Debug)]
pub struct BoundOperand<'a> {
    /// The name.
    pub name: &'static str,
    /// The type that the table gives it; `None` where it takes registers of several types.
    pub ty: Option<ValueType>,
    /// The state space, if the operand is an address.
    pub space: Option<AddressSpace>,
    /// The operand of the statement.
    pub operand: &'a Operand,
}

/// A statement as the lowering sees it.
#[derive(Clone, Debug)]
pub struct BoundStatement<'a> {
    /// The opcode with its fixed words.
    pub name: &'a str,
    /// The words that follow, without periods.
    pub words: Vec<&'a str>,
    /// The slots of the variant that have a word, with it.
    pub slots: Vec<(&'a str, &'a str)>,
    /// The operands.
    pub operands: Vec<BoundOperand<'a>>,
}

/// Why there is no program for a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It computes nothing: control, barriers, hints.
    Nothing,
    /// It reads or writes memory.
    Memory,
    /// It works on fragments of matrices.
    Matrix,
    /// A chapter of the manual describes what it does, see [`Primitive`].
    Chapter(Primitive),
    /// The manual does not specify it, as a phrase.
    Unspecified(&'static str),
    /// The manual does not say which bits a value of this type has.
    UnknownType(String),
    /// The table has a line that means nothing for this statement.
    Mistake(String),
}

type Result<T> = std::result::Result<T, Obstacle>;

fn mistake<T>(message: impl Into<String>) -> Result<T> {
    Err(Obstacle::Mistake(message.into()))
}

/// Makes the program of a statement.
///
/// # Errors
/// The reason for which there is none.
pub fn lower(computation: &Computation, statement: &BoundStatement<'_>) -> Result<Program> {
    let mut lines = Lines::default();
    for line in &computation.lines {
        let holds = |all: &Vec<Test>| all.iter().all(|it| statement.holds(it));
        if !line.when.is_empty() && !line.when.iter().any(holds) {
            continue;
        }
        match &line.clause {
            Clause::Let(definitions) => {
                let names = definitions.iter().map(|it| (it.name, it));
                lines.definitions.extend(names);
            }
            Clause::Nothing | Clause::Ignores(_) => {}
            Clause::Effects(list) => {
                // What a line says of a place replaces what earlier ones say of it.
                lines
                    .effects
                    .retain(|old| !list.iter().any(|it| it.target.is_same_place(&old.target)));
                lines.effects.extend(list);
            }
            Clause::Inputs(function, ty) => {
                let format = ty.and_then(Format::from_word);
                lines.inputs.push((*function, format));
            }
            Clause::Result(function) => lines.results.push(*function),
            Clause::Unspecified(condition) => lines.unspecified.push(condition),
        }
    }
    if lines.effects.is_empty() {
        return Err(Obstacle::Nothing);
    }
    let (later, now): (Vec<&Effect>, Vec<&Effect>) =
        lines.effects.iter().copied().partition(|it| it.later);
    let mut program = part(&lines, statement, &now, &lines.unspecified)?;
    if !later.is_empty() {
        program.later = Some(Arc::new(part(&lines, statement, &later, &[])?));
    }
    Ok(program)
}

/// The lines of a computation that are about a statement.
#[derive(Default)]
struct Lines<'a> {
    definitions: FxHashMap<&'static str, &'a Definition>,
    effects: Vec<&'a Effect>,
    inputs: Vec<(Primitive, Option<Format>)>,
    results: Vec<Primitive>,
    unspecified: Vec<&'a Expression>,
}

/// The program of some of the effects.
fn part<'a>(
    lines: &Lines<'a>,
    statement: &'a BoundStatement<'a>,
    effects: &[&Effect],
    unspecified: &[&Expression],
) -> Result<Program> {
    let mut lowering = Lowering {
        statement,
        builder: Builder::default(),
        definitions: lines.definitions.clone(),
        variables: FxHashMap::default(),
        inputs: lines.inputs.clone(),
        results: lines.results.clone(),
        element: None,
        lane: None,
        target: ElementType::Predicate,
        exactness: Exactness::Exact,
        crosses_lanes: false,
        memory: MemoryParts::default(),
        outputs: Vec::new(),
        fragments: false,
        movement: None,
        product: None,
        tensor: None,
        depth: 0,
    };
    for effect in effects {
        lowering.effect(effect)?;
    }
    let mut open = None;
    for condition in unspecified {
        let condition = lowering.truth(condition)?;
        open = Some(match open {
            Some(before) => lowering.either(before, condition),
            None => condition,
        });
    }
    let memory = lowering.memory;
    let program = Program {
        inputs: lowering.builder.inputs,
        steps: lowering.builder.steps,
        outputs: lowering.outputs,
        unspecified: open,
        exactness: lowering.exactness,
        crosses_lanes: lowering.crosses_lanes,
        wide: false,
        flags: false,
        accesses: false,
        places: memory.places,
        stores: memory.stores,
        bulk: memory.bulk,
        counters: memory.counters,
        fields: memory.fields,
        textures: memory.textures,
        texels: memory.texels,
        atomic: memory.atomic,
        windows: memory.windows,
        repeated: memory.repeated,
        sweep: memory.sweep,
        fragments: lowering.fragments,
        matrix: lowering.product,
        tensor: lowering.tensor,
        participants: memory.participants,
        later: None,
        until: memory.until,
        passes: Vec::new(),
    };
    Ok(program.without_dead_steps())
}

/// The parts of a program that concern memory.
#[derive(Default)]
struct MemoryParts {
    places: Vec<Place>,
    stores: Vec<Store>,
    bulk: Vec<Bulk>,
    counters: Vec<Counter>,
    fields: Vec<MapStore>,
    textures: Vec<TextureRequest>,
    texels: Vec<TexelStore>,
    atomic: bool,
    windows: bool,
    repeated: Option<Node>,
    sweep: Option<(Node, u8)>,
    participants: Option<Node>,
    until: Option<Until>,
    /// The variable for the only copy of what a multimem address names.
    copy: Option<&'static str>,
}

impl BoundStatement<'_> {
    /// The word of a slot.
    fn slot(&self, name: &str) -> Option<&str> {
        let found = self.slots.iter().find(|it| it.0 == name);
        found.map(|it| it.1)
    }

    fn operand(&self, name: &str) -> Option<usize> {
        self.operands.iter().position(|it| it.name == name)
    }

    fn holds(&self, test: &Test) -> bool {
        let found = match &test.subject {
            TestSubject::Word(word) => self.words.contains(word),
            TestSubject::Slot(slot) => self.slot(slot).is_some(),
            TestSubject::OneOf(slot, words) => {
                self.slot(slot).is_some_and(|it| words.contains(&it))
            }
            TestSubject::Instruction(names) => names.contains(&self.name),
            TestSubject::Operand(name) => self.operand(name).is_some(),
        };
        found != test.negated
    }
}

/// The value of an expression.
#[derive(Clone, Debug)]
enum Value {
    /// A node that is 0 or 1.
    Truth(Node),
    Int(Int),
    Float(Float),
}

/// A float: a number of a format, or an exact one that is yet to be rounded.
#[derive(Clone, Debug)]
enum Float {
    /// The bits of a format.
    Bits(Node, Format),
    /// An integer.
    Int(Int),
    /// The canonical NaN.
    Nan,
    Add(Box<Float>, Box<Float>),
    Subtract(Box<Float>, Box<Float>),
    Multiply(Box<Float>, Box<Float>),
    Divide(Box<Float>, Box<Float>),
    SquareRoot(Box<Float>),
    /// A function that is approximated.
    Function(super::program::FloatUnary, Box<Float>),
}

/// In which lane operands are read.
#[derive(Clone, Copy, Debug)]
enum LaneOf {
    Fixed(u8),
    Node(Node),
}

struct Lowering<'a> {
    statement: &'a BoundStatement<'a>,
    builder: Builder,
    definitions: FxHashMap<&'static str, &'a Definition>,
    /// Variables of sets and parameters.
    variables: FxHashMap<&'static str, Value>,
    /// Functions through which float operands are read, perhaps only those of one format.
    inputs: Vec<(Primitive, Option<Format>)>,
    /// Functions through which each float of a result goes.
    results: Vec<Primitive>,
    /// The element of packed types and braces that is computed.
    element: Option<u32>,
    /// The lane whose operands are read, if it is another one.
    lane: Option<LaneOf>,
    /// The type of an element of the target.
    target: ElementType,
    exactness: Exactness,
    crosses_lanes: bool,
    memory: MemoryParts,
    outputs: Vec<(Destination, Node)>,
    /// Whether an effect is about matrices that lanes hold.
    fragments: bool,
    /// How elements of matrices are moved, while they are.
    movement: Option<matrix::Movement>,
    product: Option<Box<MatrixProgram>>,
    /// The operation of a tensor core.
    tensor: Option<Box<TensorStep>>,
    depth: u32,
}

/// How deep expressions and the names in them may be nested; the tables need a fraction of it.
const DEPTH: u32 = 64;

impl Lowering<'_> {
    /// The value of an expression as a truth.
    fn truth(&mut self, expression: &Expression) -> Result<Node> {
        let value = self.expression(expression)?;
        self.as_truth(value)
    }

    /// The value of an expression as an integer.
    fn int(&mut self, expression: &Expression) -> Result<Int> {
        match self.expression(expression)? {
            Value::Int(it) => Ok(it),
            Value::Truth(it) => Ok(truth_as_int(it)),
            Value::Float(_) => mistake("an integer was expected, not a float"),
        }
    }

    /// The value of an expression as an integer that is known beforehand.
    fn constant(&mut self, expression: &Expression) -> Result<i128> {
        match self.int(expression)?.as_constant() {
            Some(it) => Ok(it),
            None => mistake("a constant was expected"),
        }
    }
}

fn truth_as_int(node: Node) -> Int {
    Int::node(node, super::exact::Range::new(0, 1))
}

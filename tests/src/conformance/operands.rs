//! Random operands of the kinds that the tables name.

use std::fmt;

use fastrand::Rng;
use isa::{
    condition::{Choices, Expression},
    kind::{AddressWidth, Integers, Kind},
    matching::accepts,
    operand::{Operand, Symbol},
    table::{Form, OperandPattern, Presence},
    types::{CLASSES, Class, type_of},
};

/// Registers of one class that statements use; more than any vector has elements.
pub const REGISTERS: usize = 160;

/// An operand as text that can still be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A register, constant or name.
    Scalar(String),
    /// `[a, b]`, perhaps with a word after it.
    Bracket(Vec<Item>, Option<&'static str>),
    /// `{a, b}`
    Vector(Vec<Item>),
    /// `a|b`
    Pair(Box<Item>, Box<Item>),
}

impl Item {
    /// The value of an integer constant.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Item::Scalar(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Item]| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    f.write_str(", ")?;
                }
                item.fmt(f)?;
            }
            Ok(())
        };
        match self {
            Item::Scalar(text) => f.write_str(text),
            Item::Bracket(items, word) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")?;
                word.map_or(Ok(()), |it| write!(f, ".{it}"))
            }
            Item::Vector(items) => {
                f.write_str("{")?;
                list(f, items)?;
                f.write_str("}")
            }
            Item::Pair(first, second) => write!(f, "{first}|{second}"),
        }
    }
}

/// The name of a register of the class; a declaration for it follows from the name.
pub fn register(class: Class, index: usize) -> String {
    format!("{}_{}", class.word(), index % REGISTERS)
}

fn any_register(class: Class, rng: &mut Rng) -> Item {
    Item::Scalar(register(class, rng.usize(..REGISTERS)))
}

/// An operand of the pattern; none if the table does not say enough.
pub fn of_pattern(
    pattern: &OperandPattern,
    choices: &mut Choices<'_>,
    rng: &mut Rng,
) -> Option<Item> {
    match &pattern.form {
        Form::Plain(kinds) => of_kinds(kinds, choices, rng),
        Form::Pair(kinds, second) => {
            let first = of_kinds(kinds, choices, rng)?;
            if !is_there(&second.presence, choices, rng) {
                return Some(first);
            }
            choices.operands.push(second.name);
            let second = of_pattern(second, choices, rng)?;
            Some(Item::Pair(Box::new(first), Box::new(second)))
        }
        Form::Bracket(patterns, word) => {
            let mut items = Vec::new();
            for (index, pattern) in patterns.iter().enumerate() {
                if !is_there(&pattern.presence, choices, rng) {
                    continue;
                }
                if index > 0 {
                    choices.operands.push(pattern.name);
                }
                items.push(of_pattern(pattern, choices, rng)?);
            }
            // No variable of the programs has the attribute.
            let of_register = matches!(&items[..], [Item::Scalar(it)] if !it.contains('`'));
            let word = word.filter(|_| of_register && rng.u8(..4) == 0);
            if word.is_some() {
                choices.operands.push("unified");
            }
            Some(Item::Bracket(items, word))
        }
    }
}

fn is_there(presence: &Presence, choices: &Choices<'_>, rng: &mut Rng) -> bool {
    match presence {
        Presence::Required => true,
        Presence::Optional => rng.bool(),
        Presence::If(condition) => condition.holds(choices),
    }
}

fn of_kinds(kinds: &[Kind], choices: &Choices<'_>, rng: &mut Rng) -> Option<Item> {
    // Some kinds are empty for some choices.
    (0..8).find_map(|_| of_kind(rng.choice(kinds)?, choices, rng))
}

fn of_kind(kind: &Kind, choices: &Choices<'_>, rng: &mut Rng) -> Option<Item> {
    let scalar = |it: &str| Some(Item::Scalar(it.to_owned()));
    match kind {
        Kind::Source(ty) if rng.u8(..4) == 0 => constant(&ty.word(choices)?, rng),
        Kind::Constant(ty) => constant(&ty.word(choices)?, rng),
        Kind::Register(_)
        | Kind::Source(_)
        | Kind::Loose(_)
        | Kind::Classes(_)
        | Kind::ClassesOffset(_) => register_for(kind, choices, rng),
        Kind::Integer(set) => Some(Item::Scalar(integer(set, choices, rng)?.to_string())),
        Kind::Float => scalar(rng.choice(["1.5", "0f3F800000", "0d3FF0000000000000", "-2.0"])?),
        Kind::Fraction => scalar(rng.choice(["0.25", "0f3F800000", "1.0"])?),
        // An accident; only changes of accepted statements make it.
        Kind::Bare(_) | Kind::Element => None,
        Kind::Predicate { negatable } => {
            let name = register(Class::Pred, rng.usize(..REGISTERS));
            Some(Item::Scalar(if *negatable && rng.bool() {
                format!("!{name}")
            } else {
                name
            }))
        }
        Kind::Hex32 => scalar("0f3F800000"),
        Kind::Tuple(elements) => Some(Item::Vector(
            elements
                .iter()
                .map(|it| of_kinds(it, choices, rng))
                .collect::<Option<_>>()?,
        )),
        Kind::When(inner, condition) if condition.holds(choices) => of_kind(inner, choices, rng),
        Kind::When(..) => None,
        Kind::Vector(it) => vector(&it.count, &it.element, it.sink, choices, rng),
        Kind::Address(space, width) => address(space.word(choices), *width, rng),
        Kind::Special(_) | Kind::LooseSpecial(_) => special(kind, choices, rng),
        Kind::VariableName(space) => {
            variable(space.as_ref().map_or("", |it| it.word(choices)), rng)
        }
        Kind::FunctionName => scalar("fn`"),
        Kind::Except(inner, others) => {
            let item = of_kind(inner, choices, rng)?;
            let taken = matches!(&item, Item::Scalar(text)
                if operand(text).is_some_and(|it| others.iter().any(|kind| accepts(kind, &it, choices))));
            (!taken).then_some(item)
        }
        Kind::Name(symbol) => scalar(match symbol {
            Symbol::Label => "L0",
            Symbol::BranchTargets => "BT",
            Symbol::CallTargets => "CT",
            Symbol::CallPrototype => "CP",
            Symbol::TextureReference => "tex`",
            Symbol::SamplerReference => "smp`",
            Symbol::SurfaceReference => "srf`",
            _ => return None,
        }),
        Kind::Sink => scalar("_"),
        Kind::Minus(inner) => match of_kind(inner, choices, rng)? {
            Item::Scalar(text) if !text.starts_with(['-', '!']) => {
                Some(Item::Scalar(format!("-{text}")))
            }
            _ => None,
        },
        Kind::Selected(inner, selectors) => match register_for(inner, choices, rng)? {
            Item::Scalar(text) => {
                let selector = expand(rng.choice(selectors)?, rng);
                Some(Item::Scalar(format!("{text}.{selector}")))
            }
            _ => None,
        },
        Kind::AnyRegister => Some(any_register(Class::B32, rng)),
        Kind::Any => Some(any_register(Class::B64, rng)),
    }
}

/// The operand of the matcher for a register or an integer constant; none for the rest.
fn operand(text: &str) -> Option<Operand> {
    if let Ok(value) = text.parse() {
        return Some(Operand::Integer(value));
    }
    let class = Class::from_word(text.rsplit_once('_')?.0)?;
    Some(Operand::Register { class, lanes: 1 })
}

/// A register that the kind takes.
fn register_for(kind: &Kind, choices: &Choices<'_>, rng: &mut Rng) -> Option<Item> {
    let classes: Vec<Class> = CLASSES
        .iter()
        .map(|it| it.1)
        .filter(|class| {
            accepts(
                kind,
                &Operand::Register {
                    class: *class,
                    lanes: 1,
                },
                choices,
            )
        })
        .collect();
    Some(any_register(*rng.choice(&classes)?, rng))
}

fn constant(ty: &str, rng: &mut Rng) -> Option<Item> {
    let constants = type_of(ty)?.constants;
    let mut of_type: Vec<String> = Vec::new();
    if constants.integer {
        of_type.push(any_integer(rng).to_string());
    }
    if constants.decimal {
        of_type.push("2.5".to_owned());
    }
    if constants.hex32 {
        of_type.push("0f40490FDB".to_owned());
    }
    if constants.hex64 {
        of_type.push("0d400921FB54442D18".to_owned());
    }
    Some(Item::Scalar(rng.choice(of_type)?))
}

fn any_integer(rng: &mut Rng) -> i64 {
    match rng.u8(..5) {
        0 => 0,
        1 => rng.i64(-4..64),
        2 => *rng
            .choice(&[-1, 255, 256, 65535, 65536, 0x7fff_ffff, 0xffff_ffff])
            .expect("a list"),
        3 => 1 << rng.u8(..12),
        _ => rng.i64(0..5000),
    }
}

fn integer(set: &Integers, choices: &Choices<'_>, rng: &mut Rng) -> Option<i64> {
    match set {
        Integers::Any => Some(any_integer(rng)),
        Integers::List(list) => rng.choice(list).copied(),
        Integers::Range(from, to, step) | Integers::Low32(from, to, step) => {
            let (from, to) = (from.value(choices)?, to.value(choices)?);
            let steps = (to - from).checked_div(*step).filter(|it| *it >= 0)?;
            Some(match rng.u8(..4) {
                0 => from,
                1 => from + steps * step,
                _ => from + rng.i64(0..=steps) * step,
            })
        }
    }
}

fn vector(
    count: &Expression,
    element: &[Kind],
    sink: bool,
    choices: &Choices<'_>,
    rng: &mut Rng,
) -> Option<Item> {
    if matches!(count, Expression::Slot(slot) if choices.word(*slot).is_none()) {
        return of_kinds(element, choices, rng);
    }
    let count = usize::try_from(count.value(choices)?)
        .ok()
        .filter(|it| (1..=REGISTERS).contains(it))?;
    // The elements of one vector are mostly of one class, as in real programs.
    let first = rng.usize(..REGISTERS);
    let model = of_kinds(element, choices, rng)?;
    let items = (0..count).map(|index| {
        if sink && index > 0 && rng.u8(..10) == 0 {
            return Some(Item::Scalar("_".to_owned()));
        }
        match &model {
            Item::Scalar(text) if rng.u8(..20) > 0 => match text.rsplit_once('_') {
                Some((class, _)) if !class.is_empty() => Some(Item::Scalar(format!(
                    "{class}_{}",
                    (first + index) % REGISTERS
                ))),
                _ => of_kinds(element, choices, rng),
            },
            _ => of_kinds(element, choices, rng),
        }
    });
    Some(Item::Vector(items.collect::<Option<_>>()?))
}

/// The operands that may appear in brackets for an address in the state space.
pub fn address(space: &str, width: AddressWidth, rng: &mut Rng) -> Option<Item> {
    let base = if rng.u8(..4) == 0 {
        variable(space, rng)
    } else {
        None
    };
    let base = match base {
        Some(Item::Scalar(name)) => name,
        _ if space == "param::func" => "lprm".to_owned(),
        _ => {
            let classes: &[Class] = match width {
                AddressWidth::Only64 => &[Class::B64, Class::U64, Class::S64],
                AddressWidth::Only8 => &[Class::B8, Class::U8, Class::S8],
                AddressWidth::Only32 => &[Class::B32, Class::U32, Class::S32],
                AddressWidth::From32 => {
                    &[Class::B64, Class::U64, Class::S64, Class::B32, Class::U32]
                }
                AddressWidth::From16 => {
                    &[Class::B64, Class::U64, Class::B32, Class::S32, Class::U16]
                }
                AddressWidth::Any => &[
                    Class::B64,
                    Class::U64,
                    Class::S64,
                    Class::U32,
                    Class::B16,
                    Class::B8,
                ],
            };
            register(*rng.choice(classes)?, rng.usize(..REGISTERS))
        }
    };
    Some(Item::Scalar(match rng.u8(..4) {
        0 => format!("{base}+{}", 16 * rng.i32(0..8)),
        _ => base,
    }))
}

/// The name of a variable in the state space; any for a generic address.
fn variable(space: &str, rng: &mut Rng) -> Option<Item> {
    let name = match space {
        "" => *rng.choice(&["gbuf`", "sbuf`", "lbuf"])?,
        "global" => "gbuf`",
        "const" => "cbuf`",
        "local" => "lbuf",
        "param::func" => "lprm",
        "param::entry" => "prm",
        "param" => *rng.choice(&["prm", "lprm"])?,
        _ if space.starts_with("shared") => "sbuf`",
        _ => return None,
    };
    Some(Item::Scalar(name.to_owned()))
}

fn special(kind: &Kind, choices: &Choices<'_>, rng: &mut Rng) -> Option<Item> {
    const REGISTERS: [(&str, Class); 5] = [
        ("%tid.x", Class::U32),
        ("%ctaid.y", Class::U32),
        ("%laneid", Class::U32),
        ("%clock", Class::U32),
        ("%clock64", Class::U64),
    ];
    let fitting: Vec<&str> = REGISTERS
        .iter()
        .filter(|(name, class)| {
            let operand = Operand::Special {
                class: *class,
                lanes: 1,
                component: name.contains('.'),
                narrow: name.contains('.'),
            };
            accepts(kind, &operand, choices)
        })
        .map(|it| it.0)
        .collect();
    Some(Item::Scalar((*rng.choice(&fitting)?).to_owned()))
}

/// A selector of a pattern such as `h[0-3][0-3]`.
fn expand(pattern: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((plain, tail)) = rest.split_once('[') {
        out.push_str(plain);
        let (range, tail) = tail.split_once(']').unwrap_or((tail, ""));
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let digit = |it: &str| it.parse::<u8>().unwrap_or(0);
        out.push_str(&rng.u8(digit(low)..=digit(high)).to_string());
        rest = tail;
    }
    out + rest
}

//! Expressions in the place of a thread.

use analysis::code::{Formal, Function, Register, Slot, Variable, VariableId};
use isa::{compute::AddressSpace, special, variable::StateSpace};

use super::{
    expression::Expression,
    types::type_at,
    value::{Number, Row, Type},
};
use crate::{
    description::{Element, Layout},
    launch::Argument,
    machine::{
        Machine,
        inspect::{View, WARP},
    },
};

/// The place of a thread whose registers and memory expressions name.
#[derive(Clone, Copy)]
pub struct Scope<'m, 'a> {
    /// The machine.
    pub machine: &'m Machine<'a>,
    /// The types of the arrays of the launch.
    pub arrays: &'m [Layout],
    /// The thread.
    pub view: View,
}

/// A part of memory with the type of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The name with its indices.
    pub name: String,
    /// The state space.
    pub space: AddressSpace,
    /// The address there.
    pub address: u64,
    /// The type of an element.
    pub element: Element,
    /// The elements along each dimension, outermost first; none of a scalar.
    pub shape: Vec<u64>,
}

impl Part {
    /// The bytes of an element.
    #[must_use]
    pub fn width(&self) -> u64 {
        u64::from(self.element.bits().div_ceil(8))
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        let count = self
            .shape
            .iter()
            .try_fold(1_u64, |all, it| all.checked_mul(*it));
        count.unwrap_or(u64::MAX).saturating_mul(self.width())
    }

    /// An element along its first dimension.
    ///
    /// # Errors
    /// It is a scalar, or has no such element.
    pub fn at(&self, index: i128) -> Result<Part, String> {
        let Some((count, rest)) = self.shape.split_first() else {
            return Err(format!("`{}` is not an array", self.name));
        };
        let Some(index) = u64::try_from(index).ok().filter(|it| it < count) else {
            return Err(format!(
                "index {index} is outside `{}`, which has {count} elements",
                self.name
            ));
        };
        let mut part = Part {
            name: format!("{}[{index}]", self.name),
            shape: rest.to_vec(),
            ..self.clone()
        };
        part.address += index * part.size();
        Ok(part)
    }

    /// Its type as PTX declares it: `.f32[16][16]`.
    #[must_use]
    pub fn ty(&self) -> String {
        let shape: String = self.shape.iter().map(|it| format!("[{it}]")).collect();
        format!("{}{shape}", self.element.word())
    }
}

/// The meaning of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A register with its values, by its slot if it can be written.
    Row(Row, Option<Slot>),
    /// The lane of a register.
    Lane(Row, Option<Slot>, usize),
    /// A part of memory.
    Part(Part),
    /// A number.
    Number(Number),
}

impl<'m, 'a> Scope<'m, 'a> {
    /// The function in which the thread is.
    #[must_use]
    pub fn function(&self) -> Option<&'a Function> {
        let index = self.machine.function_of(self.view.warp, self.view.frame)?;
        self.machine.code().functions.get(index)
    }

    /// The registers of the function, and the elements of vectors: name, slot and type.
    #[must_use]
    pub fn registers(&self) -> Vec<(String, Slot, Type)> {
        let Some(function) = self.function() else {
            return Vec::new();
        };
        let pc = self.pc();
        let all = function.registers.iter().flat_map(slots);
        all.map(|(name, slot, ty)| (name, slot, type_at(function, pc, slot, ty)))
            .collect()
    }

    /// The number of registers of the function; an element of a vector is one.
    #[must_use]
    pub fn register_count(&self) -> usize {
        let registers = self.function().map_or(&[][..], |it| &it.registers);
        registers.iter().flat_map(slots).count()
    }

    /// The instruction at which the frame is, by its index in the function.
    fn pc(&self) -> u32 {
        let View { warp, frame, lane } = self.view;
        let groups = self.machine.warp_view(warp).map(|it| it.groups);
        let mut groups = groups.into_iter().flatten();
        let own = groups.find(|it| it.lanes >> lane & 1 == 1);
        let frames = own.map(|it| self.machine.frames(warp, &it));
        let mut frames = frames.into_iter().flatten();
        frames.find(|it| it.index == frame).map_or(0, |it| it.pc)
    }

    /// The values of a register.
    #[must_use]
    pub fn row(&self, slot: Slot, ty: Type) -> Option<Row> {
        let (bits, undefined) = self
            .machine
            .register(self.view.warp, self.view.frame, slot)?;
        Some(Row {
            ty,
            bits: *bits,
            undefined,
        })
    }

    /// The values of a special register, by its name with its component.
    #[must_use]
    pub fn special(&self, name: &str) -> Option<Row> {
        let (plain, component) = name.rsplit_once('.').unwrap_or((name, ""));
        let (index, number) = special::find(plain)?;
        let register = special::get(index)?;
        let place = register
            .components
            .iter()
            .position(|it| it.trim_start_matches('.') == component);
        let component = match (place, component) {
            (Some(it), _) => it,
            (None, "") => 0,
            _ => return None,
        };
        let number = number.unwrap_or(0);
        let bits = self
            .machine
            .special(self.view.warp, index, component as u8, number)?;
        let word = register.ty.trim_start_matches('.');
        let ty = match Element::from_word(word) {
            Some(it) => Type::Number(it),
            None => match isa::types::Class::from_word(word) {
                Some(it) => Type::of_register(it),
                None => Type::Number(Element::Bits(32)),
            },
        };
        Some(Row {
            ty,
            bits,
            undefined: 0,
        })
    }

    /// The memory of a variable.
    #[must_use]
    pub fn variable(&self, id: VariableId) -> Option<Part> {
        let variable = self.machine.code().variables.get(id as usize)?;
        let (space, address) = self.machine.place_of(self.view, id)?;
        let element = Element::from_word(&variable.ty).unwrap_or(Element::Bits(8));
        let mut shape = variable.dimensions.clone();
        if variable.lanes > 1 {
            shape.push(variable.lanes.into());
        }
        let width = u64::from(element.bits().div_ceil(8));
        let count = shape.iter().product::<u64>() * width;
        if variable.size == 0 && variable.space == StateSpace::Shared {
            // What the launch adds.
            let (start, size) = self.machine.shared_extent();
            let left = (start + size).saturating_sub(address);
            let inner: u64 = shape.iter().skip(1).product::<u64>().max(1);
            match shape.first_mut() {
                Some(it) => *it = left / width / inner,
                None => shape.push(left / width),
            }
        } else if count != variable.size {
            shape = vec![variable.size / width];
        }
        Some(Part {
            name: variable.name.clone(),
            space,
            address,
            element,
            shape,
        })
    }

    /// The memory of an array of the launch, by its index.
    #[must_use]
    pub fn array(&self, index: usize) -> Option<Part> {
        let array = self.machine.launch().arrays.get(index)?;
        let (address, size) = self.machine.array(index)?;
        let layout = self.arrays.get(index);
        let element = layout.map_or(Element::Bits(8), |it| it.element);
        let (element, shape) = match (element.bits() % 8, layout) {
            (0, Some(it)) => (element, it.shape.clone()),
            _ => (Element::Bits(8), vec![size]),
        };
        Some(Part {
            name: array.name.clone(),
            space: AddressSpace::Global,
            address,
            element,
            shape,
        })
    }

    /// The variables of the function in a state space, or those of the module that it can name.
    #[must_use]
    pub fn variables(&self, space: StateSpace) -> Vec<VariableId> {
        let code = self.machine.code();
        let is_in = |it: &Variable| it.space == space;
        let own = self.own_variables();
        let mut found: Vec<VariableId> = own
            .into_iter()
            .filter(|it| code.variables.get(*it as usize).is_some_and(is_in))
            .collect();
        if matches!(
            space,
            StateSpace::Shared | StateSpace::Global | StateSpace::Const
        ) {
            let inside: Vec<VariableId> = code
                .functions
                .iter()
                .flat_map(|it| it.variables.iter().copied())
                .collect();
            let all = (0..).zip(&code.variables);
            let module = all.filter(|it| is_in(it.1) && !inside.contains(&it.0));
            found.extend(module.map(|it| it.0));
        }
        found
    }

    fn own_variables(&self) -> Vec<VariableId> {
        let Some(function) = self.function() else {
            return Vec::new();
        };
        let formals = function.parameters.iter().chain(&function.results);
        let formals = formals.filter_map(|it| match it {
            Formal::Variable(id) => Some(*id),
            Formal::Register(_) => None,
        });
        function.variables.iter().copied().chain(formals).collect()
    }

    fn named(&self, space: Option<&str>, name: &str) -> Result<Found, String> {
        let wanted = match space {
            None => None,
            Some(word) => match StateSpace::from_word(&format!(".{word}")) {
                Some(it) => Some(it),
                None => return Err(format!("`{word}` is not a state space")),
            },
        };
        let code = self.machine.code();
        let fits = |id: &VariableId| {
            let variable = code.variables.get(*id as usize);
            variable
                .is_some_and(|it| it.name == name && wanted.is_none_or(|space| it.space == space))
        };
        let launch = self.machine.launch();
        let array = || {
            if !matches!(wanted, None | Some(StateSpace::Global)) {
                return None;
            }
            let entry = code.functions.get(launch.entry as usize)?;
            let is_named = |it: &Formal| match it {
                Formal::Variable(id) => code.variables[*id as usize].name == name,
                Formal::Register(_) => false,
            };
            let at = entry.parameters.iter().position(is_named);
            if let Some(Argument::Array(index)) = at.and_then(|it| launch.arguments.get(it)) {
                return self.array(*index);
            }
            let index = launch.arrays.iter().position(|it| it.name == name)?;
            self.array(index)
        };
        let own = self.own_variables().into_iter().find(fits);
        // The name of a parameter that points to an array means the array.
        let is_parameter =
            own.is_some_and(|it| code.variables[it as usize].space == StateSpace::Parameter);
        if let Some(id) = own.filter(|_| wanted.is_some() || !is_parameter)
            && let Some(part) = self.variable(id)
        {
            return Ok(Found::Part(part));
        }
        if let Some(part) = array() {
            return Ok(Found::Part(part));
        }
        let spaces = [StateSpace::Shared, StateSpace::Global, StateSpace::Const];
        let module = || {
            spaces
                .into_iter()
                .flat_map(|it| self.variables(it))
                .find(fits)
        };
        if let Some(part) = own.or_else(module).and_then(|it| self.variable(it)) {
            return Ok(Found::Part(part));
        }
        // A register whose name has no `%`.
        match self.register(name) {
            Some(found) if space.is_none() => Ok(found),
            _ => Err(format!("there is no `{name}` here")),
        }
    }

    fn register(&self, name: &str) -> Option<Found> {
        let function = self.function()?;
        let mut all = function.registers.iter().flat_map(slots);
        let (_, slot, ty) = all.find(|it| it.0 == name)?;
        let ty = type_at(function, self.pc(), slot, ty);
        Some(Found::Row(self.row(slot, ty)?, Some(slot)))
    }

    /// The meaning of an expression.
    ///
    /// # Errors
    /// It names what is not here, or its parts do not fit each other, as a sentence.
    pub fn find(&self, expression: &Expression) -> Result<Found, String> {
        match expression {
            Expression::Register(name) => self
                .register(name)
                .or_else(|| self.special(name).map(|it| Found::Row(it, None)))
                .ok_or_else(|| format!("there is no register `{name}` here")),
            Expression::Variable(space, name) => self.named(space.as_deref(), name),
            Expression::Index(base, index) => {
                let Number::Integer(index) = self.number(index)? else {
                    return Err("an index is an integer".to_owned());
                };
                match self.find(base)? {
                    Found::Row(row, slot) => match usize::try_from(index) {
                        Ok(lane) if lane < WARP => Ok(Found::Lane(row, slot, lane)),
                        _ => Err(format!(
                            "{index} is not a lane: lanes are 0 to {}",
                            WARP - 1
                        )),
                    },
                    Found::Part(part) => part.at(index).map(Found::Part),
                    _ => Err("only arrays and registers have an index".to_owned()),
                }
            }
            Expression::As(word, value) => {
                let Some(element) = Element::from_word(word) else {
                    return Err(format!(
                        "`{word}` is not a type (types: {})",
                        Element::words().join(", ")
                    ));
                };
                let ty = Type::Number(element);
                Ok(match self.find(value)? {
                    Found::Row(row, _) => Found::Row(Row { ty, ..row }, None),
                    Found::Lane(row, _, lane) => Found::Lane(Row { ty, ..row }, None, lane),
                    Found::Part(part) => {
                        let width = u64::from(element.bits().div_ceil(8));
                        let shape = match part.size() / width {
                            1 if part.shape.is_empty() => Vec::new(),
                            count => vec![count],
                        };
                        Found::Part(Part {
                            element,
                            shape,
                            ..part
                        })
                    }
                    Found::Number(Number::Integer(bits)) => Found::Number(ty.number(bits as u64)),
                    Found::Number(it) => Found::Number(ty.number(ty.encode(it)?)),
                })
            }
            Expression::Integer(_)
            | Expression::Float(_)
            | Expression::Unary(..)
            | Expression::Binary(..) => self.number(expression).map(Found::Number),
        }
    }

    /// The bits of a scalar in memory; `None` if they are undefined.
    ///
    /// # Errors
    /// It is an array, or there is no memory.
    pub fn scalar(&self, part: &Part) -> Result<Option<u64>, String> {
        if !part.shape.is_empty() {
            return Err(format!("`{}` is an array", part.name));
        }
        let width = part.width() as usize;
        let bytes = self
            .machine
            .read_bytes(self.view, part.space, part.address, width);
        if bytes.len() < width {
            return Err(format!("there is no memory at {:#x}", part.address));
        }
        let bits = bytes.iter().rev();
        let mut bits = bits;
        Ok(bits.try_fold(0_u64, |all, it| Some(all << 8 | u64::from((*it)?))))
    }

    /// The number that an expression is for the thread.
    ///
    /// # Errors
    /// As [`Self::find`]; or it is undefined, or an array.
    pub fn number(&self, expression: &Expression) -> Result<Number, String> {
        match expression {
            Expression::Integer(it) => Ok(Number::Integer(*it)),
            Expression::Float(it) => Ok(Number::Float(*it)),
            Expression::Unary(operator, value) => {
                let value = self.number(value)?;
                unary(operator, value)
            }
            Expression::Binary(operator, left, right) => {
                let left = self.number(left)?;
                match *operator {
                    "&&" if !left.is_true() => return Ok(Number::Integer(0)),
                    "||" if left.is_true() => return Ok(Number::Integer(1)),
                    _ => {}
                }
                binary(operator, left, self.number(right)?)
            }
            _ => {
                let undefined = || "the value is undefined".to_owned();
                match self.find(expression)? {
                    Found::Row(row, _) => self.lane(&row, self.view.lane),
                    Found::Lane(row, _, lane) => self.lane(&row, lane),
                    Found::Part(part) => {
                        let bits = self.scalar(&part)?.ok_or_else(undefined)?;
                        Ok(Type::Number(part.element).number(bits))
                    }
                    Found::Number(it) => Ok(it),
                }
            }
        }
    }

    fn lane(&self, row: &Row, lane: usize) -> Result<Number, String> {
        match row.undefined >> lane & 1 {
            1 => Err("the value is undefined".to_owned()),
            _ => Ok(row.ty.number(row.bits[lane])),
        }
    }
}

/// The slots of a register with their names: one, or one for each element of a vector.
pub(crate) fn slots(register: &Register) -> impl Iterator<Item = (String, Slot, Type)> {
    let ty = Type::of_register(register.class);
    let lanes = u32::from(register.lanes.max(1));
    let step = register.class.bits().div_ceil(64);
    (0..lanes).map(move |lane| {
        let name = match (lanes, lane) {
            (1, _) => register.name.clone(),
            (_, lane) => format!(
                "{}.{}",
                register.name,
                ["x", "y", "z", "w"][lane as usize % 4]
            ),
        };
        (name, register.slot + lane * step, ty)
    })
}

fn unary(operator: &str, value: Number) -> Result<Number, String> {
    Ok(match (operator, value) {
        ("!", it) => Number::Integer((!it.is_true()).into()),
        ("-", Number::Integer(it)) => Number::Integer(it.wrapping_neg()),
        ("-", Number::Float(it)) => Number::Float(-it),
        ("~", Number::Integer(it)) => Number::Integer(!it),
        ("~", Number::Float(_)) => return Err("`~` takes an integer".to_owned()),
        (_, it) => it,
    })
}

fn binary(operator: &str, left: Number, right: Number) -> Result<Number, String> {
    let truth = |it: bool| Ok(Number::Integer(it.into()));
    let by_zero = || "a division by zero".to_owned();
    if let (Number::Integer(a), Number::Integer(b)) = (left, right) {
        let shift = || u32::try_from(b).ok().filter(|it| *it < 64);
        let value = match operator {
            "==" => return truth(a == b),
            "!=" => return truth(a != b),
            "<" => return truth(a < b),
            "<=" => return truth(a <= b),
            ">" => return truth(a > b),
            ">=" => return truth(a >= b),
            "&&" => return truth(a != 0 && b != 0),
            "||" => return truth(a != 0 || b != 0),
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.checked_div(b).ok_or_else(by_zero)?,
            "%" => a.checked_rem(b).ok_or_else(by_zero)?,
            "&" => a & b,
            "|" => a | b,
            "^" => a ^ b,
            "<<" => shift().map_or(0, |it| a.wrapping_shl(it)),
            _ => shift().map_or(0, |it| a >> it),
        };
        return Ok(Number::Integer(value));
    }
    let (a, b) = (left.float(), right.float());
    match operator {
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "&&" => truth(left.is_true() && right.is_true()),
        "||" => truth(left.is_true() || right.is_true()),
        "+" => Ok(Number::Float(a + b)),
        "-" => Ok(Number::Float(a - b)),
        "*" => Ok(Number::Float(a * b)),
        "/" => Ok(Number::Float(a / b)),
        "%" => Ok(Number::Float(a % b)),
        _ => Err(format!("`{operator}` takes integers")),
    }
}

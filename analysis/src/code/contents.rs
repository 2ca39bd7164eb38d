//! The contents of variables at the start, from their initial values.

use isa::{
    compute::constant_bits,
    operand::{FloatForm, Operand},
    variable::VariableType,
    word_class::type_bits,
};
use syntax::{Cursor, SyntaxKind};

use crate::{
    constant::{Constant, Value, evaluate},
    hir::declaration::{Declaration, Declarator},
};

use super::{Content, names::Names};

/// The contents that a declarator states.
pub(super) fn contents(
    declaration: &Declaration<'_>,
    declarator: &Declarator<'_>,
    names: &Names,
) -> Vec<Content> {
    let Some(node) = declarator.initializer else {
        return Vec::new();
    };
    let shape = declaration.shape(declarator);
    let (word, bits) = match shape.ty {
        Some(VariableType::Basic(class)) => (class.dotted(), class.bits()),
        Some(VariableType::Packed { word, .. }) => (word, type_bits(word).unwrap_or(0)),
        _ => return Vec::new(),
    };
    if bits < 8 {
        return Vec::new();
    }
    let mut levels = shape.dimensions;
    if shape.lanes > 1 {
        levels.push(shape.lanes.into());
    }
    let mut fill = Fill {
        word: word.trim_start_matches('.'),
        size: bits / 8,
        names,
        found: Vec::new(),
    };
    fill.level(&levels, &node, 0);
    fill.found
}

struct Fill<'a> {
    /// The type of an element.
    word: &'a str,
    /// Its bytes.
    size: u32,
    names: &'a Names,
    found: Vec<Content>,
}

impl Fill<'_> {
    /// The values of a dimension at an offset, or of an element if no dimension is left.
    fn level(&mut self, levels: &[u64], node: &Cursor<'_>, at: u64) {
        let Some((_, rest)) = levels.split_first() else {
            return self.element(node, at);
        };
        let step = rest.iter().product::<u64>() * u64::from(self.size);
        for (index, child) in (0..).zip(node.nodes()) {
            self.level(rest, &child, at + index * step);
        }
    }

    fn element(&mut self, node: &Cursor<'_>, at: u64) {
        match evaluate(node, &mut Vec::new()) {
            Value::Constant(it) => {
                let bytes = self.bytes(it);
                match self.found.last_mut() {
                    Some(Content::Bytes(start, before)) if *start + before.len() as u64 == at => {
                        before.extend(bytes);
                    }
                    _ => self.found.push(Content::Bytes(at, bytes)),
                }
            }
            Value::Offset(base, plus) => self.address(&base, plus as i64, at),
            Value::Other(base) => self.address(&base, 0, at),
            Value::Wrong => {}
        }
    }

    fn bytes(&self, constant: Constant) -> Vec<u8> {
        let bits = match constant {
            Constant::Single(bits) if self.word == "f32" => u128::from(bits),
            Constant::Single(bits) => {
                let value = f64::from(f32::from_bits(bits));
                let operand = Operand::Float(FloatForm::Hex32, value);
                constant_bits(&operand, Some(self.word)).unwrap_or(0)
            }
            Constant::Double(form, value) => {
                constant_bits(&Operand::Float(form, value), Some(self.word)).unwrap_or(0)
            }
            Constant::Signed(it) => i128::from(it) as u128,
            Constant::Unsigned(it) => it.into(),
        };
        bits.to_le_bytes()[..(self.size as usize).min(16)].to_vec()
    }

    /// A name, `generic(name)`, or `0xFF00(name)`, which is one byte of it.
    fn address(&mut self, node: &Cursor<'_>, plus: i64, at: u64) {
        let mut node = *node;
        let (mut generic, mut shift, mut plus) = (false, 0, plus);
        while matches!(
            node.kind(),
            SyntaxKind::APPLY_EXPRESSION | SyntaxKind::PARENTHESIZED_EXPRESSION
        ) {
            let mut children = node.nodes();
            let Some(first) = children.next() else {
                return;
            };
            let Some(inner) = children.next() else {
                node = first;
                continue;
            };
            match evaluate(&first, &mut Vec::new()) {
                Value::Constant(mask) => {
                    let mask = mask.integer().unwrap_or(0) as u64;
                    shift = mask.trailing_zeros().min(56) as u8;
                }
                _ => generic = true,
            }
            node = inner;
            if let Value::Offset(base, more) = evaluate(&node, &mut Vec::new()) {
                plus += more as i64;
                node = base;
            }
        }
        let name = node.tokens().next();
        let Some(of) = name.and_then(|it| self.names.get(it.text())) else {
            return;
        };
        self.found.push(Content::Address {
            at,
            size: self.size as u8,
            of,
            plus,
            generic,
            shift,
        });
    }
}

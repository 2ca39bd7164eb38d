//! The arithmetic of a program, counted as people count it: operations on floats.

use super::{
    float::Operation,
    program::{FloatUnary, Op, Program},
};

/// Operations on floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Work {
    /// Additions and multiplications of each lane: two of one that multiplies and adds.
    pub plain: u32,
    /// Divisions, roots and elementary functions of each lane.
    pub special: u32,
    /// Additions and multiplications in products of matrices, of a whole warp.
    pub tensor: u64,
}

impl Program {
    /// The operations on floats of one run.
    #[must_use]
    pub fn work(&self) -> Work {
        let mut work = Work::default();
        for op in &self.steps {
            match op {
                Op::Float(step) => match step.operation {
                    Operation::MultiplyAdd => work.plain += 2,
                    Operation::Add | Operation::Subtract | Operation::Multiply => work.plain += 1,
                    Operation::Divide | Operation::SquareRoot => work.special += 1,
                    Operation::Convert => {}
                },
                Op::FloatUnary(
                    FloatUnary::Exp2
                    | FloatUnary::Log2
                    | FloatUnary::Sine
                    | FloatUnary::Cosine
                    | FloatUnary::HyperbolicTangent
                    | FloatUnary::ReciprocalSquareRoot,
                    ..,
                ) => work.special += 1,
                _ => {}
            }
        }
        if let Some(matrix) = &self.matrix {
            let all = [matrix.parts, matrix.rows, matrix.columns, matrix.depth];
            work.tensor = 2 * all.iter().map(|it| *it as u64).product::<u64>();
        }
        work
    }
}

/// The additions and multiplications of a product of matrices by the word of its shape, such as `m64n128k16`.
#[must_use]
pub fn product_of_shape(words: &[impl AsRef<str>]) -> Option<u64> {
    words.iter().find_map(|word| {
        let (rows, rest) = word.as_ref().strip_prefix('m')?.split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        let number = |it: &str| it.parse::<u64>().ok();
        Some(2 * number(rows)? * number(columns)? * number(depth)?)
    })
}

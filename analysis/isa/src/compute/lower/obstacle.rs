//! Why a statement has no program, as a phrase.

use super::{Obstacle, Primitive};

impl Obstacle {
    /// The part of the machine that is missing, as a phrase for people.
    #[must_use]
    pub fn phrase(&self) -> &'static str {
        match self {
            Obstacle::Nothing => "nothing is computed",
            Obstacle::Memory => "such an access of memory",
            Obstacle::Matrix => "such a layout of a matrix",
            Obstacle::UnknownType(_) => "values of a type whose bits the manual does not describe",
            Obstacle::Unspecified(phrase) => phrase,
            Obstacle::Mistake(_) => "such a combination of words and operands",
            Obstacle::Chapter(primitive) => match primitive {
                Primitive::Texel
                | Primitive::SurfaceBytes
                | Primitive::Filtered
                | Primitive::Gathered
                | Primitive::Compared
                | Primitive::Resident
                | Primitive::Formatted
                | Primitive::Attribute
                | Primitive::KindOf => "textures and surfaces",
                Primitive::FabricBox => "another endpoint of a fabric",
                Primitive::TensorBox => "such a mode of tensor copies",
                Primitive::Widened => "decompression, which the manual shows in figures only",
                Primitive::TensorMemory | Primitive::Chosen | Primitive::Positions => {
                    "such a layout of tensor memory"
                }
                _ => "such an operand",
            },
        }
    }
}

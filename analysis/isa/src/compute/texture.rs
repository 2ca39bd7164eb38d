//! The questions of programs about textures and surfaces, PTX ISA 9.7.11 and 9.7.12; who runs them has the texels.

use super::{combination::Combination, node::Node, value_type::ElementType};

/// The dimensions of a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// The dimensions of a layer, 1 to 3.
    pub dimensions: u8,
    /// Whether it has layers: then the first coordinate is the layer.
    pub layered: bool,
    /// Whether it is a cube: six faces of two dimensions, and three coordinates that are a direction.
    pub cube: bool,
    /// Whether texels have several samples: then the first coordinate is the sample, before the layer.
    pub samples: bool,
}

impl Geometry {
    /// Reads `1d`, `a2d` and the like, without a period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Geometry> {
        let (dimensions, layered) = match word {
            "1d" => (1, false),
            "2d" => (2, false),
            "3d" => (3, false),
            "a1d" => (1, true),
            "a2d" => (2, true),
            "cube" => (2, false),
            "2dms" => (2, false),
            // The manual has the sample first in its text and second in its example; ptxas takes the first.
            "acube" | "a2dms" => (2, true),
            _ => return None,
        };
        Some(Geometry {
            dimensions,
            layered,
            cube: matches!(word, "cube" | "acube"),
            samples: matches!(word, "2dms" | "a2dms"),
        })
    }

    /// The number of coordinates.
    #[must_use]
    pub fn coordinates(self) -> u8 {
        self.dimensions
            + [self.cube, self.layered, self.samples]
                .map(u8::from)
                .iter()
                .sum::<u8>()
    }
}

/// The answer for places outside a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outside {
    /// An error.
    Trap,
    /// The nearest place inside.
    Nearest,
    /// Loads give 0 and stores write nothing.
    Zero,
}

impl Outside {
    /// Reads `trap`, `clamp` or `zero`, without a period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Outside> {
        Some(match word {
            "trap" => Outside::Trap,
            "clamp" => Outside::Nearest,
            "zero" => Outside::Zero,
            _ => return None,
        })
    }
}

/// A number that describes a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureProperty {
    /// Texels along the first dimension.
    Width,
    /// Along the second.
    Height,
    /// Along the third.
    Depth,
    /// The number of layers; 0 for what has no layers.
    Layers,
    /// The type of a channel, as OpenCL numbers it (PTX ISA 5.3.3).
    ChannelType,
    /// The channels and their order, as OpenCL numbers them (PTX ISA 5.3.3).
    ChannelOrder,
    /// 1 if coordinates go from 0 to 1.
    Normalized,
    /// 1 if texels are interpolated.
    Filter,
    /// The texels that are read outside, by the number of PTX ISA 9.7.11.5.
    Addressing,
    /// The levels of detail; 0 without mipmaps.
    Levels,
    /// The samples of a texel; 0 for what has one.
    Samples,
    /// 1 if a sampler makes coordinates count texels.
    Unnormalized,
}

impl TextureProperty {
    /// Reads `width`, `height` and the like, without a period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<TextureProperty> {
        Some(match word {
            "width" => TextureProperty::Width,
            "height" => TextureProperty::Height,
            "depth" => TextureProperty::Depth,
            "array_size" => TextureProperty::Layers,
            "channel_data_type" => TextureProperty::ChannelType,
            "channel_order" => TextureProperty::ChannelOrder,
            "normalized_coords" => TextureProperty::Normalized,
            "filter_mode" => TextureProperty::Filter,
            "addr_mode_0" | "addr_mode_1" | "addr_mode_2" => TextureProperty::Addressing,
            "num_mipmap_levels" => TextureProperty::Levels,
            "num_samples" => TextureProperty::Samples,
            "force_unnormalized_coords" => TextureProperty::Unnormalized,
            _ => return None,
        })
    }
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureQuery {
    /// The channels of a texel, perhaps between several.
    Texel {
        /// Whether the coordinates are floats.
        floats: bool,
    },
    /// A channel of the four texels that interpolation would take.
    Gather {
        /// The channel, from 0 for `r`.
        channel: u8,
    },
    /// Channels of a texel of a surface, whose first coordinate counts texels.
    Sample {
        /// The answer outside.
        outside: Outside,
    },
    /// Bytes of a surface, whose first coordinate counts bytes.
    Bytes {
        /// Bytes of an element.
        bytes: u8,
        /// The elements, one after the other.
        count: u8,
        /// The answer outside.
        outside: Outside,
    },
    /// A property, of the level of detail that is the only coordinate if there is one.
    Property(TextureProperty),
    /// 1 if the handle is one of an opaque type, else 0.
    Kind(OpaqueKind),
}

/// The types of opaque variables, PTX ISA 5.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

impl OpaqueKind {
    /// Reads `texref` and the like, without a period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<OpaqueKind> {
        Some(match word {
            "texref" => OpaqueKind::Texture,
            "samplerref" => OpaqueKind::Sampler,
            "surfref" => OpaqueKind::Surface,
            _ => return None,
        })
    }
}

/// The level of detail of a texel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Level 0.
    Base,
    /// A number in 32 bits.
    Level {
        /// The bits.
        at: Node,
        /// Whether it is a float.
        floats: bool,
    },
    /// The level follows from the derivatives of the coordinates along the two axes of a picture.
    Gradients([Vec<Node>; 2]),
}

/// A question of a program about a texture or surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureRequest {
    /// The kind.
    pub query: TextureQuery,
    /// The dimensions.
    pub geometry: Geometry,
    /// The texture or surface: a handle, or the address of a variable.
    pub handle: Node,
    /// The sampler; `None` for the one that belongs to the texture.
    pub sampler: Option<Node>,
    /// The coordinates, 32 bits each.
    pub coordinates: Vec<Node>,
    /// Offsets in texels that are added to the coordinates, along each dimension; empty for none.
    pub offsets: Vec<Node>,
    /// The level of detail.
    pub detail: Detail,
    /// The bits of an f32 with which each texel is compared.
    pub reference: Option<Node>,
    /// The type of a channel of the result, or of an element that is written.
    pub to: ElementType,
}

impl TextureRequest {
    pub(super) fn for_each_node(&mut self, act: &mut impl FnMut(&mut Node)) {
        act(&mut self.handle);
        let one = self.sampler.iter_mut().chain(&mut self.reference);
        let others = one.chain(&mut self.coordinates).chain(&mut self.offsets);
        others.for_each(&mut *act);
        match &mut self.detail {
            Detail::Base => {}
            Detail::Level { at, .. } => act(at),
            Detail::Gradients(all) => all.iter_mut().flatten().for_each(act),
        }
    }
}

/// An element that is written to a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelStore {
    /// Where, by its index in [`super::Program::textures`].
    pub request: u16,
    /// The element.
    pub element: u8,
    /// Its bits.
    pub value: Node,
    /// The operation that combines it with the element before; `None` to replace that.
    pub combined: Option<Combination>,
}

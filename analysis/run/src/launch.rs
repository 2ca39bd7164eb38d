//! A launch: which entry runs, on what shape of grid, with what arguments, and in which order.

/// A launch of an entry.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The entry, by its index in [`analysis::code::Code::functions`].
    pub entry: u32,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z.
    pub cluster: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u64,
    /// The arrays in global memory to which arguments may point.
    pub arrays: Vec<Array>,
    /// The arguments, parallel to the parameters of the entry.
    pub arguments: Vec<Argument>,
    /// The contents of `.texref`, `.samplerref` and `.surfref` variables, by their indices in
    /// [`analysis::code::Code::variables`].
    pub bound: Vec<(u32, Opaque)>,
    /// The order in which warps run.
    pub schedule: Schedule,
    /// Whether asynchronous operations land as late as allowed, and not at once.
    pub late: bool,
    /// How long it may run.
    pub limits: Limits,
}

/// An array in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name in messages.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
    /// Whether the contents are undefined until they are written.
    pub undefined: bool,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of an array, by its index in [`Launch::arrays`].
    Array(usize),
    /// The bytes of a scalar, or of a parameter that is passed by value.
    Bytes(Vec<u8>),
    /// A tensor map of 128 bytes, by value.
    TensorMap(TensorMap),
    /// The address of a tensor map in constant or global memory.
    TensorMapAddress(TensorMap),
    /// The handle of a texture, sampler or surface.
    Opaque(Opaque),
    /// The identifier of a logical endpoint of a fabric.
    Endpoint(Endpoint),
    /// None: reading it is an error.
    Missing,
}

/// A logical endpoint of a fabric: an array in global memory is its resource, from offset 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The array, by its index in [`Launch::arrays`].
    pub of: usize,
    /// Whether it is multicast, with this device as its only member.
    pub multicast: bool,
}

/// A texture, sampler or surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opaque {
    /// A texture or surface.
    Texture(Texture),
    /// A sampler of its own.
    Sampler(Sampler),
}

/// A texture or surface: an array in global memory as texels, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The array, by its index in [`Launch::arrays`].
    pub of: usize,
    /// The type of a channel: `f32`, `u8`.
    pub ty: String,
    /// The channels of a texel: 1, 2 or 4.
    pub channels: u8,
    /// Texels along x, y and z, as many as it has dimensions.
    pub shape: Vec<u64>,
    /// The number of layers of an array of textures, of cubes the number of cubes.
    pub layers: Option<u64>,
    /// Whether each layer is a cube: six faces, one after the other.
    pub cube: bool,
    /// The number of levels of detail, one after the other with all their layers; `None` without mipmaps.
    pub levels: Option<u64>,
    /// The samples of a texel, which are next to each other; `None` if it has one.
    pub samples: Option<u64>,
    /// Bytes from one row of level 0 to the next; rows of other levels are next to each other.
    pub pitch: u64,
    /// Whether coordinates go from 0 to 1.
    pub normalized: bool,
    /// Whether integers are read as numbers from 0 or -1 to 1.
    pub scaled: bool,
    /// The sampler, unless the instruction names another.
    pub sampler: Sampler,
}

/// How texels are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// Whether texels are interpolated.
    pub linear: bool,
    /// Whether levels of detail are interpolated.
    pub linear_levels: bool,
    /// The texels that are read outside.
    pub addressing: Addressing,
    /// Whether coordinates count texels whatever the texture has.
    pub unnormalized: bool,
    /// The comparison of an operand with each texel, if there is one.
    pub comparison: Option<Comparison>,
}

/// A comparison of an operand, on its left, with a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// The texels that are read outside a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressing {
    /// The nearest texel inside.
    #[default]
    Clamp,
    /// Zero.
    Border,
    /// The texture again and again; only with normalized coordinates.
    Wrap,
    /// The texture and its mirror image in turn; only with normalized coordinates.
    Mirror,
}

/// A tensor map, as `cuTensorMapEncodeTiled` or `cuTensorMapEncodeIm2col` takes it: innermost dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The array that it describes, by its index in [`Launch::arrays`].
    pub of: usize,
    /// The type of an element: `f16`, `u8`.
    pub ty: String,
    /// The elements along each dimension.
    pub shape: Vec<u64>,
    /// Bytes from one element to the next along each dimension but the innermost.
    pub strides: Vec<u64>,
    /// The elements of a box along each dimension.
    pub block: Vec<u32>,
    /// The distance of the elements that are taken, along each dimension.
    pub element_strides: Vec<u32>,
    /// Bytes of the swizzle: 0, 32, 64 or 128.
    pub swizzle: u32,
    /// Bytes of the interleave: 0, 16 or 32.
    pub interleave: u32,
    /// Whether elements out of bounds are NaN, and not zero.
    pub fill_nan: bool,
    /// The columns of pixels that `cuTensorMapEncodeIm2col` takes instead of a box.
    pub images: Option<Images>,
}

/// The parameters of a tensor map of images; lists begin with the width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// The first place of the bounding box, from the start of the image.
    pub lower: Vec<i16>,
    /// The last place of it, from the last pixel of the image.
    pub upper: Vec<i16>,
    /// Elements of a pixel.
    pub channels: u16,
    /// Pixels of a column.
    pub pixels: u16,
}

/// The order in which warps run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// The first warp first.
    #[default]
    Lowest,
    /// The last warp first.
    Reverse,
    /// An order drawn with a seed.
    Random(u64),
}

/// How long a launch may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of warps.
    pub steps: u64,
    /// Instructions of warps after the last finding, once there is one: wrong code may loop forever.
    pub after_findings: u64,
    /// Bytes of arrays, shared and local memory together.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 1 << 32,
            after_findings: 1 << 24,
            memory: 256 << 20,
        }
    }
}

//! The keys of textures and samplers, as completion shows them.

/// A key, the text that completion inserts, and its description.
pub(super) type Described = (&'static str, &'static str, &'static str);

const FILTER: Described = (
    "filter",
    "filter = \"",
    "The nearest texel (`point`, the default), or a mean of its neighbours (`linear`).",
);
const LEVEL_FILTER: Described = (
    "level_filter",
    "level_filter = \"",
    "The nearest level of detail (`point`, the default), or a mean of two (`linear`).",
);
const ADDRESS: Described = (
    "address",
    "address = \"",
    "What is read outside: `clamp` (the default), `border`, `wrap` or `mirror`.",
);
const COMPARE: Described = (
    "compare",
    "compare = \"",
    "The comparison of an operand, on its left, with each texel.",
);

/// The keys of a logical endpoint.
pub(super) const ENDPOINT: &[Described] = &[
    ("of", "of = \"", "The array that is its resource."),
    (
        "multicast",
        "multicast = true",
        "Whether it is a multicast one, of which this device is the only member.",
    ),
];

/// The keys of a texture.
pub(super) const TEXTURE: &[Described] = &[
    ("of", "of = \"", "The array with the texels."),
    ("type", "type = \"", "The type of a channel."),
    (
        "channels",
        "channels = ",
        "The channels of a texel: 1, 2 or 4; 1 by default.",
    ),
    ("shape", "shape = [", "The texels along x, y and z."),
    (
        "layers",
        "layers = ",
        "The number of layers of an array of textures, of cubes the number of cubes.",
    ),
    (
        "cube",
        "cube = true",
        "Each layer is a cube: six faces, one after the other.",
    ),
    (
        "pitch",
        "pitch = ",
        "The bytes from one row to the next; the rows are next to each other by default.",
    ),
    (
        "levels",
        "levels = ",
        "The number of levels of detail, one after the other.",
    ),
    (
        "samples",
        "samples = ",
        "The samples of a texel, which are next to each other.",
    ),
    FILTER,
    LEVEL_FILTER,
    ADDRESS,
    COMPARE,
    (
        "normalized",
        "normalized = ",
        "Whether coordinates go from 0 to 1.",
    ),
    (
        "scaled",
        "scaled = ",
        "Whether integers are read as numbers from 0 or -1 to 1.",
    ),
];

/// The keys of a sampler.
pub(super) const SAMPLER: &[Described] = &[
    FILTER,
    LEVEL_FILTER,
    ADDRESS,
    COMPARE,
    (
        "unnormalized",
        "unnormalized = ",
        "Whether coordinates count texels whatever the texture has.",
    ),
];

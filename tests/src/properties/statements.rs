//! Whatever is in a body, the checks and the requests while typing give an answer.

use std::sync::Arc;

use analysis::FilePosition;
use syntax::{FileContents, TextSize};

use crate::properties::answers::{self, Answers, FILE};

const WHY: &str = "no cancellation";

/// Versions, right and wrong.
pub const VERSIONS: &[&str] = &[
    "1.0", "2.3", "4.1", "6.0", "7.8", "8.0", "8.6", "9.0", "9.3", "0.0", "99.9", "8",
];
/// Targets, right and wrong.
pub const TARGETS: &[&str] = &[
    "sm_10",
    "sm_20",
    "sm_52",
    "sm_70",
    "sm_80",
    "sm_90",
    "sm_90a",
    "sm_100",
    "sm_100a",
    "sm_103f",
    "sm_120a",
    "sm_90, texmode_independent",
    "sm_90, debug",
    "sm_0",
    "sm_999",
];
/// Widths of addresses, right and wrong.
pub const ADDRESS_SIZES: &[&str] = &["64", "32", "16"];
/// Declarations of a name of each kind.
pub const DECLARATIONS: &str = "\
.reg .pred p, q<4>; .reg .b8 b; .reg .b16 h; .reg .b32 r, s<9>; .reg .b64 d; .reg .b128 w;
.reg .f16x2 x; .reg .f32 f; .reg .f64 e; .reg .s32 i; .reg .u64 u;
.local .b8 l[16]; .shared .b64 m; .param .b32 a;
";

/// A module with statements in a body; each index counts into a list above, and over again.
#[must_use]
pub fn module([version, target, address_size]: [usize; 3], statements: &str) -> String {
    let choose = |list: &[&'static str], index: usize| list[index % list.len()];
    format!(
        ".version {}\n.target {}\n.address_size {}\n\
         .global .b64 g[4]; .global .texref t; .const .f32 c = 0f00000000;\n\
         .func (.param .b32 o) k(.param .b32 k_0);\n.entry n(.param .b64 k_0, .param .b32 k_1)\n{{\n\
         {DECLARATIONS}L:\n{statements}ret;\n}}\n",
        choose(VERSIONS, version),
        choose(TARGETS, target),
        choose(ADDRESS_SIZES, address_size),
    )
}

/// Makes all requests about the file, and the requests while typing at these offsets.
pub fn check(text: &str, places: impl IntoIterator<Item = usize>) {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let analysis = host.analysis();
    Answers::new(&analysis, FILE);
    for place in places {
        let at = FilePosition {
            file: FILE,
            offset: TextSize::try_from(text.floor_char_boundary(place)).expect("a short text"),
        };
        analysis.hover(at).expect(WHY);
        analysis.completions(at).expect(WHY);
        analysis.signature_help(at).expect(WHY);
    }
}

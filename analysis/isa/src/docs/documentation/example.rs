//! Examples of the documentation: what a reader sees, and the module around it.

use crate::target::{Target, Version};

/// A piece of PTX that assembles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example<'a> {
    /// The `.version` that it is written for.
    pub version: Version,
    /// The `.target` that it is written for.
    pub target: Target,
    /// The text: statements of a kernel, or a whole module if it has a `.version`.
    pub text: &'a str,
}

/// Names that the statements of examples may use without declaring them.
const BEFORE: &str = "\
.global .align 128 .b8 global_data[4096];
.const .align 16 .b8 constant_data[256];
.shared .align 1024 .b8 shared_data[8192];
.shared .align 8 .b64 barrier;
";

const REGISTERS: &str = "\
    .reg .pred %p<8>;
    .reg .b16 %h<32>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<32>;
    .reg .f32 %f<64>;
    .reg .f64 %fd<16>;
    .local .align 16 .b8 local_data[64];
";

impl<'a> Example<'a> {
    /// Reads a block of a page whose fence says ` ```ptx 8.0 sm_90 `; none for other blocks.
    #[must_use]
    pub fn read(words: &str, text: &'a str) -> Option<Example<'a>> {
        let mut words = words.split_whitespace();
        if words.next()? != "ptx" {
            return None;
        }
        Some(Example {
            version: Version::parse(words.next()?)?,
            target: Target::parse(words.next()?)?,
            text: text.trim_end(),
        })
    }

    /// The module that is to be assembled.
    #[must_use]
    pub fn program(&self) -> String {
        if self.text.contains(".version") {
            return format!("{}\n", self.text);
        }
        in_kernel(self.version, &self.target.to_string(), self.text)
    }
}

/// A module with a kernel of these statements, and the names that examples may use.
pub(crate) fn in_kernel(version: Version, target: &str, statements: &str) -> String {
    // Registers of 128 bits came late.
    let wide = if statements.contains("%q") {
        "    .reg .b128 %q<8>;\n"
    } else {
        ""
    };
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n{BEFORE}\
         .visible .entry example(.param .u64 pointer, .param .u32 count, \
         .param .align 64 .b8 tensor_map[128])\n{{\n{REGISTERS}{wide}{statements}\n    ret;\n}}\n"
    )
}

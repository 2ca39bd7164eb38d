//! Pieces of code that authors write again and again. Each assembles for the target that it names.

use crate::target::{Gate, Target, Version};

/// Where a snippet may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Among the items of a module, or as a whole one.
    Module,
    /// Among the statements of a body.
    Body,
}

/// A piece of code.
#[derive(Debug)]
pub struct Snippet {
    /// What an author types to get it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub description: &'static str,
    /// Where it may stand.
    pub place: Place,
    /// The least version.
    version: (u8, u8),
    /// The target.
    target: &'static str,
    /// The text, with the places of the cursor in the notation of LSP snippets.
    pub text: &'static str,
}

impl Snippet {
    /// What the snippet needs.
    #[must_use]
    pub fn gate(&self) -> Gate {
        Gate {
            since: Some(Version::new(self.version.0, self.version.1)),
            until: None,
            targets: Target::parse(self.target).into_iter().collect(),
            below: None,
        }
    }

    /// The text with the proposed words in the places of the cursor.
    #[must_use]
    pub fn plain(&self) -> String {
        let mut plain = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while let Some(at) = rest.find('$') {
            plain.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(place) = rest.strip_prefix('{') {
                let (place, tail) = place.split_once('}').unwrap_or((place, ""));
                plain.push_str(place.split_once(':').map_or("", |it| it.1));
                rest = tail;
            } else {
                rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
            }
        }
        plain.push_str(rest);
        plain
    }

    /// A module that holds the snippet.
    #[must_use]
    pub fn program(&self) -> String {
        let text = self.plain();
        if text.contains(".version") {
            return text;
        }
        let (major, minor) = self.version;
        let header = format!(
            ".version {major}.{minor}\n.target {}\n.address_size 64\n",
            self.target
        );
        match self.place {
            Place::Module => format!("{header}{text}\n"),
            Place::Body => format!(
                "{header}.visible .entry example(.param .u64 pointer, .param .align 64 .b8 tensor_map[128])\n{{\n{text}\n    ret;\n}}\n"
            ),
        }
    }
}

/// Every snippet.
pub const SNIPPETS: &[Snippet] = &[
    Snippet {
        name: "module",
        description: "A new module with a kernel",
        place: Place::Module,
        version: (8, 0),
        target: "sm_90",
        text: "\
.version ${1:8.0}
.target ${2:sm_90}
.address_size 64

.visible .entry ${3:kernel}(
    .param .u64 ${4:pointer}
)
{
    $0
    ret;
}",
    },
    Snippet {
        name: "entry",
        description: "A kernel with parameters",
        place: Place::Module,
        version: (2, 3),
        target: "sm_20",
        text: "\
.visible .entry ${1:kernel}(
    .param .u64 ${2:input},
    .param .u64 ${3:output},
    .param .u32 ${4:count}
)
{
    $0
    ret;
}",
    },
    Snippet {
        name: "func",
        description: "A device function",
        place: Place::Module,
        version: (2, 3),
        target: "sm_20",
        text: "\
.func (.param .b32 ${1:result}) ${2:function}(
    .param .b32 ${3:argument}
)
{
    $0
    ret;
}",
    },
    Snippet {
        name: "thread-index",
        description: "The index of the thread in the grid",
        place: Place::Body,
        version: (2, 3),
        target: "sm_20",
        text: "\
{
    .reg .b32 ${1:%block}, ${2:%size}, ${3:%thread}, ${4:%index};
    mov.u32 ${1:%block}, %ctaid.x;
    mov.u32 ${2:%size}, %ntid.x;
    mov.u32 ${3:%thread}, %tid.x;
    mad.lo.u32 ${4:%index}, ${1:%block}, ${2:%size}, ${3:%thread};
    $0
}",
    },
    Snippet {
        name: "load-global",
        description: "Loads the element of this thread through a pointer parameter",
        place: Place::Body,
        version: (2, 3),
        target: "sm_20",
        text: "\
{
    .reg .b32 %thread;
    .reg .b64 %base, %offset, %address;
    .reg .f32 ${1:%value};
    ld.param.u64 %base, [${2:pointer}];
    cvta.to.global.u64 %base, %base;
    mov.u32 %thread, %tid.x;
    mul.wide.u32 %offset, %thread, 4;
    add.s64 %address, %base, %offset;
    ld.global.f32 ${1:%value}, [%address];
    $0
}",
    },
    Snippet {
        name: "mbarrier-wait",
        description: "Waits until a phase of an mbarrier is complete",
        place: Place::Body,
        version: (8, 0),
        target: "sm_90",
        text: "\
{
    .shared .align 8 .b64 ${1:full};
    .reg .b32 ${2:%parity};
    .reg .pred %done;
    mov.b32 ${2:%parity}, 0;
${3:wait}:
    mbarrier.try_wait.parity.shared::cta.b64 %done, [${1:full}], ${2:%parity};
    @!%done bra ${3:wait};
    $0
}",
    },
    Snippet {
        name: "tma-load",
        description: "Loads a box of a 2d tensor into shared memory and signals an mbarrier",
        place: Place::Body,
        version: (8, 0),
        target: "sm_90",
        text: "\
{
    .shared .align 128 .b8 ${1:box}[${2:8192}];
    .shared .align 8 .b64 ${3:full};
    .reg .b32 ${4:%x}, ${5:%y};
    .reg .b64 %map;
    mov.b32 ${4:%x}, 0;
    mov.b32 ${5:%y}, 0;
    mov.b64 %map, ${6:tensor_map};
    mbarrier.init.shared::cta.b64 [${3:full}], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [${3:full}], ${2:8192};
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [${1:box}], [%map, {${4:%x}, ${5:%y}}], [${3:full}];
    $0
}",
    },
    Snippet {
        name: "wgmma",
        description: "Multiplies two tiles in shared memory with a warpgroup",
        place: Place::Body,
        version: (8, 0),
        target: "sm_90a",
        text: "\
{
    .reg .f32 %d<4>;
    .reg .b64 ${1:%descriptor_a}, ${2:%descriptor_b};
    .reg .pred %accumulate;
    setp.ne.b32 %accumulate, ${3:1}, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, ${1:%descriptor_a}, ${2:%descriptor_b}, %accumulate, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    $0
}",
    },
    Snippet {
        name: "tcgen05",
        description: "Allocates tensor memory, multiplies two tiles into it and reads the result",
        place: Place::Body,
        version: (8, 6),
        target: "sm_100a",
        text: "\
{
    .shared .align 4 .b32 ${1:slot};
    .shared .align 8 .b64 ${2:done};
    .reg .b32 %tensor, ${3:%instruction}, %r<4>;
    .reg .b64 ${4:%descriptor_a}, ${5:%descriptor_b};
    .reg .pred %accumulate;
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [${1:slot}], ${6:32};
    ld.shared.b32 %tensor, [${1:slot}];
    setp.ne.b32 %accumulate, ${7:0}, 0;
    tcgen05.mma.cta_group::1.kind::f16 [%tensor], ${4:%descriptor_a}, ${5:%descriptor_b}, ${3:%instruction}, %accumulate;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [${2:done}];
    $0
    tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r0, %r1, %r2, %r3}, [%tensor];
    tcgen05.wait::ld.sync.aligned;
    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tensor, ${6:32};
    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
}",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_cursor_become_their_words() {
        let module = &SNIPPETS[0];
        assert!(module.plain().starts_with(".version 8.0\n.target sm_90\n"));
        for snippet in SNIPPETS {
            assert!(!snippet.plain().contains('$'), "{}", snippet.name);
            assert!(Target::parse(snippet.target).is_some(), "{}", snippet.name);
        }
    }
}

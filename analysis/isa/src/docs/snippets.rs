//! Pieces of code that authors write again and again. Each assembles for the target that it names.

use crate::{
    documentation::in_kernel,
    target::{Gate, Target, Version},
};

/// Where a snippet may appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetPlace {
    /// Among the items of a module, or as a whole one.
    Module,
    /// Among the statements of a body.
    Body,
}

/// A piece of code.
#[derive(Debug)]
pub struct Snippet {
    /// The prefix that an author types to get it.
    pub name: &'static str,
    /// A description in a few words.
    pub description: &'static str,
    /// Where it may appear.
    pub place: SnippetPlace,
    /// The least version.
    version: (u8, u8),
    /// The target.
    target: &'static str,
    /// The text, with the places of the cursor in the notation of LSP snippets.
    pub text: &'static str,
}

impl Snippet {
    /// The requirements of the snippet.
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

    /// A module that holds the snippet, and declares the names that it proposes.
    #[must_use]
    pub fn program(&self) -> String {
        let text = self.plain();
        if text.contains(".version") {
            return text;
        }
        let version = Version::new(self.version.0, self.version.1);
        let target = self.target;
        match self.place {
            SnippetPlace::Module => {
                format!(".version {version}\n.target {target}\n.address_size 64\n{text}\n")
            }
            SnippetPlace::Body => in_kernel(version, target, &text),
        }
    }
}

/// Every snippet.
pub const SNIPPETS: &[Snippet] = &[
    Snippet {
        name: "module",
        description: "A new module with a kernel",
        place: SnippetPlace::Module,
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
        place: SnippetPlace::Module,
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
        place: SnippetPlace::Module,
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
        place: SnippetPlace::Body,
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
        place: SnippetPlace::Body,
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
        place: SnippetPlace::Body,
        version: (8, 0),
        target: "sm_90",
        text: "\
{
    .reg .pred %done;
${3:wait}:
    mbarrier.try_wait.parity.shared::cta.b64 %done, [${1:barrier}], ${2:%r0};
    @!%done bra ${3:wait};
}
$0",
    },
    Snippet {
        name: "elect-thread",
        description: "Executes statements in one thread of a converged warp",
        place: SnippetPlace::Body,
        version: (8, 0),
        target: "sm_90",
        text: "\
{
    .reg .pred %elected;
    elect.sync _|%elected, 0xffffffff;
    @!%elected bra ${1:elected_done};
    $0
${1:elected_done}:
}",
    },
    Snippet {
        name: "tma-load",
        description: "Loads a box of a 2d tensor into shared memory; all threads of the CTA wait for it",
        place: SnippetPlace::Body,
        version: (8, 0),
        target: "sm_90",
        text: "\
{
    .reg .b32 %thread;
    .reg .b64 %map;
    .reg .pred %first, %done;
    mov.u32 %thread, %tid.x;
    setp.eq.u32 %first, %thread, 0;
    @%first mbarrier.init.shared::cta.b64 [${1:barrier}], 1;
    @%first fence.mbarrier_init.release.cluster;
    bar.sync 0;
    mov.b64 %map, ${2:tensor_map};
    cvta.param.u64 %map, %map;
    @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [${1:barrier}], ${3:8192};
    @%first cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [${4:shared_data}], [%map, {${5:%r0}, ${6:%r1}}], [${1:barrier}];
${7:loaded}:
    mbarrier.try_wait.parity.shared::cta.b64 %done, [${1:barrier}], 0;
    @!%done bra ${7:loaded};
}
$0",
    },
    Snippet {
        name: "wgmma",
        description: "Multiplies two tiles in shared memory with a warpgroup: D = A * B",
        place: SnippetPlace::Body,
        version: (8, 0),
        target: "sm_90a",
        text: "\
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {${1:%f0}, ${2:%f1}, ${3:%f2}, ${4:%f3}}, ${5:%rd0}, ${6:%rd1}, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
$0",
    },
    Snippet {
        name: "tcgen05-mma",
        description: "Multiplies two tiles into tensor memory with one thread of this warp, and signals an mbarrier",
        place: SnippetPlace::Body,
        version: (8, 6),
        target: "sm_100a",
        text: "\
{
    .reg .pred %elected;
    tcgen05.fence::after_thread_sync;
    elect.sync _|%elected, 0xffffffff;
    @%elected tcgen05.mma.cta_group::1.kind::f16 [${1:%r0}], ${2:%rd0}, ${3:%rd1}, ${4:%r1}, 0;
    @%elected tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [${5:barrier}];
}
$0",
    },
    Snippet {
        name: "tcgen05-read",
        description: "Waits for the mbarrier of tcgen05.commit and reads this warp's rows of the accumulator",
        place: SnippetPlace::Body,
        version: (8, 6),
        target: "sm_100a",
        text: "\
{
    .reg .b32 %warp, %rows;
    .reg .pred %done;
${1:computed}:
    mbarrier.try_wait.parity.shared::cta.b64 %done, [${2:barrier}], ${3:%r2};
    @!%done bra ${1:computed};
    tcgen05.fence::after_thread_sync;
    mov.u32 %warp, %tid.x;
    shr.u32 %warp, %warp, 5;
    and.b32 %warp, %warp, 3;
    shl.b32 %rows, %warp, 21;
    add.u32 %rows, %rows, ${4:%r0};
    tcgen05.ld.sync.aligned.32x32b.x4.b32 {${5:%f0}, ${6:%f1}, ${7:%f2}, ${8:%f3}}, [%rows];
    tcgen05.wait::ld.sync.aligned;
}
$0",
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

//! PTX inside files of other languages on the command line.

use expect_test::expect;

use super::{check_in, folder};

const KERNEL: &str = "__global__ void k(unsigned *p) {\n    unsigned x = p[0];\n    /* größe */ asm volatile(\"add.u32 %0, %0, 1;\\n\\t\"\n        \"sub.z32 %0, %0, 2;\" : \"+r\"(x));\n    asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n}\n";

#[test]
fn files_of_other_languages_are_checked_when_they_are_named() {
    let folder = folder(&[("a.cu", KERNEL.as_bytes()), ("b.txt", KERNEL.as_bytes())]);
    check_in(
        folder.path(),
        &["check", "DIR/a.cu", "--target", "sm_80"],
        b"",
        expect![[r#"
            error[modifier-not-allowed]: `.z32` is not allowed in `sub.z32`
             --> DIR/a.cu:4:13
              |
            4 |         "sub.z32 %0, %0, 2;" : "+r"(x));
              |             ^^^^
              |
            help: did you mean `.s32`?

            error[unsupported-by-target]: `fence.proxy.async` needs target `sm_90` or later; this code is compiled for `sm_80`
             --> DIR/a.cu:5:19
              |
            5 |     asm volatile("fence.proxy.async;" ::: "memory");
              |                   ^^^^^^^^^^^

            checked 1 file: 2 errors
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "DIR"],
        b"",
        expect![[r#"
            checked 0 files
            warning: DIR: no PTX files found
            status 0
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "--embedded", "--format", "json", "DIR"],
        b"",
        expect![[r#"
            {"file":"DIR/a.cu","line":4,"column":13,"end_line":4,"end_column":17,"severity":"error","code":"modifier-not-allowed","message":"`.z32` is not allowed in `sub.z32`","help":"did you mean `.s32`?","fixes":[{"title":"Replace `.z32` by `.s32`","edits":[{"line":4,"column":14,"end_line":4,"end_column":17,"insert":"s32"}]}]}
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "--embedded", "--format", "github", "DIR"],
        b"",
        expect![[r#"
            ::error title=modifier-not-allowed,file=DIR/a.cu,line=4,endLine=4,col=13,endColumn=17::`.z32` is not allowed in `sub.z32`%0Adid you mean `.s32`?
            checked 1 file: 1 error
            status 1
        "#]],
    );
}

#[test]
fn targets_come_from_the_compile_commands() {
    let commands =
        br#"[{"directory": ".", "file": "../a.cu", "command": "nvcc -arch=sm_80 a.cu"}]"#;
    let text = KERNEL.replace(".z32", ".u32");
    let folder = folder(&[
        ("a.cu", text.as_bytes()),
        ("build/compile_commands.json", commands),
    ]);
    check_in(
        folder.path(),
        &["check", "DIR/a.cu"],
        b"",
        expect![[r#"
        error[unsupported-by-target]: `fence.proxy.async` needs target `sm_90` or later; this code is compiled for `sm_80`
         --> DIR/a.cu:5:19
          |
        5 |     asm volatile("fence.proxy.async;" ::: "memory");
          |                   ^^^^^^^^^^^

        checked 1 file: 1 error
        status 1
    "#]],
    );
    let marked = format!("// ptx-analyzer: target sm_90\n{text}");
    std::fs::write(folder.path().join("a.cu"), marked).expect("a file");
    check_in(
        folder.path(),
        &["check", "DIR/a.cu"],
        b"",
        expect![[r#"
        checked 1 file: no problems
        status 0
    "#]],
    );
}

/// A statement on two lines, one without operands, and one in a program of Python.
const STATEMENTS: &str = "__device__ void f(unsigned x) {\n    asm volatile(\"{ .reg .u32 t; add.u32 t, %0, 1;\" \" }\" :: \"r\"(x + 1));\n    asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n}\n";

#[test]
fn fragments_are_printed_as_modules() {
    let folder = folder(&[("a.cu", STATEMENTS.as_bytes()), ("b.ptx", b"")]);
    check_in(
        folder.path(),
        &["extract", "--asm", "DIR/a.cu"],
        b"",
        expect![[r#"
            // DIR/a.cu:2:19
            // %0 "r" x + 1
            .version 9.5
            .target sm_90a
            .address_size 64
            .func ptx_fragment()
            {
                .reg .b32 %0;

                {
                    .reg .u32 t;
                    add.u32 t, %0, 1;
                }
            }

            // DIR/a.cu:3:19
            .version 9.5
            .target sm_90a
            .address_size 64
            .func ptx_fragment()
            {

                fence.proxy.async;
            }

            status 0
        "#]],
    );
    check_in(
        folder.path(),
        &[
            "extract", "--asm", "--target", "sm_100a", "--format", "json", "DIR/a.cu",
        ],
        b"",
        expect![[r#"
            {"file":"DIR/a.cu","line":2,"column":19,"end_line":2,"end_column":56,"target":"sm_100a","operands":[{"placeholder":"%0","constraint":"r","register":".b32","expression":"x + 1"}],"ptx":".version 9.5\n.target sm_100a\n.address_size 64\n.func ptx_fragment()\n{\n    .reg .b32 %0;\n\n    {\n        .reg .u32 t;\n        add.u32 t, %0, 1;\n    }\n}\n"}
            {"file":"DIR/a.cu","line":3,"column":19,"end_line":3,"end_column":37,"target":"sm_100a","operands":[],"ptx":".version 9.5\n.target sm_100a\n.address_size 64\n.func ptx_fragment()\n{\n\n    fence.proxy.async;\n}\n"}
            status 0
        "#]],
    );
    check_in(
        folder.path(),
        &["extract", "--asm", "DIR/b.ptx"],
        b"",
        expect![[r#"
            error: DIR/b.ptx: its name does not say that it is C++, Python, Rust or LLVM IR
            status 2
        "#]],
    );
}

#[test]
fn strings_are_laid_out_on_request() {
    let folder = folder(&[("a.cu", STATEMENTS.as_bytes())]);
    check_in(
        folder.path(),
        &["format", "DIR/a.cu"],
        b"",
        expect![[r#"
        error: DIR/a.cu: it is not PTX; --embedded formats the PTX in its strings
        status 2
    "#]],
    );
    check_in(
        folder.path(),
        &["format", "--embedded", "--check", "DIR"],
        b"",
        expect![[r#"
            DIR/a.cu is not formatted
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["format", "--embedded", "DIR/a.cu"],
        b"",
        expect![[r#"
            status 0
        "#]],
    );
    expect![[r#"
        __device__ void f(unsigned x) {
            asm volatile("{                    \n\t"
                         "    .reg .u32 t;     \n\t"
                         "    add.u32 t, %0, 1;\n\t"
                         "}" :: "r"(x + 1));
            asm volatile("fence.proxy.async;" ::: "memory");
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(folder.path().join("a.cu")).expect("a file"));
    check_in(
        folder.path(),
        &["format", "--embedded", "--check", "DIR/a.cu"],
        b"",
        expect![[r#"
            status 0
        "#]],
    );
}

#[test]
fn statements_of_a_line_are_explained() {
    let folder = folder(&[("a.cu", STATEMENTS.as_bytes())]);
    for (at, expected) in [
        (
            "DIR/a.cu:3",
            expect![[r#"
                [
                  {
                    "found": [
                      {
                        "kind": "instruction",
                        "markdown": "Orders accesses to the same memory that go through different proxies.\n\n```ptx\nfence.proxy.async\n```\n\nNeeds `sm_90`, PTX ISA 8.0.\n\nOrdinary loads and stores, bulk copies and matrix instructions, tensor maps, the fabric, and aliased addresses reach memory through proxies that do not see each other's accesses in order. Wherever data change from one proxy to another, place this fence between the accesses.\n\n## Modifiers\n\n- `.async`: The instruction starts the operation and does not wait for it; another instruction waits. Here: both ways between the generic and the asynchronous proxy, for all spaces or the one that follows.\n\n## Example\n\nPTX ISA 8.0, `sm_90`:\n\n```ptx\n    st.shared.u32 [shared_data], %r0;\n    fence.proxy.async.shared::cta;\n    bar.sync 0;\n    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [shared_data], 4096;\n    @%p0 cp.async.bulk.commit_group;\n    @%p0 cp.async.bulk.wait_group.read 0;\n```\n\n## Notes\n\n- The forms without a scope act within one thread. The thread that made the ordinary accesses executes the fence; then a barrier or an arrival passes the order on to the thread that starts the copy. Do not rely on a single fence of the copying thread, after the barrier, for what others stored.\n- From asynchronous to generic no fence is needed after waiting: the completion of an mbarrier, or of a bulk group, makes the result visible to ordinary loads.\n- The memory model also requires the fence for a buffer that ordinary loads have read and a bulk copy will overwrite. The usual pipelines only arrive at an “empty” mbarrier after the loads and wait for it before the copy.\n- `fence` and `bar.sync` do not replace this fence. Without it results are wrong, rarely and without an error.\n- `st.async`, `red.async` and the mbarrier instructions are in the generic proxy, as is `cp.async` without `.bulk`.\n- The start of a kernel does not acquire tensor maps that an earlier kernel changed: use the acquiring `.tensormap::generic` form. Maps passed as `__grid_constant__` parameters, written by the host, need none.\n- `.alias` is for memory that is mapped twice; ordinary pointers into one allocation do not need it.\n\n## Pseudo-code\n\n```c\nshared memory written by st, then read by cp.async.bulk or wgmma:\n    st.shared ...;  fence.proxy.async.shared::cta;  bar.sync 0;\n    one thread:     cp.async.bulk.global.shared::cta ...;\n\ntensor map changed by tensormap.replace, then used:\n    writer:  fence.proxy.tensormap::generic.release.gpu;  st.relaxed flag\n    user:    ld.relaxed flag;  fence.proxy.tensormap::generic.acquire.gpu [map], 128;\n```\n\n## More examples\n\nPTX ISA 8.3, `sm_90`:\n\n```ptx\n    fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;\n```\n\nPTX ISA 9.4, `sm_90`:\n\n```ptx\n    fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;\n```\n\n\nSee also `fence`, `cp.async.bulk`, `cp.async.bulk.tensor`, `wgmma.mma_async`, `tensormap.cp_fenceproxy`, `tensormap.replace`, `fabric.wait`\n\n[PTX ISA 9.7.14.4](https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-membar-fence)",
                        "name": "fence.proxy.async"
                      }
                    ],
                    "question": "fence.proxy.async;",
                    "similar": []
                  }
                ]
                status 0
            "#]],
        ),
        (
            "DIR/a.cu:1",
            expect![[r#"
            error: DIR/a.cu:1: there is no statement of PTX on that line
            status 2
        "#]],
        ),
        (
            "DIR/a.cu",
            expect![[r#"
            error: `DIR/a.cu` is not a file and a line, as in `kernel.cu:12`
            status 2
        "#]],
        ),
    ] {
        check_in(
            folder.path(),
            &["explain", "--format", "json", "--at", at],
            b"",
            expected,
        );
    }
}

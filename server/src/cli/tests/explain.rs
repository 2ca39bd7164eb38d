//! The command `explain`.

use super::*;

#[test]
fn unknown_words_are_not_explained() {
    check(
        &["explain", "qqzzyy"],
        "",
        expect![[r#"
        error: no documentation for `qqzzyy`; `ptx-analyzer explain --list` prints all names
        status 2
    "#]],
    );
    check(
        &["explain", "mbarier.init"],
        "",
        expect![[r#"
        error: no documentation for `mbarier.init`; did you mean `mbarrier.init`?
        status 2
    "#]],
    );
    check(
        &["explain", "add", "--target", "sm_91"],
        "",
        expect![[r#"
            error: invalid value 'sm_91' for '--target <TARGET>': there is no such target; did you mean `sm_90`?

            For more information, try '--help'.
            status 2
        "#]],
    );
}

#[test]
fn statements_are_explained_without_quotes() {
    check(
        &[
            "explain",
            "--target",
            "sm_75",
            "elect.sync",
            "_|%p1,",
            "0xffffffff;",
        ],
        "",
        expect![[r#"
            elect (instruction)

                elect.sync d|p, membermask

            Not available on sm_75: needs sm_90, PTX ISA 8.0.

            Elects one lane of the warp, always the same for the same mask.

            For work that one thread does for its warp: bulk copies, arrivals, tcgen05 and
            other instructions that a single thread issues.

            Modifiers

            - .sync: The executing thread waits until all threads named by the member mask,
              or all threads of the warp where there is no mask, execute this same
              instruction.

            Operands

            - d (_|%p1): the lane ID of the elected thread, or _.
            - p: true in the elected thread, false in all others.
            - membermask (0xffffffff): a bit for each lane that takes part; its own bit must
              be set.

            Notes

            - The elected lane is unspecified. Do not assume lane 0.
            - The choice is deterministic, so groups of asynchronous operations, which
              belong to a thread, stay with the same one: the lane that commits must be the
              lane that waits.
            - All lanes of the mask must execute it; a missing one hangs the warp.
            - ptxas knows that exactly one lane is active under p; a test of %laneid does
              not always tell it.
            - It orders no memory; bar.warp.sync before it makes the stores of the other
              lanes visible to the elected one.

            Examples

            PTX ISA 8.0, sm_90:

                    elect.sync _|%p0, 0xffffffff;
                    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 4096;
                    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared_data], [%rd0], 4096, [barrier];

            See also vote, activemask, cp.async.bulk, tcgen05.mma, mbarrier.arrive

            PTX ISA 9.7.14.15
            (https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync)
            status 0
        "#]],
    );
}

#[test]
fn explanations_are_json() {
    check(
        &["explain", "--format", "json", "%tid.x", "xqzq"],
        "",
        expect![[r#"
            [
              {
                "found": [
                  {
                    "kind": "special register",
                    "markdown": "The `.x` component of `%tid`. Position of the thread in its CTA. A vector `.v4.u32`; each component runs from 0 to that of `%ntid` minus 1, and unused dimensions and `.w` are 0.\n\n- Only `mov` and `cvt` read it; copy it to a register before computing with it.\n- Threads are numbered along x first: `tid.x + ntid.x * (tid.y + ntid.y * tid.z)`. Warps are runs of 32 of these numbers, so a warp of a CTA that is 16 wide covers two rows.\n- 16-bit `mov` and `cvt` read the lower half, as code for PTX ISA 1.x does; `%ntid`, `%ctaid` and `%nctaid` allow this too.\n\n```ptx 2.3 sm_20\n    mov.u32 %r0, %tid.x;\n    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mad.lo.u32 %r3, %r1, %r2, %r0;\n```",
                    "name": "%tid.x"
                  }
                ],
                "question": "%tid.x",
                "similar": []
              },
              {
                "found": [],
                "question": "xqzq",
                "similar": []
              }
            ]
            error: no documentation for `xqzq`; `ptx-analyzer explain --list` prints all names
            status 2
        "#]],
    );
}

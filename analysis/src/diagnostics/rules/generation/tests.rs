//! Problems that ptxas 13.5 finds when it generates code, as fixtures; the verdicts are in `generation.txt` of the tests.

use crate::fixture::{check_diagnostics as check, check_only};

#[test]
fn results_are_read_after_their_call() {
    check(
        ".func (.param .b32 o) f(.param .b32 i) { .reg .b32 r; ld.param.b32 r, [i]; st.param.b32 [o], r; ret; }
.entry k() {
.param .b32 x, y, z, v; .reg .b32 r;
st.param.b32 [x], 1;
ld.param.b32 r, [x];
//               ^ missing-call: `x` is read, but no call before returns it
ld.param.b32 r, [y+0];
//               ^ missing-call: `y` is read, but no call before returns it | move the call before the read | returned here on line 10
call (y), f, (x);
ld.param.b32 r, [y];
ld.param.b32 r, [x];
//               ^ missing-call: `x` is read, but no call before returns it | an argument cannot be read again after the call | passed here on line 10
ld.param.b32 r, [z];
//               ^ missing-call: `z` is read, but no call before returns it
ret;
}
.func dropped() {
.param .b32 x; .reg .b32 r;
ld.param.b32 r, [x];
//               ^ warning missing-call: `x` is read, but no call before returns it | ptxas rejects it only with `--compile-only`, as no entry uses `dropped`
ret;
}
",
    );
}

#[test]
fn stores_far_outside() {
    check_only(
        &["out-of-bounds"],
        ".func (.param .b32 o) f(.param .b32 i) {
st.param.b32 [o+4], 1;
//           ^^^^^ warning out-of-bounds: these 4 bytes at offset 4 are outside `o`, which has 4 bytes (line 4) | declared here on line 4
st.param.b32 [o+12], 1;
//           ^^^^^^ warning out-of-bounds: these 4 bytes at offset 12 are outside `o`, which has 4 bytes (line 4) | declared here on line 4
st.param.b32 [o+16], 1;
//           ^^^^^^ out-of-bounds: these 4 bytes at offset 16 are outside `o`, which has 4 bytes (line 4) | ptxas crashes on such a store | declared here on line 4
st.param.b32 [o+-4], 1;
//           ^^^^^^ out-of-bounds: these 4 bytes at offset -4 are outside `o`, which has 4 bytes (line 4) | ptxas crashes on such a store | declared here on line 4
ret;
st.param.b32 [o+4096], 1;
//           ^^^^^^^^ warning out-of-bounds: these 4 bytes at offset 4096 are outside `o`, which has 4 bytes (line 4) | declared here on line 4
}
.func (.param .b32 o) dropped() { st.param.b32 [o+4096], 1; ret; }
//                                             ^^^^^^^^ warning out-of-bounds: these 4 bytes at offset 4096 are outside `o`, which has 4 bytes (line 12) | declared here on line 12
.entry k(.param .u64 p) {
.param .b32 x, y, z;
st.param.b32 [x+16], 1;
//           ^^^^^^ out-of-bounds: these 4 bytes at offset 16 are outside `x`, which has 4 bytes (line 14) | ptxas crashes on such a store | declared here on line 14
st.param.b32 [z+16], 1;
//           ^^^^^^ warning out-of-bounds: these 4 bytes at offset 16 are outside `z`, which has 4 bytes (line 14) | declared here on line 14
call (y), f, (x);
ret;
}
",
    );
}

#[test]
fn addresses_of_the_drivers_functions() {
    check(
        ".extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func cudaLaunchDevice();
//            ^^^^^^^^^^^^^^^^ warning system-call-mismatch: the driver has another prototype of `cudaLaunchDevice` | `.extern .func (.param .b32 status) cudaLaunchDevice (.param .b64 func, .param .b64 parameterBuffer, .param .align 4 .b8 gridDimension[12], .param .align 4 .b8 blockDimension[12], .param .b32 sharedMemSize, .param .b64 stream)`
.global .u64 a[2] = {malloc, cudaLaunchDevice};
//                   ^^^^^^ system-function-address: `malloc` has no address: the driver provides it, and it can only be called | use the address of a `.func` that calls it | declared here on line 4
.func (.param .b64 r) free(.param .b64 n) { ret; }
.entry k() {
.reg .b64 x; .param .b64 n, r;
mov.u64 x, malloc;
//         ^^^^^^ system-function-address: `malloc` has no address: the driver provides it, and it can only be called | use the address of a `.func` that calls it | declared here on line 4
mov.u64 x, free;
st.param.b64 [n], 8;
call (r), malloc, (n);
ret;
}
",
    );
}

#[test]
fn functions_without_a_definition() {
    check(
        ".func f();
//    ^ missing-definition: `f` is declared and never defined | declare it `.extern` if another module defines it
.func f();
.visible .func g();
//             ^ missing-definition: `g` is declared and never defined | declare it `.extern` if another module defines it
.extern .func e();
.func later(); .func later() { ret; }
.func alias(); .alias alias, later;
.entry k() { .func inside(); call f; call e; ret; }
//                 ^^^^^^ missing-definition: `inside` is declared and never defined | declare it `.extern` if another module defines it
.entry declared();
//     ^^^^^^^^ missing-definition: `declared` is declared and never defined | declare it `.extern` if another module defines it
",
    );
}

#[test]
fn static_memory() {
    check(
        ".const .b8 c[40000], d[25536], e, f;
//                             ^ memory-limit: the `.const` variables up to `e` take 65537 bytes; a module has 65536 | keep large tables in `.global`
.shared .align 16 .b8 tile[49152], unused[9];
.func g() { .shared .b8 inside[200]; ret; }
.extern .shared .b8 dynamic[];
.entry fits() { .reg .b32 r; ld.shared.b32 r, [tile]; ld.shared.b32 r, [dynamic]; ret; }
.entry k() { .shared .b32 own; .reg .b32 r; ld.shared.b32 r, [tile]; ret; }
//     ^ memory-limit: entry `k` uses 49156 bytes of static shared memory; `sm_90` allows 49152 | declare an `.extern .shared` array and pass its size to the launch | the largest on line 5
.entry through() { .shared .b8 own[49000]; call g; ret; }
//     ^^^^^^^ memory-limit: entry `through` uses 49200 bytes of static shared memory; `sm_90` allows 49152 | declare an `.extern .shared` array and pass its size to the launch | the largest on line 10
",
    );
}

#[test]
fn labels_with_names_of_the_module() {
    check(
        ".global .u32 v;
.func END() {
bra.uni END;
//      ^^^ undefined-label: `END` is not a label here: it names a declaration of the module until its label | rename the label, or branch to it only after it | declared here on line 5 | the label on line 9
{ .reg .pred p; @p bra v; v: }
//                     ^ undefined-label: `v` is not a label here: it names a declaration of the module until its label | rename the label, or branch to it only after it | declared here on line 4 | the label on line 7
table: .branchtargets END, later;
//                    ^^^ undefined-label: `END` is not a label here: it names a declaration of the module until its label | rename the label, or branch to it only after it | declared here on line 5 | the label on line 9
END: bra END;
later: ret;
}
.func later() { ret; }
",
    );
}

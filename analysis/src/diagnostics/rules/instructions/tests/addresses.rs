//! Addresses that are too narrow, as ptxas 13.5 with `-O0 -arch sm_X` judged them.

use crate::fixture::check_file;

/// The diagnostics of statements for a target, after the directives of the header that follow it.
#[track_caller]
fn check(header: &str, statements: &str) {
    check_file(&format!(
        ".version 9.0\n{header}\n.global .u32 g; .shared .u32 s; .const .u32 c;\n.visible .func f(.param .u64 p) {{\n.local .u32 l; .reg .pred %p; .reg .b16 %h; .reg .b32 %r, %q; .reg .b64 %rd;\nmov.b16 %h, 1; mov.b32 %r, 1; mov.b32 %q, 1; mov.b64 %rd, 1;\n{}\nret; }}\n",
        statements.trim()
    ));
}

#[test]
fn narrow_addresses() {
    for statement in [
        "st.global.u32 [%r], %q;\n//            ^^^^ ",
        "st.v2.u32 [%r+4], {%q, %q};\n//        ^^^^^^ ",
        "red.global.add.u32 [%r], 1;\n//                 ^^^^ ",
        "prefetch.L1 [%r];\n//          ^^^^ ",
        "mbarrier.inval.b64 [%r];\n//                 ^^^^ ",
        "st.shared.u32 [s], %q; cvta.shared.u32 %q, s;\n//                     ^^^^ ",
        "mov.u32 %q, g; st.shared.u32 [s], %q;\n//          ^ ",
    ] {
        let expected = "narrow-address: this address has 32 bits; ptxas needs 64 bits here | ptxas since CUDA 12 generates no code with 32-bit addresses in generic and global memory";
        for header in [
            ".target sm_90\n.address_size 64",
            ".target sm_80\n.address_size 64",
            ".target sm_90",
        ] {
            check(header, &format!("{statement}{expected}"));
        }
    }
    check(
        ".target sm_90\n.address_size 64",
        "
st.global.u32 [%h], %q;
//            ^^^^ warning narrow-address: this address has 16 bits; ptxas needs 64 bits here | ptxas warns of it and extends the address
",
    );
}

#[test]
fn one_message_for_a_function() {
    check(
        ".target sm_90\n.address_size 64",
        "
st.global.u32 [%r], %q;
//            ^^^^ narrow-address: this address and 2 more in the function have 32 bits; ptxas needs 64 bits here | ptxas since CUDA 12 generates no code with 32-bit addresses in generic and global memory | and here on line 9 | and here on line 11
st.global.u32 [%r+4], %q;
st.global.u32 [%h], %q;
//            ^^^^ warning narrow-address: this address and 1 more in the function have 16 bits; ptxas needs 64 bits here | ptxas warns of it and extends the address | and here on line 11
st.global.u32 [%r+8], %q; st.global.u32 [%h], %q;
",
    );
}

#[test]
fn one_message_for_a_module_of_32_bits() {
    for target in ["sm_80", "sm_90"] {
        check(
            &format!(
                ".target {target}\n.address_size 32\n//            ^^ address-size-32: ptxas no longer generates code with 32-bit addresses | the last tools that did were those of CUDA 11, for targets before `sm_90`"
            ),
            "st.global.u32 [%r], %q;",
        );
    }
}

#[test]
fn addresses_that_may_be_narrow() {
    check(
        ".target sm_90\n.address_size 64",
        "
st.shared.u32 [%r], %q;
st.shared::cluster.u32 [%r], %q;
st.local.u32 [%r], %q;
ld.const.u32 %q, [%r]; st.local.u32 [%r], %q;
ld.param.u32 %q, [%r]; st.local.u32 [%r], %q;
st.global.u32 [g], %q;
st.u32 [s], %q;
st.shared.u32 [%h], %q;
mbarrier.inval.shared.b64 [%r];
cp.async.ca.shared.global [%r], [%r], 4;
prefetch.local.L1 [%r];
mov.u32 %q, s; mov.u32 %r, l; add.u32 %q, %q, %r; mov.u32 %r, c; add.u32 %q, %q, %r; st.local.u32 [%r], %q;
mov.u32 %q, g+4; st.local.u32 [%r], %q;
mov.u64 %rd, g; st.global.u32 [%rd], %q;
st.global.u32 [%laneid], %q;
isspacep.global %p, %r; @%p st.local.u32 [%r], %q;
",
    );
}

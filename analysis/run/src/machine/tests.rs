use std::{fmt::Write as _, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId};
use expect_test::{Expect, expect};

use crate::{
    Argument, Array, Launch, Limits, Machine, Schedule,
    description::{Description, Problem, Value},
};

/// A launch of the only entry: arrays of 32-bit numbers, then scalars of 32 bits.
pub(super) fn run(body: &str, threads: u32, arrays: &[&[u32]], scalars: &[u32]) -> String {
    run_text(&kernel(body, arrays, scalars), threads, arrays, scalars)
}

/// The same, with asynchronous operations as late as allowed.
pub(super) fn run_late(body: &str, threads: u32, arrays: &[&[u32]], scalars: &[u32]) -> String {
    let text = kernel(body, arrays, scalars);
    run_with(&text, threads, arrays, scalars, true)
}

fn kernel(body: &str, arrays: &[&[u32]], scalars: &[u32]) -> String {
    let names: Vec<String> = (0..arrays.len()).map(|it| format!("p{it}")).collect();
    let mut parameters: Vec<String> = names.iter().map(|it| format!(".param .u64 {it}")).collect();
    parameters.extend((0..scalars.len()).map(|it| format!(".param .u32 n{it}")));
    format!(
        ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k({})\n{{\n{body}\n}}\n",
        parameters.join(", ")
    )
}

pub(super) fn run_text(text: &str, threads: u32, arrays: &[&[u32]], scalars: &[u32]) -> String {
    run_with(text, threads, arrays, scalars, false)
}

fn run_with(text: &str, threads: u32, arrays: &[&[u32]], scalars: &[u32], late: bool) -> String {
    let code = code(text);
    let entry = code.functions.iter().position(|it| it.entry).unwrap();
    let bytes = |it: &[u32]| it.iter().flat_map(|it| it.to_le_bytes()).collect();
    let launch = Launch {
        entry: entry as u32,
        grid: [1; 3],
        block: [threads, 1, 1],
        cluster: [1; 3],
        shared: 0,
        arrays: arrays
            .iter()
            .enumerate()
            .map(|(index, it)| Array {
                name: format!("p{index}"),
                bytes: bytes(it),
                undefined: false,
            })
            .collect(),
        arguments: (0..arrays.len())
            .map(Argument::Array)
            .chain(
                scalars
                    .iter()
                    .map(|it| Argument::Bytes(it.to_le_bytes().to_vec())),
            )
            .collect(),
        bound: Vec::new(),
        schedule: Schedule::Lowest,
        late,
        limits: Limits {
            steps: 1_000_000,
            ..Limits::default()
        },
    };
    report(text, &code, launch)
}

/// Runs the only entry of a text as a launch file describes it.
pub(super) fn run_described(text: &str, launch: &str) -> String {
    run_described_with(text, launch, false)
}

/// As [`run_described`]; with `late`, asynchronous operations land as late as PTX allows.
pub(super) fn run_described_with(text: &str, launch: &str, late: bool) -> String {
    let code = code(text);
    match described(&code, launch, Limits::default()) {
        Ok(it) => report(text, &code, Launch { late, ..it }),
        Err(it) => format!("{it:?}"),
    }
}

/// The launch of the first entry that is described.
pub(super) fn described(
    code: &analysis::code::Code,
    launch: &str,
    limits: Limits,
) -> Result<Launch, Problem> {
    let entry = code.functions.iter().position(|it| it.entry).unwrap() as u32;
    let description = Description::read(&Value::parse(launch)?)?;
    let none = |_: &str| Err("there are no files".to_owned());
    let prepared = description.prepare(code, entry, limits, &none)?;
    Ok(prepared.launch)
}

pub(super) fn code(text: &str) -> analysis::code::Code {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(1), Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    host.analysis().code(FileId(1)).unwrap()
}

fn report(text: &str, code: &analysis::code::Code, launch: Launch) -> String {
    let mut machine = match Machine::new(code, launch) {
        Ok(machine) => machine,
        Err(error) => return format!("{error}\n"),
    };
    let mut single = machine.clone();
    machine.advance(10_000_000);
    let outcome = machine.outcome();
    // One instruction at a time, as straight code does not run.
    while single.run_next().is_some() {}
    let single = single.outcome();
    assert_eq!(format!("{single:?}"), format!("{outcome:?}"), "{text}");
    let mut out = format!("{:?}\n", outcome.ended);
    for it in &outcome.not_run {
        writeln!(out, "not run: {}", it.what).unwrap();
    }
    for it in &outcome.findings {
        let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
        let statement = &text[it.range];
        writeln!(
            out,
            "{} {line} `{statement}` lanes {:?}: {}",
            it.code.word(),
            it.lanes,
            it.message
        )
        .unwrap();
    }
    for (index, array) in outcome.arrays.iter().enumerate() {
        let words: Vec<i32> = array
            .chunks_exact(4)
            .map(|it| i32::from_le_bytes(it.try_into().unwrap()))
            .collect();
        writeln!(out, "p{index} = {words:?}").unwrap();
    }
    out + &outcome.printed
}

#[track_caller]
fn check(body: &str, threads: u32, arrays: &[&[u32]], scalars: &[u32], expect: Expect) {
    expect.assert_eq(&run(body, threads, arrays, scalars));
}

/// Stores `%r` of each thread at its place in `p0`.
const STORE: &str = "\
cvt.u64.u32 %i, %tid.x;
shl.b64 %i, %i, 2;
add.s64 %a, %p, %i;
st.global.u32 [%a], %r;
ret;";
const REGISTERS: &str = "\
.reg .b64 %p, %q, %i, %a, %b;
.reg .b32 %r, %s, %t, %n;
.reg .pred %c, %d;
ld.param.u64 %p, [p0];
cvta.to.global.u64 %p, %p;";

#[test]
fn a_kernel_writes_what_it_computes() {
    check(
        &format!("{REGISTERS}\nmov.u32 %r, %tid.x;\nmad.lo.s32 %r, %r, %r, 1;\n{STORE}"),
        4,
        &[&[0; 4]],
        &[],
        expect![[r#"
            Finished
            p0 = [1, 2, 5, 10]
        "#]],
    );
}

#[test]
fn beyond_the_end() {
    check(
        &format!("{REGISTERS}\nmov.u32 %r, 7;\n{STORE}"),
        6,
        &[&[0; 4]],
        &[],
        expect![[r#"
            Finished
            out-of-bounds 15 `st.global.u32 [%a], %r;` lanes [4, 5]: the access writes 4 bytes: directly after the end of `p0`, which has 16 bytes
            p0 = [7, 7, 7, 7]
        "#]],
    );
}

#[test]
fn a_barrier_orders_and_its_absence_races() {
    let body = |barrier: &str| {
        format!(
            "{REGISTERS}
            .shared .align 4 .b8 s[256];
            .reg .b32 %x, %y;
            mov.u32 %x, %tid.x;
            shl.b32 %y, %x, 2;
            mov.u32 %t, s;
            add.u32 %t, %t, %y;
            st.shared.u32 [%t], %x;
            {barrier}
            mov.u32 %n, %ntid.x;
            sub.u32 %n, %n, 1;
            sub.u32 %n, %n, %x;
            shl.b32 %n, %n, 2;
            mov.u32 %t, s;
            add.u32 %t, %t, %n;
            ld.shared.u32 %r, [%t];
            {STORE}"
        )
    };
    check(
        &body("bar.sync 0;"),
        64,
        &[&[0; 64]],
        &[],
        expect![[r#"
        Finished
        p0 = [63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    "#]],
    );
    check(
        &body(""),
        64,
        &[&[0; 64]],
        &[],
        expect![[r#"
            Finished
            race 17 `st.shared.u32 [%t], %x;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: another warp reads this location, which this instruction writes, and nothing orders them
            race 25 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: another warp writes this location, which this instruction reads, and nothing orders them
            p0 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        "#]],
    );
    check(
        &body("bar.warp.sync 0xFFFFFFFF;"),
        32,
        &[&[0; 32]],
        &[],
        expect![[r#"
            Finished
            p0 = [31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        "#]],
    );
}

#[test]
fn loops_calls_and_shuffles() {
    let text = "\
.version 8.5
.target sm_90a
.address_size 64
.func (.param .b32 out) twice(.param .b32 in)
{
.reg .b32 %a;
ld.param.b32 %a, [in];
add.s32 %a, %a, %a;
st.param.b32 [out], %a;
ret;
}
.visible .entry k(.param .u64 p0, .param .u32 n0)
{
.reg .b64 %p, %i, %a;
.reg .b32 %r, %s, %n;
.reg .pred %c;
ld.param.u64 %p, [p0];
ld.param.u32 %n, [n0];
mov.u32 %r, %tid.x;
mov.u32 %s, 0;
loop:
add.s32 %s, %s, %r;
sub.u32 %n, %n, 1;
setp.ne.u32 %c, %n, 0;
@%c bra loop;
{
.param .b32 x;
.param .b32 y;
st.param.b32 [x], %s;
call.uni (y), twice, (x);
ld.param.b32 %s, [y];
}
shfl.sync.bfly.b32 %r, %s, 1, 31, 0xFFFFFFFF;
mul.wide.u32 %i, %r, 0;
cvt.u64.u32 %i, %tid.x;
shl.b64 %i, %i, 2;
add.s64 %a, %p, %i;
st.global.u32 [%a], %r;
atom.global.add.u32 %r, [%p+128], 1;
ret;
}
";
    let mut array = [0; 33];
    array[32] = 5;
    expect![[r#"
        Finished
        p0 = [6, 0, 18, 12, 30, 24, 42, 36, 54, 48, 66, 60, 78, 72, 90, 84, 102, 96, 114, 108, 126, 120, 138, 132, 150, 144, 162, 156, 174, 168, 186, 180, 37]
    "#]].assert_eq(&run_text(text, 32, &[&array], &[3]));
}

#[test]
fn who_waits_for_ever() {
    check(
        &format!(
            "{REGISTERS}
            again:
            ld.volatile.global.u32 %s, [%p];
            setp.eq.u32 %c, %s, 0;
            @%c bra again;
            mov.u32 %r, %s;
            {STORE}"
        ),
        2,
        &[&[0; 2]],
        &[],
        expect![[r#"
            Deadlock
            deadlock 12 `ld.volatile.global.u32 %s, [%p];` lanes [0, 1]: the warp repeats a loop forever: what it waits for changes no more
            p0 = [0, 0]
        "#]],
    );
    check(
        &format!(
            "{REGISTERS}
            mov.u32 %s, %tid.x;
            setp.lt.u32 %c, %s, 16;
            @%c bra done;
            shfl.sync.bfly.b32 %r, %s, 1, 31, 0xFFFFFFFF;
            done:
            bar.sync 0;
            mov.u32 %r, 1;
            {STORE}"
        ),
        32,
        &[&[0; 32]],
        &[],
        expect![[r#"
            Deadlock
            invalid-mask 14 `shfl.sync.bfly.b32 %r, %s, 1, 31, 0xFFFFFFFF;` lanes [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the instruction waits for lanes 0-15, which are elsewhere
            divergent-sync 16 `bar.sync 0;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]: the instruction waits for lanes 16-31, which are elsewhere
            p0 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        "#]],
    );
}

/// Sizes beyond those of any device are refused, or found where they are used; no memory is allocated for them.
#[test]
fn sizes_beyond_all_limits() {
    let entry = |variables: &str, body: &str| {
        format!(
            ".version 8.6\n.target sm_100a\n.address_size 64\n{variables}\n.visible .entry k(.param .u64 y)\n{{\n{body}\nret;\n}}\n"
        )
    };
    let one = "block = 1\nargs.y = { zeros = [1], type = 'u32' }";
    let check = |text: &str, launch: &str, expect: Expect| {
        expect.assert_eq(&run_described(text, launch));
    };
    check(
        &entry(".global .b8 g[1099511627776];", ""),
        one,
        expect![[r#"
            the arrays and variables take 1099511627780 bytes, and a run may take 268435456
        "#]],
    );
    check(
        &entry(".shared .b8 s[1099511627776];", ""),
        one,
        expect![[r#"
            a block takes more shared memory than 16776192 bytes
        "#]],
    );
    check(
        &entry("", ".local .b8 l[1099511627776];"),
        one,
        expect![[r#"
            `k` declares more variables than fit: 262144 bytes of local memory and 65536 in `.param` space
        "#]],
    );
    check(
        &entry("", ".param .b8 p[1099511627776];"),
        one,
        expect![[r#"
            `k` declares more variables than fit: 262144 bytes of local memory and 65536 in `.param` space
        "#]],
    );
    check(
        &entry("", ""),
        "block = 1\ngrid = [4000000000, 60000, 60000]\nargs.y = { zeros = [1], type = 'u32' }",
        expect![[
            r#"Problem { span: 17..43, key: "grid", message: "a grid has at most [2147483647, 65535, 65535] blocks along x, y and z" }"#
        ]],
    );
    check(
        &entry("", ""),
        "block = 1\ngrid = 1000000\ncluster = 1000000\nargs.y = { zeros = [1], type = 'u32' }",
        expect![[
            r#"Problem { span: 35..42, key: "cluster", message: "1000000 blocks are more than the 16 of a cluster" }"#
        ]],
    );
    check(
        &entry(
            ".shared .align 16 .b8 s[64];",
            ".reg .b64 %n; .reg .b32 %s; mov.u32 %s, s; mov.b64 %n, 1099511627776; st.bulk.shared::cta [%s], %n, 0;",
        ),
        one,
        expect![[r#"
            Finished
            out-of-bounds 7 `st.bulk.shared::cta [%s], %n, 0;` lanes [0]: the access writes 1099511627776 bytes: offset 0 of shared memory, of which the block has 64 bytes
            p0 = [0]
        "#]],
    );
}

/// Lanes that have ended take no part where a mask names them.
#[test]
fn lanes_that_have_ended_do_not_count() {
    let body = |statement: &str| {
        format!(
            "{REGISTERS}
            mov.u32 %s, %tid.x;
            mov.u32 %r, 9;
            setp.ge.u32 %c, %s, 3;
            @%c exit;
            setp.lt.u32 %d, %s, 7;
            {statement}
            {STORE}"
        )
    };
    let mut found = String::new();
    for statement in [
        "redux.sync.add.u32 %r, 1, 0xFFFFFFFF;",
        "add.u32 %s, %s, 1; redux.sync.min.u32 %r, %s, 0xFFFFFFFF;",
        "redux.sync.and.b32 %r, 6, 0xFFFFFFFF;",
        "vote.sync.ballot.b32 %r, %d, 0xFFFFFFFF;",
        "vote.sync.all.pred %d, %d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;",
        "vote.sync.uni.pred %d, %d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;",
        "vote.sync.any.pred %d, !%d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;",
        "match.any.sync.b32 %r, 5, 0xFFFFFFFF;",
        "match.all.sync.b32 %r|%d, 5, 0xFFFFFFFF;",
        "match.all.sync.b32 %r|%d, 5, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;",
        "activemask.b32 %r;",
        "elect.sync %r|%d, 0xFFFFFFFE; selp.u32 %r, 1, 0, %d;",
        "shfl.sync.idx.b32 %r, %s, 5, 31, 0xFFFFFFFF;",
        "shfl.sync.down.b32 %r, %s, 1, 31, 0xFFFFFFFF;",
    ] {
        let out = run(&body(statement), 32, &[&[0; 4]], &[]);
        write!(found, "{statement}\n{out}").unwrap();
    }
    expect![[r#"
        redux.sync.add.u32 %r, 1, 0xFFFFFFFF;
        Finished
        p0 = [3, 3, 3, 0]
        add.u32 %s, %s, 1; redux.sync.min.u32 %r, %s, 0xFFFFFFFF;
        Finished
        p0 = [1, 1, 1, 0]
        redux.sync.and.b32 %r, 6, 0xFFFFFFFF;
        Finished
        p0 = [6, 6, 6, 0]
        vote.sync.ballot.b32 %r, %d, 0xFFFFFFFF;
        Finished
        p0 = [7, 7, 7, 0]
        vote.sync.all.pred %d, %d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;
        Finished
        p0 = [1, 1, 1, 0]
        vote.sync.uni.pred %d, %d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;
        Finished
        p0 = [1, 1, 1, 0]
        vote.sync.any.pred %d, !%d, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;
        Finished
        p0 = [0, 0, 0, 0]
        match.any.sync.b32 %r, 5, 0xFFFFFFFF;
        Finished
        p0 = [7, 7, 7, 0]
        match.all.sync.b32 %r|%d, 5, 0xFFFFFFFF;
        Finished
        p0 = [7, 7, 7, 0]
        match.all.sync.b32 %r|%d, 5, 0xFFFFFFFF; selp.u32 %r, 1, 0, %d;
        Finished
        p0 = [1, 1, 1, 0]
        activemask.b32 %r;
        Finished
        p0 = [7, 7, 7, 0]
        elect.sync %r|%d, 0xFFFFFFFE; selp.u32 %r, 1, 0, %d;
        Finished
        invalid-mask 16 `elect.sync %r|%d, 0xFFFFFFFE;` lanes [0]: the mask 0xfffffffe lacks lanes that run this instruction
        p0 = [0, 1, 0, 0]
        shfl.sync.idx.b32 %r, %s, 5, 31, 0xFFFFFFFF;
        Finished
        unspecified-operand 16 `shfl.sync.idx.b32 %r, %s, 5, 31, 0xFFFFFFFF;` lanes [0, 1, 2]: PTX does not say what the result is for these operands
        p0 = [5, 5, 5, 0]
        shfl.sync.down.b32 %r, %s, 1, 31, 0xFFFFFFFF;
        Finished
        unspecified-operand 16 `shfl.sync.down.b32 %r, %s, 1, 31, 0xFFFFFFFF;` lanes [2]: PTX does not say what the result is for these operands
        p0 = [1, 2, 3, 0]
    "#]].assert_eq(&found);
}

/// Names of variables as numbers, of either width, in their state space and as generic addresses.
#[test]
fn addresses_of_variables() {
    let text = |load: &str| {
        format!(
            "\
.version 8.5
.target sm_90a
.address_size 64
.const .align 4 .u32 table[4] = {{10, 20, 30, 40}};
.const .align 8 .u64 places[3] = {{table, generic(table), table+8}};
.const .u32 short[2] = {{table, table+4}};
.global .align 4 .u32 g[4] = {{1, 2, 3, 4}};
.global .align 8 .u64 pointers[4] = {{g, generic(g), g+8, generic(g)+12}};
.global .align 8 .u8 bytes[8] = {{0xFF(g), 0xFF00(g), 0xFF0000(g), 0xFF000000(g), 0xFF00000000(g), 0xFF0000000000(g), 0xFF000000000000(g), 0xFF00000000000000(g)}};
.visible .entry k(.param .u64 p0, .param .u32 n0)
{{
{REGISTERS}
.shared .align 8 .u32 sh[4];
.local .align 8 .u32 lo[4];
mov.u32 %s, 88;
{load}
{STORE}
}}
"
        )
    };
    let mut found = String::new();
    for load in [
        "mov.u32 %t, table; ld.const.u32 %r, [%t];",
        "mov.u32 %t, table+4; ld.const.u32 %r, [%t+4];",
        "mov.u64 %q, table; ld.const.u32 %r, [%q+4];",
        "mov.u64 %q, table; cvta.const.u64 %q, %q; ld.u32 %r, [%q+4];",
        "cvta.const.u64 %q, table; cvta.to.const.u64 %q, %q; ld.const.u32 %r, [%q+12];",
        "cvta.const.u64 %q, table; isspacep.const %c, %q; isspacep.global %d, %q; selp.u32 %r, 1, 0, %c; @%d add.u32 %r, %r, 2;",
        "ld.const.u64 %q, [places]; ld.const.u32 %r, [%q];",
        "ld.const.u64 %q, [places+8]; ld.u32 %r, [%q+4];",
        "ld.const.u64 %q, [places+16]; ld.const.u32 %r, [%q];",
        "ld.const.u32 %t, [short+4]; ld.const.u32 %r, [%t];",
        "ld.global.u64 %q, [pointers]; ld.global.u32 %r, [%q];",
        "ld.global.u64 %q, [pointers+8]; ld.u32 %r, [%q+4];",
        "ld.global.u64 %q, [pointers+16]; ld.global.u32 %r, [%q];",
        "ld.global.u64 %q, [pointers+24]; ld.u32 %r, [%q];",
        "ld.global.u64 %q, [bytes]; ld.global.u32 %r, [%q+4];",
        "mov.u64 %q, g; isspacep.global %c, %q; isspacep.const %d, %q; selp.u32 %r, 1, 0, %c; @%d add.u32 %r, %r, 2;",
        "st.shared.u32 [sh+4], %s; mov.u32 %t, sh; ld.shared.u32 %r, [%t+4];",
        "st.shared.u32 [sh+4], %s; mov.u64 %q, sh+4; ld.shared.u32 %r, [%q];",
        "st.shared.u32 [sh+4], %s; cvta.shared.u64 %q, sh; ld.u32 %r, [%q+4];",
        "st.local.u32 [lo+8], %s; mov.u32 %t, lo; ld.local.u32 %r, [%t+8];",
        "st.local.u32 [lo+8], %s; mov.u64 %q, lo; cvta.local.u64 %q, %q; ld.u32 %r, [%q+8];",
        "mov.u64 %q, n0; ld.param.u32 %r, [%q];",
        "mov.u32 %t, n0; ld.param.u32 %r, [%t];",
        "mov.u64 %q, n0; cvta.param.u64 %q, %q; ld.u32 %r, [%q];",
    ] {
        let out = run_text(&text(load), 1, &[&[0]], &[99]);
        writeln!(found, "{load} {}", out.replace('\n', " ")).unwrap();
    }
    expect![[r#"
        mov.u32 %t, table; ld.const.u32 %r, [%t]; Finished p0 = [10] 
        mov.u32 %t, table+4; ld.const.u32 %r, [%t+4]; Finished p0 = [30] 
        mov.u64 %q, table; ld.const.u32 %r, [%q+4]; Finished p0 = [20] 
        mov.u64 %q, table; cvta.const.u64 %q, %q; ld.u32 %r, [%q+4]; Finished p0 = [20] 
        cvta.const.u64 %q, table; cvta.to.const.u64 %q, %q; ld.const.u32 %r, [%q+12]; Finished p0 = [40] 
        cvta.const.u64 %q, table; isspacep.const %c, %q; isspacep.global %d, %q; selp.u32 %r, 1, 0, %c; @%d add.u32 %r, %r, 2; Finished p0 = [1] 
        ld.const.u64 %q, [places]; ld.const.u32 %r, [%q]; Finished p0 = [10] 
        ld.const.u64 %q, [places+8]; ld.u32 %r, [%q+4]; Finished p0 = [20] 
        ld.const.u64 %q, [places+16]; ld.const.u32 %r, [%q]; Finished p0 = [30] 
        ld.const.u32 %t, [short+4]; ld.const.u32 %r, [%t]; Finished p0 = [20] 
        ld.global.u64 %q, [pointers]; ld.global.u32 %r, [%q]; Finished p0 = [1] 
        ld.global.u64 %q, [pointers+8]; ld.u32 %r, [%q+4]; Finished p0 = [2] 
        ld.global.u64 %q, [pointers+16]; ld.global.u32 %r, [%q]; Finished p0 = [3] 
        ld.global.u64 %q, [pointers+24]; ld.u32 %r, [%q]; Finished p0 = [4] 
        ld.global.u64 %q, [bytes]; ld.global.u32 %r, [%q+4]; Finished p0 = [2] 
        mov.u64 %q, g; isspacep.global %c, %q; isspacep.const %d, %q; selp.u32 %r, 1, 0, %c; @%d add.u32 %r, %r, 2; Finished p0 = [1] 
        st.shared.u32 [sh+4], %s; mov.u32 %t, sh; ld.shared.u32 %r, [%t+4]; Finished p0 = [88] 
        st.shared.u32 [sh+4], %s; mov.u64 %q, sh+4; ld.shared.u32 %r, [%q]; Finished p0 = [88] 
        st.shared.u32 [sh+4], %s; cvta.shared.u64 %q, sh; ld.u32 %r, [%q+4]; Finished p0 = [88] 
        st.local.u32 [lo+8], %s; mov.u32 %t, lo; ld.local.u32 %r, [%t+8]; Finished p0 = [88] 
        st.local.u32 [lo+8], %s; mov.u64 %q, lo; cvta.local.u64 %q, %q; ld.u32 %r, [%q+8]; Finished p0 = [88] 
        mov.u64 %q, n0; ld.param.u32 %r, [%q]; Finished p0 = [99] 
        mov.u32 %t, n0; ld.param.u32 %r, [%t]; Finished p0 = [99] 
        mov.u64 %q, n0; cvta.param.u64 %q, %q; ld.u32 %r, [%q]; Finished p0 = [99] 
    "#]].assert_eq(&found);
}

/// A multimem address names one copy, as there is one device; vectors of packed numbers are one access.
#[test]
fn copies_and_packed_vectors() {
    let text = |body: &str| {
        format!(
            ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{{\n{REGISTERS}\n{body}\nret;\n}}\n"
        )
    };
    let mut found = String::new();
    for body in [
        "multimem.ld_reduce.global.add.u32 %r, [%p]; st.global.u32 [%p+4], %r;",
        "multimem.st.global.u32 [%p], 7; multimem.red.global.max.u32 [%p], 9;",
        "mov.b32 %r, 0x3C003C00; multimem.red.global.add.f16x2 [%p], %r; multimem.ld_reduce.global.add.v2.f16x2 {%r, %s}, [%p]; st.global.u32 [%p+8], %r;",
        "mov.b32 %r, 0x3C003C00; mov.b32 %s, 0x4000C000; atom.global.add.noftz.v2.f16x2 {%t, %n}, [%p], {%r, %s}; st.global.v2.u32 [%p+8], {%t, %n};",
        "mov.b32 %r, 0x3F803F80; mov.b32 %s, 0xBF803F80; red.global.max.noftz.v4.bf16x2 [%p], {%r, %s, %r, %s};",
        "mov.b32 %r, 0x01020304; mov.b32 %s, 0x05060708; multimem.st.global.v2.e4m3x4 [%p], {%r, %s}; multimem.st.global.v2.e5m2x2 [%p+8], {0x3C3C, 0x4040};",
    ] {
        let array: &[u32] = &[0x3C00_4000, 0, 0, 0];
        let out = run_text(&text(body), 1, &[array], &[]);
        let words: Vec<i32> = out
            .split_once("p0 = [")
            .map(|it| it.1.trim_end_matches("]\n").split(", "))
            .into_iter()
            .flatten()
            .map(|it| it.parse().unwrap())
            .collect();
        let first = out.lines().next().unwrap_or_default();
        writeln!(found, "{body}\n{first} {words:x?}").unwrap();
    }
    expect![[r#"
        multimem.ld_reduce.global.add.u32 %r, [%p]; st.global.u32 [%p+4], %r;
        Finished [3c004000, 3c004000, 0, 0]
        multimem.st.global.u32 [%p], 7; multimem.red.global.max.u32 [%p], 9;
        Finished [9, 0, 0, 0]
        mov.b32 %r, 0x3C003C00; multimem.red.global.add.f16x2 [%p], %r; multimem.ld_reduce.global.add.v2.f16x2 {%r, %s}, [%p]; st.global.u32 [%p+8], %r;
        Finished [40004200, 0, 40004200, 0]
        mov.b32 %r, 0x3C003C00; mov.b32 %s, 0x4000C000; atom.global.add.noftz.v2.f16x2 {%t, %n}, [%p], {%r, %s}; st.global.v2.u32 [%p+8], {%t, %n};
        Finished [40004200, 4000c000, 3c004000, 0]
        mov.b32 %r, 0x3F803F80; mov.b32 %s, 0xBF803F80; red.global.max.noftz.v4.bf16x2 [%p], {%r, %s, %r, %s};
        Finished [3f804000, 3f80, 3f803f80, 3f80]
        mov.b32 %r, 0x01020304; mov.b32 %s, 0x05060708; multimem.st.global.v2.e4m3x4 [%p], {%r, %s}; multimem.st.global.v2.e5m2x2 [%p+8], {0x3C3C, 0x4040};
        Stopped [1020304, 5060708, 0, 0]
    "#]].assert_eq(&found);
}

/// A barrier with a number of threads counts warps, also those of which some lanes have ended or never were.
#[test]
fn barriers_count_whole_warps() {
    let body = format!(
        "{REGISTERS}
        mov.u32 %s, %tid.x;
        setp.ge.u32 %c, %s, 36;
        @%c exit;
        bar.sync 1, 64;
        mov.u32 %r, 5;
        {STORE}"
    );
    let mut found = String::new();
    for threads in [40, 64] {
        found += run(&body, threads, &[&[0; 36]], &[])
            .lines()
            .next()
            .unwrap();
    }
    expect!["FinishedFinished"].assert_eq(&found);
}

/// Each element of a vector is passed and returned.
#[test]
fn vectors_as_arguments_and_results() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64
        .func (.reg .v2 .b32 %sum) swapped(.reg .v2 .b32 %a, .reg .b32 %by)
        {
            add.u32 %sum.x, %a.y, %by;
            add.u32 %sum.y, %a.x, %by;
            ret;
        }
        .visible .entry k(.param .u64 p0)
        {
            .reg .v2 .b32 %v;
            .reg .b32 %r;
            .reg .b64 %p;
            ld.param.u64 %p, [p0];
            mov.u32 %v.x, 10;
            mov.u32 %v.y, 20;
            mov.u32 %r, 1;
            call (%v), swapped, (%v, %r);
            st.global.v2.u32 [%p], %v;
            ret;
        }";
    expect![[r#"
        Finished
        p0 = [21, 11]
    "#]]
    .assert_eq(&run_text(text, 1, &[&[0, 0]], &[]));
}

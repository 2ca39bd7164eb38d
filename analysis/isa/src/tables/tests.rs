//! Semantics in the tables, and tables that state them wrongly.

use expect_test::{Expect, expect};

use super::{
    semantics::{Keep, Location, Operation, Order, Semantics, Together},
    table::{FILES, Tables, tables},
};

fn of(statement: &str) -> Semantics {
    let mut words = statement.split('.');
    let opcode = words.next().unwrap();
    tables().semantics(opcode, words)
}

/// The mistake of a table.
#[track_caller]
fn check_wrong(text: &'static str, expect: Expect) {
    let errors = Tables::read(&[("wrong.isa", text)]).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect.assert_eq(&shown.join("\n"));
}

#[test]
fn facts_that_are_wrong() {
    check_wrong(
        "instr ld\n  does reed [a]\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect![
            "wrong.isa:2: `reed` is not a fact: one of value, read, write, no, keep, order, control, carry, old, copy, commutes, undefined, passes, together, fresh, uniform, differs, event, replaced, wide"
        ],
    );
    check_wrong(
        "event waiting copy = ld",
        expect!["wrong.isa:1: `waiting` is not an event"],
    );
    check_wrong(
        "event grid-wait = ld\nevent grid-wait = ld",
        expect!["wrong.isa:2: this event is written above already"],
    );
    check_wrong(
        "instr ld\n  does read [b]\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect!["wrong.isa:2: no form of `ld` has an operand `b`"],
    );
    check_wrong(
        "instr ld\n  does read tape\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect![
            "wrong.isa:2: `tape` is not memory: one of `[operand]`, global, shared, local, const, param, tmem, texture, surface, map, multimem, stack, descriptor, fabric"
        ],
    );
    check_wrong(
        "instr ld\n  does read [a] quickly\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect!["wrong.isa:2: `quickly` is not a proxy: one of async, readonly, tensormap"],
    );
    check_wrong(
        "instr ld\n  does read [a]\n  when .volatil: does keep\n  ld{.volatile}.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect!["wrong.isa:3: no form of `ld` has the word `.volatil`"],
    );
    check_wrong(
        "instr ld\n  does read [a]\n  when type = b64: does keep\n  ld.type d, [a]\n  type = b32\n  d: reg(type)\n  a: addr(generic)",
        expect!["wrong.isa:3: `type` has no word `.b64`"],
    );
    check_wrong(
        "instr ld\n  does read [a]\n  when space = x: does keep\n  ld.type d, [a]\n  type = b32\n  d: reg(type)\n  a: addr(generic)",
        expect!["wrong.isa:3: `space` is not a slot of `ld`"],
    );
    check_wrong(
        "instr ld\n  does read [a], order some\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect![
            "wrong.isa:2: `order some`: expected one of acquire, release, acq_rel, all, volatile, proxy, copies after `order`"
        ],
    );
    check_wrong(
        "instr add\n  does value plus\n  add.b32 d, a\n  d a: reg(b32)",
        expect![
            "wrong.isa:2: `plus` is not an operation: one of mov, cvt, cvta, neg, not, add, sub, mul, mul_wide, mad, mad_wide, fma, div, rem, and, or, xor, shl, shr, setp, prmt, lop3, rcp, sqrt, rsqrt"
        ],
    );
    check_wrong(
        "instr add\n  cost money\n  add.b32 d, a\n  d a: reg(b32)",
        expect![
            "wrong.isa:2: `money` is not a cost: one of latency N, scratch N, subroutine, uniform, cheap, no uniform, no cheap"
        ],
    );
    check_wrong(
        "instr add\n  assume .weak\n  add.b32 d, a\n  d a: reg(b32)",
        expect!["wrong.isa:2: no form of `add` has the word `.weak`"],
    );
    check_wrong(
        "instr add\n  add.b32 d, a\n    does keep\n  d a: reg(b32)",
        expect![
            "wrong.isa:3: facts belong under `instr`, not deeper than the variants; `when .word: does …` says for which"
        ],
    );
}

#[test]
fn facts_that_are_missing() {
    check_wrong(
        "instr ld\n  ld.b32 d, [a]\n  d: reg(b32)\n  a: addr(generic)",
        expect![
            "wrong.isa:1: `ld` has an address: `does read …`, `does write …` or `does no memory` must say what becomes of it"
        ],
    );
    check_wrong(
        "instr wait\n  wait n\n  n: in int",
        expect![
            "wrong.isa:1: `wait` has a form without a result: `does write …`, `does keep` or `does control …` must say what it is for"
        ],
    );
    check_wrong(
        "instr mma\n  mma.aligned d, a\n  d a: reg(b32)",
        expect![
            "wrong.isa:1: `mma` has `.aligned`: `does together …` must say who runs it together"
        ],
    );
    check_wrong(
        "instr red\n  does write [a]\n  red{.release} [a]\n  a: addr(generic)",
        expect![
            "wrong.isa:1: `red` has `.acquire` or `.release`: `does order …` must say what it orders"
        ],
    );
}

#[test]
fn every_instruction_says_what_it_does() {
    // What says nothing computes its result from its operands and has no way to do more; the reader of the tables
    // sees to it.
    let read = Tables::read(FILES);
    assert!(read.is_ok(), "{read:?}");
    for instruction in tables().instructions() {
        let words = instruction.fixed.iter().copied();
        let semantics = tables().semantics(instruction.opcode, words);
        let mut variants = instruction.variants.iter();
        let result = variants.all(|it| it.operands.iter().any(|it| it.written));
        assert!(result || semantics.stays(), "{}", instruction.name);
    }
}

#[test]
fn facts_depend_on_words() {
    assert_eq!(of("ld.global.b32").keep, Keep::No);
    assert_eq!(of("ld.volatile.global.b32").keep, Keep::Always);
    assert_eq!(of("ld.acquire.gpu.global.b32").keep, Keep::Order);
    assert_eq!(of("ld.mmio.acquire.sys.global.b32").keep, Keep::Always);
    assert_eq!(of("ld.mmio.acquire.sys.global.b32").order, Order::Acquire);
    assert_eq!(
        of("ld.global.b32").reads[0].location,
        Location::Address("a")
    );
    assert_eq!(of("ld.shared::cta.b32").cost.latency, 24);
    assert_eq!(of("bar.warp.sync").together, Together::Lanes);
    assert_eq!(of("bar.sync").together, Together::Warp);
    assert_eq!(of("barrier.sync").together, Together::Nobody);
    assert_eq!(of("barrier.cta.sync.aligned").together, Together::Warp);
    assert!(of("add.cc.u32").carry_out && !of("add.u32").carry_out);
    assert!(of("madc.hi.cc.u32").carry_in && of("madc.hi.cc.u32").carry_out);
    assert!(!of("st.async.shared::cluster.b32").writes.is_empty());
    assert_eq!(of("mbarrier.try_wait.relaxed.cta.b64").keep, Keep::No);
    assert!(of("mbarrier.try_wait.parity.b64").stays());
    for value in [
        "shfl.sync.idx.b32",
        "vote.sync.any.pred",
        "elect.sync",
        "stacksave.u64",
        "mapa.u64",
    ] {
        assert!(!of(value).stays(), "{value}");
    }
    for seen in [
        "wmma.store.d.sync.aligned.row.m16n16k16.f32",
        "sured.b.add.1d.u32.trap",
        "ld.mmio.relaxed.sys.u32",
    ] {
        assert!(of(seen).is_seen(), "{seen}");
    }
    assert_eq!(of("mbarrier"), Semantics::UNKNOWN);
    assert_eq!(of("nothing.u32"), Semantics::UNKNOWN);
}

#[test]
fn operations_that_words_change_are_not_plain() {
    let plain = |statement: &str| of(statement).plain(statement.split('.').skip(1));
    assert_eq!(plain("add.s32"), Some(Operation::Add));
    assert_eq!(plain("add.rn.f32"), Some(Operation::Add));
    assert_eq!(plain("add.sat.s32"), None);
    assert_eq!(plain("add.rz.f32"), None);
    assert_eq!(plain("add.cc.u32"), None);
    assert_eq!(plain("mul.lo.s32"), Some(Operation::Multiply));
    assert_eq!(plain("mul.wide.s32"), Some(Operation::MultiplyWide));
    assert_eq!(plain("mul.hi.s32"), None);
    assert_eq!(plain("mul.f32"), Some(Operation::Multiply));
    assert_eq!(plain("fma.rn.f32"), Some(Operation::MultiplyAdd));
    assert_eq!(plain("setp.lt.s32"), Some(Operation::Compare));
    assert_eq!(plain("setp.lt.and.s32"), None);
    assert_eq!(plain("cvt.u64.u32"), Some(Operation::Convert));
    assert_eq!(plain("cvt.sat.u8.u32"), None);
    assert_eq!(plain("and.b32"), Some(Operation::And));
    assert_eq!(plain("rem.s64"), Some(Operation::Remainder));
}

#[test]
fn comparisons_commute_if_they_are_symmetric() {
    let commutes = |statement: &str| {
        let mut words = statement.split('.');
        let opcode = words.next().unwrap();
        tables().semantics(opcode, words).commutes
    };
    for statement in [
        "add.s32",
        "addc.cc.u32",
        "mul.wide.u16",
        "mad.lo.s32",
        "fma.rn.f64",
        "min.f16x2",
        "xor.b32",
        "sad.u32",
        "setp.ne.and.s32",
        "set.num.f32.f32",
        "setp.eq.f16x2",
        "add.cc.u32",
        "mul24.lo.u32",
        "max.bf16",
    ] {
        assert!(commutes(statement), "{statement}");
    }
    for statement in [
        "setp.lt.s32",
        "sub.s32",
        "div.u32",
        "shl.b32",
        "set.gtu.u32.f32",
        "selp.b32",
    ] {
        assert!(!commutes(statement), "{statement}");
    }
}

#[test]
fn written_events_are_what_their_instructions_do() {
    let spellings = tables().spellings();
    assert!(10 < spellings.len(), "{spellings:?}");
    for spelling in spellings {
        let statement = spelling
            .statement
            .and_then(|it| it.split([' ', ';']).next());
        for written in [Some(spelling.name), statement].into_iter().flatten() {
            let events = of(written).events;
            let found = events.iter().any(|it| it.kind == spelling.event);
            assert!(found, "`{written}` does {events:?}: {spelling:?}");
        }
    }
}

#[test]
fn words_that_are_assumed() {
    let check = |statement: &str, expected: &str| {
        let (opcode, rest) = statement.split_once('.').unwrap();
        let words: Vec<&str> = rest.split('.').collect();
        let found = tables().assumed(opcode, &words);
        let shown: String = found.words.iter().map(|it| format!(".{it}")).collect();
        let mut all: Vec<String> = words.iter().map(|it| format!(".{it}")).collect();
        all.insert(found.after, format!("<{shown}>"));
        let expected = match expected {
            "" => format!("{opcode}<>.{rest}"),
            it => it.to_owned(),
        };
        assert_eq!(format!("{opcode}{}", all.concat()), expected);
    };
    check("ld.global.f32", "ld<.weak>.global.f32");
    check("st.shared.v2.b32", "st<.weak>.shared.v2.b32");
    check("ld.relaxed.gpu.global.f32", "");
    check("ld.volatile.global.f32", "");
    check("ld.global.nc.f32", "");
    check("ld.param.u64", "");
    check(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32",
        "",
    );
    check(
        "multimem.ld_reduce.global.add.f32",
        "multimem.ld_reduce<.weak>.global.add.f32",
    );
    check(
        "multimem.red.global.add.f32",
        "multimem.red<.relaxed.sys>.global.add.f32",
    );
    check("atom.global.add.u32", "atom<.relaxed.gpu>.global.add.u32");
    check(
        "atom.acquire.global.cas.b32",
        "atom.acquire<.gpu>.global.cas.b32",
    );
    check("red.cta.global.add.u32", "red<.relaxed>.cta.global.add.u32");
    check(
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.inc.u32",
        "",
    );
    check("fence.gpu", "fence<.acq_rel>.gpu");
    check("fence.sc.cta", "");
    check("fence.proxy.async", "");
    check("fence.mbarrier_init.release.cluster", "");
    check(
        "barrier.cluster.arrive.aligned",
        "barrier.cluster.arrive<.release>.aligned",
    );
    check("barrier.cluster.arrive.relaxed", "");
    check("barrier.cluster.wait", "barrier.cluster.wait<.acquire>");
    check("barrier.cta.sync", "");
    check(
        "mbarrier.arrive.shared.b64",
        "mbarrier.arrive<.release.cta>.shared.b64",
    );
    check("mbarrier.try_wait.parity.acquire.cta.shared.b64", "");
    check("mbarrier.init.shared.b64", "");
    check("add.f32", "");
}

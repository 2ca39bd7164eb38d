//! Semantics in the tables, and tables that state them wrongly.

use expect_test::{Expect, expect};

use super::{
    computation::{Clause, ComputationLine, Expression, Primitive, Target, Test, TestSubject},
    instruction::Instruction,
    semantics::{Keep, Location, Order, Semantics, Together},
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
            "wrong.isa:2: `reed` is not a fact: one of read, write, no, keep, order, control, carry, old, copy, commutes, undefined, passes, together, fresh, uniform, differs, event, replaced, wide"
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

/// How much the tables state of what an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Statement {
    /// All bits of the result, or of what is written.
    Exact,
    /// A bound of the error.
    Bounded,
    /// The order of sums is open, or the bits mean nothing.
    Open,
    /// Places that a chapter of the manual describes.
    Places,
    /// It computes nothing.
    Nothing,
}

/// The lines about an instruction.
fn lines_of(instruction: &Instruction) -> impl Iterator<Item = &'static ComputationLine> {
    let name = instruction.name;
    let computation = tables().computation(instruction).unwrap();
    let other = move |it: &Test| match &it.subject {
        TestSubject::Instruction(names) => names.contains(&name) == it.negated,
        _ => false,
    };
    let lines = computation.lines.iter();
    lines.filter(move |it| it.when.is_empty() || !it.when.iter().all(|it| it.iter().any(other)))
}

/// Calls a function with every expression of a line, and with the parts of them.
fn each_expression(line: &ComputationLine, with: &mut dyn FnMut(&Expression)) {
    fn parts(expression: &Expression, with: &mut dyn FnMut(&Expression)) {
        with(expression);
        expression.each_part(&mut |it| parts(it, with));
    }
    match &line.clause {
        Clause::Let(all) => all.iter().for_each(|it| parts(&it.value, with)),
        Clause::Effects(all) => {
            for effect in all {
                effect.each_expression(&mut |it| parts(it, with));
            }
        }
        Clause::Unspecified(it) => parts(it, with),
        _ => {}
    }
}

fn statement(instruction: &Instruction) -> Statement {
    let (mut effects, mut bounded, mut open, mut places) = (false, false, false, false);
    for line in lines_of(instruction) {
        effects |= matches!(line.clause, Clause::Effects(_));
        if let Clause::Effects(all) = &line.clause {
            let chapter = |it: &Target| matches!(it, Target::Chapter(..));
            places |= all.iter().any(|it| chapter(&it.target));
        }
        each_expression(line, &mut |it| match it {
            Expression::Approximate(..) => bounded = true,
            Expression::Unordered(_) => open = true,
            // Forms that the manual does not have are stated so, too.
            Expression::Name("unspecified") | Expression::Call(Primitive::Opaque, _) => {
                open |= line.when.is_empty();
            }
            Expression::Call(it, _) => places |= it.is_place(),
            _ => {}
        });
    }
    match (effects, bounded, open, places) {
        (false, ..) => Statement::Nothing,
        (_, true, ..) => Statement::Bounded,
        (_, _, true, _) => Statement::Open,
        (.., true) => Statement::Places,
        _ => Statement::Exact,
    }
}

#[test]
fn what_the_tables_state_of_each_family() {
    use Statement::*;
    let mut rows = vec![format!(
        "{:<13}{:>6}{:>6}{:>8}{:>6}{:>7}{:>8}{:>7}",
        "family", "all", "exact", "bounded", "open", "places", "nothing", "cases"
    )];
    let mut sums = [0; 7];
    let mut instructions = tables().instructions();
    for (file, text) in FILES {
        let headings = text.lines().filter_map(|it| it.strip_prefix("instr "));
        let words = headings.flat_map(|it| {
            let names = it.split(['@', '#']).next().unwrap_or(it);
            names.split_ascii_whitespace()
        });
        let count = words.filter(|it| !it.starts_with(|c: char| c.is_ascii_digit()));
        let mut blocks: Vec<&Instruction> = instructions.by_ref().take(count.count()).collect();
        // Blocks of one name are of one instruction.
        blocks.sort_by_key(|it| it.name);
        let all = blocks.chunk_by(|a, b| a.name == b.name).map(|blocks| {
            let worst = [Bounded, Open, Places, Exact, Nothing].into_iter();
            let mut found = worst.filter(|it| blocks.iter().any(|block| statement(block) == *it));
            let unspecified = |it: &ComputationLine| matches!(it.clause, Clause::Unspecified(_));
            let cases = blocks.iter().any(|it| lines_of(it).any(unspecified));
            (found.next().unwrap(), cases)
        });
        let all: Vec<(Statement, bool)> = all.collect();
        let count = |of: Statement| all.iter().filter(|it| it.0 == of).count();
        let row = [
            all.len(),
            count(Exact),
            count(Bounded),
            count(Open),
            count(Places),
            count(Nothing),
            all.iter().filter(|it| it.1).count(),
        ];
        if row[0] == 0 {
            continue;
        }
        let show = |name: &str, row: [usize; 7]| {
            let [a, b, c, d, e, f, g] = row;
            format!("{name:<13}{a:>6}{b:>6}{c:>8}{d:>6}{e:>7}{f:>8}{g:>7}")
        };
        rows.push(show(file, row));
        (0..7).for_each(|it| sums[it] += row[it]);
    }
    let [a, b, c, d, e, f, g] = sums;
    rows.push(format!(
        "{:<13}{a:>6}{b:>6}{c:>8}{d:>6}{e:>7}{f:>8}{g:>7}",
        "sum"
    ));
    expect![[r#"
        family          all exact bounded  open places nothing  cases
        async.isa        12     6       0     0      0       6      2
        atomic.isa        9     9       0     0      0       0      4
        convert.isa      10     9       0     1      0       0      1
        fabric.isa       12     5       0     1      4       2      4
        float.isa        20    11       9     0      0       0      0
        flow.isa          5     0       0     0      0       5      0
        integer.isa      28    28       0     0      0       0      5
        logic.isa        13    13       0     0      0       0      0
        matrix.isa       25     6       0     6      4       9      0
        memory.isa       15     8       0     2      0       5      0
        misc.isa          8     3       0     0      0       5      0
        surface.isa       6     0       0     0      6       0      0
        sync.isa         22    13       0     2      0       7      3
        tensor.isa        4     1       0     0      2       1      0
        texture.isa       5     1       0     0      4       0      0
        video.isa        23    23       0     0      0       0      0
        sum             217   136       9    12     20      40     19"#]]
    .assert_eq(&rows.join("\n"));
}

#[test]
fn every_primitive_is_used() {
    let mut used = Vec::new();
    for instruction in tables().instructions() {
        for line in lines_of(instruction) {
            if let Clause::Inputs(it, _) | Clause::Result(it) = line.clause {
                used.push(it);
            }
            if let Clause::Effects(all) = &line.clause {
                used.extend(all.iter().filter_map(|it| match it.target {
                    Target::Chapter(primitive, ..) => Some(primitive),
                    _ => None,
                }));
            }
            each_expression(line, &mut |it| {
                if let Expression::Call(it, _) = it {
                    used.push(*it);
                }
            });
        }
    }
    for (name, primitive, ..) in Primitive::ALL {
        assert!(used.contains(primitive), "{name}");
        assert_eq!(primitive.name(), *name);
    }
}

#[test]
fn ignored_modifiers_exist() {
    let lines = FILES.iter().flat_map(|it| it.1.lines());
    let ignored = lines.filter_map(|it| it.strip_prefix("ignored "));
    let words: Vec<&str> = ignored.flat_map(str::split_ascii_whitespace).collect();
    assert!(!words.is_empty());
    for word in words {
        let has = |it: &Instruction| {
            it.word_ids.contains_key(word)
                || it.variants.iter().any(|it| {
                    let operand = it
                        .syntax
                        .split(['[', ']', '{', '}', '.', ',', ' '])
                        .any(|it| it == word);
                    operand || it.slots.iter().any(|it| it.name == word)
                })
        };
        assert!(tables().instructions().any(has), "{word}");
    }
}

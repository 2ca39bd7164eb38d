//! Random functions, and the same facts about them from slow walks.

use super::*;

/// A small generator of random numbers (SplitMix64), so that every run sees the same functions.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// An instruction as the reference sees it.
#[derive(Default)]
struct Simple {
    reads: Vec<String>,
    writes: Vec<String>,
    keeps: bool,
    next: Vec<usize>,
}

/// A random function and what it means.
fn random(seed: u64) -> (String, Vec<Simple>) {
    let random = &mut Random(seed);
    let count = 1 + random.below(40);
    let registers = 1 + random.below(6);
    let mut text = format!(
        "{HEADER}.func stop() .noreturn;\n.func step();\n\
         .entry k() {{\n.reg .pred %p<2>; .reg .b32 %r<{registers}>; .reg .v2 .b32 v;\n"
    );
    let mut program = Vec::new();
    for index in 0..count {
        let register = |random: &mut Random| format!("%r{}", random.below(registers));
        let mut simple = Simple::default();
        let _ = write!(text, "L{index}: ");
        let guarded = random.below(3) == 0;
        if guarded {
            text.push_str("@%p0 ");
            simple.reads.push("%p0".to_owned());
            simple.keeps = true;
        }
        let mut falls = true;
        match random.below(11) {
            0 => {
                let target = random.below(count);
                let _ = writeln!(text, "bra L{target};");
                simple.next.push(target);
                falls = guarded;
            }
            1 => {
                text.push_str(["ret;\n", "exit;\n", "trap;\n"][random.below(3)]);
                falls = guarded;
            }
            2 => {
                let targets: Vec<usize> =
                    (0..=random.below(3)).map(|_| random.below(count)).collect();
                let names: Vec<String> = targets.iter().map(|it| format!("L{it}")).collect();
                let selector = register(random);
                let _ = writeln!(text, "brx.idx {selector}, T{index};");
                let _ = writeln!(text, "T{index}: .branchtargets {};", names.join(", "));
                simple.reads.push(selector);
                simple.next.extend(targets);
                falls = guarded;
            }
            3 => {
                let source = register(random);
                let _ = writeln!(text, "setp.eq.b32 %p0, {source}, 1;");
                simple.reads.push(source);
                simple.writes.push("%p0".to_owned());
            }
            4 => {
                text.push_str("call stop;\n");
                falls = guarded;
            }
            5 => text.push_str("call step;\n"),
            6 => {
                let source = register(random);
                let element = ["x", "y"][random.below(2)];
                let _ = writeln!(text, "mov.b32 v.{element}, {source};");
                simple.reads.push(source);
                simple.writes.push("v".to_owned());
                simple.keeps = true;
            }
            7 => {
                let to = register(random);
                let _ = writeln!(text, "mov.b32 {to}, v.x;");
                simple.reads.push("v".to_owned());
                simple.writes.push(to);
            }
            _ => {
                let (to, left, right) = (register(random), register(random), register(random));
                let _ = writeln!(text, "add.s32 {to}, {left}, {right};");
                simple.reads.extend([left, right]);
                simple.writes.push(to);
            }
        }
        if falls && index + 1 < count {
            simple.next.push(index + 1);
        }
        program.push(simple);
    }
    text.push_str("}\n");
    (text, program)
}

/// The state of each value at each instruction, as a walk finds it.
struct Reference {
    /// The values live before each instruction: read later and written earlier.
    alive: Vec<BTreeSet<String>>,
    /// The values that are read later, and that no way to there writes.
    undefined: Vec<BTreeSet<String>>,
}

/// The instructions that control gets to from one.
fn reach(program: &[Simple], from: usize, seen: &mut FxHashSet<usize>) {
    let mut work = vec![from];
    while let Some(at) = work.pop() {
        if seen.insert(at) {
            work.extend(&program[at].next);
        }
    }
}

/// Walks every way from every read and every write.
fn reference(program: &[Simple]) -> Reference {
    let mut names: FxHashSet<&String> = FxHashSet::default();
    for it in program {
        names.extend(it.reads.iter().chain(&it.writes));
    }
    let mut reachable = FxHashSet::default();
    reach(program, 0, &mut reachable);
    let mut found = Reference {
        alive: vec![BTreeSet::new(); program.len()],
        undefined: vec![BTreeSet::new(); program.len()],
    };
    for name in names {
        let mut written = FxHashSet::default();
        for (at, it) in program.iter().enumerate() {
            if it.writes.contains(name) && reachable.contains(&at) {
                for next in &it.next {
                    reach(program, *next, &mut written);
                }
            }
        }
        for start in 0..program.len() {
            let (mut seen, mut work) = (FxHashSet::default(), vec![start]);
            while let Some(at) = work.pop() {
                let it = &program[at];
                if it.reads.contains(name) {
                    let list = match written.contains(&start) {
                        true => &mut found.alive,
                        false => &mut found.undefined,
                    };
                    list[start].insert(name.clone());
                    break;
                }
                let replaced = it.writes.contains(name) && !it.keeps;
                if !replaced && seen.insert(at) {
                    work.extend(&it.next);
                }
            }
        }
    }
    found
}

#[test]
fn liveness_is_the_same_in_runs() {
    // So many values that they come in parts: written, half of them on one way only, passed by, and read.
    let line = |piece: fn(usize) -> String| (0..150).map(piece).collect::<String>();
    let many = format!(
        "{HEADER}.entry k()\n{{\n.reg .b32 %r<150>;\n.reg .pred %p;\n{}{}{}ret;\n}}\n",
        line(|it| format!("mov.u32 %r{it}, {it};\n@%p bra N{it};\n")),
        line(|it| format!("N{it}:\n@%p bra M{it};\nmov.u32 %r{it}, 1;\nM{it}:\n")),
        line(|it| format!("add.s32 %r{it}, %r{}, 1;\n@%p bra N0;\n", 149 - it)),
    );
    let texts = (0..500).map(|it| random(it).0).chain([many]);
    let mut parts = 0;
    for (seed, text) in texts.enumerate() {
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, _| {
            let accesses = flow.facts.accesses();
            let values = flow.facts.values.len();
            let runs = Liveness::within(0, &flow.graph, &accesses, values, &|| ());
            parts += usize::from(runs != flow.liveness);
            let weight = |value: Value| value % 3;
            let weights = [&flow.liveness, &runs].map(|it| it.weights_out(weight));
            for block in 0..flow.graph.blocks.len() as u32 {
                let place = format!("seed {seed}, block {block}\n{text}");
                let live_in: Vec<Value> = flow.liveness.live_in(block).collect();
                assert_eq!(runs.live_in(block).collect::<Vec<_>>(), live_in, "{place}");
                let live_out: Vec<Value> = flow.liveness.live_out(block).collect();
                assert_eq!(
                    runs.live_out(block).collect::<Vec<_>>(),
                    live_out,
                    "{place}"
                );
                let sum: u32 = live_out.iter().copied().map(weight).sum();
                for it in &weights {
                    let found = it.get(block as usize).copied().unwrap_or_default();
                    assert_eq!(found, sum, "{place}");
                }
                let mut any = false;
                for value in 0..values as Value {
                    for it in [&flow.liveness, &runs] {
                        let is_live = it.is_live_out(block, value);
                        assert_eq!(is_live, live_out.contains(&value), "{place}");
                    }
                    let is_undefined = flow.liveness.is_undefined_in(block, value);
                    assert_eq!(runs.is_undefined_in(block, value), is_undefined, "{place}");
                    any |= is_undefined;
                }
                assert_eq!(flow.liveness.any_undefined_in(block), any, "{place}");
                assert!(runs.any_undefined_in(block) || !any, "{place}");
            }
        });
    }
    assert!(parts > 300, "{parts}");
}

#[test]
fn liveness_is_that_of_a_slow_reference() {
    let (mut blocks, mut loops, mut undefined) = (0, 0, 0);
    for seed in 0..500 {
        let (text, program) = random(seed);
        let expected = reference(&program);
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, name| {
            assert_eq!(flow.facts.len(), program.len());
            loops += flow.graph.loops.len();
            for (block, steps) in (0..).zip(&flow.graph.blocks) {
                let place = format!("seed {seed}, block {block}\n{text}");
                if !flow.graph.reachable[block as usize] {
                    continue;
                }
                let start = steps.start as usize;
                let names = |values: &mut dyn Iterator<Item = Value>| {
                    values.map(name).collect::<BTreeSet<String>>()
                };
                let found = names(&mut flow.liveness.live_in(block));
                assert_eq!(found, expected.alive[start], "{place}");
                let found = names(&mut undefined_in(flow, block));
                assert_eq!(found, expected.undefined[start], "{place}");
                undefined += found.len();
                // A value is live at the end of a block if it is read later and was written before.
                let last = &program[steps.end as usize - 1];
                let mut after = BTreeSet::new();
                for next in &last.next {
                    after.extend(expected.alive[*next].clone());
                    after.extend(expected.undefined[*next].clone());
                }
                let written = |name: &String| {
                    expected.alive[start].contains(name)
                        || (steps.clone()).any(|it| program[it as usize].writes.contains(name))
                        || was_written(&program, start, name)
                };
                after.retain(written);
                let found = names(&mut flow.liveness.live_out(block));
                assert_eq!(found, after, "{place}");
                blocks += 1;
            }
        });
    }
    assert!(
        blocks > 1500 && loops > 100 && undefined > 500,
        "{blocks} {loops} {undefined}"
    );
}

/// Whether some way to an instruction writes a value.
fn was_written(program: &[Simple], step: usize, name: &String) -> bool {
    let mut reachable = FxHashSet::default();
    reach(program, 0, &mut reachable);
    program.iter().enumerate().any(|(at, it)| {
        let mut seen = FxHashSet::default();
        it.next
            .iter()
            .for_each(|next| reach(program, *next, &mut seen));
        it.writes.contains(name) && reachable.contains(&at) && seen.contains(&step)
    })
}

#[test]
fn dominators_and_loops_are_those_of_a_slow_reference() {
    let mut heads = 0;
    for seed in 1000..1300 {
        let (text, program) = random(seed);
        let fixture = Fixture::new(&text);
        with_flow(&fixture.host.analysis(), |flow, _| {
            let graph = &flow.graph;
            let count = graph.blocks.len();
            let from_start = |without: Option<usize>| {
                let mut seen = FxHashSet::default();
                let mut work = vec![0];
                while let Some(block) = work.pop() {
                    if Some(block) != without && seen.insert(block) {
                        let next = graph.successors.get(block).iter();
                        work.extend(next.map(|it| *it as usize));
                    }
                }
                seen
            };
            let place = format!("seed {seed}\n{text}");
            let reachable = from_start(None);
            // A block dominates those that nobody gets to without it.
            let dominates: Vec<FxHashSet<usize>> = (0..count)
                .map(|it| {
                    reachable
                        .difference(&from_start(Some(it)))
                        .copied()
                        .collect()
                })
                .collect();
            for block in 0..count {
                assert_eq!(
                    graph.reachable[block],
                    reachable.contains(&block),
                    "{place}"
                );
                if !reachable.contains(&block) {
                    continue;
                }
                let above = (0..count).filter(|it| *it != block && dominates[*it].contains(&block));
                // The closest one is dominated by all others.
                let closest = above.max_by_key(|it| {
                    (0..count)
                        .filter(|other| dominates[*other].contains(it))
                        .count()
                });
                assert_eq!(
                    graph.dominator[block].map(|it| it as usize),
                    closest,
                    "{place}"
                );
            }
            let mut expected: Vec<usize> = (0..count)
                .filter(|head| {
                    let before = graph.predecessors.get(*head).iter();
                    reachable.contains(head)
                        && before
                            .into_iter()
                            .any(|it| dominates[*head].contains(&(*it as usize)))
                })
                .collect();
            let mut found: Vec<usize> = graph.loops.iter().map(|it| it.head as usize).collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{place}");
            heads += found.len();
            // The instructions of the program and the blocks agree on where control goes.
            for (block, steps) in graph.blocks.iter().enumerate() {
                let last = &program[steps.end as usize - 1];
                let mut next: Vec<u32> = last.next.iter().map(|it| graph.block_of[*it]).collect();
                next.sort_unstable();
                next.dedup();
                assert_eq!(graph.successors.get(block), next, "{place}");
            }
        });
    }
    assert!(heads > 50, "{heads}");
}

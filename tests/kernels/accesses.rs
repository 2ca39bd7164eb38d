//! Accesses of memory as they are judged without running, against the addresses that the machine sees.
//!
//! Every kernel of `kernels` runs one instruction at a time. Before each access by a full warp its addresses are
//! computed from the registers, and sectors, bank conflicts and alignment are counted anew. [`costs`] judges the costs of
//! loops in the same runs.

mod costs;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use analysis::{
    AccessPattern, AnalysisHost, Change, FileContents, FileId,
    code::{Code, Formal, Instruction},
};
use isa::compute::{AddressSpace, window};
use ptx_tests::workspace::top;
use run::{
    Argument, Ended, Limits, Machine, View,
    debug::{NextAccess, next_accesses},
    description::{Description, Value},
};

const FILE: FileId = FileId(0);
const LANES: usize = 32;

fn sectors(it: &NextAccess) -> u32 {
    let mut found = BTreeSet::new();
    for lane in (0..LANES).filter(|lane| it.lanes >> lane & 1 == 1) {
        found.extend((0..it.bytes).map(|at| (it.addresses[lane] + at) >> 5));
    }
    found.len() as u32
}

/// The largest number of words in one bank that a phase of 128 bytes accesses.
fn ways(it: &NextAccess) -> u32 {
    let mut worst = 1;
    let per_phase = (128 / it.bytes.clamp(4, 16)) as usize;
    for phase in 0..LANES / per_phase {
        let mut words: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        let lanes = phase * per_phase..(phase + 1) * per_phase;
        for lane in lanes.filter(|lane| it.lanes >> lane & 1 == 1) {
            for at in 0..it.bytes {
                let word = (it.addresses[lane] + at) / 4;
                words.entry(word % 32).or_default().insert(word);
            }
        }
        let most = words.values().map(BTreeSet::len).max().unwrap_or(1);
        worst = worst.max(most as u32);
    }
    worst
}

/// The figures of a kernel that are compared.
#[derive(Default)]
struct Count {
    compared: usize,
    decided: usize,
    unknown: usize,
    wrong: BTreeSet<String>,
    costs: costs::Verdicts,
}

fn compare(
    name: &str,
    text: &str,
    launch: &str,
    folder: &Path,
    count: &mut Count,
) -> Result<(), String> {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    let analysis = host.analysis();
    let code: Code = analysis.code(FILE).map_err(|_| "cancelled")?;
    let message = |it: run::description::Problem| it.message;
    let value = Value::parse(launch).map_err(message)?;
    let description = Description::read(&value).map_err(message)?;
    let entry = description.entry_of(&code).map_err(message)?;
    let read = |name: &str| fs::read(folder.join(name)).map_err(|error| error.to_string());
    let limits = Limits {
        steps: 400_000,
        ..Limits::default()
    };
    let prepared = description
        .prepare(&code, entry, limits, &read)
        .map_err(message)?;
    let block = prepared.launch.block;
    let mut patterns = analysis
        .accesses(FILE, None, Some(block))
        .map_err(|_| "cancelled")?;
    let function = &code.functions[prepared.launch.entry as usize];
    let named = function.parameters.iter().zip(&prepared.launch.arguments);
    let arguments: BTreeMap<&str, &[u8]> = named
        .filter_map(|it| match it {
            (Formal::Variable(id), Argument::Bytes(bytes)) => {
                Some((code.variables[*id as usize].name.as_str(), &bytes[..]))
            }
            _ => None,
        })
        .collect();
    for it in &mut patterns {
        let mut assumed = it.assumptions.iter();
        if !assumed.all(|it| holds(it, &arguments)) {
            (it.sectors, it.ways, it.aligned) = (None, None, None);
        }
    }
    let mut by_start: BTreeMap<u32, Vec<&AccessPattern>> = BTreeMap::new();
    for it in &patterns {
        by_start
            .entry(it.range.start().into())
            .or_default()
            .push(it);
        match it.decided {
            true => count.decided += 1,
            false => count.unknown += 1,
        }
    }
    let costs = analysis
        .costs(FILE, None, Some(block))
        .map_err(|_| "cancelled")?;
    let heads: BTreeMap<u32, u64> = costs
        .iter()
        .filter_map(|it| Some((it.head?.start().into(), it.count?)))
        .collect();
    let entry = prepared.launch.entry as usize;
    let mut judge = costs::Judge::new(entry, function, costs, block);
    // How often each warp begins an iteration, by the start of the head.
    let mut begun: BTreeMap<(u32, u64, u32), u64> = BTreeMap::new();
    let mut machine = Machine::new(&code, prepared.launch).map_err(|_| "no launch")?;
    let mut steps = 0;
    while let Some(next) = machine.next_instruction() {
        steps += 1;
        if steps > 400_000 {
            break;
        }
        let function = &code.functions[next.function];
        if let Some(instruction) = function.instructions.get(next.pc as usize)
            && next.lanes == u32::MAX
            && let Some(patterns) = by_start.get(&instruction.range.start().into())
        {
            let view = View {
                warp: next.warp,
                frame: next.frame,
                lane: 0,
            };
            one(name, text, &machine, view, instruction, patterns, count);
        }
        let mut figures = costs::Figures::default();
        if let Some(instruction) = function.instructions.get(next.pc as usize) {
            let view = View {
                warp: next.warp,
                frame: next.frame,
                lane: 0,
            };
            let range = instruction.range;
            let statement = &text[range.start().into()..range.end().into()];
            let of = (instruction, statement);
            figures = costs::Judge::figures(&machine, view, of, next.lanes);
        }
        // At a barrier, lanes may come to an instruction more than once.
        let passed = machine.run_next().is_some_and(|it| it.1);
        if passed {
            let (warp, at) = ((next.warp.block, next.warp.warp), (next.function, next.pc));
            judge.add(warp, at, next.lanes, &figures);
        }
        if let Some(instruction) = function.instructions.get(next.pc as usize) {
            let start = instruction.range.start().into();
            if passed && next.lanes == u32::MAX && heads.contains_key(&start) {
                let key = (start, next.warp.block, next.warp.warp);
                *begun.entry(key).or_default() += 1;
            }
        }
    }
    if machine.ended() == Some(Ended::Finished) {
        judge.judge(name, text, &mut count.costs);
        for ((start, ..), times) in begun {
            let trips = heads[&start];
            count.compared += 1;
            // A head with the test runs once more than the rest; a loop may be entered several times.
            if times % trips.max(1) != 0 && times % (trips + 1) != 0 {
                let line = text[..start as usize].matches('\n').count() + 1;
                let what = format!("{name}:{line}: {trips} iterations, not {times}");
                count.wrong.insert(what);
            }
        }
    }
    Ok(())
}

/// Whether an assumption about the length of a row holds for arguments; others do in all launches.
fn holds(assumption: &str, arguments: &BTreeMap<&str, &[u8]>) -> bool {
    let words: Vec<&str> = assumption.split(' ').collect();
    let (name, unit, least) = match words[..] {
        ["param", name, "is", "a", "positive", "multiple", "of", unit] => (name, unit, "1"),
        ["param", name, "is", "a", "multiple", "of", unit, .., least] => (name, unit, least),
        _ => return true,
    };
    let (name, at) = match name.split_once('[') {
        Some((name, rest)) => (name, rest.trim_end_matches(']').parse().unwrap_or(0)),
        None => (name, 0),
    };
    let bytes = arguments.get(name).and_then(|it| it.get(at..));
    // The upper half of a number in an array is not looked at.
    let number = bytes.map_or(0, |it| {
        let bytes = it.iter().take(4).rev();
        bytes.fold(0, |number, it| number << 8 | u64::from(*it))
    });
    let (unit, least) = (unit.parse().unwrap_or(1), least.parse().unwrap_or(1));
    number.is_multiple_of(unit) && number >= least
}

fn one(
    name: &str,
    text: &str,
    machine: &Machine<'_>,
    view: View,
    instruction: &Instruction,
    patterns: &[&AccessPattern],
    count: &mut Count,
) {
    let mut active = u32::MAX;
    if let Some(guard) = instruction.guard {
        let values = machine.register(view.warp, view.frame, guard.slot);
        let Some((values, _)) = values else { return };
        for (lane, value) in values.iter().enumerate() {
            if (value & 1 == 1) == guard.negated {
                active &= !(1 << lane);
            }
        }
    }
    let assumed = |it: &AccessPattern| it.assumptions.iter().any(|it| it.contains("guard"));
    if active == 0 || active != u32::MAX && patterns.iter().any(|it| assumed(it)) {
        return;
    }
    let all = next_accesses(machine, view, instruction, active);
    let line = text[..usize::from(instruction.range.start())]
        .matches('\n')
        .count()
        + 1;
    let mut wrong = |what: String| {
        count
            .wrong
            .insert(format!("{name}:{line}: {}: {what}", instruction.name));
    };
    for it in &all {
        let pattern = patterns
            .iter()
            .find(|one| one.kind == "atomic" || one.writes == it.writes);
        let Some(pattern) = pattern else {
            wrong("is not listed".to_owned());
            continue;
        };
        let partial = pattern.assumptions.iter().any(|it| it.contains("copied"));
        if partial && pattern.bytes != Some(it.bytes) {
            continue;
        }
        let shared = window(AddressSpace::Shared);
        let is_shared = match it.space {
            AddressSpace::Shared | AddressSpace::SharedCluster => true,
            AddressSpace::Generic => it.addresses[0].wrapping_sub(shared) < 1 << 32,
            _ => false,
        };
        let is_global = match it.space {
            AddressSpace::Global => true,
            AddressSpace::Generic => {
                let spaces = [
                    AddressSpace::Shared,
                    AddressSpace::Local,
                    AddressSpace::Parameter,
                ];
                let first = it.addresses[it.lanes.trailing_zeros() as usize % LANES];
                spaces
                    .iter()
                    .all(|it| first.wrapping_sub(window(*it)) >= 1 << 32)
            }
            _ => false,
        };
        if pattern.space == "shared" && !is_shared || pattern.space == "global" && !is_global {
            wrong(format!("is not in {}", pattern.space));
        }
        if pattern.bytes != Some(it.bytes) && pattern.bytes.is_some() && !it.matrix {
            wrong(format!("{:?} bytes, not {}", pattern.bytes, it.bytes));
        }
        if let Some(figure) = pattern.sectors {
            count.compared += 1;
            if figure != sectors(it) {
                wrong(format!("{figure} sectors, not {}", sectors(it)));
            }
        }
        if let Some(figure) = pattern.ways {
            count.compared += 1;
            if figure != ways(it) {
                wrong(format!("{figure} ways, not {}", ways(it)));
            }
        }
        if let (Some(true), Some((variable, size, ..))) = (pattern.in_range, &pattern.extent) {
            let code = machine.code();
            let named = code.variables.iter().position(|it| it.name == *variable);
            let place = named.and_then(|it| machine.place_of(view, it as u32));
            let start = place.map_or(0, |it| it.1);
            let inside = (0..LANES)
                .filter(|lane| it.lanes >> lane & 1 == 1)
                .all(|lane| {
                    let offset =
                        (it.addresses[lane] & 0xFFFF_FFFF).wrapping_sub(start & 0xFFFF_FFFF);
                    offset.saturating_add(it.bytes) <= *size
                });
            count.compared += 1;
            let several = code.variables.iter().filter(|it| it.name == *variable);
            if !inside && several.count() == 1 {
                wrong(format!("is not in `{variable}`"));
            }
        }
        let unit = it.bytes.next_power_of_two();
        let active = (0..LANES).filter(|lane| it.lanes >> lane & 1 == 1);
        let aligned = active.clone().all(|lane| it.addresses[lane] % unit == 0);
        if pattern.aligned.is_some_and(|it| it != aligned) {
            wrong(format!("aligned: {aligned}"));
        }
    }
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "the table of producers, for `--nocapture`"
)]
fn decided_accesses_are_those_of_the_machine() {
    let folder = match std::env::var_os("KERNELS_FOLDER") {
        Some(it) => it.into(),
        None => top().join("tests/kernels"),
    };
    let mut count = Count::default();
    let mut kernels = 0;
    let mut skipped: Vec<String> = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(&folder).expect("kernels").flatten().collect();
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let path = entry.path();
        if path.extension().is_none_or(|it| it != "toml") {
            continue;
        }
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let launch = fs::read_to_string(&path).expect("a launch");
        let text = fs::read_to_string(path.with_extension("ptx")).expect("a kernel");
        let compared = compare(&name, &text, &launch, &folder, &mut count);
        match compared {
            Ok(()) => kernels += 1,
            // A folder of kernels of others may have some that cannot be launched.
            Err(error) if std::env::var_os("KERNELS_FOLDER").is_some() => {
                skipped.push(format!("{name}: {error}"));
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    let all: Vec<String> = count.wrong.into_iter().collect();
    let summary = format!(
        "{kernels} kernels, {} accesses decided, {} unknown, {} executions compared, {} kernels not launched",
        count.decided,
        count.unknown,
        count.compared,
        skipped.len()
    );
    let costs = count.costs;
    let found: Vec<String> = costs.wrong.into_iter().collect();
    let of_costs = format!(
        "{} figures of costs equal, {} smaller as threads skip code, {} not stated or judged; {} numbers of iterations \
         equal, {} loops whose threads differ",
        costs.equal, costs.less, costs.open, costs.trips, costs.uneven
    );
    println!(
        "{summary}\n{of_costs}\nequal, smaller, not judged: {:?}",
        costs.producers
    );
    assert!(all.is_empty(), "{summary}\n{}", all.join("\n"));
    assert!(found.is_empty(), "{of_costs}\n{}", found.join("\n"));
    assert!(costs.equal > 300, "{of_costs}");
    assert!(count.compared > 1000, "{summary}");
}

//! A run that stops, and goes backwards.
//!
//! The order of instructions is that of a run without a debugger, so a number of instructions is a point in time, and
//! the same launch comes to the same state there again. Going back means: take the last copy of the machine before that
//! time, and run it up to there.

use rustc_hash::FxHashMap;

use super::{
    evaluate::Scope,
    points::Points,
    stop::{Edit, Goal, Reason, Stop, Thread},
    types::nans,
};
use crate::{
    description::Layout,
    launch::Launch,
    machine::{
        LaunchError, Machine,
        inspect::{GroupView, Known, View, WARP},
        single::Next,
        sync::waits_for_warps,
    },
    outcome::{Ended, Finding},
};
use analysis::code::{Code, Instruction};

/// Instructions between two copies of the machine at the start; it doubles where these take too much memory.
const INTERVAL: u64 = 1 << 14;
/// The most bytes that copies of the machine take together, beside the first one.
const MOST_MEMORY: usize = 256 << 20;
/// The most copies.
const MOST_COPIES: usize = 256;

/// A run that can be stopped and go back.
pub struct Debugger<'a> {
    machine: Machine<'a>,
    /// Copies with their times, ascending; the first one is the start.
    copies: Vec<Machine<'a>>,
    interval: u64,
    /// The bytes that the copies take.
    memory: usize,
    /// The changes with their times, ascending.
    edits: Vec<(u64, Edit)>,
    arrays: Vec<Layout>,
    /// At what it stops.
    pub points: Points,
    counts: FxHashMap<u64, u64>,
    goal: Option<Running>,
    /// How many findings have been told.
    told: usize,
    /// How many bytes of what the kernel printed have been told.
    told_text: usize,
    logs: Vec<String>,
}

/// A goal with what must be known of its start.
#[derive(Clone, Debug)]
struct Running {
    goal: Goal,
    depth: u32,
    /// The source line at which it was: function and number.
    line: (usize, u32),
    /// Whether breakpoints at the next instruction are passed: the run has stopped there.
    skips: bool,
    watched: Vec<Option<Known>>,
    /// For going back: the time before which the last stop is searched.
    before: u64,
    /// When it began.
    origin: u64,
}

impl<'a> Debugger<'a> {
    /// Prepares a launch; nothing runs yet.
    ///
    /// # Errors
    /// The reason for which it cannot start.
    pub fn new(
        code: &'a Code,
        launch: Launch,
        arrays: Vec<Layout>,
    ) -> Result<Debugger<'a>, LaunchError> {
        let mut machine = Machine::new(code, launch)?;
        machine.forget_contents();
        machine.next_instruction();
        Ok(Debugger {
            copies: vec![machine.clone()],
            machine,
            interval: INTERVAL,
            memory: 0,
            edits: Vec::new(),
            arrays,
            points: Points::default(),
            counts: FxHashMap::default(),
            goal: None,
            told: 0,
            told_text: 0,
            logs: Vec::new(),
        })
    }

    /// The machine as it is now.
    #[must_use]
    pub fn machine(&self) -> &Machine<'a> {
        &self.machine
    }

    /// The types of the arrays of the launch.
    #[must_use]
    pub fn arrays(&self) -> &[Layout] {
        &self.arrays
    }

    /// The place of a thread in its innermost frame.
    #[must_use]
    pub fn scope(&self, view: View) -> Scope<'_, 'a> {
        Scope {
            machine: &self.machine,
            arrays: &self.arrays,
            view,
        }
    }

    /// The group in which a thread is; `None` if it has ended.
    #[must_use]
    pub fn group(&self, thread: Thread) -> Option<GroupView> {
        let warp = self.machine.warp_view(thread.warp)?;
        let mut groups = warp.groups.into_iter();
        groups.find(|it| it.lanes >> thread.lane & 1 == 1)
    }

    /// The thread that runs next, or any that has not ended.
    #[must_use]
    pub fn current(&mut self) -> Option<Thread> {
        let next = self.machine.next_instruction();
        let next = next.map(|it| (it.warp, it.lanes));
        let waits = || {
            let warps = self.machine.warps();

            warps
                .iter()
                .find_map(|it| Some((it.id, it.groups.first()?.lanes)))
        };
        let (warp, lanes) = next.or_else(waits)?;
        Some(Thread {
            warp,
            lane: first_lane(lanes),
        })
    }

    /// The log of breakpoints since the last call.
    pub fn take_logs(&mut self) -> Vec<String> {
        std::mem::take(&mut self.logs)
    }

    /// The output of the kernel since the last call.
    pub fn take_printed(&mut self) -> String {
        let printed = self.machine.printed();
        let new = printed.get(self.told_text..).unwrap_or_default().to_owned();
        self.told_text = self.told_text.max(printed.len());
        new
    }

    /// Makes a change now; what had been done after now is forgotten.
    pub fn edit(&mut self, edit: Edit) -> bool {
        let now = self.machine.steps();
        self.edits.retain(|it| it.0 <= now);
        while self.copies.len() > 1 && self.copies.last().is_some_and(|it| it.steps() > now) {
            self.drop_copy(self.copies.len() - 1);
        }
        let done = apply(&mut self.machine, &edit);
        self.edits.push((now, edit));
        // Findings of what followed may be others now.
        self.told = self.told.min(self.machine.findings().len());
        done
    }

    /// Begins to run towards a goal; [`Self::advance`] does it.
    pub fn start(&mut self, goal: Goal, skips: bool) {
        let (mut depth, mut line) = (0, (0, 0));
        if let Goal::Next(thread) | Goal::StepOut(thread) | Goal::Line(thread) = goal
            && let Some(group) = self.group(thread)
        {
            depth = self.machine.depth(thread.warp, group.frame);
            line = (group.function, self.points.line(group.function, group.pc));
        }
        self.goal = Some(Running {
            goal,
            depth,
            line,
            skips,
            watched: self.contents(),
            before: self.machine.steps(),
            origin: self.machine.steps(),
        });
    }

    /// Whether it runs towards a goal.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.goal.is_some()
    }

    /// Stops where it is.
    pub fn pause(&mut self) -> Option<Stop> {
        let running = self.goal.take()?;
        if matches!(running.goal, Goal::Reverse | Goal::StepBack(_)) {
            self.seek(running.origin);
        }
        Some(Stop {
            reason: Reason::Pause,
            thread: self.current(),
        })
    }

    /// Goes back to the start, and forgets what was told and changed.
    pub fn restart(&mut self) {
        self.goal = None;
        self.edits.clear();
        self.copies.truncate(1);
        self.memory = 0;
        self.interval = INTERVAL;
        self.counts.clear();
        self.told = 0;
        self.told_text = 0;
        self.machine = self.copies[0].clone();
    }

    fn contents(&self) -> Vec<Option<Known>> {
        let watches = self.points.watches.iter();
        watches.map(|it| it.contents(&self.machine)).collect()
    }

    /// The first thing that is watched and has changed.
    fn changed(&self, before: &[Option<Known>]) -> Option<u64> {
        let mut watches = self.points.watches.iter().zip(before);
        let found = watches.find(|(watch, before)| {
            before.is_some() && {
                let now = watch.contents(&self.machine);
                now.is_some() && now != **before
            }
        });
        found.map(|it| it.0.id)
    }

    /// Runs the next instruction; returns it, and whether its lanes have passed it.
    fn run_one(&mut self) -> Option<(Next, bool)> {
        let ran = self.machine.run_next()?;
        self.machine.next_instruction();
        let now = self.machine.steps();
        if now.is_multiple_of(self.interval)
            && self.copies.last().is_some_and(|it| it.steps() < now)
        {
            self.copy();
        }
        self.apply_edits();
        Some(ran)
    }

    fn copy(&mut self) {
        let size = self.machine.footprint();
        if size > MOST_MEMORY {
            return;
        }
        self.copies.push(self.machine.clone());
        self.memory += size;
        while self.memory > MOST_MEMORY || self.copies.len() > MOST_COPIES {
            self.interval *= 2;
            let interval = self.interval;
            let before = self.copies.len();
            for index in (1..before).rev() {
                if !self.copies[index].steps().is_multiple_of(interval) {
                    self.drop_copy(index);
                }
            }
            if self.copies.len() < 2 {
                return;
            }
        }
    }

    fn drop_copy(&mut self, index: usize) {
        let copy = self.copies.remove(index);
        self.memory = self.memory.saturating_sub(copy.footprint());
    }

    fn apply_edits(&mut self) {
        if self.edits.is_empty() {
            return;
        }
        let now = self.machine.steps();
        let from = self.edits.partition_point(|it| it.0 < now);
        for (time, edit) in &self.edits[from..] {
            if *time != now {
                break;
            }
            apply(&mut self.machine, edit);
        }
    }

    /// Puts the machine to a time that was before.
    fn seek(&mut self, time: u64) {
        let index = self.copies.partition_point(|it| it.steps() <= time);
        self.machine = self.copies[index.saturating_sub(1)].clone();
        self.apply_edits();
        while self.machine.steps() < time && self.run_one().is_some() {}
    }

    /// Runs at most so many instructions towards the goal; returns the stop once it is reached.
    pub fn advance(&mut self, budget: u64) -> Option<Stop> {
        let mut running = self.goal.take()?;
        let stop = match running.goal {
            Goal::Reverse | Goal::StepBack(_) => self.back(&mut running),
            _ => self.forward(&mut running, budget),
        };
        if stop.is_none() {
            self.goal = Some(running);
        }
        stop
    }

    fn forward(&mut self, running: &mut Running, budget: u64) -> Option<Stop> {
        for _ in 0..budget {
            let Some(next) = self.machine.next_instruction() else {
                return Some(self.end());
            };
            let skips = std::mem::replace(&mut running.skips, false);
            if !skips && let Some(stop) = self.hit(&next) {
                return Some(stop);
            }
            let before = self.machine.findings().len();
            let now = self.machine.steps();
            let had_nan = (self.points.nan && !skips).then(|| {
                let lanes = self.guarded(&next);
                (lanes, self.nans(&next, lanes, false))
            });
            let Some((_, passed)) = self.run_one() else {
                return Some(self.end());
            };
            if let Some(stop) = self.found(before, now, &next) {
                return Some(stop);
            }
            if let Some((lanes, before)) = had_nan {
                let new = self.nans(&next, lanes, true) & !before;
                if new != 0 {
                    self.seek(now);
                    return Some(Stop {
                        reason: Reason::Nan(new),
                        thread: Some(Thread {
                            warp: next.warp,
                            lane: first_lane(new),
                        }),
                    });
                }
            }
            let thread = |it: usize| {
                Some(Thread {
                    warp: next.warp,
                    lane: it,
                })
            };
            let first = first_lane(next.lanes);
            if !self.points.watches.is_empty() {
                if let Some(id) = self.changed(&running.watched) {
                    return Some(Stop {
                        reason: Reason::Data(id),
                        thread: thread(first),
                    });
                }
                running.watched = self.contents();
            }
            let (own, limit) = match running.goal {
                Goal::StepIn(it) => (it, u32::MAX),
                Goal::Next(it) => (it, running.depth),
                Goal::StepOut(it) => (it, running.depth.saturating_sub(1)),
                Goal::Barrier(it) => (it, u32::MAX),
                Goal::Line(it) => (it, running.depth),
                _ => continue,
            };
            let is_own = own.warp == next.warp && next.lanes >> own.lane & 1 == 1;
            if !is_own || !passed {
                continue;
            }
            let group = self.group(own);
            let is_out = matches!(running.goal, Goal::StepOut(_)) && running.depth == 0;
            match group {
                Some(it) if is_out || self.machine.depth(own.warp, it.frame) > limit => continue,
                Some(it) if !self.is_reached(running, &it) => continue,
                Some(_) => {
                    return Some(Stop {
                        reason: Reason::Step,
                        thread: Some(own),
                    });
                }
                // The lanes have ended: what runs next is looked at.
                None if self.machine.ended().is_none() => {
                    return Some(Stop {
                        reason: Reason::Step,
                        thread: self.current(),
                    });
                }
                None => return Some(self.end()),
            }
        }
        None
    }

    /// Whether the lanes of a step are where it ends.
    fn is_reached(&self, running: &Running, group: &GroupView) -> bool {
        match running.goal {
            Goal::Barrier(_) => {
                let function = &self.machine.code().functions[group.function];
                let next = function.instructions.get(group.pc as usize);
                next.is_some_and(waits_for_warps)
            }
            Goal::Line(_) => {
                let line = self.points.line(group.function, group.pc);
                line != 0 && (group.function, line) != running.line
            }
            _ => true,
        }
    }

    /// The next instruction, unless it is the end of the function.
    fn instruction(&self, next: &Next) -> Option<&'a Instruction> {
        let function = &self.machine.code().functions[next.function];
        function.instructions.get(next.pc as usize)
    }

    /// The lanes that will run the next instruction: those in which its guard holds.
    fn guarded(&self, next: &Next) -> u32 {
        let guard = self.instruction(next).and_then(|it| it.guard);
        let Some(guard) = guard else {
            return next.lanes;
        };
        let values = self.machine.register(next.warp, next.frame, guard.slot);
        let holds = |lane: &usize| values.is_some_and(|it| (it.0[*lane] & 1 == 1) != guard.negated);
        let lanes = (0..WARP).filter(holds);
        next.lanes & lanes.fold(0, |mask, it| mask | 1 << it)
    }

    /// Those of some lanes in which an operand of an instruction is NaN: one that it reads, or one that it writes.
    fn nans(&self, next: &Next, lanes: u32, written: bool) -> u32 {
        let place = (next.warp, next.frame, lanes);
        self.instruction(next)
            .map_or(0, |it| nans(&self.machine, it, place, written))
    }

    /// The stop at a breakpoint of the next instruction.
    fn hit(&mut self, next: &Next) -> Option<Stop> {
        if self.points.breakpoints.is_empty() {
            return None;
        }
        let mut counts = std::mem::take(&mut self.counts);
        let hit = self.points.hit(self.scope_of(next), next, &mut counts);
        self.counts = counts;
        let hit = hit?;
        self.logs.extend(hit.logs);
        (!hit.stops.is_empty()).then_some(Stop {
            reason: Reason::Breakpoint(hit.stops),
            thread: Some(Thread {
                warp: next.warp,
                lane: hit.lane,
            }),
        })
    }

    /// The findings from an index on that have not been told and at which the run stops.
    fn new_findings(&mut self, before: usize) -> Vec<Finding> {
        let all = self.machine.findings();
        let new = all.get(before.max(self.told)..).unwrap_or_default();
        let ignored = &self.points.ignored;
        let found = new.iter().filter(|it| !ignored.contains(&it.code)).cloned();
        let found: Vec<Finding> = found.collect();
        self.told = self.told.max(all.len());
        found
    }

    /// The stop at findings of the instruction that has just run: the run goes back to before it.
    fn found(&mut self, before: usize, time: u64, next: &Next) -> Option<Stop> {
        if self.machine.findings().len() == before {
            return None;
        }
        let found = self.new_findings(before);
        let thread = self.thread_of(found.first()?).unwrap_or(Thread {
            warp: next.warp,
            lane: first_lane(next.lanes),
        });
        // Threads that wait for what cannot happen are where they are.
        if self.machine.ended() != Some(Ended::Deadlock) {
            self.seek(time);
        }
        Some(Stop {
            reason: Reason::Finding(found),
            thread: Some(thread),
        })
    }

    /// Searches for the last stop before a time, among the instructions since a copy of the machine.
    fn back(&mut self, running: &mut Running) -> Option<Stop> {
        let before = running.before;
        let index = self.copies.partition_point(|it| it.steps() < before);
        let Some(index) = index.checked_sub(1) else {
            return Some(self.at_start(running));
        };
        self.machine = self.copies[index].clone();
        let start = self.machine.steps();
        self.apply_edits();
        let mut watched = self.contents();
        let mut last: Option<(u64, Stop)> = None;
        while self.machine.steps() < before {
            let Some(next) = self.machine.next_instruction() else {
                break;
            };
            let now = self.machine.steps();
            let stop = |reason, lane| Stop {
                reason,
                thread: Some(Thread {
                    warp: next.warp,
                    lane,
                }),
            };
            if running.goal == Goal::Reverse {
                let scope = self.scope_of(&next);
                if let Some((ids, lane)) = self.points.passes(scope, &next) {
                    last = Some((now, stop(Reason::Breakpoint(ids), lane)));
                }
            }
            let findings = self.machine.findings().len();
            let Some((_, passed)) = self.run_one() else {
                break;
            };
            match running.goal {
                Goal::StepBack(own) => {
                    if passed && own.warp == next.warp && next.lanes >> own.lane & 1 == 1 {
                        last = Some((now, stop(Reason::Step, own.lane)));
                    }
                }
                _ => {
                    self.told = findings;
                    let found = self.new_findings(findings);
                    if let Some(first) = found.first() {
                        let lane = first.lanes.first().copied().unwrap_or(0);
                        last = Some((now, stop(Reason::Finding(found), lane.into())));
                    }
                    if !self.points.watches.is_empty() {
                        if let Some(id) = self.changed(&watched) {
                            last = Some((now, stop(Reason::Data(id), first_lane(next.lanes))));
                        }
                        watched = self.contents();
                    }
                }
            }
        }
        let Some((time, stop)) = last else {
            running.before = start;
            return (start == 0).then(|| self.at_start(running));
        };
        self.seek(time);
        self.told = self.machine.findings().len();
        Some(stop)
    }

    /// The stop where going back has found nothing: the start, or for a thread that had not begun the instruction before.
    fn at_start(&mut self, running: &Running) -> Stop {
        let time = match running.goal {
            Goal::StepBack(_) => running.origin.saturating_sub(1),
            _ => 0,
        };
        self.seek(time);
        self.told = self.machine.findings().len();
        let reason = match time {
            0 => Reason::Entry,
            _ => Reason::Step,
        };
        Stop {
            reason,
            thread: self.current(),
        }
    }

    fn scope_of(&self, next: &Next) -> Scope<'_, 'a> {
        Scope {
            machine: &self.machine,
            arrays: &self.arrays,
            view: View {
                warp: next.warp,
                frame: next.frame,
                lane: first_lane(next.lanes),
            },
        }
    }

    fn thread_of(&self, finding: &Finding) -> Option<Thread> {
        let warps = self.machine.warps();
        let warp = warps
            .iter()
            .find(|it| it.block == finding.block && it.id.warp == finding.warp)?;
        let lane = finding.lanes.first().copied().unwrap_or(0);
        Some(Thread {
            warp: warp.id,
            lane: lane.into(),
        })
    }

    fn end(&mut self) -> Stop {
        let found = self.new_findings(0);
        let thread = found.first().and_then(|it| self.thread_of(it));
        let thread = thread.or_else(|| self.current());
        let reason = match found.is_empty() {
            true => Reason::Ended,
            false => Reason::Finding(found),
        };
        Stop { reason, thread }
    }
}

/// The lowest lane of a mask.
fn first_lane(lanes: u32) -> usize {
    lanes.trailing_zeros() as usize % WARP
}

fn apply(machine: &mut Machine<'_>, edit: &Edit) -> bool {
    match edit {
        Edit::Register {
            warp,
            frame,
            slot,
            lanes,
            bits,
        } => machine.write_register(*warp, *frame, *slot, *lanes, *bits),
        Edit::Memory {
            view,
            space,
            address,
            bytes,
        } => machine.write_bytes(*view, *space, *address, bytes) == bytes.len(),
    }
}

//! Warps that wait in a loop for memory to change: they sleep until it does.
//!
//! A warp that comes to a state in which it was before, with memory as it was then, repeats what it did until memory
//! changes. A thousand blocks that poll would else take turns with the few that have something to do.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;

use super::{
    Machine,
    warp::{Group, State, Warp},
    watch::Watch,
};

/// Turns without a change of memory before a state is kept.
const PATIENCE: u32 = 4;
/// How often in a row a loop that was woken up may come to new states.
const TRIES: u32 = 8;
/// The most instructions of a loop that sleeps.
const LONGEST: u32 = 1024;

impl Machine<'_> {
    /// Ends a turn of a warp: `ran` are its instructions, `before` the changes of memory at its start.
    pub(super) fn end_turn(&self, warp: &mut Warp, ran: u32, before: u64) {
        let changes = self.world.global.changes;
        let fresh = Watch {
            changes,
            ..Watch::default()
        };
        let mut watch = warp.watch;
        // Of groups that can run not each has had a turn.
        let can_run = |it: &&Group| matches!(it.state, State::Ready | State::Released { .. });
        let is_alone = warp.groups.iter().filter(can_run).count() == 1;
        if changes != before || !is_alone {
            warp.watch = fresh;
            return;
        }
        if watch.period > 0 {
            // Woken up: it has run through the loop once more, and may have read a new value.
            if ran != watch.period || watch.tries >= TRIES || watch.places != places(warp) {
                warp.watch = fresh;
                return;
            }
            let (before, now) = (watch.state, state(warp));
            (watch.state, watch.tries) = (now, watch.tries + 1);
            if before == now {
                watch.tries = 0;
                sleep(warp, changes);
            }
            warp.watch = watch;
            return;
        }
        if watch.changes != changes {
            warp.watch = fresh;
            return;
        }
        watch.idle = watch.idle.saturating_add(1);
        watch.since = watch.since.saturating_add(ran);
        let keeps = !watch.traces && watch.idle >= PATIENCE && watch.idle.is_power_of_two();
        if keeps {
            (watch.since, watch.places, watch.state) = (0, places(warp), state(warp));
        } else if watch.idle > PATIENCE
            && watch.places == places(warp)
            && watch.state == state(warp)
        {
            if watch.traces {
                watch.period = watch.since;
            }
            (watch.traces, watch.since) = (!watch.traces, 0);
        } else if watch.traces && watch.since > LONGEST {
            watch.traces = false;
        }
        warp.watch = watch;
        if watch.period > 0 {
            sleep(warp, changes);
        }
    }
}

/// Lets the groups of a warp that could run wait for a change of memory.
fn sleep(warp: &mut Warp, changes: u64) {
    for group in &mut warp.groups {
        if group.state == State::Ready {
            group.state = State::Spins { changes };
        }
    }
}

/// A hash of where the lanes of a warp are.
fn places(warp: &Warp) -> u64 {
    let mut hasher = FxHasher::default();
    hash_places(warp, &mut hasher);
    hasher.finish()
}

/// A hash of where the lanes of a warp are and what its registers hold.
fn state(warp: &Warp) -> u64 {
    let mut hasher = FxHasher::default();
    hash(warp, &mut hasher);
    hasher.finish()
}

fn hash_places(warp: &Warp, hasher: &mut FxHasher) {
    for group in &warp.groups {
        let waits = group.state != State::Ready;
        (group.lanes, group.frame, group.pc, waits).hash(hasher);
    }
}

/// Hashes where the lanes of a warp are and what their registers hold.
pub(super) fn hash(warp: &Warp, hasher: &mut FxHasher) {
    hash_places(warp, hasher);
    for frame in warp.frames.iter().filter(|it| it.lanes != 0) {
        frame.registers.hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{
        launch::Limits,
        machine::{
            Machine,
            tests::{code, described, run_described},
        },
        outcome::Ended,
    };

    /// A barrier of a grid, in which all blocks but the last one poll.
    const BARRIER: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 count, .param .u64 out)
{
.reg .pred %c;
.reg .b32 %n, %seen, %i;
.reg .b64 %p, %q;
ld.param.u64 %p, [count];
ld.param.u64 %q, [out];
mov.u32 %n, %nctaid.x;
mov.u32 %i, %ctaid.x;
atom.acq_rel.gpu.global.add.u32 %seen, [%p], 1;
l: ld.acquire.gpu.global.u32 %seen, [%p];
setp.lt.u32 %c, %seen, %n;
@%c bra l;
mad.wide.u32 %q, %i, 4, %q;
st.global.u32 [%q], %seen;
ret;
}
";

    fn launch(blocks: u32) -> String {
        format!(
            "grid = {blocks}\nblock = 1\nargs.count = {{ zeros = [1], type = 'u32' }}\nargs.out = {{ zeros = [{blocks}], type = 'u32' }}"
        )
    }

    #[test]
    fn blocks_that_poll_sleep() {
        expect![[r#"
            Finished
            p0 = [6]
            p1 = [6, 6, 6, 6, 6, 6]
        "#]]
        .assert_eq(&run_described(BARRIER, &launch(6)));
        let code = code(BARRIER);
        let launch = described(&code, &launch(200), Limits::default()).unwrap();
        let mut machine = Machine::new(&code, launch).unwrap();
        assert!(machine.advance(u64::MAX));
        let outcome = machine.outcome();
        assert_eq!(outcome.ended, Ended::Finished);
        // It takes 1.8 million when all blocks take turns.
        assert!(outcome.steps < 400_000, "{}", outcome.steps);
    }

    #[test]
    fn lanes_that_poll_for_others_of_their_warp_see_them_come() {
        let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %c, %d;
.reg .b32 %t, %n, %m;
.reg .b64 %p;
ld.param.u64 %p, [out];
mov.u32 %t, %tid.x;
mov.u32 %n, 0;
setp.lt.u32 %c, %t, 8;
@%c bra poll;
work: add.u32 %n, %n, 1;
setp.lt.u32 %d, %n, 5000;
@%d bra work;
bra.uni poll;
poll: activemask.b32 %m;
setp.ne.u32 %d, %m, -1;
@%d bra poll;
mad.wide.u32 %p, %t, 4, %p;
st.global.u32 [%p], %n;
ret;
}
";
        let launch = "block = 32\nargs.out = { zeros = [32], type = 'u32' }";
        expect![[r#"
            Finished
            p0 = [0, 0, 0, 0, 0, 0, 0, 0, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000]
        "#]].assert_eq(&run_described(text, launch));
    }

    #[test]
    fn a_lane_that_holds_a_lock_has_its_turn() {
        let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 lock)
{
.reg .pred %c;
.reg .b32 %r;
.reg .b64 %p;
ld.param.u64 %p, [lock];
l: atom.acquire.gpu.global.cas.b32 %r, [%p], 0, 1;
setp.ne.u32 %c, %r, 0;
@%c bra l;
ld.global.u32 %r, [%p + 4];
add.u32 %r, %r, 1;
st.global.u32 [%p + 4], %r;
st.release.gpu.global.u32 [%p], 0;
ret;
}
";
        let launch = "block = 8\nargs.lock = { zeros = [2], type = 'u32' }";
        expect![[r#"
            Finished
            p0 = [0, 8]
        "#]]
        .assert_eq(&run_described(text, launch));
    }

    #[test]
    fn a_loop_that_nothing_ends_is_reported() {
        let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 flag)
{
.reg .pred %c;
.reg .b32 %r;
.reg .b64 %p;
ld.param.u64 %p, [flag];
l: ld.acquire.gpu.global.u32 %r, [%p];
setp.eq.u32 %c, %r, 0;
@%c bra l;
ret;
}
";
        let launch = "grid = 3\nblock = 32\nargs.flag = { zeros = [1], type = 'u32' }";
        expect![[r#"
            Deadlock
            deadlock 10 `ld.acquire.gpu.global.u32 %r, [%p];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the warp repeats a loop forever: what it waits for changes no more
            p0 = [0]
        "#]].assert_eq(&run_described(text, launch));
    }
}

//! Endless loops: threads that wait for what nothing changes any more.
//!
//! If memory stays as it is and the threads come to a state in which they were before, they will do so forever.

use std::hash::{Hash as _, Hasher as _};

use rustc_hash::{FxHashSet, FxHasher};

use super::{Machine, sleep};

/// After so many instructions without a change of memory, states are compared.
const PATIENCE: u64 = 8_000;
/// How many states are kept.
const MOST_STATES: usize = 4096;

/// The states since memory changed last.
#[derive(Clone, Debug, Default)]
pub(super) struct Spins {
    changes: u64,
    live: u64,
    progress: u64,
    since: u64,
    seen: FxHashSet<u64>,
}

impl Machine<'_> {
    /// Whether the threads repeat what they did before, and nothing can change that.
    pub(super) fn spins(&mut self) -> bool {
        let blocks = self.world.clusters.iter().flat_map(|it| &it.blocks);
        let live = blocks.map(|it| u64::from(it.live)).sum();
        let changes = self.world.global.changes;
        // A block that begins is in the state in which others of the grid began.
        let progress = self.order.progress;
        let spins = &self.spins;
        if (changes, live, progress) != (spins.changes, spins.live, spins.progress) {
            self.spins = Spins {
                changes,
                live,
                progress,
                since: self.steps,
                seen: FxHashSet::default(),
            };
            return false;
        }
        if self.steps - self.spins.since < PATIENCE || self.spins.seen.len() >= MOST_STATES {
            return false;
        }
        let state = self.state();
        !self.spins.seen.insert(state)
    }

    /// A hash of where the threads are and what their registers hold.
    fn state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for cluster in &self.world.clusters {
            (cluster.arrived, cluster.generation).hash(&mut hasher);
            for block in &cluster.blocks {
                let mut barriers: Vec<_> = block.barriers.iter().collect();
                barriers.sort_by_key(|it| it.0);
                for (number, it) in barriers {
                    (number, it.arrived, it.expected).hash(&mut hasher);
                }
                for warp in &block.warps {
                    sleep::hash(warp, &mut hasher);
                }
            }
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::machine::tests::run_described;

    #[test]
    fn blocks_that_do_the_same_are_no_loop() {
        let text = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
.reg .pred %c;
.reg .b32 %i, %n;
.reg .b64 %p;
ld.param.u32 %n, [n];
mov.u32 %i, %ctaid.x;
setp.ge.u32 %c, %i, %n;
@%c bra end;
ld.param.u64 %p, [out];
mad.wide.u32 %p, %i, 4, %p;
st.global.u32 [%p], 1;
end:
ret;
}
";
        let launch = "grid = 4000\nblock = 1\nargs.n = 2\nargs.out = { zeros = [2], type = 'u32' }";
        expect![[r#"
            Finished
            p0 = [1, 1]
        "#]]
        .assert_eq(&run_described(text, launch));
    }
}

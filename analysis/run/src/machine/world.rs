//! The memory of a run and what watches it: all that an access touches besides its warp.

use super::{
    access::Access,
    block::Cluster,
    clusters::Clusters,
    findings::{At, Findings},
    memory::{Bytes, Global},
    races::{Kind, Races, Thread},
    running::Running,
    warp::Warp,
};

/// The memory of a run, and what is found about accesses.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) global: Global,
    /// The parameters of the entry.
    pub(super) entry: Bytes,
    /// Where each of them begins and ends, ascending.
    pub(super) parameters: Vec<(u64, u64)>,
    /// The clusters that run now.
    pub(super) clusters: Vec<Cluster>,
    /// The others of the grid.
    pub(super) left: Clusters,
    pub(super) findings: Findings,
    pub(super) races: Races,
}

impl World {
    /// Global memory with nothing around it.
    pub(super) fn new(global: Global, left: Clusters) -> World {
        World {
            global,
            entry: Bytes::default(),
            parameters: Vec::new(),
            clusters: Vec::new(),
            left,
            findings: Findings::default(),
            races: Races::new(),
        }
    }

    /// The memory as the lanes of a warp see it that run an instruction.
    pub(super) fn access<'a>(
        &'a mut self,
        warp: &'a mut Warp,
        running: &Running,
        kind: Kind,
    ) -> Access<'a> {
        let thread = self.races.thread(warp.clock, warp.time);
        let place = (running.cluster, running.block, running.frame);
        let mut access = self.access_at(warp, place, running.at, thread, kind);
        access.active = running.active;
        access
    }

    /// The same for a thread that does not run now: `place` has the cluster, the block in it and the frame.
    pub(super) fn access_at<'a>(
        &'a mut self,
        warp: &'a mut Warp,
        place: (usize, usize, usize),
        at: At,
        thread: Thread,
        kind: Kind,
    ) -> Access<'a> {
        let (cluster, block, frame) = place;
        Access {
            global: &mut self.global,
            left: &mut self.left,
            response: None,
            blocks: &mut self.clusters[cluster].blocks,
            own: block,
            entry: &self.entry,
            parameters: &self.parameters,
            frame: &mut warp.frames[frame],
            local: &mut warp.local,
            findings: &mut self.findings,
            races: &mut self.races,
            at,
            thread,
            active: 0,
            first_lane: 0,
            undefined: 0,
            inverts: false,
            missing: false,
            quiet: false,
            knows: None,
            kind,
        }
    }
}

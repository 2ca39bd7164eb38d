//! Protocol events of an instruction, between threads, copies and matrix units, as the tables list them.
//!
//! A table writes `event KIND OPERAND…` among the facts of an instruction; this file has the kinds and what their
//! operands mean. The operands are named as in the head, and [`crate::matching::positions`] finds them in a statement.

/// Arrivals that a barrier in shared memory can wait for, PTX ISA 9.7.14.16.12.
pub const MAX_ARRIVALS: i64 = (1 << 20) - 1;

/// Operations that run beside the thread and are committed and waited for in groups of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Products of a warpgroup, PTX ISA 9.7.16.
    Wgmma,
    /// Copies of a thread into shared memory, 9.7.9.26.3.
    Copy,
    /// Copies in bulk that complete with a group, 9.7.9.26.4 and 5.
    Bulk,
    /// Loads from tensor memory, 9.7.17.8.
    TensorLoad,
    /// Stores to tensor memory, 9.7.17.8.
    TensorStore,
    /// Products and copies of the tensor core of the fifth generation, 9.7.17.
    TensorMma,
    /// Fabric operations of a thread that write at a logical endpoint, 9.7.10.
    Fabric,
    /// Those that only read there.
    Fetch,
}

/// The event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// `issue GROUP a`: an operation starts; `a` may hold its input in registers.
    Issue(Group),
    /// `commit GROUP mbar`: the operations so far become a group, or will arrive at an mbarrier.
    Commit(Group),
    /// `wait GROUP n`: until at most `n` groups are left; without `n` until nothing is, committed or not.
    Wait(Group),
    /// `wait-read GROUP n`: as before, until the sources are read.
    WaitRead(Group),
    /// `fence wgmma`: registers are ordered before asynchronous products.
    RegisterFence,
    /// `mbar-init addr count`
    Init,
    /// `mbar-inval addr`
    Invalidate,
    /// `mbar-expect addr tx`: more bytes are expected.
    Expect,
    /// `mbar-arrive addr count`
    Arrive,
    /// `mbar-arrive-expect addr tx`: both.
    ArriveExpect,
    /// `mbar-copies addr`: an arrival when the copies of the thread are done.
    ArriveCopies,
    /// `mbar-complete addr size`: bytes will complete there.
    Complete,
    /// `mbar-wait addr parity`: a phase is waited for, or tested; without a parity by its state.
    PhaseWait,
    /// `mbar-wait-relaxed addr parity`: the same without an order.
    PhaseWaitRelaxed,
    /// `block-sync barrier threads`: the threads of the block, or so many, meet.
    BlockSync,
    /// `block-arrive barrier threads`: without a wait.
    BlockArrive,
    /// `warp-sync mask`: lanes meet, and see what the others wrote.
    WarpSync,
    /// `warp-exchange mask`: lanes meet and exchange values.
    WarpExchange,
    /// `elect mask`: one lane is chosen.
    Elect,
    /// `cluster-arrive`
    ClusterArrive,
    /// `cluster-wait`
    ClusterWait,
    /// `proxy-fence`: what the generic proxy wrote to shared memory is seen by the asynchronous one.
    ProxyFence,
    /// `map-acquire addr`: the proxy of tensor maps sees earlier writes to the map.
    MapAcquire,
    /// `tensor-alloc addr columns`
    TensorAlloc,
    /// `tensor-dealloc addr columns`
    TensorDealloc,
    /// `tensor-relinquish`: no allocation may follow.
    TensorRelinquish,
    /// `fence-before`: of tensor memory, before a synchronization.
    FenceBefore,
    /// `fence-after`: of tensor memory, after a synchronization.
    FenceAfter,
    /// `registers-increase n`: the most registers of a thread become more.
    RegistersIncrease,
    /// `registers-decrease n`
    RegistersDecrease,
    /// `grid-launch`: dependent grids may start.
    GridLaunch,
    /// `grid-wait`: the grids before are done.
    GridWait,
    /// `remote`: the result is an address in another block of the cluster.
    Remote,
    /// `same-address`: the result is the address of the operand, seen from another state space.
    SameAddress,
    /// `once`: one thread is to do it for all.
    Once,
}

/// An event of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event.
    pub kind: EventKind,
    /// Its operands by the names of the head, in the order of [`EventKind`].
    pub operands: [Option<&'static str>; 2],
}

/// How an event is written in PTX.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// The event.
    pub event: EventKind,
    /// An instruction that does it, as a message names it.
    pub name: &'static str,
    /// A statement that does it, which a fix inserts; `None` where its operands depend on the code around it.
    pub statement: Option<&'static str>,
}

impl Spelling {
    /// Reads the words after `event` at the start of a line: `KIND = NAME` or `KIND = NAME by STATEMENT`.
    ///
    /// # Errors
    /// The problem with them.
    pub fn parse(text: &'static str) -> Result<Spelling, String> {
        let expected = || "expected `event kind = name by statement`".to_owned();
        let (kind, written) = text.split_once('=').ok_or_else(expected)?;
        let (name, statement) = match written.split_once(" by ") {
            Some((name, statement)) => (name, Some(statement.trim())),
            None => (written, None),
        };
        Ok(Spelling {
            event: Event::parse(kind)?.kind,
            name: name.trim(),
            statement,
        })
    }
}

impl Event {
    /// Reads the words after `event` in a table.
    ///
    /// # Errors
    /// The problem with them.
    pub fn parse(text: &'static str) -> Result<Event, String> {
        let mut words = text.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        let mut group = || match words.next() {
            Some("wgmma") => Ok(Group::Wgmma),
            Some("copy") => Ok(Group::Copy),
            Some("bulk") => Ok(Group::Bulk),
            Some("tensor-load") => Ok(Group::TensorLoad),
            Some("tensor-store") => Ok(Group::TensorStore),
            Some("tensor-mma") => Ok(Group::TensorMma),
            Some("fabric") => Ok(Group::Fabric),
            Some("fetch") => Ok(Group::Fetch),
            other => Err(format!("`{}` is not a group", other.unwrap_or_default())),
        };
        let kind = match kind {
            "issue" => EventKind::Issue(group()?),
            "commit" => EventKind::Commit(group()?),
            "wait" => EventKind::Wait(group()?),
            "wait-read" => EventKind::WaitRead(group()?),
            "register-fence" => EventKind::RegisterFence,
            "mbar-init" => EventKind::Init,
            "mbar-inval" => EventKind::Invalidate,
            "mbar-expect" => EventKind::Expect,
            "mbar-arrive" => EventKind::Arrive,
            "mbar-arrive-expect" => EventKind::ArriveExpect,
            "mbar-copies" => EventKind::ArriveCopies,
            "mbar-complete" => EventKind::Complete,
            "mbar-wait" => EventKind::PhaseWait,
            "mbar-wait-relaxed" => EventKind::PhaseWaitRelaxed,
            "block-sync" => EventKind::BlockSync,
            "block-arrive" => EventKind::BlockArrive,
            "warp-sync" => EventKind::WarpSync,
            "warp-exchange" => EventKind::WarpExchange,
            "elect" => EventKind::Elect,
            "cluster-arrive" => EventKind::ClusterArrive,
            "cluster-wait" => EventKind::ClusterWait,
            "proxy-fence" => EventKind::ProxyFence,
            "map-acquire" => EventKind::MapAcquire,
            "tensor-alloc" => EventKind::TensorAlloc,
            "tensor-dealloc" => EventKind::TensorDealloc,
            "tensor-relinquish" => EventKind::TensorRelinquish,
            "fence-before" => EventKind::FenceBefore,
            "fence-after" => EventKind::FenceAfter,
            "registers-increase" => EventKind::RegistersIncrease,
            "registers-decrease" => EventKind::RegistersDecrease,
            "grid-launch" => EventKind::GridLaunch,
            "grid-wait" => EventKind::GridWait,
            "remote" => EventKind::Remote,
            "same-address" => EventKind::SameAddress,
            "once" => EventKind::Once,
            other => return Err(format!("`{other}` is not an event")),
        };
        let operands = [words.next(), words.next()];
        match words.next() {
            Some(it) => Err(format!("`{it}` is an operand too many")),
            None => Ok(Event { kind, operands }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read() {
        let event = Event::parse("wait copy n").unwrap();
        assert_eq!(event.kind, EventKind::Wait(Group::Copy));
        assert_eq!(event.operands, [Some("n"), None]);
        let event = Event::parse("mbar-arrive-expect addr txCount").unwrap();
        assert_eq!(event.operands, [Some("addr"), Some("txCount")]);
        assert!(Event::parse("issue nothing").is_err());
        assert!(Event::parse("nothing").is_err());
        assert!(Event::parse("elect a b c").is_err());
    }
}

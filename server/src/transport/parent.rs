//! Notices the end of the client's process.

use std::time::Duration;

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tracing::{debug, info};

/// How often the process is looked for.
const INTERVAL: Duration = Duration::from_secs(3);

/// Resolves when the process `pid` has ended; never, when it was not there to begin with.
///
/// A client in another process name space (a container, a remote shell) names a process that this
/// machine cannot see; such a client is only noticed by the end of its stream.
pub(super) async fn ended(pid: u32) {
    let pid = Pid::from_u32(pid);
    let Some(start) = start_time(pid) else {
        debug!(%pid, "the client's process is not visible, not watching it");
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(INTERVAL).await;
        // The start time tells a new process with a recycled id from the old one.
        if start_time(pid) != Some(start) {
            info!(%pid, "the client's process has ended");
            return;
        }
    }
}

fn start_time(pid: Pid) -> Option<u64> {
    let mut system = System::new();
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[pid]),
        true,
        ProcessRefreshKind::nothing(),
    );
    system.process(pid).map(sysinfo::Process::start_time)
}

//! Processes as the system reports them; nothing where it does not.

use std::time::Duration;

/// Bytes that are in memory; needs `/proc`.
pub fn resident(process: u32) -> Option<f64> {
    status(process, "VmRSS:")
}

/// The most bytes that were in memory at a time; needs `/proc`.
pub fn peak(process: u32) -> Option<f64> {
    status(process, "VmHWM:")
}

fn status(process: u32, key: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix(key))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// Milliseconds that all its threads have worked. By its clock and not by `/proc`, where some systems count whole
/// ticks of 4 ms.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
pub fn worked(process: u32) -> Option<f64> {
    use nix::{time::clock_getcpuclockid, unistd::Pid};

    let process = Pid::from_raw(i32::try_from(process).ok()?);
    let time = clock_getcpuclockid(process).ok()?.now().ok()?;
    Some(Duration::from(time).as_secs_f64() * 1e3)
}

/// Milliseconds that all its threads have worked.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn worked(_: u32) -> Option<f64> {
    None
}

/// How long the thread that asks has worked.
#[cfg(unix)]
pub fn worked_by_thread() -> Option<Duration> {
    let clock = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID;
    Some(clock.now().ok()?.into())
}

/// How long the thread that asks has worked.
#[cfg(not(unix))]
pub fn worked_by_thread() -> Option<Duration> {
    None
}

/// The processor time of all children that have ended and were waited for, with their own children.
#[cfg(unix)]
pub fn worked_by_children() -> Option<Duration> {
    use nix::sys::resource::{UsageWho, getrusage};

    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let time = usage.user_time() + usage.system_time();
    let microseconds = time.tv_sec() as i128 * 1_000_000 + time.tv_usec() as i128;
    Some(Duration::from_micros(u64::try_from(microseconds).ok()?))
}

/// The processor time of all children that have ended and were waited for, with their own children.
#[cfg(not(unix))]
pub fn worked_by_children() -> Option<Duration> {
    None
}

/// The processor, how many of its threads there are, and the system, for the heads of tables.
pub fn machine() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|it| it.strip_prefix("model name")?.split_once(':'))
        .map_or(std::env::consts::ARCH, |it| it.1.trim());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let system = std::env::consts::OS;
    format!("{model}, {threads} hardware threads, {system}")
}

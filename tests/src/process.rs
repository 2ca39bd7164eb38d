//! What the system tells about a process; nothing on systems without `/proc`.

/// Bytes that are in memory.
pub fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0)
}

/// Milliseconds that all its threads that are still there have worked.
pub fn worked(process: u32) -> Option<f64> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let nanoseconds = |thread: std::fs::DirEntry| -> Option<f64> {
        let times = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        times.split(' ').next()?.parse().ok()
    };
    Some(threads.flatten().filter_map(nanoseconds).sum::<f64>() / 1e6)
}

//! The threads that are looked at.

/// Threads that are looked at: all of two warps, and the first of each other warp of a block of 1,024.
pub(super) const THREADS: usize = 64 + 30;

/// The number of a thread that is looked at.
pub(super) fn thread(index: usize) -> i64 {
    match index {
        ..64 => index as i64,
        _ => (index as i64 - 62) * 32,
    }
}

//! Worker threads with priorities.

use std::{
    collections::VecDeque,
    panic::AssertUnwindSafe,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use session::Priority;
use tracing::error;

/// Deeply nested input is walked recursively.
const STACK: usize = 16 << 20;

/// Threads that run work of one type.
pub(crate) struct Pool<W: Send + 'static> {
    shared: Arc<Shared<W>>,
}

struct Shared<W> {
    queues: Mutex<Queues<W>>,
    changed: Condvar,
}

struct Queues<W> {
    /// By priority.
    waiting: [VecDeque<W>; 3],
    /// Workers that run anything but the most urgent now.
    background_running: usize,
    running: usize,
    closed: bool,
}

impl<W: Send + 'static> Pool<W> {
    /// Starts one thread fewer than there are processors, at least two.
    pub(crate) fn new(run: impl Fn(W) + Send + Sync + 'static) -> Self {
        let threads = thread::available_parallelism().map_or(2, |it| it.get().saturating_sub(1));
        let threads = threads.max(2);
        let shared = Arc::new(Shared {
            queues: Mutex::new(Queues {
                waiting: [const { VecDeque::new() }; 3],
                background_running: 0,
                running: 0,
                closed: false,
            }),
            changed: Condvar::new(),
        });
        let run = Arc::new(run);
        for index in 0..threads {
            let (shared, run) = (shared.clone(), run.clone());
            let spawned = thread::Builder::new()
                .name(format!("worker-{index}"))
                .stack_size(STACK)
                .spawn(move || shared.work(threads - 1, &*run));
            if let Err(error) = spawned {
                error!(%error, "cannot start a worker thread");
            }
        }
        Pool { shared }
    }

    /// Queues work after what has the same priority.
    pub(crate) fn push(&self, priority: Priority, work: W) {
        let mut queues = self.shared.lock();
        queues.waiting[priority as usize].push_back(work);
        drop(queues);
        // All of them: the one that wakes may not be allowed to take background work.
        self.shared.changed.notify_all();
    }

    /// Takes back work that no worker has begun and that `wanted` chooses, in order.
    pub(crate) fn reclaim(&self, wanted: impl Fn(&W) -> bool) -> Vec<(Priority, W)> {
        let mut queues = self.shared.lock();
        let mut taken = Vec::new();
        for priority in [Priority::Latency, Priority::Background, Priority::Bulk] {
            let queue = &mut queues.waiting[priority as usize];
            let (out, keep): (VecDeque<W>, _) =
                std::mem::take(queue).into_iter().partition(&wanted);
            *queue = keep;
            taken.extend(out.into_iter().map(|work| (priority, work)));
        }
        taken
    }

    /// Number of pieces of work that run and that wait.
    pub(crate) fn load(&self) -> (usize, usize) {
        let queues = self.shared.lock();
        (
            queues.running,
            queues.waiting.iter().map(VecDeque::len).sum(),
        )
    }
}

impl<W: Send + 'static> Drop for Pool<W> {
    fn drop(&mut self) {
        let mut queues = self.shared.lock();
        queues.closed = true;
        queues.waiting.iter_mut().for_each(VecDeque::clear);
        drop(queues);
        self.shared.changed.notify_all();
    }
}

impl<W> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, Queues<W>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, background_limit: usize, run: &dyn Fn(W)) {
        let mut queues = self.lock();
        loop {
            let may_background = queues.background_running < background_limit;
            let [latency, background, bulk] = &mut queues.waiting;
            let (work, background) = if let Some(work) = latency.pop_front() {
                (work, false)
            } else if may_background
                && let Some(work) = background.pop_front().or_else(|| bulk.pop_front())
            {
                (work, true)
            } else if queues.closed {
                return;
            } else {
                queues = self
                    .changed
                    .wait(queues)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            queues.running += 1;
            queues.background_running += usize::from(background);
            drop(queues);
            // What runs here answers for its own panics; this keeps the worker live in any case.
            if std::panic::catch_unwind(AssertUnwindSafe(|| run(work))).is_err() {
                error!("a worker's task panicked");
            }
            queues = self.lock();
            queues.running -= 1;
            queues.background_running -= usize::from(background);
            if background && queues.waiting.iter().any(|it| !it.is_empty()) {
                self.changed.notify_one();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    type Job = Box<dyn FnOnce() + Send>;

    fn pool() -> Pool<Job> {
        Pool::new(|job: Job| job())
    }

    #[test]
    fn background_work_leaves_a_worker_free() {
        let pool = pool();
        let (release, gate) = mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        for _ in 0..64 {
            let gate = gate.clone();
            pool.push(
                Priority::Background,
                Box::new(move || {
                    let _ = gate.lock().expect("gate").recv();
                }),
            );
        }
        let (done, wait) = mpsc::channel();
        pool.push(
            Priority::Latency,
            Box::new(move || done.send(()).expect("receiver")),
        );
        wait.recv_timeout(std::time::Duration::from_secs(10))
            .expect("urgent work is not held up");
        drop(release);
    }

    #[test]
    fn panics_do_not_lose_workers() {
        let pool = pool();
        for _ in 0..32 {
            pool.push(
                Priority::Latency,
                Box::new(|| std::panic::resume_unwind(Box::new(()))),
            );
        }
        let (done, wait) = mpsc::channel();
        pool.push(
            Priority::Latency,
            Box::new(move || done.send(()).expect("receiver")),
        );
        wait.recv_timeout(std::time::Duration::from_secs(10))
            .expect("workers survive");
    }

    #[test]
    fn unstarted_work_can_be_taken_back() {
        let pool: Pool<u32> = Pool::new({
            let gate = Mutex::new(());
            move |number| {
                if number == 0 {
                    let _guard = gate.lock();
                    thread::sleep(std::time::Duration::from_millis(200));
                }
            }
        });
        let threads = thread::available_parallelism().map_or(2, |it| it.get().max(3) - 1);
        for _ in 0..threads {
            pool.push(Priority::Latency, 0);
        }
        for number in 1..=4 {
            pool.push(Priority::Background, number);
        }
        let taken = pool.reclaim(|it| it % 2 == 0 && *it != 0);
        assert_eq!(
            taken,
            [(Priority::Background, 2), (Priority::Background, 4)]
        );
    }
}

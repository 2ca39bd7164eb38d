//! ptxas as the judge of many programs, with our own verdicts.

use std::{io, thread, time::Instant};

use super::{
    ours::Checker,
    program::Case,
    ptxas::{Judged, Ptxas, Verdict},
    report::Report,
    verdicts::{Verdicts, is_same},
};

/// Numbers in addition to the report.
#[derive(Debug, Default)]
struct Tally {
    judged: usize,
    crashes: usize,
    changed: usize,
}

/// A whole program.
#[derive(Debug)]
pub struct Example<'a> {
    /// The value of `-arch`.
    pub architecture: String,
    /// Text of the program.
    pub text: &'a str,
}

impl Judged for Example<'_> {
    fn architecture(&self) -> String {
        self.architecture.clone()
    }

    fn options(&self) -> String {
        String::new()
    }

    fn is_expanded(&self) -> bool {
        true
    }

    fn text(&self, _suffix: &str) -> String {
        self.text.to_owned()
    }
}

/// ptxas with what it has said before.
#[derive(Debug)]
pub struct Judge {
    ptxas: Ptxas,
    jobs: usize,
    /// The recorded verdicts.
    pub verdicts: Verdicts,
    tally: Tally,
    /// Programs with a recorded verdict that is not that of ptxas.
    pub stale: Vec<String>,
    started: Instant,
}

impl Judge {
    /// A judge that runs `threads` processes of ptxas at a time.
    pub fn new(ptxas: Ptxas, jobs: usize, verdicts: Verdicts) -> Judge {
        Judge {
            ptxas,
            jobs,
            verdicts,
            tally: Tally::default(),
            stale: Vec::new(),
            started: Instant::now(),
        }
    }

    /// Numbers of the work so far.
    pub fn summary(&self) -> String {
        let Tally {
            judged,
            crashes,
            changed,
        } = self.tally;
        format!(
            "{judged} judged, {crashes} crashes of ptxas left out, {changed} verdicts changed when asked alone, {:.0} s",
            self.started.elapsed().as_secs_f64()
        )
    }

    /// Adds statements to a report.
    ///
    /// # Errors
    /// ptxas cannot be run.
    pub fn round(&mut self, groups: &[Vec<Case>], report: &mut Report) -> io::Result<()> {
        let judged = self.judge(groups)?;
        for (case, (ours, verdict)) in groups.iter().flatten().zip(judged) {
            match verdict {
                Verdict::Accepted => report.add(case, ours, None),
                Verdict::Rejected(message) => report.add(case, ours, Some(message)),
                Verdict::Crashed => {}
            }
        }
        Ok(())
    }

    /// The verdict on a program, in a process of its own if it is not recorded.
    ///
    /// # Errors
    /// ptxas cannot be run.
    pub fn alone(&mut self, program: &impl Judged) -> io::Result<Verdict> {
        let mut group = self.verdicts.group(std::slice::from_ref(program));
        let recorded = group.recorded.take().and_then(|mut it| it.pop());
        let verdict = match recorded {
            Some(recorded) if !group.is_asked => recorded,
            recorded => {
                let verdict = self.ptxas.alone(program)?;
                self.compare(recorded.as_ref(), &verdict, program);
                verdict
            }
        };
        self.verdicts.note(group, std::slice::from_ref(&verdict));
        Ok(verdict)
    }

    /// Notes a recorded verdict that is wrong.
    fn compare(&mut self, recorded: Option<&Verdict>, verdict: &Verdict, program: &impl Judged) {
        if recorded.is_some_and(|it| !is_same(it, verdict)) {
            self.stale.push(program.text(""));
        }
    }

    /// Our errors and the verdict of ptxas on each program of groups.
    ///
    /// # Errors
    /// ptxas cannot be run.
    pub fn judge<P: Judged>(
        &mut self,
        groups: &[Vec<P>],
    ) -> io::Result<Vec<(Vec<String>, Verdict)>> {
        let looked_up: Vec<_> = groups.iter().map(|it| self.verdicts.group(it)).collect();
        let asked = groups.iter().zip(&looked_up).filter(|it| it.1.is_asked);
        let asked: Vec<&P> = asked.flat_map(|it| it.0).collect();
        let mut asked = self.ptxas.together(&asked, self.jobs)?.into_iter();
        let mut ours = our_errors(groups, self.jobs).into_iter();
        let mut judged = Vec::new();
        for (group, mut known) in groups.iter().zip(looked_up) {
            let recorded = known.recorded.take();
            let mut verdicts = Vec::with_capacity(group.len());
            for (index, program) in group.iter().enumerate() {
                let recorded = recorded.as_ref().and_then(|it| it.get(index));
                let ours = ours.next().expect("as many as programs");
                let verdict = match recorded {
                    Some(recorded) if !known.is_asked => recorded.clone(),
                    _ => asked.next().expect("as many as were asked about"),
                };
                let agrees = match &verdict {
                    Verdict::Accepted => ours.is_empty(),
                    Verdict::Rejected(_) => !ours.is_empty(),
                    // A crash may be caused by another program of the process.
                    Verdict::Crashed => !known.is_asked,
                };
                let is_doubtful = recorded.is_some_and(|it| !is_same(it, &verdict));
                let verdict = if agrees && !is_doubtful {
                    verdict
                } else {
                    // Only a process of its own is beyond doubt.
                    let alone = self.ptxas.alone(program)?;
                    let changed = (alone == Verdict::Accepted) != (verdict == Verdict::Accepted);
                    self.tally.changed += usize::from(changed);
                    self.compare(recorded, &alone, program);
                    alone
                };
                self.tally.crashes += usize::from(verdict == Verdict::Crashed);
                verdicts.push(verdict.clone());
                judged.push((ours, verdict));
            }
            self.verdicts.note(known, &verdicts);
        }
        self.tally.judged += judged.len();
        Ok(judged)
    }
}

/// Our errors in each program of groups.
fn our_errors<P: Judged>(groups: &[Vec<P>], jobs: usize) -> Vec<Vec<String>> {
    let chunk = groups.len().div_ceil(jobs.max(1)).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = groups
            .chunks(chunk)
            .map(|groups| {
                scope.spawn(|| {
                    let mut checker = Checker::default();
                    let programs = groups.iter().flatten();
                    let errors = programs.map(|it| checker.errors(&it.text("")));
                    errors.collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|it| it.join().expect("the analysis does not panic"))
            .collect()
    })
}

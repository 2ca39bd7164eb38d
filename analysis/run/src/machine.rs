//! The machine.

use analysis::code::Code;

use crate::{launch::Launch, outcome::Outcome};

/// Why a launch cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError(pub String);

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LaunchError {}

/// A launch that runs.
pub struct Machine<'a> {
    code: &'a Code,
    launch: Launch,
}

impl<'a> Machine<'a> {
    /// Prepares a launch.
    ///
    /// # Errors
    /// The reason for which it cannot start, as a sentence.
    pub fn new(code: &'a Code, launch: Launch) -> Result<Machine<'a>, LaunchError> {
        Ok(Machine { code, launch })
    }

    /// Runs so many instructions of warps, or until it ends; returns whether it has ended.
    pub fn advance(&mut self, steps: u64) -> bool {
        let _ = (steps, &self.code, &self.launch);
        true
    }

    /// The outcome up to here.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome {
            ended: crate::outcome::Ended::Stopped,
            steps: 0,
            lane_instructions: 0,
            findings: Vec::new(),
            arrays: Vec::new(),
            undefined: Vec::new(),
            not_run: Vec::new(),
            approximated: Vec::new(),
            printed: String::new(),
        }
    }
}

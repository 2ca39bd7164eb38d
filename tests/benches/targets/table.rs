//! Rows of measured values beside their targets.

/// One measured value.
pub(crate) struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    target: Option<Target>,
}

/// What is good enough.
#[derive(Clone, Copy)]
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    /// A value without a target.
    pub(crate) fn new(what: impl Into<String>, value: f64, unit: &'static str) -> Row {
        Row {
            what: what.into(),
            value,
            unit,
            target: None,
        }
    }

    /// With the largest value that is good enough.
    pub(crate) fn at_most(mut self, target: f64) -> Row {
        self.target = Some(Target::AtMost(target));
        self
    }

    /// With the smallest value that is good enough.
    pub(crate) fn at_least(mut self, target: f64) -> Row {
        self.target = Some(Target::AtLeast(target));
        self
    }

    /// With the largest value that is good enough, if there is one.
    pub(crate) fn at_most_if(self, target: Option<f64>) -> Row {
        match target {
            Some(target) => self.at_most(target),
            None => self,
        }
    }

    /// Whether the value is good enough.
    pub(crate) fn is_met(&self) -> bool {
        match self.target {
            Some(Target::AtMost(target)) => self.value <= target,
            Some(Target::AtLeast(target)) => target <= self.value,
            None => true,
        }
    }

    /// Prints the row.
    pub(crate) fn print(&self) {
        let target = match self.target {
            Some(Target::AtMost(target)) => format!("≤ {target}"),
            Some(Target::AtLeast(target)) => format!("≥ {target}"),
            None => String::new(),
        };
        let verdict = if self.is_met() { "" } else { "MISSED" };
        println!(
            "  {:<48} {:>10.2} {:<6} {target:>8} {verdict}",
            self.what, self.value, self.unit
        );
    }
}

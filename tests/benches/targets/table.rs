//! Rows of measured values with their targets.

/// One measured value.
pub(crate) struct Row {
    what: String,
    value: f64,
    unit: &'static str,
    target: Option<Target>,
}

/// The limit of a measured value.
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
        let target = self.target.map_or_else(String::new, Target::text);
        let verdict = match (self.target, self.is_met()) {
            (None, _) => "",
            (Some(_), true) => "met",
            (Some(_), false) => "MISSED",
        };
        println!(
            "  {:<48} {:>10.2} {:<6} {target:>8} {verdict}",
            self.what, self.value, self.unit
        );
    }

    fn cell(&self) -> String {
        let value = self.value;
        match self.target.map(Target::text) {
            None => format!("{value:.2}"),
            Some(target) if self.is_met() => format!("{value:.2} ({target})"),
            Some(target) => format!("**{value:.2}** ({target}, missed)"),
        }
    }
}

impl Target {
    fn text(self) -> String {
        match self {
            Target::AtMost(target) => format!("≤ {target}"),
            Target::AtLeast(target) => format!("≥ {target}"),
        }
    }
}

/// Prints a Markdown table with a column for each text.
pub(crate) fn print_markdown(columns: &[(String, Vec<Row>)]) {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for row in columns.iter().flat_map(|it| &it.1) {
        let name = (row.what.as_str(), row.unit);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let heads: String = columns.iter().map(|it| format!(" {} |", it.0)).collect();
    println!("| |{heads}");
    println!("|---|{}", "--:|".repeat(columns.len()));
    for (what, unit) in names {
        let cell = |rows: &[Row]| {
            let row = rows.iter().find(|it| it.what == what);
            format!(" {} |", row.map_or_else(String::new, Row::cell))
        };
        let cells: String = columns.iter().map(|it| cell(&it.1)).collect();
        println!("| {what}, {unit} |{cells}");
    }
}

//! Settings of any shape are read without a failure.

use serde_json::{Value, json};
use server::config;

/// Reads settings; all that is wrong with them is said, and in the same words however they come.
pub fn check(settings: &Value) {
    let problems = config::problems(settings);
    for problem in &problems {
        assert!(problem.contains(config::SECTION), "{problem}");
        assert!(
            !problem.contains('\n') && problem.len() < 2_000,
            "{problem}"
        );
    }
    if settings.get(config::SECTION).is_none() {
        let wrapped = json!({ config::SECTION: settings });
        assert_eq!(config::problems(&wrapped), problems, "{settings}");
    }
}

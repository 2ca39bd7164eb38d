//! The workflows run the code of others only as it was when it was looked at, and with few rights.

use std::fs;

use ptx_tests::workspace::top;

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text after `key` on the lines that begin with it, blanks and list dashes aside.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .filter_map(move |line| line.trim_start_matches([' ', '-']).strip_prefix(key))
        .map(str::trim)
}

/// The files that name actions.
fn action_files() -> Vec<String> {
    let mut found = Vec::new();
    for folder in [".github/workflows", ".github/actions/check"] {
        for entry in fs::read_dir(top().join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_str().expect("UTF-8");
            if name.ends_with(".yml") || name.ends_with(".yaml") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    assert!(found.len() >= 3, "{found:?}");
    found
}

/// Why the line of a workflow that names an action is refused: a tag or a branch may be moved to other code.
fn unpinned(uses: &str) -> Option<&'static str> {
    let Some((name, version)) = uses.split_once(" # ") else {
        return Some("no version in a comment");
    };
    let hash = name.rsplit_once('@').map_or("", |it| it.1);
    let is_hash = hash.len() == 40 && hash.bytes().all(|it| it.is_ascii_hexdigit());
    let is_version = version
        .strip_prefix('v')
        .is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    match (is_hash, is_version) {
        (false, _) => Some("no hash of a commit"),
        (_, false) => Some("no version in a comment"),
        _ => None,
    }
}

#[test]
fn actions_are_pinned() {
    let hash = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(unpinned(&format!("a/b@{hash} # v1.2")), None);
    for wrong in [
        "a/b@v1".to_owned(),
        "a/b@v1 # v1".to_owned(),
        "docker://a/b:1 # v1".to_owned(),
        format!("a/b@{hash}"),
        format!("a/b@{hash} # main"),
    ] {
        assert!(unpinned(&wrong).is_some(), "{wrong}");
    }
    for file in action_files() {
        let text = read(&file);
        for uses in values(&text, "uses: ") {
            assert_eq!(unpinned(uses), None, "{file}: {uses}");
        }
        // What a step runs may not find the token that fetched the sources.
        let checkouts = values(&text, "uses: actions/checkout@").count();
        let without = values(&text, "persist-credentials: false").count();
        assert_eq!(checkouts, without, "{file}");
    }
    let current = read(".github/dependabot.yml");
    assert!(current.contains("package-ecosystem: github-actions"));
}

/// The job that may write runs nothing that was written elsewhere.
#[test]
fn one_job_may_write() {
    let mut writing = Vec::new();
    for file in action_files() {
        let text = read(&file);
        let mut job = String::new();
        for line in text.lines() {
            let indent = line.len() - line.trim_start().len();
            if indent == 2 && line.ends_with(':') {
                job = format!("{file} {}", line.trim());
            }
            if line.trim_end().ends_with(": write") && writing.last() != Some(&job) {
                writing.push(job.clone());
            }
        }
    }
    assert_eq!(writing, [".github/workflows/release.yml release:"]);
    let workflow = read(".github/workflows/release.yml");
    let (_, job) = workflow.split_once("\n  release:\n").expect("the job");
    let uses: Vec<_> = values(job, "uses: ")
        .map(|it| it.split('@').next().unwrap_or_default())
        .collect();
    assert_eq!(
        uses,
        [
            "actions/download-artifact",
            "actions/attest-build-provenance"
        ]
    );
    let run: Vec<_> = values(job, "run: ")
        .map(|it| it.split(' ').next().unwrap_or_default())
        .collect();
    assert_eq!(run, ["sha256sum", "gh"]);
}

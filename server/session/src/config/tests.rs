//! Settings as clients send them, right and wrong.

use std::path::Path;

use expect_test::{Expect, expect};

use super::*;

#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
fn check(settings: Value, expect: Expect) {
    let (config, problems) = Config::from_json(&settings);
    let problems: String = problems.iter().map(|it| format!("{it:?}\n")).collect();
    expect.assert_eq(&format!(
        "target={:?} diagnostics={} debounce={:?} index={} log={:?}\n{problems}",
        config.target, config.diagnostics, config.debounce, config.index, config.log_level
    ));
}

#[test]
fn nothing_means_defaults() {
    for settings in [json!(null), json!({}), json!({ "ptx-analyzer": null })] {
        check(
            settings,
            expect![[r#"
                target=None diagnostics=true debounce=None index=true log=None
            "#]],
        );
    }
}

#[test]
fn nested_dotted_and_wrapped() {
    check(
        json!({ "ptx-analyzer": {
            "target": "sm_90a",
            "diagnostics": { "debounce": 10 },
            "workspace.index": false,
            "log": { "level": "debug" },
            "trace": { "server": "off" },
        }}),
        expect![[r#"
            target=Some("sm_90a") diagnostics=true debounce=Some(10ms) index=false log=Some(LevelFilter::DEBUG)
        "#]],
    );
    check(
        json!({ "ptx-analyzer.diagnostics.enable": false }),
        expect![[r#"
            target=None diagnostics=false debounce=None index=true log=None
        "#]],
    );
}

#[test]
fn an_empty_target_is_none() {
    check(
        json!({ "target": "" }),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
        "#]],
    );
}

#[test]
fn exclusion_covers_files_and_folders() {
    let covers = |patterns: &[&str], path: &str| {
        let exclude = Exclude::new(patterns).expect("valid patterns");
        exclude.covers(Path::new("/w"), &Path::new("/w").join(path))
    };
    assert!(!covers(&[], "a/b.ptx"));
    assert!(covers(&[], "node_modules/x/b.ptx"));
    assert!(covers(&["**/build/**"], "a/build/b.ptx"));
    assert!(covers(&["build"], "build/a/b.ptx"));
    assert!(!covers(&["build"], "a/build/b.ptx"));
    assert!(covers(&["*.gen.ptx"], "a.gen.ptx"));
    assert!(!covers(&["*.gen.ptx"], "a/a.gen.ptx"));
    assert!(covers(&["/w/a/*.ptx"], "a/b.ptx"));
    assert!(!covers(&["/w"], "a/b.ptx"));
}

#[test]
fn mistakes_are_named() {
    check(
        json!({
            "targt": "sm_90",
            "target": 90,
            "diagnostics": { "enable": "yes", "debounce": -1, "delay": 3 },
            "log.level": "loud",
            "workspace": { "exclude": ["[" ] },
        }),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
            Invalid("The setting ptx-analyzer.diagnostics.debounce must be a whole number from 0 to 10000, or null, not -1; its default, null, is used.")
            Unknown("The setting ptx-analyzer.diagnostics.delay does not exist and is ignored.")
            Invalid("The setting ptx-analyzer.diagnostics.enable must be true or false, not \"yes\"; its default, true, is used.")
            Invalid("The setting ptx-analyzer.log.level must be one of \"error\", \"warn\", \"info\", \"debug\", \"trace\", not \"loud\"; its default, \"warn\", is used.")
            Invalid("The setting ptx-analyzer.target must be a string or null, not 90; its default, null, is used.")
            Unknown("The setting ptx-analyzer.targt does not exist and is ignored.")
            Invalid("The setting ptx-analyzer.workspace.exclude is not usable: unclosed character class; missing ']' in \"[\"; its default, [], is used.")
        "#]],
    );
    check(
        json!({ "workspace": { "exclude": ["[x-\n]"] } }),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
            Invalid("The setting ptx-analyzer.workspace.exclude is not usable: invalid range; 'x' > '\\n' in \"[x-\\n]\"; its default, [], is used.")
        "#]],
    );
    check(
        json!({ "workspace": { "exclude": ["x".repeat(1001)] } }),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
            Invalid("The setting ptx-analyzer.workspace.exclude is not usable: more than 1000 characters in \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\"; its default, [], is used.")
        "#]],
    );
    check(
        json!({ "diagnostics": 1 }),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
            Invalid("The settings ptx-analyzer.diagnostics must be an object, not 1.")
        "#]],
    );
    check(
        json!([]),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
        "#]],
    );
    check(
        json!([1]),
        expect![[r#"
            target=None diagnostics=true debounce=None index=true log=None
            Invalid("The settings ptx-analyzer must be an object, not [1].")
        "#]],
    );
}

#[test]
fn defaults_of_the_table_are_the_defaults() {
    for setting in SETTINGS {
        let mut config = Config::default();
        let before = format!("{config:?}");
        let default = setting.default();
        if setting.name != "log.level" && !default.is_null() {
            (setting.set)(&mut config, &default).expect("a default is valid");
            assert_eq!(format!("{config:?}"), before, "{}", setting.name);
        }
    }
    assert!(SETTINGS.is_sorted_by_key(|it| it.name));
}

//! Requests of our own about words and targets.

use ptx_tests::client::TestServer;
use serde_json::json;

use crate::URI;

#[test]
fn words_and_their_documentation() {
    let mut server = TestServer::ready();
    let words = server.settled("ptx/words", &json!({}));
    let words = words.as_array().expect("a list");
    assert!(words.len() > 500, "{}", words.len());
    assert!(words.contains(&json!({ "name": "cp.async", "kind": "instruction" })));
    assert!(words.contains(&json!({ "name": "%tid", "kind": "special register" })));

    let targets = server.settled("ptx/words", &json!({ "kind": "target" }));
    let targets = targets.as_array().expect("a list");
    assert!(targets.contains(&json!({ "name": "sm_90a", "kind": "target" })));
    assert!(targets.iter().all(|it| it["kind"] == "target"));

    let found = server.settled("ptx/explain", &json!({ "name": "tid" }));
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert_eq!(found[0]["name"], "%tid");
    let text = found[0]["text"].as_str().expect("a text");
    assert!(text.contains("thread"), "{text}");

    // A word that means several things, and one of its meanings.
    let all = server.settled("ptx/explain", &json!({ "name": "shared" }));
    let all = all.as_array().expect("a list").len();
    let params = json!({ "name": ".shared", "kind": "state space" });
    let one = server.settled("ptx/explain", &params);
    assert_eq!(one.as_array().map(Vec::len), Some(1));
    assert!(all >= 1);

    let none = server.settled("ptx/explain", &json!({ "name": "qqzzyy" }));
    assert_eq!(none, json!([]));
}

#[test]
fn errors_by_target() {
    let mut server = TestServer::ready();
    server.open(
        URI,
        ".version 8.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n    .reg .b32 %r<3>;\n    \
         mov.u32 %r1, %clusterid.x;\n    redux.sync.add.s32 %r2, %r1, -1;\n    ret;\n}\n",
    );
    let mut ask = |targets: &[&str]| {
        let params = json!({ "textDocument": { "uri": URI }, "targets": targets });
        let found = server.settled("ptx/compareTargets", &params);
        let columns = found["columns"].as_array().expect("columns");
        let groups = found["groups"].as_array().expect("groups");
        let lines = |column: usize| {
            let wrong = groups.iter().filter(|it| it["wrong"][column] == true);
            let causes = wrong.flat_map(|it| it["causes"].as_array().expect("causes"));
            let ranges = causes.flat_map(|it| it["ranges"].as_array().expect("ranges"));
            let mut lines: Vec<u64> = ranges
                .filter_map(|it| it["start"]["line"].as_u64())
                .collect();
            assert_eq!(columns[column]["errors"], lines.len());
            lines.sort_unstable();
            lines
        };
        let column = |(index, it): (usize, &serde_json::Value)| {
            let targets = it["targets"].as_array().expect("targets");
            let names: Vec<&str> = targets
                .iter()
                .filter_map(|it| it["target"].as_str())
                .collect();
            assert!(
                targets
                    .iter()
                    .all(|it| it["version"].as_str().is_some_and(|it| it.contains('.')))
            );
            (names.join(" "), lines(index))
        };
        columns.iter().enumerate().map(column).collect::<Vec<_>>()
    };
    let verdicts = ask(&["sm_90", "sm_75", "sm_80"]);
    let expected = [("sm_90", vec![]), ("sm_75", vec![6, 7]), ("sm_80", vec![6])];
    assert_eq!(verdicts, expected.map(|(name, it)| (name.to_owned(), it)));

    // Without names, those of hardware of today; those with a letter where the file lacks something.
    let columns = ask(&[]);
    let lines: Vec<usize> = columns.iter().map(|it| it.1.len()).collect();
    // The target of the file comes first.
    assert_eq!(lines, [1, 2, 0], "{columns:?}");
    assert!(columns[0].0.starts_with("sm_80 "), "{columns:?}");
    assert_eq!(columns[1].0, "sm_75");
    assert!(columns[2].0.starts_with("sm_90 sm_100 "), "{columns:?}");
    assert!(!columns[2].0.contains("sm_90a"), "{columns:?}");
    let params = json!({ "textDocument": { "uri": URI }, "targets": ["sm_1"] });
    let refused = server.request("ptx/compareTargets", params);
    let message = refused.expect_err("there is no such target").message;
    assert!(message.contains("there is no target sm_1"), "{message}");
}

//! The queries that are computed again after a change, and those that are not.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use expect_test::{Expect, expect};
use syntax::{Document, text::Edit};

use crate::{AnalysisConfig, AnalysisHost, Change, FileId, Severity, fixture::HEADER};

const FILE: FileId = FileId(0);

/// A module with a few items of each kind.
const MODULE: &str = "
.global .b32 counter;
.func callee(.param .b32 x);
.visible .entry first(.param .b64 p) {
    .reg .b64 %d;
    mov.b64 %d, counter;
    ret;
}
.entry second {
    .reg .b32 %r<4>;
LOOP:
    mov.b32 %r2, 1;
    call callee, (%r2);
    bra LOOP;
}
.func callee(.param .b32 x) { ret; }
.section .debug_str { text: .b8 1 }
";

struct Session {
    document: Document,
    host: AnalysisHost,
    executed: Arc<Mutex<Vec<String>>>,
}

impl Session {
    fn new(text: &str) -> Session {
        let executed: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = executed.clone();
        let host = AnalysisHost::with_events(Some(Box::new(move |event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                log.lock().unwrap().push(format!("{database_key:?}"));
            }
        })));
        let mut session = Session {
            document: Document::new(format!("{HEADER}{text}")),
            host,
            executed,
        };
        session.update();
        session
    }

    fn update(&mut self) {
        self.host.apply_change(Change {
            files: vec![(FILE, Some(self.document.contents()))],
            config: None,
        });
        let mut diagnostics = self.host.analysis().diagnostics(FILE).unwrap();
        diagnostics.retain(|it| it.severity != Severity::Hint);
        assert_eq!(diagnostics, Vec::new());
    }

    /// Replaces the only occurrence of a text. Returns how often which query ran.
    fn replace(&mut self, old: &str, new: &str) -> String {
        let text = self.document.text().to_owned();
        assert_eq!(text.matches(old).count(), 1, "{old}");
        let start = text.find(old).unwrap() as u32;
        let range = syntax::TextRange::at(start.into(), (old.len() as u32).into());
        self.executed.lock().unwrap().clear();
        self.document.apply(&Edit::new(range, new)).unwrap();
        self.update();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for key in self.executed.lock().unwrap().iter() {
            let query = key.split('(').next().unwrap_or_default().to_owned();
            *counts.entry(query).or_default() += 1;
        }
        let mut out = String::new();
        for (query, count) in counts {
            let _ = writeln!(out, "{query} {count}");
        }
        out
    }
}

fn check(old: &str, new: &str, expect: Expect) {
    expect.assert_eq(&Session::new(MODULE).replace(old, new));
}

#[test]
fn typing_in_a_function_computes_that_function_again() {
    // Another operand; the length of the text changes, so everything after it moves.
    check(
        "mov.b32 %r2, 1;",
        "mov.b32 %r2, 100;",
        expect![[r#"
            body 1
            declared_shared 1
            effects 1
            fit 1
            form_facts 1
            forms 1
            function_findings 1
            is_marked 1
            item_offsets 1
            items 1
            outward 1
            semantics 1
            shadowed_names 1
            signature 1
            used_private_names 1
            verdict 1
        "#]],
    );
    // Another comment.
    check(
        "LOOP:",
        "// The loop.\nLOOP:",
        expect![[r#"
            body 1
            declared_shared 1
            forms 1
            function_findings 1
            is_marked 1
            item_offsets 1
            items 1
            outward 1
            shadowed_names 1
            signature 1
            used_private_names 1
        "#]],
    );
    // Another declaration.
    check(
        "%r<4>;\nLOOP",
        "%r<5>;\nLOOP",
        expect![[r#"
            body 1
            declared_shared 1
            forms 1
            function_findings 1
            is_marked 1
            item_offsets 1
            items 1
            outward 1
            shadowed_names 1
            signature 1
            used_private_names 1
        "#]],
    );
}

#[test]
fn typing_between_items_computes_the_next_item_again() {
    // The blanks before an item belong to it.
    check(
        "counter;\n.func",
        "counter;\n\n\n.func",
        expect![[r#"
            body 1
            declared_shared 1
            forms 1
            function_findings 1
            is_marked 1
            item_offsets 1
            items 1
            layouts 1
            outward 1
            signature 1
            used_private_names 1
        "#]],
    );
    check(
        "text: .b8 1",
        "text: .b8 1, 2",
        expect![[r#"
            header 1
            is_marked 1
            item_offsets 1
            items 1
            module_body 1
            module_declared 1
            module_findings 1
        "#]],
    );
}

#[test]
fn typing_in_a_callee_leaves_its_callers_as_they_are() {
    // Callers are compared with its header only.
    check(
        "{ ret; }\n.section",
        "{ bar.sync 0; ret; }\n.section",
        expect![[r#"
            body 1
            declared_shared 1
            effects 1
            fit 1
            form_facts 1
            forms 1
            function_findings 1
            is_marked 1
            item_offsets 1
            items 1
            layouts 1
            outward 1
            semantics 1
            shadowed_names 1
            signature 1
            used_private_names 1
            verdict 1
        "#]],
    );
}

#[test]
fn another_name_of_the_module_in_a_body_leaves_the_module_as_it_is() {
    let mut session = Session::new(
        "
.global .b32 inner;
.extern .global .b32 outer;
.entry k {
    .reg .b64 %r<4>;
    mov.b64 %r1, inner;
    mov.b64 %r2, 1;
}
",
    );
    expect![[r#"
        body 1
        declarations_of 1
        declared_shared 1
        forms 1
        function_findings 1
        is_marked 1
        item_offsets 1
        items 1
        outward 1
        shadowed_names 1
        signature 1
        used_private_names 1
        wanted 1
    "#]]
    .assert_eq(&session.replace("mov.b64 %r2, 1;", "mov.b64 %r2, outer;"));
}

#[test]
fn a_new_function_leaves_the_others_as_they_are() {
    check(
        ".visible .entry first",
        ".entry zeroth { ret; }\n.visible .entry first",
        expect![[r#"
            body 1
            declarations_of 2
            declared_shared 1
            forms 2
            function_controls 1
            function_findings 2
            function_order 1
            header 1
            is_marked 1
            item_offsets 1
            items 1
            module_findings 1
            module_items 1
            module_scope 1
            outward 1
            private_names 1
            shadowed_names 4
            signature 1
            target_before 5
            used_private_names 1
            wanted 1
        "#]],
    );
}

#[test]
fn a_new_name_of_the_module_concerns_who_names_it() {
    check(
        ".global .b32 counter;",
        ".global .b32 counter, other;",
        expect![[r#"
            declarations_of 2
            forms 1
            header 1
            is_marked 1
            item_offsets 1
            items 1
            module_body 1
            module_declared 1
            module_findings 1
            module_scope 1
            private_names 1
            shadowed_names 3
            target_before 4
            used_private_names 4
        "#]],
    );
}

#[test]
fn equal_contents_and_settings_change_nothing() {
    let mut session = Session::new(MODULE);
    session.executed.lock().unwrap().clear();
    session.host.apply_change(Change {
        files: Vec::new(),
        config: Some(AnalysisConfig::default()),
    });
    session.host.analysis().diagnostics(FILE).unwrap();
    assert_eq!(*session.executed.lock().unwrap(), Vec::<String>::new());
}

//! Every question at every offset of all kinds of text.

use syntax::{TextRange, TextSize};

use crate::{
    Analysis, CodeLensKinds, FileId, FilePosition, FileRange, InlayHintKinds, Severity,
    fixture::Fixture,
};

const TEXTS: &[&str] = &[
    "",
    "\u{feff}.version 8.5",
    // Everything that the language has, correct.
    r#"// head
.version 8.5
.target sm_90, debug
.address_size 64
.file 1 "a.cu", 1, 2
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.global .texref t = {filter_mode = nearest};
.const .u8 g[] = {0xff(g), 1}, h<3>;
.func f { ret; }
.visible .global .align 8 .u64 table[2] = {f, generic(g)+4};
.func alias;
.alias alias, f;
.visible .entry k(.param .u64 .ptr .global .align 4 p, .param .b8 q[4]) .maxntid 32, 1, 1
{
    .reg .b32 %r<10>, x; .reg .pred %p<3>; .reg .v4 .f32 v; .reg .b64 %rd<4>;
    .shared .align 16 .b8 s[64];
    .extern .func nested (.param .b32 a);
    .loc 1 2 3
    .loc 1 4 5, function_name $L__info+4, inlined_at 1 2 3
LOOP: { .reg .b32 x; mov.b32 x, %tid.x; bra END; }
    setp.lt.s32 %p1|%p2, %r01, WARP_SZ;
    @!%p1 ld.global.v2.b32 {%r1, _}, [%rd1+16];
    mov.f32 v.x, 0f3f800000;
    { .param .b32 a; st.param.b32 [a+0], x; call nested, (a); }
    targets: .branchtargets LOOP, A<2>;
    brx.idx %r1, targets;
    proto: .callprototype (.param .b32 _) _ (.param .b64 _);
    call (x), %rd1, (%rd2), proto;
A0: A1: .pragma "nounroll";
END: ret;
}
.section .debug_info { info: .b32 .debug_str+4 .b64 END-LOOP .b64 k }
.section .debug_str { $L__info: .b8 1 }
"#,
    // Duplicates, unknown and misplaced names.
    ".global .b32 a, a;\n.func a;\n.func { }\n.entry k { bra L; { L: } .reg .b32 a, a<2>, a1; mov a1, b, %q.x, [c+d[e]]; a: a: }\n.func a { } .alias a, ; .alias , b;",
    // Broken in many ways.
    ".entry k( { .reg .b32 %r<; mov.b32 %r1 ; } }\n.func (.reg ) f(,) { call ( , f; \"x\n@ @p { [ ( ",
    ".reg .b32 x<4294967296>, y<99999999999999999999>; .entry k { mov.b32 x4294967297, y0; t: .branchtargets L<99999999>; }",
    ".entry k\r\n{\r\n  .reg .b32 \u{e4}; // \u{1f600}\r\n  mov.b32 %r1, %r\u{fc};\r\n}\r\n/* open",
    "{ { { } .section .x { a: b: .b8 c-d } .file .loc .alias .pragma ; : , < > = @@DWARF .x",
];

/// Asks everything at one place.
fn ask(analysis: &Analysis, at: FilePosition, end: TextSize) {
    analysis.hover(at).unwrap();
    analysis.goto_definition(at).unwrap();
    analysis.goto_declaration(at).unwrap();
    analysis.goto_type_definition(at).unwrap();
    if let Some(found) = analysis.source_locations(at).unwrap() {
        assert!(found.range.contains_inclusive(at.offset) && !found.info.is_empty());
        // What comes from a line comes from it again.
        let lines = analysis.same_source_line(at).unwrap();
        assert!(lines.is_none_or(|it| it.ranges.iter().all(|it| it.end() <= end)));
    }
    let function = analysis.call_hierarchy(at).unwrap();
    let calls = [
        analysis.incoming_calls(at).unwrap(),
        analysis.outgoing_calls(at).unwrap(),
    ];
    for call in calls.iter().flatten() {
        assert!(!function.is_empty() && !call.ranges.is_empty(), "{at:?}");
        assert!(call.ranges.iter().all(|it| it.end() <= end));
    }
    analysis.highlight(at).unwrap();
    let selection = analysis.selection_ranges(at).unwrap();
    assert!(selection.iter().all(|it| it.end() <= end));
    let references = analysis.references(at, true).unwrap();
    let contains = |range: TextRange| range.contains_inclusive(at.offset);
    if let Some(all) = references {
        // The word under the cursor is one of the occurrences of its name.
        assert!(
            all.iter()
                .any(|it| it.location.file == at.file && contains(it.location.range)),
            "{at:?}"
        );
    }
    match analysis.prepare_rename(at).unwrap() {
        Ok(it) => assert!(it.range.end() <= end && it.range.start() <= at.offset),
        Err(refusal) => assert!(refusal.0.ends_with('.'), "{}", refusal.0),
    }
    if let Ok(change) = analysis.rename(at, "completely_new_name").unwrap() {
        assert!(change.files.iter().all(|it| !it.edits.is_empty()));
    }
}

/// Asks for what is shown beside a part of the text.
fn ask_beside(analysis: &Analysis, at: FileRange) {
    let all = InlayHintKinds {
        defaults: true,
        demangled_names: true,
        float_literals: true,
        memory_accesses: true,
        live_registers: true,
        loop_registers: true,
        register_peak: true,
        parameter_names: true,
        register_types: true,
    };
    let hints = analysis.inlay_hints(at, all, &[]).unwrap();
    assert!(hints.iter().all(|it| !it.label.is_empty()), "{hints:?}");
    assert!(hints.is_sorted_by_key(|it| it.offset));
}

/// Nesting that the parser just follows, or no longer does.
fn deep_texts() -> Vec<String> {
    let n = 600;
    vec![
        format!(".entry k {{{}{}}}", "{ L: bra L; ".repeat(n), "}".repeat(n)),
        format!(".global .b32 x = {}1{};", "(".repeat(n), ")".repeat(n)),
        format!(".entry k {{ mov.b32 r, 1{}; }}", "+x".repeat(n)),
    ]
}

#[test]
fn deep_nesting_does_no_harm() {
    for text in deep_texts() {
        let fixture = Fixture::new(&text);
        let analysis = fixture.host.analysis();
        let end = TextSize::of(&*text);
        for offset in (0..u32::from(end)).step_by(491) {
            let at = FilePosition {
                file: FileId(0),
                offset: offset.into(),
            };
            ask(&analysis, at, end);
        }
        analysis.diagnostics(FileId(0)).unwrap();
        analysis.document_symbols(FileId(0)).unwrap();
        analysis.folding_ranges(FileId(0)).unwrap();
        let range = TextRange::up_to(end);
        let file = FileId(0);
        analysis.code_actions(FileRange { file, range }).unwrap();
        ask_beside(&analysis, FileRange { file, range });
        let kinds = CodeLensKinds {
            loops: true,
            references: true,
            registers: true,
            runs: true,
        };
        analysis.code_lenses(file, kinds).unwrap();
        analysis.registers(file, None).unwrap();
        analysis.flow_graphs(file, None).unwrap();
        analysis.document_links(file).unwrap();
        analysis.semantic_tokens(FileId(0), None).unwrap();
    }
}

#[test]
fn every_question_has_an_answer_everywhere() {
    for text in TEXTS {
        let fixture = Fixture::new(text);
        let analysis = fixture.host.analysis();
        let file = FileId(0);
        let end = TextSize::of(fixture.files.first().map_or("", |it| &it.1));
        for offset in 0..u32::from(end) + 3 {
            let at = FilePosition {
                file,
                offset: offset.into(),
            };
            ask(&analysis, at, end);
            let range = TextRange::at(at.offset, 7.into());
            analysis.semantic_tokens(file, Some(range)).unwrap();
            analysis.syntax_tree(file, Some(range)).unwrap();
            ask_beside(&analysis, FileRange { file, range });
        }
        analysis.diagnostics(file).unwrap();
        analysis.document_symbols(file).unwrap();
        analysis.folding_ranges(file).unwrap();
        let range = TextRange::up_to(end);
        analysis.code_actions(FileRange { file, range }).unwrap();
        ask_beside(&analysis, FileRange { file, range });
        let kinds = CodeLensKinds {
            loops: true,
            references: true,
            registers: true,
            runs: true,
        };
        analysis.code_lenses(file, kinds).unwrap();
        analysis.registers(file, None).unwrap();
        analysis.flow_graphs(file, None).unwrap();
        analysis.document_links(file).unwrap();
        analysis.stats(file).unwrap();
        for query in ["", "a", "\u{e4}"] {
            analysis.workspace_symbols(query, 100).unwrap();
        }
    }
}

#[test]
fn the_correct_text_has_no_diagnostics() {
    let fixture = Fixture::new(TEXTS[2]);
    let mut diagnostics = fixture.host.analysis().diagnostics(FileId(0)).unwrap();
    diagnostics.retain(|it| it.severity != Severity::Hint);
    assert_eq!(diagnostics, Vec::new());
}

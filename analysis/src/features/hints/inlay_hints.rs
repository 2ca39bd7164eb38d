//! Inlay hints: what a reader would otherwise look up, between the words.

use std::borrow::Cow;

use isa::{
    tables,
    word_class::{type_bits, vector_length},
};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize};

use crate::{
    ExactEntry, InlayHint, InlayHintKind, InlayHintKinds, SymbolKind,
    accesses::{accesses_of, sentence},
    db::SourceFile,
    demangle::demangled,
    diagnostics::CallParts,
    hir::{
        body::{Body, DefinitionId, Reference, Target, body},
        header::{Formal, FunctionHeader},
        instruction::{Parts, is_call},
        items::{Function, item_offsets, items},
        module::{header_of, module_scope},
        tree::{self, node_at, trimmed},
    },
};

use super::pressure_hints::pressure_hints;
use crate::features::{hover::literal, navigation::target::declared_type};

/// Longer C++ names are truncated; the tooltip has the rest.
const MAX_NAME: usize = 60;

/// The hints of some kinds in a range, in the order of the text. Costs what the range holds, and the
/// lowering of the functions in it.
pub(crate) fn inlay_hints(
    db: &dyn Database,
    file: SourceFile,
    range: TextRange,
    kinds: InlayHintKinds,
    exact: &[ExactEntry],
) -> Vec<InlayHint> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let mut hints = Vec::new();
    for (function, start) in items.functions.iter().zip(&offsets.functions) {
        let green = function.green(db);
        if let Some(range) = inside(range, *start, green.text_len()) {
            db.unwind_if_revision_cancelled();
            let cursor = green.cursor();
            let mut collector = Collector {
                range,
                start: *start,
                kinds,
                hints: &mut hints,
            };
            collector.literals(&cursor);
            collector.function(db, *function, &cursor);
            collector.accesses(db, *function);
            pressure_hints(db, (*function, *start), range, kinds, exact, &mut hints);
        }
    }
    for (item, start) in items.module.items(db).iter().zip(&offsets.module) {
        if let Some(range) = inside(range, *start, item.green.text_len()) {
            let mut collector = Collector {
                range,
                start: *start,
                kinds,
                hints: &mut hints,
            };
            collector.literals(&item.green.cursor());
        }
    }
    hints.sort_by_key(|it| it.offset);
    hints
}

/// The part of a range that lies in an item, relative to its start.
fn inside(range: TextRange, start: TextSize, len: TextSize) -> Option<TextRange> {
    Some(range.intersect(TextRange::at(start, len))? - start)
}

/// Collects the hints of one item.
struct Collector<'a> {
    /// The range that is looked at, relative to the start of the item.
    range: TextRange,
    /// Where the item starts.
    start: TextSize,
    kinds: InlayHintKinds,
    hints: &'a mut Vec<InlayHint>,
}

impl Collector<'_> {
    fn touches(&self, range: TextRange) -> bool {
        range.intersect(self.range).is_some()
    }

    fn add(
        &mut self,
        offset: TextSize,
        kind: InlayHintKind,
        label: String,
        tooltip: Option<String>,
    ) {
        self.hints.push(InlayHint {
            offset: offset + self.start,
            label,
            kind,
            tooltip,
        });
    }

    // ---- Constants -----------------------------------------------------------------------------

    fn literals(&mut self, node: &Cursor<'_>) {
        if !self.kinds.float_literals {
            return;
        }
        for child in node.children() {
            match child {
                NodeOrToken::Node(it) if self.touches(it.range()) => self.literals(&it),
                NodeOrToken::Token(it)
                    if it.kind() == SyntaxKind::FLOAT && self.touches(it.range()) =>
                {
                    if let Some(value) = literal::of_bits(it.text()) {
                        self.add(
                            it.range().end(),
                            InlayHintKind::FloatLiteral,
                            format!("= {value}"),
                            None,
                        );
                    }
                }
                _ => {}
            }
        }
    }

    // ---- Functions -----------------------------------------------------------------------------

    fn function(&mut self, db: &dyn Database, function: Function<'_>, cursor: &Cursor<'_>) {
        let kinds = self.kinds;
        if kinds.demangled_names
            && let Some(name) = tree::name(cursor)
        {
            self.demangled(&name);
        }
        if kinds.register_types {
            self.register_types(body(db, function), cursor);
        }
        if kinds.defaults || kinds.demangled_names || kinds.parameter_names {
            self.instructions(db, function, cursor);
        }
    }

    fn instructions(&mut self, db: &dyn Database, function: Function<'_>, node: &Cursor<'_>) {
        for child in node
            .nodes()
            .filter(|it| self.touches(it.range()))
            .collect::<Vec<_>>()
        {
            match child.kind() {
                SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => {
                    self.instructions(db, function, &child);
                }
                SyntaxKind::INSTRUCTION => {
                    let parts = Parts::of(&child);
                    let Some(opcode) = &parts.opcode else {
                        continue;
                    };
                    if is_call(opcode.text()) {
                        self.call(db, function, &child);
                    } else if self.kinds.defaults {
                        self.defaults(opcode, &parts);
                    }
                }
                _ => {}
            }
        }
    }

    /// The modifiers that an instruction does not say.
    fn defaults(&mut self, opcode: &CursorToken<'_>, parts: &Parts<'_>) {
        let assumed = tables().assumed(opcode.text(), &parts.words);
        if assumed.words.is_empty() {
            return;
        }
        let before = assumed
            .after
            .checked_sub(1)
            .and_then(|it| parts.modifiers.get(it));
        let label: String = assumed.words.iter().map(|it| format!(".{it}")).collect();
        let tooltip = format!("Without it, `{label}` is assumed.");
        self.add(
            before.unwrap_or(opcode).range().end(),
            InlayHintKind::Default,
            label,
            Some(tooltip),
        );
    }

    fn demangled(&mut self, name: &CursorToken<'_>) {
        if !self.touches(name.range()) {
            return;
        }
        let Some(found) = demangled(name.text()) else {
            return;
        };
        let label = match found.name.char_indices().nth(MAX_NAME) {
            Some((end, _)) => format!("{}…", &found.name[..end]),
            None => found.name.clone(),
        };
        let tooltip = format!("```cpp\n{}\n```", found.name);
        self.add(
            name.range().end(),
            InlayHintKind::DemangledName,
            label,
            Some(tooltip),
        );
    }

    // ---- Calls ---------------------------------------------------------------------------------

    fn call(&mut self, db: &dyn Database, function: Function<'_>, instruction: &Cursor<'_>) {
        let Ok(call) = CallParts::of(instruction) else {
            return;
        };
        let Some(callee) = call.callee.token(SyntaxKind::IDENT) else {
            return;
        };
        if self.kinds.demangled_names {
            self.demangled(&callee);
        }
        if !self.kinds.parameter_names {
            return;
        }
        let Some(header) = header(db, function, &call, &callee) else {
            return;
        };
        for (list, formals) in [
            (&call.results, &header.results),
            (&call.arguments, &header.parameters),
        ] {
            let arguments = list.iter().flat_map(Cursor::nodes);
            for (argument, formal) in arguments.zip(formals) {
                let range = trimmed(&argument);
                if self.touches(range)
                    && let Some(name) = telling_name(formal, callee.text())
                    && tree::text_of_range(&argument, range) != name
                {
                    self.add(
                        range.start(),
                        InlayHintKind::ParameterName,
                        format!("{name}:"),
                        None,
                    );
                }
            }
        }
    }

    // ---- Memory --------------------------------------------------------------------------------

    fn accesses(&mut self, db: &dyn Database, function: Function<'_>) {
        if !self.kinds.memory_accesses {
            return;
        }
        for it in accesses_of(db, function, None) {
            let label = it.figures();
            if !label.is_empty() && self.touches(it.range) {
                self.add(
                    it.range.end(),
                    InlayHintKind::MemoryAccess,
                    label,
                    sentence(it),
                );
            }
        }
    }

    // ---- Registers -----------------------------------------------------------------------------

    fn register_types(&mut self, body: &Body, cursor: &Cursor<'_>) {
        let mut types: FxHashMap<DefinitionId, Option<String>> = FxHashMap::default();
        let first = body
            .references
            .partition_point(|it| it.range.end() < self.range.start());
        let end = self.range.end();
        let written = body.references[first..]
            .iter()
            .take_while(|it| it.range.start() <= end)
            .filter(|it| it.write);
        for Reference { range, target, .. } in written {
            let Target::Definition(id) = *target else {
                continue;
            };
            let label = types
                .entry(id)
                .or_insert_with(|| register_type(body, cursor, id));
            if let Some(label) = label {
                self.add(
                    range.end(),
                    InlayHintKind::RegisterType,
                    format!(": {label}"),
                    None,
                );
            }
        }
    }
}

/// The header of what a call names: of the function, or of the prototype of an indirect call.
fn header<'a>(
    db: &'a dyn Database,
    function: Function<'_>,
    call: &CallParts<'_>,
    callee: &CursorToken<'_>,
) -> Option<Cow<'a, FunctionHeader>> {
    let body = body(db, function);
    let reference = body.reference_at(callee.range())?;
    if let Target::Definition(id) = reference.target
        && body.definition(id).kind != SymbolKind::Function
    {
        let table = call.table.as_ref()?.token(SyntaxKind::IDENT)?;
        let Target::Definition(id) = body.reference_at(table.range())?.target else {
            return None;
        };
        let end = body.definition(id).full_range.end();
        let cursor = function.green(db).cursor();
        let last = end.checked_sub(TextSize::from(1))?;
        let prototype = node_at(&cursor, SyntaxKind::CALL_PROTOTYPE, last)?;
        return Some(Cow::Owned(FunctionHeader::of(&prototype, &[])));
    }
    let file = function.file(db);
    let all = module_scope(db, file).find(callee.text());
    let declaration = all.iter().find(|it| it.defined).or(all.first())?;
    header_of(db, file, declaration.source).map(Cow::Borrowed)
}

/// The name of a parameter, unless it says no more than the place of the argument does. Compilers put
/// the name of the function before it and number the parameters.
fn telling_name<'a>(formal: &'a Formal, callee: &str) -> Option<&'a str> {
    let name: &str = &formal.name;
    let own = name
        .strip_prefix(callee)
        .and_then(|it| it.strip_prefix('_'))
        .filter(|it| !it.is_empty())
        .unwrap_or(name);
    let stem = own.trim_end_matches(|it: char| it.is_ascii_digit());
    let numbered = matches!(
        stem,
        "param_" | "param" | "retval" | "retval_" | "func_retval" | "_"
    );
    (!numbered).then_some(own)
}

/// The type of a register, unless its name is_named it.
fn register_type(body: &Body, cursor: &Cursor<'_>, id: DefinitionId) -> Option<String> {
    let definition = body.definition(id);
    if definition.kind != SymbolKind::Register && definition.kind != SymbolKind::Parameter {
        return None;
    }
    let words = declared_type(cursor, definition)?;
    let plain = words.iter().find(|it| vector_length(it).is_none())?;
    let vector = words.iter().any(|it| vector_length(it).is_some());
    let is_named = !vector && is_name_of_type(&definition.name, plain);
    (!is_named).then(|| words.join(" "))
}

/// Whether the name of a register is_named its type: by the letters that compilers use, or by the type
/// itself at its end.
fn is_name_of_type(name: &str, word: &str) -> bool {
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit());
    let bits = type_bits(word);
    let float = word.starts_with(".f");
    let by_letters = match stem.trim_start_matches('%') {
        "p" => word == ".pred",
        "f" => word == ".f32",
        "fd" | "d" => word == ".f64",
        "rs" | "h" => bits == Some(16),
        "r" => bits == Some(32) && !float,
        "rd" | "rl" => bits == Some(64) && !float,
        "rq" => bits == Some(128),
        _ => false,
    };
    by_letters
        || word
            .strip_prefix('.')
            .is_some_and(|word| name.trim_end_matches('_').ends_with(word))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use syntax::TextRange;

    use crate::{
        FileId, FileRange, InlayHint, InlayHintKinds,
        fixture::{Fixture, NO_HINTS},
    };

    fn hints(text: &str, range: TextRange, kinds: InlayHintKinds) -> Vec<InlayHint> {
        let fixture = Fixture::new(text);
        let at = FileRange {
            file: FileId(0),
            range,
        };
        fixture.host.analysis().inlay_hints(at, kinds, &[]).unwrap()
    }

    /// The text with its hints in guillemets.
    fn with_hints(text: &str, hints: &[InlayHint]) -> String {
        let mut shown = text.to_owned();
        for hint in hints.iter().rev() {
            shown.insert_str(hint.offset.into(), &format!("«{}»", hint.label));
        }
        shown
    }

    #[track_caller]
    fn check(kinds: InlayHintKinds, text: &str, expected: Expect) {
        let len = u32::try_from(text.len()).unwrap();
        let hints = hints(text, TextRange::up_to(len.into()), kinds);
        expected.assert_eq(&with_hints(text, &hints));
    }

    #[test]
    fn floats() {
        check(
            InlayHintKinds {
                float_literals: true,
                ..NO_HINTS
            },
            ".global .f32 g[3] = {0f3F800000, 1.5, 0F40490FDB};\n.entry k { .reg .f32 a; .reg .f64 d; mov.f32 a, 0fFF800000; mov.f64 d, 0d3FF8000000000000; mov.f32 a, 0f7FFFFFFF; add.f32 a, a, 0f3; mov.b32 a, 0x3F800000; }",
            expect![[r#"
                .global .f32 g[3] = {0f3F800000«= 1.0», 1.5, 0F40490FDB«= 3.1415927, about π»};
                .entry k { .reg .f32 a; .reg .f64 d; mov.f32 a, 0fFF800000«= -infinity»; mov.f64 d, 0d3FF8000000000000«= 1.5»; mov.f32 a, 0f7FFFFFFF«= not a number»; add.f32 a, a, 0f3; mov.b32 a, 0x3F800000; }"#]],
        );
    }

    #[test]
    fn memory_accesses() {
        check(
            InlayHintKinds {
                memory_accesses: true,
                ..NO_HINTS
            },
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a) .reqntid 32 { .reg .b32 %r<4>; .reg .b64 %rd<4>;\n\
             .shared .align 4 .b8 t[4096];\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\n\
             add.u64 %rd1, %rd1, %rd2;\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%r3];\nshl.b32 %r3, %r1, 3;\n\
             st.shared.u32 [%r3], %r2;\nret; }",
            expect![[r#"
                .version 8.0
                .target sm_80
                .address_size 64
                .entry k(.param .u64 a) .reqntid 32 { .reg .b32 %r<4>; .reg .b64 %rd<4>;
                .shared .align 4 .b8 t[4096];
                ld.param.u64 %rd1, [a];
                mov.u32 %r1, %tid.x;
                mul.wide.u32 %rd2, %r1, 8;
                add.u64 %rd1, %rd1, %rd2;
                ld.global.u32 %r2, [%rd1];«8 sectors, ideal 4»
                ld.global.u32 %r3, [%r3];
                shl.b32 %r3, %r1, 3;
                st.shared.u32 [%r3], %r2;«2-way conflict»
                ret; }"#]],
        );
    }

    #[test]
    fn parameter_names() {
        let kinds = InlayHintKinds {
            parameter_names: true,
            ..NO_HINTS
        };
        check(
            kinds,
            ".func (.reg .b32 sum) f(.param .b32 x, .param .b32 y) { }\n.entry k { .reg .b32 r; call (r), f, (r, 2); call f, (x, y, 3); call g, (1); }\n.func g(.param .b32 g_param_0, .param .b32 g_size) { call g, (1, 2); }",
            expect![[r#"
                .func (.reg .b32 sum) f(.param .b32 x, .param .b32 y) { }
                .entry k { .reg .b32 r; call («sum:»r), f, («x:»r, «y:»2); call f, (x, y, 3); call g, (1); }
                .func g(.param .b32 g_param_0, .param .b32 g_size) { call g, (1, «size:»2); }"#]],
        );
        check(
            kinds,
            ".entry k { .reg .b64 r; p: .callprototype (.param .b32 out) _ (.param .b32 _, .param .b32 count); call (r), r, (1, 2), p; call r, (1); call r, (1), q; }",
            expect![
                ".entry k { .reg .b64 r; p: .callprototype (.param .b32 out) _ (.param .b32 _, .param .b32 count); call («out:»r), r, (1, «count:»2), p; call r, (1); call r, (1), q; }"
            ],
        );
    }

    #[test]
    fn register_types() {
        check(
            InlayHintKinds {
                register_types: true,
                ..NO_HINTS
            },
            ".entry k { .reg .b32 %r<4>, sum, n_b32, %f; .reg .v2 .f32 v; .reg .pred %p, more; mov.b32 %r1, 1; mov.b32 sum, n_b32; mov.b32 n_b32, 1; mov.b32 %f, 2; mov.f32 v.x, 0.0; setp.eq.s32 %p|more, sum, 1; st.b32 [sum], 1; }",
            expect![
                ".entry k { .reg .b32 %r<4>, sum, n_b32, %f; .reg .v2 .f32 v; .reg .pred %p, more; mov.b32 %r1, 1; mov.b32 sum«: .b32», n_b32; mov.b32 n_b32, 1; mov.b32 %f«: .b32», 2; mov.f32 v«: .v2 .f32».x, 0.0; setp.eq.s32 %p|more«: .pred», sum, 1; st.b32 [sum], 1; }"
            ],
        );
    }

    #[test]
    fn defaults() {
        check(
            InlayHintKinds {
                defaults: true,
                ..NO_HINTS
            },
            ".entry k { ld.global.f32 a, [b]; @p atom.add.u32 a, [b], 1; atom.acquire.global.add.u32 a, [b], 1; fence.gpu; mbarrier.arrive.expect_tx.shared.b64 _, [a], 1; barrier.cluster.arrive.aligned; add.f32 a, b, c; }",
            expect![
                ".entry k { ld«.weak».global.f32 a, [b]; @p atom«.relaxed.gpu».add.u32 a, [b], 1; atom.acquire«.gpu».global.add.u32 a, [b], 1; fence«.acq_rel».gpu; mbarrier.arrive.expect_tx«.release.cta».shared.b64 _, [a], 1; barrier.cluster.arrive«.release».aligned; add.f32 a, b, c; }"
            ],
        );
    }

    #[test]
    fn demangled_names() {
        check(
            InlayHintKinds {
                demangled_names: true,
                ..NO_HINTS
            },
            ".func _Z1fPi(.param .b64 _Z1fPi_param_0);\n.entry k { call _Z1fPi, (1); call g; }\n.func _Z70abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijv;",
            expect![[r#"
                .func _Z1fPi«f(int*)»(.param .b64 _Z1fPi_param_0);
                .entry k { call _Z1fPi«f(int*)», (1); call g; }
                .func _Z70abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijv«abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij…»;"#]],
        );
    }

    #[test]
    fn only_the_range_counts() {
        let line = "    mov.f32 %f1, 0f3F800000;\n";
        let text = format!(
            ".entry k {{\n{}}}\n.entry n {{\n{line}}}",
            line.repeat(1000)
        );
        let start = text.match_indices("0f3F").nth(500).unwrap().0;
        let range = TextRange::at((start as u32).into(), (line.len() as u32 * 2).into());
        assert_eq!(hints(&text, range, InlayHintKinds::default()).len(), 3);
        let beyond = TextRange::at((text.len() as u32 + 5).into(), 7.into());
        assert_eq!(hints(&text, beyond, InlayHintKinds::default()), []);
    }
}

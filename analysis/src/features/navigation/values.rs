//! Values of registers: who wrote what is read at a place, who reads what is written there, and what else was
//! computed from it.

use std::fmt::Write as _;

use isa::{operand::Operand, types::Class};
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    Access, FilePosition, NavigationTarget, Reference, SymbolKind, ValueSlice,
    db::SourceFile,
    flow::{
        Flow,
        chains::{Chains, Direction},
        facts::{Nodes, Step, Value},
        flow,
    },
    hir::{
        body::{Body, DefinitionId, Target, body},
        instruction::references,
        items::Function,
        symbol::{Symbol, function_start, name_at},
        tree::OneLine,
    },
};

/// So many writes are shown in a hover, and the lines of so many reads.
const SHOWN: usize = 3;
const LINES: usize = 8;
/// The longest line of an instruction in a hover.
const WIDTH: usize = 100;

/// A register of a function.
pub(in crate::features) struct RegisterOf<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    function: Function<'db>,
    /// Where the function starts in the file.
    start: TextSize,
    body: &'db Body,
    definition: DefinitionId,
    member: Option<u32>,
}

/// The value of a register at one of its uses.
pub(in crate::features) struct ValueAt<'db> {
    register: RegisterOf<'db>,
    flow: &'db Flow,
    value: Value,
    /// The word, in the file.
    range: TextRange,
    /// The instruction with the word.
    step: Step,
    written: bool,
    read: bool,
}

impl<'db> RegisterOf<'db> {
    /// The register that a symbol means; `None` for other names, and for a whole family such as `%r<9>`.
    pub(in crate::features) fn of(
        db: &'db dyn Database,
        file: SourceFile,
        symbol: &Symbol<'db>,
    ) -> Option<RegisterOf<'db>> {
        let Symbol::Local {
            function,
            definition,
            member,
        } = *symbol
        else {
            return None;
        };
        let body = body(db, function);
        let declaration = body.definition(definition);
        let family = declaration.count.is_some() && member.is_none();
        (declaration.kind == SymbolKind::Register && !family).then_some(RegisterOf {
            db,
            file,
            function,
            start: function_start(db, function),
            body,
            definition,
            member,
        })
    }

    /// Its value at the word with a range of the file; `None` where the name is not used by an instruction.
    pub(in crate::features) fn value_at(self, range: TextRange) -> Option<ValueAt<'db>> {
        let flow = flow(self.db, self.function);
        let at = range - self.start;
        let instructions = &self.body.instructions;
        let step = instructions.partition_point(|it| it.range.end() <= at.start());
        let instruction = instructions
            .get(step)
            .filter(|it| it.range.contains_range(at))?;
        let references = references(self.body, instruction);
        let found = references.iter().find(|it| it.range == at)?;
        let is_it = |it: &crate::flow::facts::Register| {
            it.definition == self.definition && it.member == self.member
        };
        let value = flow.facts.values.iter().position(is_it)? as Value;
        let reads = flow.facts.reads.get(step).iter().filter(|it| **it == value);
        let named = references
            .iter()
            .filter(|it| !it.write && it.target == found.target && it.member == found.member);
        Some(ValueAt {
            written: found.write,
            // A few instructions read the operand that they write.
            read: !found.write || reads.count() > named.count(),
            flow,
            value,
            range,
            step: step as Step,
            register: self,
        })
    }

    /// Where an instruction names the register, of the reads or of the writes, in the file.
    fn names(&self, step: Step, write: bool) -> impl Iterator<Item = TextRange> + '_ {
        let instruction = self.body.instructions.get(step as usize);
        let all = instruction.map_or(&[][..], |it| references(self.body, it));
        let wanted = Target::Definition(self.definition);
        all.iter()
            .filter(move |it| it.target == wanted && it.member == self.member && it.write == write)
            .map(|it| it.range + self.start)
    }

    /// The instruction in the file.
    fn instruction(&self, step: Step) -> TextRange {
        let instruction = self.body.instructions.get(step as usize);
        instruction.map_or_else(TextRange::default, |it| it.range + self.start)
    }

    /// The writes of the register at some instructions, as places to go to.
    fn targets(&self, steps: &[Step]) -> Vec<NavigationTarget> {
        let nodes = Nodes::new(self.db, self.function);
        let name = self.name();
        steps
            .iter()
            .filter_map(|step| {
                Some(NavigationTarget {
                    file: self.file.id(self.db),
                    full_range: self.instruction(*step),
                    focus_range: self.names(*step, true).next()?,
                    name: name.clone(),
                    kind: SymbolKind::Register,
                    container: Some(self.function.name(self.db).to_owned()),
                    detail: nodes.get(*step).map(|it| OneLine::of(&it)),
                })
            })
            .collect()
    }

    fn name(&self) -> String {
        let declared = &self.body.definition(self.definition).name;
        match self.member {
            Some(member) => format!("{declared}{member}"),
            None => declared.to_string(),
        }
    }

    /// All instructions that write it, as places to go to.
    pub(in crate::features) fn all_writes(&self) -> Vec<NavigationTarget> {
        let count = self.body.instructions.len() as Step;
        let writes: Vec<Step> = (0..count)
            .filter(|it| self.names(*it, true).next().is_some())
            .collect();
        self.targets(&writes)
    }
}

impl<'db> ValueAt<'db> {
    /// The flow of the function, the value and the instruction with the word.
    pub(in crate::features) fn place(&self) -> (&'db Flow, Value, Step) {
        (self.flow, self.value, self.step)
    }

    /// The function.
    pub(in crate::features) fn function(&self) -> Function<'db> {
        self.register.function
    }

    /// The type of the register; `None` of a vector.
    pub(in crate::features) fn class(&self) -> Option<Class> {
        let index = self.register.definition as usize;
        match self.register.body.operands.get(index)?.0 {
            Operand::Register { class, lanes: 1 } => Some(class),
            _ => None,
        }
    }

    /// Whether the instruction writes it there.
    pub(in crate::features) fn is_written(&self) -> bool {
        self.written
    }

    /// The body of the function.
    pub(in crate::features) fn body(&self) -> &'db Body {
        self.register.body
    }
}

/// The value of the register at a position.
fn value_at(db: &dyn Database, file: SourceFile, at: FilePosition) -> Option<ValueAt<'_>> {
    let name = name_at(db, file, at.offset)?;
    RegisterOf::of(db, file, &name.symbol)?.value_at(name.range)
}

/// The writes that reach the read of a register; empty where nothing is read or nothing reaches it.
pub(in crate::features) fn definitions<'db>(
    db: &'db dyn Database,
    file: SourceFile,
    symbol: &Symbol<'db>,
    range: TextRange,
) -> Vec<NavigationTarget> {
    let value = RegisterOf::of(db, file, symbol).and_then(|it| it.value_at(range));
    let Some(it) = value.filter(|it| it.read) else {
        return Vec::new();
    };
    let writes = Chains::of(it.flow).reaching_writes(it.value, it.step);
    it.register.targets(&writes)
}

/// Tells the accesses of the value at a position from those of other values in the same register.
pub(in crate::features) fn mark_reads_and_writes(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    occurrences: &mut [Reference],
) {
    let Some(it) = value_at(db, file, at) else {
        return;
    };
    let (writes, reads) = Chains::of(it.flow).web(it.value, it.step, it.written);
    let places = |steps: &[Step], write| -> Vec<TextRange> {
        steps
            .iter()
            .flat_map(|step| it.register.names(*step, write))
            .collect()
    };
    let (writes, reads) = (places(&writes, true), places(&reads, false));
    for occurrence in occurrences {
        let start = occurrence.location.range.start();
        let of_value = match occurrence.access {
            Access::Write => &writes,
            Access::Read => &reads,
            Access::Declaration => continue,
        };
        let found = of_value.binary_search_by_key(&start, |it| it.start());
        occurrence.other_value = found.is_err();
    }
}

/// The slices of the value at a position: what it was computed from, and what is computed from it.
pub(crate) fn slice(db: &dyn Database, file: SourceFile, at: FilePosition) -> Option<ValueSlice> {
    let it = value_at(db, file, at)?;
    let chains = Chains::of(it.flow);
    let check = || db.unwind_if_revision_cancelled();
    let ranges = |steps: &[Step]| {
        steps
            .iter()
            .map(|step| it.register.instruction(*step))
            .collect()
    };
    let writes = match it.read {
        true => chains.reaching_writes(it.value, it.step),
        false => vec![it.step],
    };
    let reads = match it.written {
        true => chains.reached_reads(it.value, &[it.step]),
        false => chains.reached_reads(it.value, &writes),
    };
    // What is written here was computed from what this instruction reads, and what is read here is read here.
    let mut backward = match it.written {
        false => chains.slice(Direction::Backward, &[it.value], it.step, &check),
        true => {
            let reads = it.flow.facts.reads.get(it.step as usize);
            let mut all = chains.slice(Direction::Backward, reads, it.step, &check);
            all.push(it.step);
            all
        }
    };
    let mut forward = match it.written {
        true => chains.slice(Direction::Forward, &[it.value], it.step, &check),
        false => {
            let writes = it.flow.facts.writes.get(it.step as usize);
            let mut all = chains.slice(Direction::Forward, writes, it.step, &check);
            all.push(it.step);
            all
        }
    };
    for slice in [&mut backward, &mut forward] {
        slice.sort_unstable();
        slice.dedup();
    }
    let names = |steps: &[Step], write| {
        steps
            .iter()
            .flat_map(|step| it.register.names(*step, write))
            .collect()
    };
    Some(ValueSlice {
        register: it.register.name(),
        origin: it.range,
        definitions: names(&writes, true),
        uses: names(&reads, false),
        backward: ranges(&backward),
        forward: ranges(&forward),
    })
}

/// The instructions that define the value at a position and the lines that read it, as Markdown.
pub(in crate::features) fn describe(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<String> {
    let it = value_at(db, file, at)?;
    let chains = Chains::of(it.flow);
    let lines = file.contents(db).lines.clone();
    let line = |step: Step| lines.line_of(it.register.instruction(step).start()) + 1;
    let nodes = Nodes::new(db, it.register.function);
    let writes = match it.read {
        true => chains.reaching_writes(it.value, it.step),
        false => vec![it.step],
    };
    let mut out = String::new();
    if it.read {
        let show = |step: &Step| {
            let text = nodes
                .get(*step)
                .map(|it| OneLine::of(&it))
                .unwrap_or_default();
            let shown: String = text.chars().take(WIDTH).collect();
            let cut = if shown.len() < text.len() { "…" } else { "" };
            // No code span can hold a back quote.
            format!("line {}: `{}{cut}`", line(*step), shown.replace('`', "'"))
        };
        let _ = match &writes[..] {
            [] => write!(out, "Used before it is written"),
            [one] => write!(out, "Written at {}", show(one)),
            several => {
                let shown: Vec<String> = several
                    .iter()
                    .take(SHOWN)
                    .map(|it| format!("\n- {}", show(it)))
                    .collect();
                let more = match several.len().saturating_sub(SHOWN) {
                    0 => String::new(),
                    more => format!("\n- and {more} more"),
                };
                write!(out, "Written at one of\n{}{more}", shown.concat())
            }
        };
    }
    let from = if it.written { vec![it.step] } else { writes };
    let reads = chains.reached_reads(it.value, &from);
    let mut reads: Vec<u32> = reads.into_iter().map(line).collect();
    reads.dedup();
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    if reads.is_empty() {
        out.push_str(if it.written {
            "Nothing reads this value"
        } else {
            ""
        });
        return Some(out.trim_end().to_owned());
    }
    let plural = if reads.len() == 1 { "" } else { "s" };
    let shown: Vec<String> = reads.iter().take(LINES).map(u32::to_string).collect();
    let _ = write!(out, "Read at line{plural} {}", shown.join(", "));
    if let Some(more) = reads.len().checked_sub(LINES).filter(|it| *it > 0) {
        let _ = write!(out, " and {more} more");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use syntax::TextRange;

    use crate::{
        Access, FileId, FileRange,
        fixture::{Fixture, HEADER},
    };

    fn fixture(body: &str) -> Fixture {
        Fixture::new(&format!(
            "{HEADER}.entry k(.param .u64 p) {{\n.reg .b64 %rd<9>; .reg .b32 %r<9>, lone; .reg .pred %p<3>;\n{body}ret;\n}}\n"
        ))
    }

    fn show(fixture: &Fixture, range: TextRange) -> String {
        let file = FileId(0);
        fixture.show(FileRange { file, range })
    }

    /// Where the register at the cursor is defined and written, and the value with the cursor among the others.
    #[track_caller]
    fn check(body: &str, expected: Expect) {
        let fixture = fixture(body);
        let (analysis, position) = fixture.cursor();
        let mut out = String::new();
        let definition = analysis.goto_definition(position).unwrap();
        let implementation = analysis.goto_implementation(position).unwrap();
        for (name, found) in [("definition", definition), ("write", implementation)] {
            for target in found.into_iter().flat_map(|it| it.info) {
                let place = show(&fixture, target.focus_range);
                let _ = writeln!(out, "{name} {place}: {}", target.detail.unwrap_or_default());
            }
        }
        for it in analysis.highlight(position).unwrap() {
            if it.access != Access::Declaration {
                let other = if it.other_value { "other " } else { "" };
                let _ = writeln!(out, "{other}{:?} {}", it.access, fixture.show(it.location));
            }
        }
        expected.assert_eq(&out);
    }

    /// The slices of the value at the cursor.
    #[track_caller]
    fn check_slice(body: &str, expected: Expect) {
        let fixture = fixture(body);
        let (analysis, position) = fixture.cursor();
        let Some(it) = analysis.slice(position).unwrap() else {
            expected.assert_eq("nothing\n");
            return;
        };
        let mut out = format!("{} at {}\n", it.register, show(&fixture, it.origin));
        for (name, ranges) in [
            ("definition", it.definitions),
            ("use", it.uses),
            ("from", it.backward),
            ("to", it.forward),
        ] {
            for range in ranges {
                let _ = writeln!(out, "{name} {}", show(&fixture, range));
            }
        }
        expected.assert_eq(&out);
    }

    #[track_caller]
    fn check_hover(body: &str, expected: Expect) {
        let fixture = fixture(body);
        let (analysis, position) = fixture.cursor();
        let text = analysis.hover(position).unwrap().unwrap().info.markdown;
        let start = text
            .find("Written")
            .or(text.find("Read at"))
            .or(text.find("Used before"));
        let start = start
            .or(text.find("Nothing reads this value"))
            .unwrap_or(text.len());
        let end = text.find(" in this file").unwrap_or(text.len());
        expected.assert_eq(text[start..end].rsplit_once("\n\n").map_or("", |it| it.0));
    }

    #[test]
    fn a_read_is_defined_by_the_write_before_it() {
        check(
            "mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nmov.u32 %r1, 2;\nadd.u32 %r3, %r$01, 1;\n",
            expect![[r#"
                definition 8:9 %r1: mov.u32 %r1, 2;
                write 6:9 %r1: mov.u32 %r1, 1;
                write 8:9 %r1: mov.u32 %r1, 2;
                other Write 6:9 %r1
                other Read 7:14 %r1
                Write 8:9 %r1
                Read 9:14 %r1
            "#]],
        );
    }

    #[test]
    fn several_writes_reach_a_read() {
        check(
            "mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n@%p1 bra L;\nmov.u32 %r1, 3;\nL: add.u32 %r3, %r$01, 1;\nmov.u32 %r1, 4;\n",
            expect![[r#"
                definition 6:9 %r1: mov.u32 %r1, 1;
                definition 7:14 %r1: @%p1 mov.u32 %r1, 2;
                definition 9:9 %r1: mov.u32 %r1, 3;
                write 6:9 %r1: mov.u32 %r1, 1;
                write 7:14 %r1: @%p1 mov.u32 %r1, 2;
                write 9:9 %r1: mov.u32 %r1, 3;
                write 11:9 %r1: mov.u32 %r1, 4;
                Write 6:9 %r1
                Write 7:14 %r1
                Write 9:9 %r1
                Read 10:17 %r1
                other Write 11:9 %r1
            "#]],
        );
    }

    #[test]
    fn a_counter_is_written_before_and_in_its_loop() {
        check(
            "mov.u32 %r1, 0;\nL: add.u32 %r1, %r$01, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\nmov.u32 %r1, 7;\n",
            expect![[r#"
                definition 6:9 %r1: mov.u32 %r1, 0;
                definition 7:12 %r1: add.u32 %r1, %r1, 1;
                write 6:9 %r1: mov.u32 %r1, 0;
                write 7:12 %r1: add.u32 %r1, %r1, 1;
                write 10:9 %r1: mov.u32 %r1, 7;
                Write 6:9 %r1
                Write 7:12 %r1
                Read 7:17 %r1
                Read 8:18 %r1
                other Write 10:9 %r1
            "#]],
        );
    }

    #[test]
    fn writes_and_what_nothing_writes_are_defined_by_their_declaration() {
        check(
            "mov.u32 lo$0ne, 1;\n",
            expect![[r#"
            definition 5:36 lone: .reg .b32 lone
            write 6:9 lone: mov.u32 lone, 1;
            Write 6:9 lone
        "#]],
        );
        check(
            "mov.u32 %r1, lo$0ne;\nmov.u32 lone, 1;\n",
            expect![[r#"
            definition 5:36 lone: .reg .b32 lone
            write 7:9 lone: mov.u32 lone, 1;
            Read 6:14 lone
            other Write 7:9 lone
        "#]],
        );
        check(
            ".reg .u32 %x$0<4>; mov.u32 %x1, 1;\n",
            expect![[r#"
            definition 6:11 %x: .reg .u32 %x<4>
            write 6:11 %x: .reg .u32 %x<4>
            Write 6:26 %x1
        "#]],
        );
    }

    #[test]
    fn a_vector_is_written_in_parts() {
        check(
            ".reg .v2 .b32 v;\nmov.b32 v.x, 1;\nmov.b32 v.y, 2;\nmov.b32 %r1, $0v.x;\n",
            expect![[r#"
                definition 7:9 v: mov.b32 v.x, 1;
                definition 8:9 v: mov.b32 v.y, 2;
                write 7:9 v: mov.b32 v.x, 1;
                write 8:9 v: mov.b32 v.y, 2;
                Write 7:9 v
                Write 8:9 v
                Read 9:14 v
            "#]],
        );
    }

    #[test]
    fn slices() {
        let body = "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r5, 8;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nadd.u32 %r3, %r2, %r5;\nst.global.u32 [%rd3], %r3;\n";
        check_slice(
            &body.replacen("%r2,", "%r$02,", 1),
            expect![[r#"
            %r2 at 11:15 %r2
            definition 11:15 %r2
            use 12:14 %r2
            from 6:1 ld.param.u64 %rd1, [p];
            from 7:1 mov.u32 %r1, %tid.x;
            from 9:1 mul.wide.u32 %rd2, %r1, 4;
            from 10:1 add.s64 %rd3, %rd1, %rd2;
            from 11:1 ld.global.u32 %r2, [%rd3];
            to 12:1 add.u32 %r3, %r2, %r5;
            to 13:1 st.global.u32 [%rd3], %r3;
        "#]],
        );
        check_slice(
            &body.replacen("[%rd3], ", "[%r$0d3], ", 1),
            expect![[r#"
            %rd3 at 13:16 %rd3
            definition 10:9 %rd3
            use 11:21 %rd3
            use 13:16 %rd3
            from 6:1 ld.param.u64 %rd1, [p];
            from 7:1 mov.u32 %r1, %tid.x;
            from 9:1 mul.wide.u32 %rd2, %r1, 4;
            from 10:1 add.s64 %rd3, %rd1, %rd2;
            to 13:1 st.global.u32 [%rd3], %r3;
        "#]],
        );
        check_slice(
            "bra $0L; L:\n",
            expect![[r#"
            nothing
        "#]],
        );
    }

    #[test]
    fn hover_names_the_write_and_the_reads() {
        check_hover(
            "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r$01, 1;\nadd.u32 %r3, %r1, %r1;\n",
            expect![[r#"
                Written at line 6: `mov.u32 %r1, %tid.x;`

                Read at lines 7, 8"#]],
        );
        check_hover(
            "mov.u32 %r$01, %tid.x;\nadd.u32 %r2, %r1, 1;\n",
            expect!["Read at line 7"],
        );
        check_hover(
            "mov.u32 %r$01, %tid.x;\n",
            expect!["Nothing reads this value"],
        );
        check_hover(
            "mov.u32 %r1, %r$02;\n",
            expect!["Used before it is written"],
        );
        check_hover(
            "mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n@%p2 mov.u32 %r1, 3;\n@%p1 mov.u32 %r1, 4;\n@%p2 mov.u32 %r1, 5;\nmov.u32 %r2, %r$01;\n",
            expect![[r#"
                Written at one of

                - line 6: `mov.u32 %r1, 1;`
                - line 7: `@%p1 mov.u32 %r1, 2;`
                - line 8: `@%p2 mov.u32 %r1, 3;`
                - and 2 more

                Read at line 11"#]],
        );
    }
}

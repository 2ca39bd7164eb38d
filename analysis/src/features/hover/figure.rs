//! The figure that explains a word: a drawing is made of it where hovers can show one.

use isa::{
    descriptor::Format,
    documentation::{Topic, entry, figure},
    layout::{Fragment, Layout},
};
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::Figure;

use super::{WordContext, matched::MatchedInstruction, page};

impl WordContext<'_> {
    /// The figure of a word: of its instruction, its modifier or its state space.
    pub(super) fn figure(&self, kind: SyntaxKind, text: &str, offset: TextSize) -> Option<Figure> {
        let inner = self.path.last()?;
        match (kind, inner.kind()) {
            (SyntaxKind::IDENT, SyntaxKind::INSTRUCTION) => self.of_instruction(inner, text),
            (SyntaxKind::DOTTED, SyntaxKind::INSTRUCTION) => {
                let opcode = inner.token(SyntaxKind::IDENT)?.text();
                let found = self.find(inner)?;
                let at = offset - self.start;
                let mut modifiers = found.modifiers.iter();
                let index = modifiers.position(|it| it.range().start() == at)?;
                // The words of a name are explained together with the opcode.
                if index < name(&found, opcode)?.split('.').skip(1).count() {
                    return self.of_instruction(inner, opcode);
                }
                concept("modifier", text).or_else(|| of_space(text))
            }
            (SyntaxKind::DOTTED, _) => of_space(text),
            (SyntaxKind::INTEGER, _) => self.of_operand(offset),
            _ => None,
        }
    }

    fn of_instruction(&self, instruction: &Cursor<'_>, opcode: &str) -> Option<Figure> {
        let found = self.find(instruction)?;
        let name = name(&found, opcode)?;
        if let Some(Layout::Fragments(all)) = found.layout() {
            let held = found.held(&all);
            let held: Vec<Fragment> = held.iter().map(|it| it.fragment.clone()).collect();
            if !held.is_empty() {
                return Some(fragments(name, held));
            }
        }
        concept("instruction", name)
    }

    /// The figure of an operand: the fragment that it is a part of, or the concept of a descriptor.
    pub(super) fn of_operand(&self, offset: TextSize) -> Option<Figure> {
        if let Some(Format { concepts, .. }) = self.descriptor(offset) {
            return concepts.iter().find_map(|it| concept("concept", it));
        }
        let (instruction, index) = self.operand_around(offset)?;
        let found = self.find(&instruction)?;
        let Layout::Fragments(all) = found.layout()? else {
            return None;
        };
        let held = found.held(&all);
        let fragment = held.iter().find(|it| it.index == index)?.fragment;
        let name = found.fit.as_ref()?.instruction.name;
        Some(fragments(name, vec![fragment.clone()]))
    }
}

/// The name of the instruction that a statement is, or is nearest to.
fn name(found: &MatchedInstruction<'_>, opcode: &str) -> Option<&'static str> {
    match &found.fit {
        Some(fit) => Some(fit.instruction.name),
        None => page::nearest_name(found, opcode),
    }
}

fn fragments(instruction: &'static str, fragments: Vec<Fragment>) -> Figure {
    Figure::Fragments {
        instruction,
        fragments,
    }
}

fn concept(kind: &str, name: &str) -> Option<Figure> {
    figure(kind, name).map(Figure::Concept)
}

fn of_space(word: &str) -> Option<Figure> {
    entry(Topic::StateSpaces, word)?;
    concept("state-space", word)
}

#[cfg(test)]
mod tests {
    use crate::{Figure, fixture::Fixture};

    #[track_caller]
    fn check(statement: &str, expected: &str) {
        let fixture = Fixture::new(&format!(
            ".version 9.3\n.target sm_90a\n.address_size 64\n.entry k() {{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; \
             .reg .f32 %f<9>; .reg .pred %p<9>;\n{statement}\nret;\n}}\n"
        ));
        let (analysis, position) = fixture.cursor();
        let found = analysis.hover(position).unwrap();
        let shown = match found.and_then(|it| it.info.figure) {
            Some(Figure::Concept(name)) => name.to_owned(),
            Some(Figure::Fragments {
                instruction,
                fragments,
            }) => {
                let names: Vec<_> = fragments.iter().map(|it| it.operand).collect();
                format!("{instruction}: {}", names.join(", "))
            }
            None => "none".to_owned(),
        };
        assert_eq!(shown, expected, "{statement}");
    }

    const MMA: &str = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 \
         {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};";

    #[test]
    fn fragments_have_figures() {
        let at = |word: &str| MMA.replacen(word, &format!("$0{word}"), 1);
        check(&at("mma"), "mma: d, a, b, c");
        check(&at("%r1"), "mma: a");
        check(&at("%f6"), "mma: c");
        // A shape is not a figure, and neither is a state that cannot be told yet.
        check(&at("m16n8k16"), "none");
        check("m$0ma.sync.aligned.m16n8k16.row.col.f32.bf16.", "none");
    }

    #[test]
    fn words_have_figures() {
        check(
            "$0mbarrier.try_wait.parity.shared.b64 %p0, [%r0], %r1;",
            "mbarrier",
        );
        check("mbarrier.$0try_wait.par", "mbarrier");
        check(
            "mbarrier.try_wait$0.parity.shared.b64 %p0, [%r0], %r1;",
            "mbarrier",
        );
        check("ld.relaxed$0.gpu.global.u32 %r0, [%rd0];", "scope");
        check("ld.relaxed.gpu$0.global.u32 %r0, [%rd0];", "state spaces");
        check("fence.$0proxy.async;", "proxy");
        check("$0cp.async.bulk.tensor.2d", "tensor map");
        check("$0.shared .b32 x;", "state spaces");
        check(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 \
             {%f0, %f1, %f2, %f3}, $0%rd0, %rd1, 0, 1, 1, 0, 0;",
            "swizzle",
        );
        check("add$0.s32 %r0, %r1, 7;", "none");
        check("add.s32 %r0, %r1, $07;", "none");
    }
}

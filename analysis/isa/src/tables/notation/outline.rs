//! Which instructions there are, before what is said of them is read.

use super::{
    NotationError,
    build::instruction,
    checks::check,
    computations::computation,
    facts::facts,
    heading::Heading,
    raw::{Block, header, split},
    scope::Sets,
};
use crate::tables::{
    computation::Computation, event::Spelling, instruction::Instruction, semantics::Facts,
};

/// Table files as their lines say it: which instructions there are. What is said of one is read when it is asked for.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    sets: Sets,
    blocks: Vec<(&'static str, Block)>,
    /// How events are written.
    pub(crate) spellings: Vec<Spelling>,
    /// The modifiers that change no value, of whichever instruction.
    ignored: Vec<&'static str>,
    /// The instructions, in the order of the files.
    pub(crate) headings: Vec<Heading>,
}

impl Outline {
    /// Splits table files into instructions.
    ///
    /// # Errors
    /// The first mistake of each file.
    pub(crate) fn read(
        files: &[(&'static str, &'static str)],
    ) -> std::result::Result<Outline, Vec<NotationError>> {
        let mut out = Outline::default();
        let mut errors = Vec::new();
        for (file, text) in files {
            let mut read = || {
                for block in split(text, &mut out.sets, &mut out.spellings, &mut out.ignored)? {
                    if let Some(line) = block.header {
                        let (names, sections, gate) = header(line)?;
                        // One section for all opcodes, or one for each.
                        let section = |index| sections.get(index).or(sections.first());
                        let headings = names.iter().enumerate().map(|(index, name)| Heading {
                            name,
                            section: section(index).copied().unwrap_or(""),
                            gate: gate.clone(),
                            block: out.blocks.len(),
                        });
                        out.headings.extend(headings);
                    }
                    out.blocks.push((file, block));
                }
                Ok(())
            };
            errors.extend(read().err().map(|it| error(file, it)));
        }
        match errors.is_empty() {
            true => Ok(out),
            false => Err(errors),
        }
    }

    /// Reads what is said of an instruction.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn instruction(
        &self,
        heading: &Heading,
    ) -> std::result::Result<Instruction, NotationError> {
        let (file, block) = &self.blocks[heading.block];
        instruction(block, heading, &self.sets).map_err(|it| error(file, it))
    }

    /// Reads what is said of the instructions of one name.
    ///
    /// # Errors
    /// The first mistake; with the instructions, also what they lack.
    pub(crate) fn facts(
        &self,
        name: &'static str,
        check: Option<&[&Instruction]>,
    ) -> std::result::Result<Facts, NotationError> {
        let blocks = self.headings.iter().filter(|it| it.name == name);
        let blocks: Vec<(&'static str, &Block)> = blocks
            .map(|it| &self.blocks[it.block])
            .map(|it| (it.0, &it.1))
            .collect();
        facts(name, &blocks, &self.sets, check).map_err(|(file, it)| error(file, it))
    }

    /// The number of blocks.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Reads what a block says that its instructions compute.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn computation(
        &self,
        block: usize,
    ) -> std::result::Result<Computation, NotationError> {
        let (file, block) = &self.blocks[block];
        computation(block, &self.sets).map_err(|it| error(file, it))
    }

    /// The first mistake in what a block says that its instructions compute: names that mean nothing there, or
    /// modifiers that nothing is said of.
    pub(crate) fn misstated(
        &self,
        block: usize,
        computation: &Computation,
        instructions: &[&Instruction],
    ) -> Option<NotationError> {
        let (file, block) = &self.blocks[block];
        let mistake = check(block, computation, instructions, &self.ignored)?;
        Some(error(file, mistake))
    }
}

fn error(file: &'static str, (line, message): (usize, String)) -> NotationError {
    NotationError {
        file,
        line,
        message,
    }
}

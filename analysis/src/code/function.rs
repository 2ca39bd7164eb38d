//! A function: its registers as slots, its variables and parameters, and the shapes that it requires.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use isa::{types::Class, variable::StateSpace};

use crate::{
    SymbolKind,
    hir::{
        body::{DefinitionId, body},
        bound::Operands,
        declaration::{Declaration, Shape},
        declared::declared,
        header::Formal as HeaderFormal,
        items::Function as Item,
        layout::layouts,
        linkage::Linkage,
        module::signature,
        number::integer,
        tree,
    },
};

use super::{
    Bounds, Code, Formal, STACK, VariableId, contents,
    instruction::InstructionLowering,
    names::{Names, from_shape},
    places::Places,
};

/// The name of a function, relative to its start.
pub(super) fn name_range(db: &dyn Database, function: Item<'_>) -> Option<TextRange> {
    body(db, function).name
}

/// A function that is lowered.
pub(super) struct Unit<'a> {
    pub(super) db: &'a dyn Database,
    pub(super) function: Item<'a>,
    /// Its start in the file.
    pub(super) start: TextSize,
    pub(super) names: &'a Names,
    /// Whether its instructions are lowered as well.
    pub(super) with_instructions: bool,
}

impl Unit<'_> {
    /// Fills in the function with this index.
    pub(super) fn lower(&self, code: &mut Code, index: usize) {
        let body = body(self.db, self.function);
        let cursor = self.function.green(self.db).cursor();
        let mut places = Places {
            body,
            names: self.names,
            variables: FxHashMap::default(),
            registers: FxHashMap::default(),
            types: declared(self.db, self.function),
            found: Vec::new(),
            slots: STACK + 1,
        };
        let variables = self.variables(code, &cursor, &mut places);
        let signature = signature(self.db, self.function);
        let mut formals = |all: &[HeaderFormal]| -> Vec<Formal> {
            let found = all
                .iter()
                .flat_map(|formal| self.formals(formal, code, &mut places));
            found.collect()
        };
        let parameters = formals(&signature.header.parameters);
        let results = formals(&signature.header.results);
        let mut instructions = Vec::new();
        if self.with_instructions {
            let operands = Operands::of(self.db, self.function);
            let mut lowering = InstructionLowering::new(self.db, self.start);
            instructions.reserve(body.instructions.len());
            for step in 0..body.instructions.len() as u32 {
                if let Some(bound) = operands.get(step) {
                    instructions.push(lowering.lower(bound, &mut places));
                }
            }
            if code.target == 0
                && let Some(module) = operands.form(0).and_then(|it| it.data(self.db).module)
            {
                code.target = module.target.number.into();
            }
        }
        let function = &mut code.functions[index];
        function.parameters = parameters;
        function.results = results;
        function.variables = variables;
        function.slots = places.slots;
        function.registers = places.found;
        function.instructions = instructions;
        function.bounds = bounds(&cursor);
    }

    /// Adds the variables of the function, parameters too; returns those of its body.
    fn variables(
        &self,
        code: &mut Code,
        cursor: &Cursor<'_>,
        places: &mut Places<'_>,
    ) -> Vec<VariableId> {
        let layouts = layouts(self.db, self.function);
        let by_start: FxHashMap<TextSize, DefinitionId> = (0..)
            .zip(&places.body.definitions)
            .map(|(id, it)| (it.name_range.start(), id))
            .collect();
        let mut own = Vec::new();
        tree::for_each_variable(cursor, &mut |node| {
            let declaration = Declaration::of(node);
            for declarator in &declaration.declarators {
                let Some(name) = declarator.name else {
                    continue;
                };
                let shape = declaration.shape(declarator);
                let Some(definition) = by_start.get(&name.range().start()).copied() else {
                    continue;
                };
                if shape.space == Some(StateSpace::Register) {
                    continue;
                }
                let id = code.variables.len() as VariableId;
                places.variables.insert(definition, id);
                if node.kind() != SyntaxKind::PARAMETER {
                    own.push(id);
                }
                let layout = layouts.get(definition as usize).copied().flatten();
                let mut variable = from_shape(name.text(), &shape, layout);
                variable.external = declaration.linkage().map(|it| it.0) == Some(Linkage::Extern);
                variable.contents = contents::contents(&declaration, declarator, self.names);
                variable.name_range = name.range() + self.start;
                code.variables.push(variable);
            }
        });
        own
    }

    /// A parameter or result; a register of several slots is as many.
    fn formals(
        &self,
        formal: &HeaderFormal,
        code: &mut Code,
        places: &mut Places<'_>,
    ) -> Vec<Formal> {
        let definitions = &places.body.definitions;
        let mut found = (0..).zip(definitions).filter(|(_, it)| {
            *it.name == *formal.name
                && matches!(it.kind, SymbolKind::Parameter | SymbolKind::Register)
        });
        match found.next() {
            Some((id, _)) if places.is_register(id) => {
                places.all_slots(id, None).map(Formal::Register).collect()
            }
            Some((id, _)) if places.variables.contains_key(&id) => {
                vec![Formal::Variable(places.variables[&id])]
            }
            // Declared without a body: the shape tells all that matters.
            _ => {
                let id = code.variables.len() as VariableId;
                code.variables
                    .push(from_formal(&formal.name, &formal.shape));
                vec![Formal::Variable(id)]
            }
        }
    }
}

fn from_formal(name: &str, shape: &Shape) -> super::Variable {
    let mut variable = from_shape(name, shape, None);
    let bits = Class::from_word(&variable.ty).map_or(0, Class::bits);
    let element = u64::from(bits / 8) * u64::from(shape.lanes);
    variable.size = shape.dimensions.iter().product::<u64>() * element;
    variable.alignment = element.max(1).next_power_of_two().min(16);
    variable
}

/// The shapes of a launch that directives state.
pub(crate) fn bounds(function: &Cursor<'_>) -> Bounds {
    let mut bounds = Bounds::default();
    for directive in function.nodes() {
        if directive.kind() != SyntaxKind::TUNING_DIRECTIVE {
            continue;
        }
        let Some(word) = directive.token(SyntaxKind::DOTTED) else {
            continue;
        };
        let literals = directive
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::LITERAL);
        let numbers = literals.filter_map(|it| integer(it.tokens().next()?.text()));
        let mut shape = [1; 3];
        let mut count = 0;
        for (place, number) in shape.iter_mut().zip(numbers) {
            *place = u32::try_from(number).unwrap_or(u32::MAX);
            count += 1;
        }
        match word.text() {
            _ if count == 0 => {}
            ".reqntid" => bounds.block = Some(shape),
            ".maxntid" => {
                bounds.most_threads = Some(shape.iter().map(|it| u64::from(*it)).product());
                bounds.largest_block = Some(shape);
            }
            ".reqnctapercluster" => bounds.cluster = Some(shape),
            _ => {}
        }
    }
    bounds
}

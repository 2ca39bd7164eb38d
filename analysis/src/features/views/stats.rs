//! How much of everything a file has.

use salsa::Database;

use crate::{
    FileStats,
    db::SourceFile,
    flow::flow,
    hir::{
        body::body,
        items::items,
        module::{module_body, signature},
    },
};

/// Counts what a file consists of.
pub(crate) fn stats(db: &dyn Database, file: SourceFile) -> FileStats {
    let contents = file.contents(db);
    let items = items(db, file);
    let module = module_body(db, items.module);
    let mut stats = FileStats {
        bytes: contents.tree.text_len().into(),
        lines: contents.lines.line_count(),
        definitions: module.variables.len(),
        references: module.references.len(),
        ..FileStats::default()
    };
    for function in &items.functions {
        let signature = signature(db, *function);
        if signature.entry {
            stats.entries += 1;
        } else {
            stats.functions += 1;
        }
        let body = body(db, *function);
        stats.instructions += body.instructions.len();
        stats.definitions += body.definitions.len();
        stats.references += body.references.len();
        let graph = &flow(db, *function).graph;
        stats.blocks += graph.blocks.len();
        stats.loops += graph.loops.len();
    }
    stats
}

#[cfg(test)]
mod tests {
    use crate::{FileId, FileStats, fixture::Fixture};

    #[test]
    fn everything_is_counted() {
        let text = ".global .b32 g;\n.func f;\n.entry k { .reg .b32 a; mov.b32 a, 1; ret; }";
        let fixture = Fixture::new(text);
        assert_eq!(
            fixture.host.analysis().stats(FileId(0)).unwrap(),
            FileStats {
                bytes: 69,
                lines: 3,
                entries: 1,
                functions: 1,
                instructions: 2,
                definitions: 2,
                references: 1,
                blocks: 1,
                loops: 0,
            }
        );
    }
}

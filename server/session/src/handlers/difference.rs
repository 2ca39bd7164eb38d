//! The differences between two files, apart from names.

use analysis::{ChangeKind, compare};
use rustc_hash::FxHashMap;

use super::{Handler, Priority, Reads, Run};
use crate::{
    lsp::ext::{DIFF as METHOD, DiffParams, Difference},
    snapshot::{Answer, Document, Snapshot},
};

pub(crate) const DIFF: Handler<DiffParams, Vec<Difference>> = Handler {
    method: METHOD,
    priority: Priority::Background,
    document: |params| Some(&params.new),
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let old = snapshot.document(&params.old.uri)?;
        let new = snapshot.document(&params.new.uri)?;
        let (Some(old), Some(new)) = (old, new) else {
            return Ok(Vec::new());
        };
        let comparison = compare(
            &snapshot.analysis.comparable(old.file)?,
            &snapshot.analysis.comparable(new.file)?,
        );
        let (before, after) = (estimates(snapshot, &old)?, estimates(snapshot, &new)?);
        let functions = comparison.functions.iter().map(|it| Difference {
            name: it.name().to_owned(),
            change: it.kind.word().to_owned(),
            old: it.old.as_ref().map(|it| old.range(it.range)),
            new: it.new.as_ref().map(|it| new.range(it.range)),
            added: it.added.len(),
            removed: it.removed.len(),
            moved: it.moved.len(),
            registers: (
                it.old
                    .as_ref()
                    .and_then(|it| before.get(&*it.name).copied()),
                it.new.as_ref().and_then(|it| after.get(&*it.name).copied()),
            ),
        });
        let functions = functions.zip(&comparison.functions);
        let functions = functions.filter(|it| it.1.kind != ChangeKind::Same);
        let variables = comparison.variables.iter().map(|it| Difference {
            name: it.name.to_string(),
            change: it.kind.word().to_owned(),
            old: it.old.map(|it| old.range(it)),
            new: it.new.map(|it| new.range(it)),
            added: 0,
            removed: 0,
            moved: 0,
            registers: (None, None),
        });
        Ok(functions.map(|it| it.0).chain(variables).collect())
    }),
};

/// The estimates of registers of the entry functions of a file, by their names.
fn estimates(snapshot: &Snapshot, document: &Document) -> Answer<FxHashMap<String, u32>> {
    let entries = snapshot.analysis.registers(document.file, None)?;
    let entries = entries.into_iter().map(|it| (it.name, it.estimate));
    Ok(entries.collect())
}

//! The machine code that `ptxas` made of a document.

use std::{collections::BTreeMap, fmt::Write as _};

use analysis::{DocumentationKey, documentation};
use machine::{listing::Listing, row::Row};

use super::{Handler, Priority, Reads, Run};
use crate::{
    exact::Findings,
    lsp::ext::{self, MachineBlock, MachineCode, MachineCodeParams, MachineMemory, MachineRow},
};

pub(crate) const MACHINE_CODE: Handler<MachineCodeParams, Option<MachineCode>> = Handler {
    method: ext::MACHINE_CODE,
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let found = match &params.target {
            Some(target) => snapshot.findings_for(document.file, target),
            None => snapshot.findings(document.file),
        };
        Ok(found.and_then(|(findings, stale)| answer(findings, stale, params)))
    }),
};

/// The rows that are wanted; `None` without machine code.
fn answer(findings: &Findings, stale: bool, params: &MachineCodeParams) -> Option<MachineCode> {
    let listings = &findings.code.listings;
    let of_line = || {
        let line = params.line?.checked_add(1)?;
        let has_line = |it: &Row| {
            it.line.is_some_and(|it| {
                findings.code.statement(it).0 <= line && line <= findings.code.statement(it).1
            })
        };
        listings.iter().find(|it| it.rows.iter().any(has_line))
    };
    let listing = match &params.entry {
        Some(name) => listings.iter().find(|it| it.name == *name)?,
        None => of_line().or(listings.first())?,
    };
    let from = (params.from as usize).min(listing.rows.len());
    let count = params.count.map_or(usize::MAX, |it| it as usize);
    let rows = &listing.rows[from..listing.rows.len().min(from.saturating_add(count))];
    let total = u32::try_from(listing.rows.len()).unwrap_or(u32::MAX);
    Some(MachineCode {
        entries: listings.iter().map(|it| it.name.clone()).collect(),
        entry: listing.name.clone(),
        target: findings.target.clone(),
        stale,
        total,
        peak: listing
            .peak()
            .map(|(most, lines)| (most, lines.first().map(|it| it.saturating_sub(1)))),
        local: listing.local_accesses(),
        from: params.from.min(total),
        rows: rows.iter().map(|it| row(findings, listing, it)).collect(),
        blocks: blocks(listing, from, rows.len()),
        opcodes: opcodes(rows),
    })
}

/// The blocks that begin among some rows.
fn blocks(listing: &Listing, from: usize, count: usize) -> Vec<MachineBlock> {
    let end = from.saturating_add(count);
    let first = |it: &machine::blocks::Block| it.first as usize;
    let start = listing.blocks.partition_point(|it| first(it) < from);
    let found = listing.blocks.iter().skip(start);
    let found = found.take_while(|it| first(it) < end);
    let memory = |it: &machine::blocks::Memory| MachineMemory {
        space: it.space.word().to_owned(),
        operation: it.operation.word().to_owned(),
        count: it.count,
        bytes: it.bytes,
    };
    found
        .map(|it| MachineBlock {
            first: it.first,
            count: it.count,
            stalls: it.stalls,
            waits: it.waits,
            memory: it.memory.iter().map(memory).collect(),
            summary: it.words(),
        })
        .collect()
}

/// The documentation of the opcodes of rows.
fn opcodes(rows: &[Row]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for opcode in rows.iter().filter_map(Row::base_opcode) {
        if !found.contains_key(opcode)
            && let Some(text) =
                documentation(&DocumentationKey::MachineInstruction(opcode.to_owned()))
        {
            found.insert(opcode.to_owned(), text);
        }
    }
    found
}

fn row(findings: &Findings, listing: &Listing, row: &Row) -> MachineRow {
    let routine = row.routine.and_then(|it| listing.routines.get(it as usize));
    MachineRow {
        address: row.address,
        text: row.text.clone(),
        label: row.label.clone(),
        lines: row.line.map(|it| {
            let (first, last) = findings.code.statement(it);
            (first.saturating_sub(1), last.saturating_sub(1))
        }),
        source: row.source.map(|it| {
            let path = findings.code.file(it);
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            format!("{name}:{}", it.line)
        }),
        live: row.live,
        stall: row.schedule.map(|it| it.stall),
        waits_for: row.waits_for.clone(),
        local: row.accesses_local_memory(),
        routine: routine.map(|it| it.function().to_owned()),
        of_ptxas: routine.is_some_and(machine::cubin::Routine::is_of_ptxas),
    }
}

/// Rows that a hover shows.
const MAX_ROWS: usize = 8;

/// The machine instructions of the statement at a line, from 1, as Markdown; none if it has none.
pub(super) fn markdown(findings: &Findings, line: u32) -> Option<String> {
    let code = &findings.code;
    let rows: Vec<&Row> = code
        .rows_at(line)
        .filter(|it| !it.text.is_empty())
        .collect();
    if rows.is_empty() {
        return None;
    }
    let mut text = format!(
        "Machine code for {} ({}):\n```sass\n",
        findings.target,
        instructions(rows.len())
    );
    for row in rows.iter().take(MAX_ROWS) {
        let _ = writeln!(text, "{:04x}  {}", row.address, row.text);
    }
    if rows.len() > MAX_ROWS {
        text.push_str("…\n");
    }
    text.push_str("```");
    Some(text)
}

fn instructions(count: usize) -> String {
    match count {
        1 => "1 instruction".to_owned(),
        _ => format!("{count} instructions"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lsp::lsp_types::{TextDocumentIdentifier, Url};

    #[test]
    fn ranges_of_rows() {
        let row = |address: u64, line: u32, text: &str| Row {
            address,
            line: Some(line),
            text: text.to_owned(),
            live: Some(line),
            ..Row::default()
        };
        let listing = |name: &str, first: u32| Listing {
            name: name.to_owned(),
            rows: (0..10)
                .map(|it| row(16 * u64::from(it), first + it, "@P0 LDL R1, [R2]"))
                .collect(),
            ..Listing::default()
        };
        let findings = Findings {
            code: Arc::new(crate::machine_code::MachineCode {
                listings: vec![listing("a", 1), listing("b", 50)],
                ..Default::default()
            }),
            ..Findings::default()
        };
        let ask = |entry: Option<&str>, line: Option<u32>, from: u32, count: Option<u32>| {
            let uri = Url::parse("file:///a.ptx").expect("a URI");
            let params = MachineCodeParams {
                text_document: TextDocumentIdentifier { uri },
                entry: entry.map(str::to_owned),
                target: None,
                line,
                from,
                count,
            };
            answer(&findings, false, &params).map(|it| {
                let addresses: Vec<_> = it.rows.iter().map(|it| it.address).collect();
                (it.entry, it.total, it.peak, it.from, addresses)
            })
        };
        let a = Some((10, Some(9)));
        assert_eq!(
            ask(None, None, 8, None),
            Some(("a".to_owned(), 10, a, 8, vec![128, 144]))
        );
        assert_eq!(
            ask(None, None, 99, Some(9)),
            Some(("a".to_owned(), 10, a, 10, vec![]))
        );
        let found = ask(None, Some(51), 0, Some(1)).expect("rows");
        assert_eq!((&*found.0, found.4), ("b", vec![0]));
        assert_eq!(ask(Some("c"), None, 0, None), None);
        let all = answer(
            &findings,
            true,
            &MachineCodeParams {
                text_document: TextDocumentIdentifier {
                    uri: Url::parse("file:///a.ptx").expect("a URI"),
                },
                entry: None,
                target: None,
                line: None,
                from: 0,
                count: Some(1),
            },
        );
        let all = all.expect("rows");
        assert!(all.stale && all.rows[0].local && all.rows[0].lines == Some((0, 0)));
    }
}

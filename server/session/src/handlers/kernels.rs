//! Kernels as wholes: what they access, what their loops cost, their maps and their readings.

use analysis::Cost;
use rustc_hash::FxHashMap;

use super::{Handler, Priority, Reads, Run};
use crate::{
    draw::{Theme, cost::cost, kernel, rows},
    lsp::{
        ext::{
            self, DrawingParams, Flops, FunctionReading, FunctionsParams, KernelMap, KernelRow,
            KernelSection, LoopCost, MemoryAccess, ReadingLine, ReadingSource, SHOW_KERNEL,
        },
        lsp_types::{Command, TextDocumentPositionParams, Url},
    },
    snapshot::{Answer, Document, Snapshot},
};

/// The name of the functions that are meant, if not all are; `None` if the position is in none.
fn wanted(
    snapshot: &Snapshot,
    document: &Document,
    params: &FunctionsParams,
) -> Answer<Option<Option<String>>> {
    let Some(position) = params.position else {
        return Ok(Some(params.function.clone()));
    };
    let found = snapshot.analysis.function_at(document.at(position))?;
    Ok(found.map(Some))
}

pub(crate) const ACCESSES: Handler<FunctionsParams, Vec<MemoryAccess>> = Handler {
    method: ext::ACCESSES,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let Some(name) = wanted(snapshot, document, params)? else {
            return Ok(Vec::new());
        };
        let analysis = &snapshot.analysis;
        let found = analysis.accesses(document.file, name.as_deref(), params.block)?;
        let convert = |it: analysis::AccessPattern| MemoryAccess {
            entry: it.entry,
            range: document.range(it.range),
            instruction: it.instruction,
            space: it.space.to_owned(),
            kind: it.kind.to_owned(),
            bytes: it.bytes,
            address: it.address,
            verdict: if it.decided { "decided" } else { "unknown" }.to_owned(),
            sectors: it.sectors,
            ideal_sectors: it.ideal_sectors,
            ways: it.ways,
            aligned: it.aligned,
            in_range: it.in_range,
            assumptions: it.assumptions,
        };
        Ok(found.into_iter().map(convert).collect())
    }),
};

pub(crate) const COSTS: Handler<FunctionsParams, Vec<LoopCost>> = Handler {
    method: ext::COSTS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let Some(name) = wanted(snapshot, document, params)? else {
            return Ok(Vec::new());
        };
        let analysis = &snapshot.analysis;
        let found = analysis.costs(document.file, name.as_deref(), params.block)?;
        let convert = |it: Cost| LoopCost {
            entry: it.entry,
            head: it.head.map(|it| document.range(it)),
            trips: it.trips,
            global_bytes_read: it.global_read,
            global_bytes_written: it.global_written,
            shared_bytes: it.shared,
            flops: Flops {
                fma: it.fma,
                tensor: it.tensor,
                special: it.special,
            },
            instructions: it.instructions,
        };
        Ok(found.into_iter().map(convert).collect())
    }),
};

pub(crate) const KERNEL_MAP: Handler<DrawingParams, Option<KernelMap>> = Handler {
    method: ext::KERNEL_MAP,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let at = document.at(params.position);
        let Some(name) = snapshot.analysis.function_at(at)? else {
            return Ok(None);
        };
        let found = snapshot.analysis.kernel_maps(document.file, Some(&name))?;
        // Two with one name are a mistake that is reported.
        let around = |it: &analysis::KernelMap| it.range.contains_inclusive(at.offset);
        let index = found.iter().position(around).unwrap_or_default();
        let Some(map) = found.into_iter().nth(index) else {
            return Ok(None);
        };
        let lines = document.lines();
        let row = |it: rows::Row| KernelRow {
            text: it.text,
            depth: it.depth,
            ranges: it.ranges.into_iter().map(|it| document.range(it)).collect(),
        };
        let section = |it: rows::Section| KernelSection {
            title: it.title.to_owned(),
            rows: it.rows.into_iter().map(row).collect(),
        };
        let sections = rows::sections(&map, lines);
        Ok(Some(KernelMap {
            title: rows::title(&map),
            range: document.range(map.range),
            sections: sections.into_iter().map(section).collect(),
            svg: kernel::kernel_map(&map, lines, &Theme::for_background(params.dark)),
            function: map.function,
        }))
    }),
};

pub(crate) const READING: Handler<FunctionsParams, Vec<FunctionReading>> = Handler {
    method: ext::READING,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let Some(name) = wanted(snapshot, document, params)? else {
            return Ok(Vec::new());
        };
        let found = snapshot.analysis.readings(document.file, name.as_deref())?;
        let host = &snapshot.shared.host;
        // Thousands of lines are of few files.
        let mut files: FxHashMap<String, Option<Url>> = FxHashMap::default();
        let mut line = |it: analysis::ReadingLine| ReadingLine {
            text: it.text,
            indent: it.indent,
            ranges: it.ranges.into_iter().map(|it| document.range(it)).collect(),
            lead: it.lead.map(|it| document.range(it)),
            source: it.source.map(|it| ReadingSource {
                uri: files
                    .entry(it.path.clone())
                    .or_insert_with_key(|path| host.source_file(&params.text_document.uri, path))
                    .clone(),
                path: it.path,
                line: it.line.saturating_sub(1),
            }),
        };
        let convert = |it: analysis::Reading| FunctionReading {
            heading: it.heading(),
            function: it.function,
            lines: it.lines.into_iter().map(&mut line).collect(),
        };
        Ok(found.into_iter().map(convert).collect())
    }),
};

/// The lens of a loop: its iterations and costs, which lead to the map of the kernel in clients that show it.
pub(super) fn lens(
    snapshot: &Snapshot,
    at: &TextDocumentPositionParams,
) -> Answer<Option<Command>> {
    let Some((document, position)) = snapshot.position(at)? else {
        return Ok(None);
    };
    let Some(name) = snapshot.analysis.function_at(position)? else {
        return Ok(None);
    };
    let costs = snapshot.analysis.costs(document.file, Some(&name), None)?;
    // Nothing but labels is between the place of the lens and the loop.
    let after = costs
        .iter()
        .filter_map(|it| Some((it.head?.start(), it)))
        .filter(|it| it.0 >= position.offset);
    let Some((_, found)) = after.min_by_key(|it| it.0) else {
        return Ok(None);
    };
    let shows = snapshot.shared.client.shows_kernels;
    Ok(Some(Command {
        title: cost(found),
        command: if shows { SHOW_KERNEL } else { "" }.to_owned(),
        arguments: shows.then(|| {
            vec![
                serde_json::json!(at.text_document.uri),
                serde_json::json!(at.position),
            ]
        }),
    }))
}

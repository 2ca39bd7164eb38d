//! `ptx-analyzer costs`: what one block does in one iteration of each loop.

use std::io;

use analysis::{AnalysisHost, Cost, FileId};
use serde_json::json;
use session::draw::cost::ratio;
use syntax::{
    Document,
    text::{Encoding, LineTable},
};

use super::{
    FAILED, Io,
    accesses::{AccessesArgs, AccessesFormat},
    text_or_error,
};

const FILE: FileId = FileId(0);

pub(super) fn run(args: &AccessesArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    let analysis = host.analysis();
    let block = args.block.map(|it| it.0);
    let entry = args.entry.as_deref();
    // Nobody cancels the questions of this host.
    let found = analysis.costs(FILE, entry, block).unwrap_or_default();
    if let (Some(name), []) = (entry, &found[..]) {
        let file = args.path.display();
        io.error(format_args!("{file}: no entry {name} has a body"))?;
        return Ok(FAILED);
    }
    for it in &found {
        match args.format {
            AccessesFormat::Json => writeln!(io.stdout, "{}", object(it, &lines))?,
            AccessesFormat::Text => io.line(line(it, &lines))?,
        }
    }
    Ok(0)
}

fn object(it: &Cost, lines: &LineTable) -> serde_json::Value {
    let head = it
        .head
        .map(|it| lines.position(it.start(), Encoding::Utf32).line + 1);
    json!({
        "entry": it.entry,
        "loop": head,
        "trips": it.trips,
        "global_bytes_read": it.global_read,
        "global_bytes_written": it.global_written,
        "shared_bytes": it.shared,
        "flops": { "fma": it.fma, "tensor": it.tensor, "special": it.special },
        "instructions": it.instructions,
        "flop_per_byte": it.intensity(),
        "peak": it.peak.map(|peak| json!({
            "gpu": peak.gpu,
            "f32_flop_per_byte": peak.balance(),
            "f16_product_flop_per_byte": peak.balance_of_products(),
        })),
    })
}

fn line(it: &Cost, lines: &LineTable) -> String {
    let place = match it.head {
        Some(head) => {
            let line = lines.position(head.start(), Encoding::Utf8).line + 1;
            let trips = it.trips.as_deref().unwrap_or("?");
            format!("  loop at line {line}, {trips} iterations, each")
        }
        None => format!("{}, outside loops", it.entry),
    };
    if it.instructions.is_none() {
        return format!("{place}: unknown, as the block has no shape; see --block");
    }
    let number = |it: Option<u64>| it.map_or_else(|| "?".to_owned(), |it| it.to_string());
    let text = format!(
        "{place}: reads {} B and writes {} B of global memory, accesses {} B of shared memory, {} flop, {} flop in \
         matrices, {} special, {} instructions",
        number(it.global_read),
        number(it.global_written),
        number(it.shared),
        number(it.fma),
        number(it.tensor),
        number(it.special),
        number(it.instructions)
    );
    text + &intensity(it)
}

/// The operations for each byte, and at how many the GPU of the target is in balance.
fn intensity(it: &Cost) -> String {
    let Some(found) = it.intensity() else {
        return String::new();
    };
    let found = ratio(found);
    let (Some(peak), Some(balance)) = (it.peak, it.balance()) else {
        return format!("; {found} flop/B");
    };
    let units = match it.tensor {
        Some(0) | None => "f32",
        Some(_) => "products of f16",
    };
    let balance = ratio(balance);
    format!(
        "; {found} flop/B (balance of {} in {units}: {balance})",
        peak.gpu
    )
}

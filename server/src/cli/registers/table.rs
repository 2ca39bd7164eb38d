//! The table of `registers` for people.

use std::{cmp::Reverse, io};

use analysis::short_name;

use crate::cli::Io;

use super::{EntryRecord, Exact, Sort};

/// The meaning of the columns, below the table on a terminal.
const LEGEND: &str = "\
registers  registers of a thread, estimated; in 8 of 10 kernels ptxas stays in the range
live       most registers that are live as written, and the line
cap        most registers that the text or the target permits
warps      resident warps of a multiprocessor, of so many; limit: what keeps it from more
";

/// Writes the table, with a column of what ptxas says if it was asked, by files unless the rows are sorted.
pub(super) fn table(
    records: &mut [EntryRecord],
    sort: Option<Sort>,
    with_exact: bool,
    io: &mut Io<'_>,
) -> io::Result<()> {
    match sort {
        None => {}
        Some(Sort::Registers) => {
            records.sort_by_key(|it| Reverse(it.exact.map_or(it.estimate, |exact| exact.registers)))
        }
        Some(Sort::Live) => records.sort_by_key(|it| Reverse(it.max_live)),
        Some(Sort::Warps) => records.sort_by_key(|it| it.occupancy.warps),
        Some(Sort::Entry) => {
            records.sort_by(|a, b| short_name(&a.entry).cmp(&short_name(&b.entry)))
        }
    }

    let is_one_file = records.windows(2).all(|it| it[0].file == it[1].file);
    let by_file = sort.is_none() && !is_one_file;
    let rows: Vec<_> = records
        .iter()
        .map(|it| row(it, !by_file && !is_one_file))
        .collect();
    let heads = [
        "registers",
        "ptxas",
        "range",
        "live",
        "line",
        "cap",
        "warps",
        "limit",
        "target",
        "entry",
    ]
    .map(str::to_owned);
    let mut widths = [0; COLUMNS];
    for row in rows.iter().chain([&heads]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let write = |row: &[String; COLUMNS], io: &mut Io<'_>| {
        let mut line = String::new();
        let cells = row.iter().zip(widths).enumerate();
        for (_, (cell, width)) in cells.filter(|it| with_exact || it.0 != 1) {
            line.push_str(&format!("{cell:width$}  "));
        }
        io.line(line.trim_end())
    };
    write(&heads, io)?;
    let mut file = None;
    for (record, row) in records.iter().zip(&rows) {
        let is_new = file.as_ref() != Some(&record.file);
        if by_file && is_new {
            io.line(format_args!("{}:", record.file))?;
            file = Some(record.file.clone());
        }
        write(row, io)?;
    }
    if io.color && !rows.is_empty() {
        write!(io.stdout, "\n{LEGEND}")?;
    }
    Ok(())
}

const COLUMNS: usize = 10;

/// The cells of an entry; the last one with the file where it is not told elsewhere.
fn row(it: &EntryRecord, with_file: bool) -> [String; COLUMNS] {
    let dash = || "-".to_owned();
    let entry = short_name(&it.entry);
    [
        format!("~{}", it.estimate),
        it.exact.map_or_else(dash, Exact::shown),
        format!("{}-{}", it.low, it.high),
        it.max_live.to_string(),
        it.peak_line.map_or_else(dash, |it| it.to_string()),
        it.cap.map_or_else(dash, |it| it.to_string()),
        format!("{}/{}", it.occupancy.warps, it.occupancy.of),
        it.occupancy.limiter.clone().unwrap_or_else(dash),
        it.target.clone(),
        match with_file {
            true => format!("{entry} ({})", it.file),
            false => entry.into_owned(),
        },
    ]
}

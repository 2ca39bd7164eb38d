//! What entries need of the hardware, and how control and values flow in functions.

use std::fmt::Write as _;

use syntax::{TextRange, text::LineTable};

use super::Handler;
use crate::{
    draw::{Theme, chart, graph, mermaid},
    lsp::{
        ext::{
            self, DrawingParams, EntryRegisters, FlowBlock, FlowEdge, FlowGraph, LineRegisters,
            LiveRange, Occupancy, OccupancyStep, RegisterChart, Registers, RegistersParams,
        },
        lsp_types::{Range, TextDocumentPositionParams},
    },
    pool::Priority,
};

pub(crate) const REGISTERS: Handler<RegistersParams, Option<Registers>> = Handler {
    method: ext::REGISTERS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(None);
        };
        let entries = match params.position {
            Some(position) => {
                let found = snapshot.analysis.registers_at(document.at(position))?;
                found.into_iter().collect()
            }
            None => snapshot.analysis.registers(document.file, None)?,
        };
        let exact = snapshot.exact_entries(document.file);
        let convert = |it: analysis::EntryRegisters| {
            let exact = exact.iter().find(|exact| exact.name == it.name);
            entry(it, exact, &|range| document.range(range))
        };
        Ok(Some(Registers {
            entries: entries.into_iter().map(convert).collect(),
        }))
    },
};

fn entry(
    it: analysis::EntryRegisters,
    exact: Option<&analysis::ExactEntry>,
    range: &dyn Fn(TextRange) -> Range,
) -> EntryRegisters {
    let lines = it.alive.iter();
    EntryRegisters {
        range: range(it.range),
        selection_range: range(it.name_range),
        lines: lines
            .map(|it| LineRegisters {
                line: it.0,
                live: it.1,
            })
            .collect(),
        name: it.name,
        target: it.target,
        estimate: it.estimate,
        low: it.low,
        high: it.high,
        max_live: it.max_live,
        peak_line: it.peak_line,
        cap: it.cap.map(|it| it.0),
        cap_directive: it.cap.map(|it| it.1.to_owned()),
        occupancy: Occupancy {
            warps: it.warps,
            of: it.of,
            limiter: it.limiter.map(str::to_owned),
            threads: it.threads,
            threads_assumed: it.threads_assumed,
            next: it
                .next_step
                .map(|(registers, warps)| OccupancyStep { registers, warps }),
        },
        exact: exact.map(Into::into),
    }
}

pub(crate) const REGISTER_CHART: Handler<DrawingParams, Option<RegisterChart>> = Handler {
    method: ext::REGISTER_CHART,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(None);
        };
        let at = document.at(params.position);
        let found = snapshot.analysis.registers_at(at)?;
        let theme = Theme::of(params.dark);
        let entries = snapshot.exact_entries(document.file);
        Ok(found.map(|it| {
            let exact = entries.iter().find(|exact| exact.name == it.name);
            let exact = exact.map(|exact| chart::Exact {
                registers: exact.registers.registers,
                lines: &exact.lines,
            });
            RegisterChart {
                svg: chart::register_chart(&it, exact, &theme),
            }
        }))
    },
};

pub(crate) const FLOW_GRAPH: Handler<DrawingParams, Option<FlowGraph>> = Handler {
    method: ext::FLOW_GRAPH,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(None);
        };
        let found = snapshot.analysis.flow_graph(document.at(params.position))?;
        let lines: &LineTable = document.lines();
        Ok(found.map(|found| FlowGraph {
            svg: graph::flow_graph(&found, lines, &Theme::of(params.dark)),
            mermaid: mermaid::flowchart(&found, lines),
            blocks: (0..)
                .zip(&found.blocks)
                .map(|(id, it)| FlowBlock {
                    id,
                    range: document.range(it.range),
                    label: it.label.clone(),
                    instructions: it.instructions.len(),
                    live: it.live,
                    loop_depth: it.loop_depth,
                    reachable: it.reachable,
                })
                .collect(),
            edges: found
                .edges
                .iter()
                .map(|it| FlowEdge {
                    from: it.from,
                    to: it.to,
                    kind: it.kind.name().to_owned(),
                    back: it.back,
                })
                .collect(),
            function: found.function,
        }))
    },
};

pub(crate) const LIVE_RANGE: Handler<TextDocumentPositionParams, Option<LiveRange>> = Handler {
    method: ext::LIVE_RANGE,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    run: |snapshot, params| {
        let Some((document, position)) = snapshot.position(params)? else {
            return Ok(None);
        };
        let ranges = |all: &[TextRange]| all.iter().map(|it| document.range(*it)).collect();
        let found = snapshot.analysis.live_range(position)?;
        Ok(found.map(|it| LiveRange {
            ranges: ranges(&it.ranges),
            definitions: ranges(&it.definitions),
            uses: ranges(&it.uses),
            register: it.register,
            ty: it.ty,
            weight: it.weight,
            crosses_peak: it.crosses_peak,
            free: it.free,
        }))
    },
};

/// What an entry needs, in one line; with what ptxas says of it, if that is known.
pub(super) fn summary(
    entry: &analysis::EntryRegisters,
    exact: Option<&analysis::ExactRegisters>,
) -> String {
    let free = entry.free;
    let mut parts = Vec::new();
    let (scarce, warps) = match exact {
        Some(exact) => {
            let registers = exact.registers;
            parts.push(format!("✓ {registers} regs"));
            let spilled = exact.spill_stores.saturating_add(exact.spill_loads);
            parts.push(match spilled {
                0 => "no spills".to_owned(),
                bytes => format!("{bytes} bytes spilled"),
            });
            let step = entry.steps.iter().find(|it| it.0 >= registers);
            (registers > free, step.map_or(0, |it| it.1))
        }
        None => {
            let scarce = entry.high > free;
            parts.push(match scarce {
                true => format!("~{} regs ({}–{})", entry.estimate, entry.low, entry.high),
                false => format!("≤ {free} regs"),
            });
            (scarce, entry.warps)
        }
    };
    if let Some((cap, directive)) = entry.cap
        && cap <= exact.map_or(entry.estimate, |it| it.registers)
    {
        parts.push(format!("{directive} allows {cap}"));
    }
    parts.push(occupancy(entry, warps));
    if let Some(line) = entry.peak_line
        && scarce
    {
        parts.push(format!("peak line {}", line.saturating_add(1)));
    }
    parts.join(" · ")
}

/// What an entry needs, in the words of [`summary`], with its name and with what would let more warps fit.
pub(super) fn details(
    entry: &analysis::EntryRegisters,
    exact: Option<&analysis::ExactRegisters>,
) -> String {
    let mut text = format!("{} on {}: ", entry.name, entry.target);
    text.push_str(&summary(entry, exact));
    let _ = write!(text, " · {} alive at the peak", entry.max_live);
    if let Some((registers, warps)) = entry.next_step {
        let _ = write!(text, " · with {registers} registers {warps} warps");
    }
    text
}

/// How many warps fit, and what limits them.
fn occupancy(entry: &analysis::EntryRegisters, warps: u32) -> String {
    let threads = entry.threads;
    let of = entry.of;
    // With another number of warps than the estimate has, it is the registers, unless fewer of them would
    // change nothing.
    let most = entry.steps.first().map_or(of, |it| it.1);
    let limiter = match entry.limiter {
        Some(limiter) if warps == entry.warps => format!(", {limiter} limit"),
        _ if warps < most => ", registers limit".to_owned(),
        _ => String::new(),
    };
    if warps == 0 {
        format!("cannot be launched with {threads} threads{limiter}")
    } else if warps == of {
        format!("full occupancy @{threads} threads")
    } else {
        format!("{warps}/{of} warps @{threads} threads{limiter}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> analysis::EntryRegisters {
        analysis::EntryRegisters {
            name: "k".to_owned(),
            name_range: TextRange::default(),
            range: TextRange::default(),
            target: "sm_90".to_owned(),
            estimate: 56,
            low: 42,
            high: 70,
            max_live: 59,
            reordered: 50,
            eager: 67,
            peak_line: Some(733),
            alive: Vec::new(),
            cap: None,
            free: 32,
            threads: 256,
            threads_assumed: true,
            shared: 0,
            warps: 32,
            of: 64,
            limiter: Some("registers"),
            next_step: None,
            steps: Vec::new(),
        }
    }

    #[test]
    fn summaries() {
        assert_eq!(
            summary(&entry(), None),
            "~56 regs (42–70) · 32/64 warps @256 threads, registers limit · peak line 734"
        );
        let capped = analysis::EntryRegisters {
            cap: Some((56, ".maxnreg")),
            peak_line: None,
            ..entry()
        };
        assert_eq!(
            summary(&capped, None),
            "~56 regs (42–70) · .maxnreg allows 56 · 32/64 warps @256 threads, registers limit"
        );
        let with_less = analysis::EntryRegisters {
            next_step: Some((48, 40)),
            peak_line: None,
            ..entry()
        };
        assert_eq!(
            details(&with_less, None),
            "k on sm_90: ~56 regs (42–70) · 32/64 warps @256 threads, registers limit · \
             59 alive at the peak · with 48 registers 40 warps"
        );
        let small = analysis::EntryRegisters {
            high: 32,
            limiter: None,
            warps: 64,
            ..entry()
        };
        assert_eq!(
            summary(&small, None),
            "≤ 32 regs · full occupancy @256 threads"
        );
        let large = analysis::EntryRegisters {
            threads: 1024,
            warps: 0,
            ..entry()
        };
        assert_eq!(
            summary(&large, None),
            "~56 regs (42–70) · cannot be launched with 1024 threads, registers limit · \
             peak line 734"
        );
        let measured = analysis::EntryRegisters {
            steps: vec![(32, 64), (40, 48), (64, 32), (255, 8)],
            ..entry()
        };
        let exact = analysis::ExactRegisters {
            registers: 40,
            ..analysis::ExactRegisters::default()
        };
        assert_eq!(
            summary(&measured, Some(&exact)),
            "✓ 40 regs · no spills · 48/64 warps @256 threads, registers limit · peak line 734"
        );
        let spilling = analysis::ExactRegisters {
            registers: 30,
            spill_stores: 8,
            spill_loads: 16,
            ..exact
        };
        assert_eq!(
            summary(&measured, Some(&spilling)),
            "✓ 30 regs · 24 bytes spilled · full occupancy @256 threads"
        );
    }
}

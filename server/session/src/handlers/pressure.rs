//! The hardware that entries need, and how control and values flow in functions.

use std::fmt::Write as _;

use syntax::{TextRange, text::LineTable};

use super::{Handler, Priority, Reads, Run};
use crate::{
    draw::{Theme, chart, graph, mermaid},
    lsp::{
        ext::{
            self, ChartParams, DrawingParams, EntryRegisters, FlowBlock, FlowEdge, FlowGraph,
            LineRegisters, LiveRange, Occupancy, OccupancyStep, RegisterChart, Registers,
            RegistersParams,
        },
        lsp_types::{Range, TextDocumentPositionParams},
    },
};

pub(crate) const REGISTERS: Handler<RegistersParams, Option<Registers>> = Handler {
    method: ext::REGISTERS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
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
    }),
};

fn entry(
    it: analysis::EntryRegisters,
    exact: Option<&analysis::ExactEntry>,
    range: &dyn Fn(TextRange) -> Range,
) -> EntryRegisters {
    let live = it.live(exact);
    let may_need = it.may_need();
    let fit = ResidentWarps::from_registers(&it, exact.map(|it| &it.registers));
    EntryRegisters {
        range: range(it.range),
        selection_range: range(it.name_range),
        max_live: live.most(),
        peak_line: live.peak().map(|it| it.0),
        counted: live.counted.name().to_owned(),
        lines: (live.lines.iter())
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
        may_need,
        cap: it.cap.map(|it| it.0),
        cap_directive: it.cap.map(|it| it.1.to_owned()),
        occupancy: Occupancy {
            warps: fit.warps,
            of: it.of,
            limiter: fit.limiter.map(str::to_owned),
            threads: it.threads,
            threads_assumed: it.threads_assumed,
            next: fit
                .next
                .map(|(registers, warps)| OccupancyStep { registers, warps }),
        },
        exact: exact.map(Into::into),
    }
}

pub(crate) const REGISTER_CHART: Handler<ChartParams, Option<RegisterChart>> = Handler {
    method: ext::REGISTER_CHART,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let at = document.at(params.position);
        let found = snapshot.analysis.registers_at(at)?;
        let theme = Theme::for_background(params.dark);
        let entries = snapshot.exact_entries(document.file);
        Ok(found.map(|it| {
            let exact = entries.iter().find(|exact| exact.name == it.name);
            let size = chart::Size::from_request(params.width, params.height);
            RegisterChart {
                svg: chart::register_chart(&it, exact, size, &theme),
            }
        }))
    }),
};

pub(crate) const FLOW_GRAPH: Handler<DrawingParams, Option<FlowGraph>> = Handler {
    method: ext::FLOW_GRAPH,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let exact = snapshot.exact_entries(document.file);
        let at = document.at(params.position);
        let found = snapshot.analysis.flow_graph(at, exact)?;
        let lines: &LineTable = document.lines();
        Ok(found.map(|found| FlowGraph {
            svg: graph::flow_graph(&found, lines, &Theme::for_background(params.dark)),
            mermaid: mermaid::flowchart(&found, lines),
            left_out: found.left_out,
            counted: found.counted.name().to_owned(),
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
                    in_flight: it
                        .operations_in_flight()
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
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
    }),
};

pub(crate) const LIVE_RANGE: Handler<TextDocumentPositionParams, Option<LiveRange>> = Handler {
    method: ext::LIVE_RANGE,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let position = document.at(params.position);

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
    }),
};

/// The needs of an entry, in one line; with the figures of ptxas, if they are known.
pub(super) fn summary(
    entry: &analysis::EntryRegisters,
    exact: Option<&analysis::ExactEntry>,
) -> String {
    let live = entry.live(exact);
    let exact = exact.map(|it| &it.registers);
    let mut parts = Vec::new();
    match exact {
        Some(exact) => {
            parts.push(format!("✓ {} regs", exact.registers));
            let spilled = exact.spill_stores.saturating_add(exact.spill_loads);
            parts.push(match spilled {
                0 => "no spills".to_owned(),
                bytes => format!("{bytes} bytes spilled"),
            });
        }
        None => parts.push(match is_scarce(entry, exact) {
            true => {
                let more = entry.may_need();
                let more = more.map_or(String::new(), |it| format!(", perhaps {it}"));
                let (estimate, low, high) = (entry.estimate, entry.low, entry.high);
                format!("~{estimate} regs ({low}–{high}{more})")
            }
            false => format!("≤ {} regs", entry.free),
        }),
    }
    if let Some((cap, directive)) = entry.cap
        && cap <= exact.map_or(entry.estimate, |it| it.registers)
    {
        parts.push(format!("{directive} allows {cap}"));
    }
    parts.push(occupancy(
        entry,
        &ResidentWarps::from_registers(entry, exact),
    ));
    if let Some((line, most)) = live.peak()
        && is_scarce(entry, exact)
    {
        let counted = live.counted.words();
        parts.push(format!(
            "{most} {counted} at line {}",
            line.saturating_add(1)
        ));
    }
    parts.join(" · ")
}

/// Whether an entry may need more registers than cost no occupancy.
fn is_scarce(entry: &analysis::EntryRegisters, exact: Option<&analysis::ExactRegisters>) -> bool {
    exact.map_or(entry.high, |it| it.registers) > entry.free
}

/// The needs of an entry, in the words of [`summary`], with its name and with what would let more warps fit.
pub(super) fn details(
    entry: &analysis::EntryRegisters,
    exact: Option<&analysis::ExactEntry>,
) -> String {
    let mut text = format!("{} on {}: ", entry.name, entry.target);
    text.push_str(&summary(entry, exact));
    let live = entry.live(exact);
    let exact = exact.map(|it| &it.registers);
    // Where they are scarce it has been said already.
    if !is_scarce(entry, exact) {
        let _ = write!(text, " · at most {} {}", live.most(), live.counted.words());
    }
    if let Some((registers, warps)) = ResidentWarps::from_registers(entry, exact).next {
        let _ = write!(text, " · with {registers} registers {warps} warps");
    }
    text
}

/// The warps that fit on a multiprocessor, and their limit.
struct ResidentWarps {
    warps: u32,
    /// The limit that keeps more from being resident.
    limiter: Option<&'static str>,
    /// The most registers with which more warps fit, and how many.
    next: Option<(u32, u32)>,
}

impl ResidentWarps {
    /// With the registers of ptxas, or else with the estimated ones.
    fn from_registers(
        entry: &analysis::EntryRegisters,
        exact: Option<&analysis::ExactRegisters>,
    ) -> ResidentWarps {
        let Some(registers) = exact.map(|it| it.registers) else {
            return ResidentWarps {
                warps: entry.warps,
                limiter: entry.limiter,
                next: entry.next_step,
            };
        };
        let step = entry.steps.iter().find(|it| it.0 >= registers);
        let warps = step.map_or(0, |it| it.1);
        // If the number of warps differs from the estimate, registers limit it, unless fewer of them would
        // change nothing.
        let most = entry.steps.first().map_or(entry.of, |it| it.1);
        ResidentWarps {
            warps,
            limiter: match entry.limiter {
                Some(limiter) if warps == entry.warps => Some(limiter),
                _ => (warps < most).then_some("registers"),
            },
            next: entry
                .steps
                .iter()
                .rev()
                .copied()
                .find(|it| it.0 < registers && it.1 > warps),
        }
    }
}

/// How many warps fit, and what limits them, in words.
fn occupancy(entry: &analysis::EntryRegisters, fit: &ResidentWarps) -> String {
    let threads = entry.threads;
    let (of, warps) = (entry.of, fit.warps);
    let limiter = match fit.limiter {
        Some(limiter) => format!(", limited by {limiter}"),
        None => String::new(),
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

    fn estimate() -> analysis::EntryRegisters {
        analysis::EntryRegisters {
            name: "k".to_owned(),
            name_range: TextRange::default(),
            range: TextRange::default(),
            target: "sm_90".to_owned(),
            estimate: 56,
            low: 42,
            high: 70,
            max_live: 61,
            most_live: 59,
            reordered: 50,
            recomputed: 48,
            eager: 67,
            peak_line: Some(733),
            alive: vec![(733, 59), (740, 12)],
            alive_reordered: Vec::new(),
            cap: None,
            free: 32,
            spent: 32,
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
            summary(&estimate(), None),
            "~56 regs (42–70) · 32/64 warps @256 threads, limited by registers · 59 live as written at line 734"
        );
        let capped = analysis::EntryRegisters {
            cap: Some((56, ".maxnreg")),
            alive: Vec::new(),
            ..estimate()
        };
        assert_eq!(
            summary(&capped, None),
            "~56 regs (42–70) · .maxnreg allows 56 · 32/64 warps @256 threads, limited by registers"
        );
        let with_less = analysis::EntryRegisters {
            next_step: Some((48, 40)),
            ..estimate()
        };
        assert_eq!(
            details(&with_less, None),
            "k on sm_90: ~56 regs (42–70) · 32/64 warps @256 threads, limited by registers · \
             59 live as written at line 734 · with 48 registers 40 warps"
        );
        let hasty = analysis::EntryRegisters {
            eager: 90,
            alive: Vec::new(),
            ..estimate()
        };
        assert_eq!(
            summary(&hasty, None),
            "~56 regs (42–70, perhaps 90) · 32/64 warps @256 threads, limited by registers"
        );
        let small = analysis::EntryRegisters {
            high: 32,
            limiter: None,
            warps: 64,
            ..estimate()
        };
        assert_eq!(
            summary(&small, None),
            "≤ 32 regs · full occupancy @256 threads"
        );
        let large = analysis::EntryRegisters {
            threads: 1024,
            warps: 0,
            ..estimate()
        };
        assert_eq!(
            summary(&large, None),
            "~56 regs (42–70) · cannot be launched with 1024 threads, limited by registers · \
             59 live as written at line 734"
        );
        let measured = analysis::EntryRegisters {
            steps: vec![(32, 64), (40, 48), (64, 32), (255, 8)],
            ..estimate()
        };
        let exact = |registers: u32, spilled: u32, lines: &[(u32, u32)]| analysis::ExactEntry {
            name: "k".to_owned(),
            target: "sm_90".to_owned(),
            registers: analysis::ExactRegisters {
                registers,
                spill_stores: spilled,
                spill_loads: 2 * spilled,
                ..analysis::ExactRegisters::default()
            },
            lines: lines.to_vec(),
            instructions: None,
        };
        assert_eq!(
            summary(&measured, Some(&exact(40, 0, &[(735, 38)]))),
            "✓ 40 regs · no spills · 48/64 warps @256 threads, limited by registers · 38 live by ptxas at line 736"
        );
        let in_panel = entry(measured.clone(), Some(&exact(40, 0, &[])), &|_| {
            Range::default()
        });
        let OccupancyStep { registers, warps } = in_panel.occupancy.next.expect("a step");
        assert_eq!((in_panel.occupancy.warps, registers, warps), (48, 32, 64));
        assert_eq!(
            summary(&measured, Some(&exact(30, 8, &[]))),
            "✓ 30 regs · 24 bytes spilled · full occupancy @256 threads"
        );
    }
}

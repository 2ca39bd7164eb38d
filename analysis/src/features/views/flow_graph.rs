//! The control-flow graphs of functions, for people to look at.

use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{TextRange, TextSize};

use isa::semantics::Control;

use crate::{
    ExactEntry, FilePosition, FlowBlock, FlowEdge, FlowEdgeKind, FlowGraph, FlowInstruction,
    InFlight, SymbolKind,
    db::SourceFile,
    flow::{
        Flow,
        facts::{Step, for_each_instruction, step_at},
        flow,
        graph::Graph,
        ids::BlockId,
    },
    hir::{
        body::{Body, Target, body},
        items::{Function, item_offsets, items},
        module::signature,
        tree::OneLine,
    },
    protocols::{ask, in_flight},
};

use super::{live_registers::live_registers, registers::function_at};

/// Edges of a graph beyond which the targets of a table become one block, and beyond which edges of tables are left
/// out: each of `n` indexed branches may go to each of `n` labels.
const MOST_EDGES: usize = 4_000;
/// Targets of a table that are not worth a block.
const FEW_TARGETS: usize = 4;

/// The graph of the function around a position, if it has a body.
pub(crate) fn flow_graph_at(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    exact: &[ExactEntry],
) -> Option<FlowGraph> {
    let (function, start) = function_at(db, file, at.offset)?;
    flow_graph(db, function, start, exact)
}

/// The graphs of the functions of a file that have a body, or of those with a name.
pub(crate) fn flow_graphs(
    db: &dyn Database,
    file: SourceFile,
    name: Option<&str>,
) -> Vec<FlowGraph> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let starts = items.functions.iter().zip(&offsets.functions);
    starts
        .filter(|it| name.is_none_or(|name| it.0.name(db) == name))
        .filter_map(|(function, start)| flow_graph(db, *function, *start, &[]))
        .collect()
}

fn flow_graph(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    exact: &[ExactEntry],
) -> Option<FlowGraph> {
    if !signature(db, function).defined {
        return None;
    }
    let flow = flow(db, function);
    let body = body(db, function);
    let live = live_registers(db, function, start, exact);
    let lines = function.file(db).contents(db).lines.clone();
    let labels = labels(body);
    let mut texts = Vec::with_capacity(body.instructions.len());
    for_each_instruction(
        &function.green(db).cursor(),
        body,
        &mut |instruction, node| {
            let mut line = OneLine::default();
            line.push_node(node);
            texts.push(FlowInstruction {
                range: instruction.range + start,
                text: line.finish(),
            });
        },
    );
    let mut texts = texts.into_iter();
    let heads: FxHashSet<BlockId> = flow.graph.loops.iter().map(|it| it.head).collect();
    let mut graph = FlowGraph {
        function: function.name(db).to_owned(),
        name_range: body.name.unwrap_or_default() + start,
        blocks: Vec::with_capacity(flow.graph.blocks.len()),
        edges: Vec::new(),
        left_out: 0,
        counted: live.counted,
    };
    let mut tables = Tables::of(flow);
    for (id, steps) in (0..).zip(&flow.graph.blocks) {
        let instructions: Vec<FlowInstruction> = texts.by_ref().take(steps.len()).collect();
        let range = match (instructions.first(), instructions.last()) {
            (Some(first), Some(last)) => first.range.cover(last.range),
            _ => TextRange::empty(graph.name_range.start()),
        };
        let ends = steps.end.checked_sub(1).map(|it| it as usize);
        let last = ends.filter(|_| !steps.is_empty());
        let control = last.and_then(|it| flow.facts.control.get(it));
        graph.blocks.push(FlowBlock {
            range,
            label: labels.get(&steps.start).copied().map(str::to_owned),
            live: match (instructions.first(), instructions.last()) {
                (Some(first), Some(last)) => {
                    let line = |it: &FlowInstruction| lines.line_of(it.range.start());
                    live.most_in(line(first)..=line(last))
                }
                _ => None,
            },
            loop_depth: flow.graph.depth(id),
            loop_head: heads.contains(&id),
            reachable: flow.graph.reachable.get(id as usize) == Some(&true),
            leaves: matches!(
                control,
                Some(Control::Return | Control::End | Control::Trap)
            ) || flow.graph.open_ends.contains(&id),
            instructions,
            in_flight: Vec::new(),
        });
        match tables.of_block(flow, id, last) {
            Some(table) => graph.edges.push(FlowEdge {
                from: id,
                to: table,
                kind: FlowEdgeKind::Table,
                back: false,
            }),
            None => edges(flow, id, last, &mut graph.edges),
        }
    }
    for it in ask(db, function, flow, in_flight) {
        let (block, steps) = (it.block as usize, it.steps);
        let first = flow.graph.blocks[block].start;
        graph.blocks[block].in_flight.push(InFlight {
            operations: it.group,
            instructions: (steps.start - first) as usize..(steps.end - first) as usize,
        });
    }
    tables.add_to(&mut graph);
    limit(&mut graph);
    Some(graph)
}

/// The blocks that stand for the targets of tables, where there would be too many edges.
struct Tables<'a> {
    /// Whether there are too many.
    many: bool,
    /// Number of the first such block.
    first: BlockId,
    /// The targets of each.
    targets: Vec<&'a [BlockId]>,
    known: FxHashMap<&'a [BlockId], BlockId>,
}

impl<'a> Tables<'a> {
    fn of(flow: &'a Flow) -> Tables<'a> {
        let blocks = flow.graph.blocks.len();
        let count = (0..blocks).map(|it| flow.graph.successors.get(it).len());
        Tables {
            many: count.sum::<usize>() > MOST_EDGES,
            first: blocks as BlockId,
            targets: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// The block that stands for the targets of another one.
    fn of_block(&mut self, flow: &'a Flow, id: BlockId, last: Option<usize>) -> Option<BlockId> {
        let control = flow.facts.control.get(last?);
        let targets = flow.graph.successors.get(id as usize);
        if !self.many || control != Some(&Control::Table) || targets.len() <= FEW_TARGETS {
            return None;
        }
        let next = self.first + self.targets.len() as BlockId;
        let block = *self.known.entry(targets).or_insert(next);
        if block == next {
            self.targets.push(targets);
        }
        Some(block)
    }

    /// Adds the blocks and the ways out of them.
    fn add_to(self, graph: &mut FlowGraph) {
        for (id, targets) in (self.first..).zip(self.targets) {
            graph.blocks.push(FlowBlock {
                range: TextRange::empty(graph.name_range.start()),
                label: Some(format!("table of {} targets", targets.len())),
                live: None,
                loop_depth: 0,
                loop_head: false,
                reachable: true,
                leaves: false,
                instructions: Vec::new(),
                in_flight: Vec::new(),
            });
            graph.edges.extend(targets.iter().map(|to| FlowEdge {
                from: id,
                to: *to,
                kind: FlowEdgeKind::Table,
                back: false,
            }));
        }
    }
}

/// Leaves out edges of tables beyond the limit.
fn limit(graph: &mut FlowGraph) {
    let all = graph.edges.len();
    let of_tables = |it: &&FlowEdge| it.kind == FlowEdgeKind::Table;
    let others = all - graph.edges.iter().filter(of_tables).count();
    let mut room = MOST_EDGES.saturating_sub(others);
    graph.edges.retain(|it| {
        let fits = it.kind != FlowEdgeKind::Table || room > 0;
        room -= usize::from(fits && it.kind == FlowEdgeKind::Table);
        fits
    });
    graph.left_out = all - graph.edges.len();
}

/// The ways out of a block, whose last instruction is given.
fn edges(flow: &Flow, from: BlockId, last: Option<usize>, edges: &mut Vec<FlowEdge>) {
    let graph = &flow.graph;
    let steps = graph.block_of.len() as Step;
    for to in graph.successors.get(from as usize).iter().copied() {
        let next = graph.blocks.get(to as usize);
        let start = next.map_or(steps, |it| it.start);
        let kind = match last {
            Some(last) if flow.facts.control.get(last) == Some(&Control::Table) => {
                FlowEdgeKind::Table
            }
            // What stands for a branch to anywhere is the last block and has no instruction.
            Some(last) if next.is_some_and(|it| it.is_empty()) || start as usize != last + 1 => {
                match flow.facts.guarded.get(last) {
                    Some(true) => FlowEdgeKind::Taken,
                    _ => FlowEdgeKind::Branch,
                }
            }
            Some(last) if flow.facts.targets.get(last).contains(&start) => {
                match flow.facts.guarded.get(last) {
                    Some(true) => FlowEdgeKind::Fallthrough,
                    _ => FlowEdgeKind::Branch,
                }
            }
            Some(_) => FlowEdgeKind::Fallthrough,
            None => FlowEdgeKind::Table,
        };
        edges.push(FlowEdge {
            from,
            to,
            kind,
            back: is_head_of_loop_around(graph, to, from),
        });
    }
}

/// Whether a block is the head of a loop that another block is part of.
fn is_head_of_loop_around(graph: &Graph, head: BlockId, block: BlockId) -> bool {
    let innermost = graph.loop_of.get(block as usize).copied().flatten();
    let mut around = std::iter::successors(innermost, |it| graph.loops.get(*it as usize)?.parent);
    around.any(|it| {
        graph
            .loops
            .get(it as usize)
            .is_some_and(|it| it.head == head)
    })
}

/// The labels that the function uses, by the instruction that they are before. Compilers put many others
/// into the text for debuggers.
fn labels(body: &Body) -> FxHashMap<Step, &str> {
    let mut found = FxHashMap::default();
    for reference in &body.references {
        if let Target::Definition(id) = reference.target
            && let definition = body.definition(id)
            && definition.kind == SymbolKind::Label
        {
            let step = step_at(body, definition.name_range.start());
            found.entry(step).or_insert(&*definition.name);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{
        FileId,
        fixture::{Fixture, HEADER},
    };

    /// The blocks and the ways out of them.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(&format!("{HEADER}{text}"));
        let graphs = fixture
            .host
            .analysis()
            .flow_graphs(FileId(0), None)
            .unwrap();
        let mut out = String::new();
        for graph in graphs {
            out.push_str(&format!("{}\n", graph.function));
            for (id, block) in (0..).zip(&graph.blocks) {
                out.push_str(&format!(
                    "{id} {} [{}] {} live, depth {}{}{}{}",
                    block.label.as_deref().unwrap_or("-"),
                    block.instructions.len(),
                    block.live.unwrap_or(0),
                    block.loop_depth,
                    if block.loop_head { ", loop" } else { "" },
                    if block.reachable { "" } else { ", unreachable" },
                    if block.leaves { ", leaves" } else { "" },
                ));
                for it in &block.in_flight {
                    out.push_str(&format!(", {} {:?}", it.operations, it.instructions));
                }
                for edge in graph.edges.iter().filter(|it| it.from == id) {
                    let back = if edge.back { " back" } else { "" };
                    out.push_str(&format!("; {}{back} {}", edge.kind.name(), edge.to));
                }
                out.push('\n');
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn a_loop_with_a_way_out() {
        check(
            ".func f;\n.entry k {\n.reg .b32 r; .reg .pred p;\nmov.u32 r, %tid.x;\nL0:\nL1: setp.eq.u32 p, r, 7;\n@p bra M;\nadd.u32 r, r, 1;\nbra L1;\nM: st.shared.u32 [r], r;\nret;\nadd.u32 r, r, 1;\n}\n.func g { ret; }\n",
            expect![[r#"
                k
                0 - [1] 1 live, depth 0; fallthrough 1
                1 L1 [2] 1 live, depth 1, loop; fallthrough 2; taken 3
                2 - [2] 1 live, depth 1; branch back 1
                3 M [2] 1 live, depth 0, leaves
                4 - [1] 0 live, depth 0, unreachable, leaves
                g
                0 - [1] 0 live, depth 0, leaves
            "#]],
        );
    }

    /// The copy of a round is waited for in the next one, and the last one after the loop.
    #[test]
    fn copies_are_in_flight_until_the_wait() {
        check(
            ".entry k {\n.reg .b32 r; .reg .b64 a; .reg .pred p;\nmov.u32 r, 0;\ncp.async.ca.shared.global [r], [a], 4;\ncp.async.commit_group;\nL: cp.async.ca.shared.global [r], [a], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;\nadd.u32 r, r, 1;\n@p bra L;\nadd.u32 r, r, 1;\ncp.async.wait_all;\nret;\n}\n",
            expect![[r#"
                k
                0 - [3] 3 live, depth 0, asynchronous copies of the thread 1..3; fallthrough 1
                1 L [5] 3 live, depth 1, loop, asynchronous copies of the thread 0..5; taken back 1; fallthrough 2
                2 - [3] 1 live, depth 0, leaves, asynchronous copies of the thread 0..2
            "#]],
        );
    }

    #[test]
    fn tables_and_branches_to_the_next_instruction() {
        check(
            ".entry k {\n.reg .b32 r; .reg .pred p;\nmov.u32 r, %tid.x;\nts: .branchtargets A, B;\nbrx.idx r, ts;\nA: @p bra B;\nB: bra C;\nC: @p exit;\ntrap;\n}\n",
            expect![[r#"
                k
                0 - [2] 1 live, depth 0; table 1; table 2
                1 A [1] 0 live, depth 0; fallthrough 2
                2 B [1] 0 live, depth 0; branch 3
                3 C [1] 0 live, depth 0, leaves; fallthrough 4
                4 - [1] 0 live, depth 0, leaves
            "#]],
        );
    }

    /// Numbers of blocks, edges and edges that are left out, of a function in which many branches go to many labels.
    fn sizes(count: usize, list: impl Fn(usize) -> String) -> (usize, usize, usize) {
        let mut text = format!("{HEADER}.entry k {{\n.reg .b32 r;\nmov.u32 r, %tid.x;\n");
        for number in 0..count {
            text += &format!(
                "T{number}: .branchtargets {};\nL{number}: brx.idx r, T{number};\n",
                list(number)
            );
        }
        let fixture = Fixture::new(&format!("{text}}}\n"));
        let analysis = fixture.host.analysis();
        let graphs = analysis.flow_graphs(FileId(0), None).unwrap();
        let graph = &graphs[0];
        (graph.blocks.len(), graph.edges.len(), graph.left_out)
    }

    #[test]
    fn many_branches_to_many_labels_share_a_block() {
        let labels = |skip: usize| {
            let all = (0..100).filter(|it| *it != skip);
            let all: Vec<String> = all.map(|it| format!("L{it}")).collect();
            all.join(", ")
        };
        // The first instruction, a block for each branch and one for the table.
        assert_eq!(sizes(100, |_| labels(100)), (102, 201, 0));
        // Tables that differ have a block each, and what is too much is counted.
        let (blocks, edges, left_out) = sizes(100, labels);
        assert_eq!((blocks, edges, edges + left_out), (201, 4_000, 10_001));
    }

    #[test]
    fn a_branch_to_an_unknown_place() {
        check(
            ".entry k {\n.reg .b32 r;\nA: mov.u32 r, %tid.x;\nbra nowhere;\nB: ret;\n}\n.entry empty { }\n",
            expect![[r#"
                k
                0 - [2] 0 live, depth 1, loop; branch 2
                1 - [1] 0 live, depth 0, leaves
                2 - [0] 0 live, depth 1; table back 0; table 1
                empty
            "#]],
        );
    }
}

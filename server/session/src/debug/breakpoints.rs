//! Breakpoints: from lines, names and data of the client to places of the machine.

use run::{
    FindingCode,
    debug::{Breakpoint, Expression, Found, Hits, Piece, Watch, Watched},
};
use serde_json::{Value, json};

use super::{
    program::{Place, Program},
    protocol::{
        Answer, BreakpointLocationsArguments, DataBreakpointInfoArguments, SetBreakpointsArguments,
        SetDataBreakpointsArguments, SetExceptionBreakpointsArguments,
        SetFunctionBreakpointsArguments,
    },
    session::Session,
    state::{Handle, NAN, Requested, RequestedAt},
};

/// A breakpoint with its places, or why there is none.
type Resolved = Result<(Vec<Place>, Breakpoint), String>;

impl<'a> Session<'a> {
    fn resolve(&self, program: &Program, it: &Requested) -> Resolved {
        let (places, condition, hits, log) = match &it.at {
            RequestedAt::Line(at) => {
                let line = u32::try_from(at.line - self.client.first_line);
                let column = at
                    .column
                    .and_then(|it| u32::try_from(it - self.client.first_column).ok());
                let places = line.ok().and_then(|it| program.at_line(it, column));
                let Some((_, places)) = places else {
                    return Err("there is no instruction here".to_owned());
                };
                (
                    places,
                    &at.condition,
                    &at.hit_condition,
                    at.log_message.as_deref(),
                )
            }
            RequestedAt::Function(at) => {
                let functions = &program.code.functions;
                let found = functions
                    .iter()
                    .position(|it| it.name == at.name && it.defined);
                let Some(found) = found else {
                    let names = functions.iter().filter(|it| it.defined);
                    let names: Vec<&str> = names.map(|it| &*it.name).collect();
                    return Err(format!(
                        "there is no function `{}` (functions: {})",
                        at.name,
                        names.join(", ")
                    ));
                };
                (vec![(found, 0)], &at.condition, &at.hit_condition, None)
            }
        };
        let is_given = |it: &&str| !it.trim().is_empty();
        let condition = condition.as_deref().filter(is_given);
        let hits = hits.as_deref().filter(is_given);
        Ok((
            places,
            Breakpoint {
                id: it.id,
                condition: condition.map(Expression::parse).transpose()?,
                hits: hits.map(Hits::parse).transpose()?,
                log: log.filter(is_given).map(Piece::parse).transpose()?,
            },
        ))
    }

    /// A breakpoint as the client sees it.
    fn described(&self, program: &Program, it: &Requested) -> Value {
        match self.resolve(program, it) {
            Err(message) => json!({
                "id": it.id,
                "verified": false,
                "message": message,
                "reason": "failed",
            }),
            Ok((places, _)) => {
                let Some((function, pc)) = places.first() else {
                    return json!({ "id": it.id, "verified": false });
                };
                let range = program.range(*function, *pc);
                let (start, end) = (program.position(range), program.end(range));
                json!({
                    "id": it.id,
                    "verified": true,
                    "source": self.source(program),
                    "line": i64::from(start.line) + self.client.first_line,
                    "column": i64::from(start.character) + self.client.first_column,
                    "endLine": i64::from(end.line) + self.client.first_line,
                    "endColumn": i64::from(end.character) + self.client.first_column,
                })
            }
        }
    }

    pub(super) fn source(&self, program: &Program) -> Value {
        json!({ "name": program.name(), "path": program.path })
    }

    /// Hands the requested breakpoints to the machine.
    fn install(&mut self) {
        let Some(run) = &self.run else {
            return;
        };
        let program = run.program;
        let mut points = run::debug::Points::default();
        if run.is_debugged {
            let lines = self.wanted.lines.iter().filter(|it| program.is_at(&it.0));
            let all = lines.flat_map(|it| &it.1).chain(&self.wanted.functions);
            for it in all {
                let Ok((places, point)) = self.resolve(program, it) else {
                    continue;
                };
                for place in places {
                    let at = points.breakpoints.entry(place).or_default();
                    at.push(point.clone());
                }
            }
            points.watches.clone_from(&self.wanted.watches);
            points.ignored.clone_from(&self.wanted.ignored);
            points.nan = self.wanted.nan;
            points.lines = program.source_lines();
        } else {
            points.ignored = FindingCode::ALL.to_vec();
        }
        if let Some(run) = &mut self.run {
            run.debugger.points = points;
        }
    }

    /// Hands all breakpoints to a run that begins, and reports those that were requested before.
    pub(super) fn publish_breakpoints(&mut self) {
        self.install();
        let Some(program) = self.run.as_ref().map(|it| it.program) else {
            return;
        };
        let lines = self.wanted.lines.iter().filter(|it| program.is_at(&it.0));
        let all = lines.flat_map(|it| &it.1).chain(&self.wanted.functions);
        let told: Vec<Value> = all.map(|it| self.described(program, it)).collect();
        for it in told {
            self.event(
                "breakpoint",
                json!({ "reason": "changed", "breakpoint": it }),
            );
        }
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id - 1
    }

    pub(super) fn set_breakpoints(&mut self, it: SetBreakpointsArguments) -> Answer {
        let Some(path) = it.source.path else {
            return Err("a source has a path".into());
        };
        let mut requested = Vec::new();
        for at in it.breakpoints {
            let id = self.new_id();
            let at = RequestedAt::Line(at);
            requested.push(Requested { id, at });
        }
        let shown: Vec<Value> = match self.program_at(&path) {
            Ok(program) => requested
                .iter()
                .map(|it| self.described(program, it))
                .collect(),
            Err(message) => requested
                .iter()
                .map(|it| json!({ "id": it.id, "verified": false, "message": message }))
                .collect(),
        };
        self.wanted.lines.retain(|it| it.0 != path);
        self.wanted.lines.push((path, requested));
        self.install();
        Ok(json!({ "breakpoints": shown }))
    }

    pub(super) fn breakpoint_locations(&mut self, it: &BreakpointLocationsArguments) -> Answer {
        let Some(path) = &it.source.path else {
            return Err("a source has a path".into());
        };
        let program = self.program_at(path)?;
        let first = self.client.first_line;
        let line = |it: i64| u32::try_from(it - first).unwrap_or(0);
        let lines = program.lines_in(line(it.line), line(it.end_line.unwrap_or(it.line)));
        let lines = lines
            .into_iter()
            .map(|it| json!({ "line": i64::from(it) + first }));
        Ok(json!({ "breakpoints": lines.collect::<Vec<_>>() }))
    }

    pub(super) fn set_function_breakpoints(
        &mut self,
        it: SetFunctionBreakpointsArguments,
    ) -> Answer {
        let mut requested = Vec::new();
        for at in it.breakpoints {
            let id = self.new_id();
            let at = RequestedAt::Function(at);
            requested.push(Requested { id, at });
        }
        let program = self.run.as_ref().map(|it| it.program);
        let shown: Vec<Value> = requested
            .iter()
            .map(|it| match program {
                Some(program) => self.described(program, it),
                None => json!({
                    "id": it.id,
                    "verified": false,
                    "message": "no kernel has been launched yet",
                    "reason": "pending",
                }),
            })
            .collect();
        self.wanted.functions = requested;
        self.install();
        Ok(json!({ "breakpoints": shown }))
    }

    pub(super) fn set_exception_breakpoints(
        &mut self,
        it: &SetExceptionBreakpointsArguments,
    ) -> Answer {
        let all = FindingCode::ALL;
        let shown: Vec<Value> = it
            .filters
            .iter()
            .map(
                |word| match all.iter().any(|it| it.word() == word) || word == NAN {
                    true => json!({ "verified": true }),
                    false => json!({
                        "verified": false,
                        "message": format!("there is no finding `{word}`"),
                    }),
                },
            )
            .collect();
        let is_ignored = |code: &&FindingCode| it.filters.iter().all(|it| it != code.word());
        self.wanted.nan = it.filters.iter().any(|it| it == NAN);
        self.wanted.ignored = all.iter().filter(is_ignored).copied().collect();
        self.install();
        Ok(json!({ "breakpoints": shown }))
    }

    pub(super) fn data_breakpoint_info(&mut self, it: &DataBreakpointInfoArguments) -> Answer {
        let frame = match it.variables_reference.filter(|it| *it > 0) {
            Some(id) => self.handle(id)?.frame(),
            None => None,
        };
        let frame = match frame {
            Some(it) => it,
            None => self.frame(it.frame_id)?,
        };
        // The children of a register or an array are named by their indices.
        let container = match it.variables_reference {
            Some(id) if id > 0 => self.handle(id).ok().cloned(),
            _ => None,
        };
        let name = match container {
            Some(Handle::Register(_, name, ..)) => format!("{name}{}", it.name),
            Some(Handle::Part(_, part)) => format!("{}{}", part.name, it.name),
            _ => it.name.clone(),
        };
        let refuse = |text: &str| json!({ "dataId": null, "description": text });
        let expression = match Expression::parse(&name) {
            Ok(it) => it,
            Err(problem) => return Ok(refuse(&problem)),
        };
        let scope = self.scope(frame)?;
        let function = scope.machine.function_of(frame.view.warp, frame.view.frame);
        let function = function.unwrap_or_default();
        let what = match scope.find(&expression) {
            Ok(Found::Row(_, Some(slot))) => Watched::Register {
                slot,
                function,
                lanes: u32::MAX,
            },
            Ok(Found::Lane(_, Some(slot), lane)) => Watched::Register {
                slot,
                function,
                lanes: 1 << lane,
            },
            Ok(Found::Part(part)) => {
                let size = it.bytes.unwrap_or(part.size());
                match usize::try_from(size).ok().filter(|it| *it <= MOST_WATCHED) {
                    Some(count) => Watched::Memory {
                        space: part.space,
                        address: part.address,
                        count,
                    },
                    None => return Ok(refuse("this is too large to be watched")),
                }
            }
            Ok(_) => return Ok(refuse("only registers and memory can be watched")),
            Err(problem) => return Ok(refuse(&problem)),
        };
        let id = self.new_id();
        let watch = Watch {
            id,
            name: name.clone(),
            view: frame.view,
            what,
        };
        self.known_data.push(watch);
        Ok(json!({
            "dataId": id.to_string(),
            "description": name,
            "accessTypes": ["write"],
            "canPersist": false,
        }))
    }

    pub(super) fn set_data_breakpoints(&mut self, it: &SetDataBreakpointsArguments) -> Answer {
        let mut watches = Vec::new();
        let mut shown = Vec::new();
        for point in &it.breakpoints {
            let known = self.known_data.iter();
            let watch = known.clone().find(|it| it.id.to_string() == point.data_id);
            let problem = match (watch, point.access_type.as_deref()) {
                (None, _) => "this is not known any more",
                (_, Some("read" | "readWrite")) => "only changes can be watched",
                _ if point.condition.is_some() || point.hit_condition.is_some() => {
                    "changes are watched without conditions"
                }
                (Some(watch), _) => {
                    shown.push(json!({ "id": watch.id, "verified": true }));
                    watches.push(watch.clone());
                    continue;
                }
            };
            shown.push(json!({ "verified": false, "message": problem }));
        }
        self.wanted.watches = watches;
        self.install();
        Ok(json!({ "breakpoints": shown }))
    }
}

/// The most bytes that one data breakpoint watches: they are compared after each instruction.
const MOST_WATCHED: usize = 4096;

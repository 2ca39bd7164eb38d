//! The view of a stop: threads, frames, variables, expressions and memory.

use analysis::code::{Formal, VariableId};
use isa::{
    compute::window,
    special::{SPECIAL_REGISTERS, changes},
    variable::StateSpace,
};
use run::{
    Argument,
    debug::{Found, Part, Row, Scope, Thread, Type, View, WARP, Wait, lane_ranges},
};
use serde_json::{Value, json};

use super::{
    program::file_name,
    protocol::{
        Answer, Format, Refusal, ScopesArguments, StackTraceArguments, ThreadArguments,
        VariablesArguments,
    },
    session::{Session, finding},
    state::{FrameRef, Handle, NAN, ScopeKind},
};

/// The most children that are sent where the client asks for no range.
const MOST_CHILDREN: usize = 4096;
/// The special registers that come first.
const FIRST: [&str; 6] = ["%tid", "%ctaid", "%ntid", "%nctaid", "%laneid", "%warpid"];

/// The shown parts of a value.
pub(super) struct Shown {
    value: String,
    ty: String,
    /// The values below it, if there are some.
    handle: Option<Handle>,
    /// How many children have indices.
    count: usize,
    /// Where it is in memory, as a generic address.
    address: Option<u64>,
}

impl Shown {
    pub(super) fn plain(value: String, ty: String) -> Shown {
        Shown {
            value,
            ty,
            handle: None,
            count: 0,
            address: None,
        }
    }
}

pub(super) fn is_hex(format: Option<Format>) -> bool {
    format.is_some_and(|it| it.hex)
}

impl<'a> Session<'a> {
    /// The meaning of a number of a frame or of variables.
    pub(super) fn handle(&self, id: i64) -> Result<&Handle, Refusal> {
        let index = usize::try_from(id - 1).ok();
        index
            .and_then(|it| self.handles.get(it))
            .ok_or_else(|| format!("{id} means nothing at this stop").into())
    }

    pub(super) fn add(&mut self, handle: Handle) -> i64 {
        let known = self.handles.iter().position(|it| *it == handle);
        let index = known.unwrap_or_else(|| {
            self.handles.push(handle);
            self.handles.len() - 1
        });
        index as i64 + 1
    }

    /// The frame with a number, or the innermost one at which the run has stopped.
    pub(super) fn frame(&mut self, id: Option<i64>) -> Result<FrameRef, Refusal> {
        self.stopped_run()?;
        if let Some(id) = id {
            return match self.handle(id)? {
                Handle::Frame(it) | Handle::SourceFrame(it, _) => Ok(*it),
                _ => Err(format!("{id} is not a frame").into()),
            };
        }
        let run = self.stopped_run()?;
        let thread = run.stopped.as_ref().and_then(|it| it.thread);
        let group = thread.and_then(|it| Some((it, run.debugger.group(it)?)));
        let Some((thread, group)) = group else {
            return Err("there is no thread here".into());
        };
        Ok(FrameRef {
            view: View {
                warp: thread.warp,
                frame: group.frame,
                lane: thread.lane,
            },
            lanes: group.lanes,
        })
    }

    /// The lane of a frame whose values are shown.
    pub(super) fn focus(&self, frame: FrameRef) -> FrameRef {
        let lane = match frame.lanes >> self.lane & 1 {
            1 => self.lane,
            _ => frame.view.lane,
        };
        FrameRef {
            view: View { lane, ..frame.view },
            ..frame
        }
    }

    pub(super) fn scope(&self, frame: FrameRef) -> Result<Scope<'_, 'a>, Refusal> {
        let run = self.run.as_ref().ok_or_else(super::session::not_launched)?;
        Ok(run.debugger.scope(self.focus(frame).view))
    }

    pub(super) fn threads(&mut self) -> Answer {
        let Some(run) = &self.run else {
            return Err(super::session::not_launched());
        };
        let mut threads = Vec::new();
        for warp in run.debugger.machine().warps() {
            let [x, y, z] = warp.block;
            let block = match z {
                0 => format!("{x},{y}"),
                _ => format!("{x},{y},{z}"),
            };
            let name = format!("block {block} warp {}", warp.id.warp);
            let is_split = warp.groups.len() > 1;
            for group in &warp.groups {
                let lane = group.lanes.trailing_zeros() as usize;
                let id = Self::thread_id(Thread {
                    warp: warp.id,
                    lane,
                });
                let mut name = name.clone();
                if is_split {
                    name += &format!(" lanes {}", lane_ranges(group.lanes));
                }
                name += &match group.waits {
                    None => String::new(),
                    Some(Wait::Barrier(number)) => format!(" (at barrier {number})"),
                    Some(Wait::Lanes(mask)) => format!(" (waits for lanes {})", lane_ranges(mask)),
                    Some(Wait::Cluster) => " (waits for the cluster)".to_owned(),
                    Some(Wait::Change) => " (polls an mbarrier)".to_owned(),
                };
                threads.push(json!({ "id": id, "name": name }));
            }
        }
        Ok(json!({ "threads": threads }))
    }

    pub(super) fn stack_trace(&mut self, it: &StackTraceArguments) -> Answer {
        let thread = self.thread(it.thread_id)?;
        let run = self.stopped_run()?;
        let Some(group) = run.debugger.group(thread) else {
            return Ok(json!({ "stackFrames": [], "totalFrames": 0 }));
        };
        let program = run.program;
        let frames = run.debugger.machine().frames(thread.warp, &group);
        let source = self.source(program);
        let mut shown = Vec::new();
        for frame in frames {
            let range = program.range(frame.function, frame.pc);
            let (start, end) = (program.position(range), program.end(range));
            let own = FrameRef {
                view: View {
                    warp: thread.warp,
                    frame: frame.index,
                    lane: thread.lane,
                },
                lanes: group.lanes,
            };
            shown.push(json!({
                "id": self.add(Handle::Frame(own)),
                "name": program.code.functions[frame.function].name,
                "source": source,
                "line": i64::from(start.line) + self.client.first_line,
                "column": i64::from(start.character) + self.client.first_column,
                "endLine": i64::from(end.line) + self.client.first_line,
                "endColumn": i64::from(end.character) + self.client.first_column,
            }));
            // The lines from which the instruction was made, the one into which it was inlined last.
            let places = program.sources(frame.function, frame.pc).iter();
            for (index, place) in places.flatten().enumerate() {
                let column = i64::from(place.column.max(1)) - 1;
                shown.push(json!({
                    "id": self.add(Handle::SourceFrame(own, index as u8)),
                    "name": format!("{}:{}", file_name(&place.path), place.line),
                    "source": {
                        "name": file_name(&place.path),
                        "path": program.beside(&place.path),
                    },
                    "line": i64::from(place.line) - 1 + self.client.first_line,
                    "column": column + self.client.first_column,
                    "presentationHint": "subtle",
                }));
            }
        }
        let total = shown.len();
        let levels = it.levels.filter(|it| *it > 0).unwrap_or(usize::MAX);
        let shown = shown.into_iter().skip(it.start_frame.unwrap_or(0));
        let shown: Vec<Value> = shown.take(levels).collect();
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    pub(super) fn exception_info(&mut self, it: &ThreadArguments) -> Answer {
        self.thread(it.thread_id)?;
        let run = self.stopped_run()?;
        let findings = run.stopped.as_ref().map_or(&[][..], |it| &it.findings);
        if let Some(text) = run.stopped.as_ref().and_then(|it| it.nan.clone()) {
            return Ok(json!({
                "exceptionId": NAN,
                "description": text,
                "breakMode": "always",
                "details": { "message": text, "typeName": NAN },
            }));
        }
        let Some(first) = findings.first() else {
            return Err("the run has not stopped at a finding".into());
        };
        let texts: Vec<String> = findings.iter().map(|it| finding(run.program, it)).collect();
        Ok(json!({
            "exceptionId": first.code.word(),
            "description": texts.join("\n"),
            "breakMode": "always",
            "details": { "message": first.message, "typeName": first.code.word() },
        }))
    }

    pub(super) fn scopes(&mut self, it: &ScopesArguments) -> Answer {
        let frame = self.frame(Some(it.frame_id))?;
        let scope = self.scope(frame)?;
        let mut kinds = vec![
            (ScopeKind::Registers, "Registers", scope.register_count()),
            (ScopeKind::Special, "Special", 0),
            (ScopeKind::Parameters, "Parameters", 0),
            (ScopeKind::Shared, "Shared", 0),
        ];
        if !scope.variables(StateSpace::Local).is_empty() {
            kinds.push((ScopeKind::Local, "Local", 0));
        }
        let globals = scope.variables(StateSpace::Global).len()
            + scope.variables(StateSpace::Const).len()
            + scope.machine.launch().arrays.len();
        if globals > 0 {
            kinds.push((ScopeKind::Global, "Global", globals));
        }
        kinds.push((ScopeKind::Barriers, "Barriers", 0));
        let mut shown = Vec::new();
        for (kind, name, count) in kinds {
            let mut scope = json!({
                "name": name,
                "variablesReference": self.add(Handle::Scope(frame, kind)),
                "expensive": false,
            });
            if kind == ScopeKind::Registers {
                scope["presentationHint"] = "registers".into();
            }
            if count > 0 {
                scope["namedVariables"] = count.into();
            }
            shown.push(scope);
        }
        Ok(json!({ "scopes": shown }))
    }

    pub(super) fn variables(&mut self, it: &VariablesArguments) -> Answer {
        self.stopped_run()?;
        let handle = self.handle(it.variables_reference)?.clone();
        let hex = is_hex(it.format);
        let start = it.start.unwrap_or(0);
        let count = match it.count {
            None | Some(0) => MOST_CHILDREN,
            Some(it) => it,
        };
        let is_indexed = matches!(
            handle,
            Handle::Register(..) | Handle::Special(..) | Handle::Values(..) | Handle::Part(..)
        );
        let is_empty = match it.filter.as_deref() {
            Some("indexed") => !is_indexed,
            Some("named") => is_indexed,
            _ => false,
        };
        let children = match is_empty {
            true => Vec::new(),
            false => self.children(&handle, start, count, hex)?,
        };
        let mut shown = Vec::new();
        for (name, path, child) in children {
            let mut variable = self.shown(child);
            variable["name"] = name.into();
            if let Some(path) = path {
                variable["evaluateName"] = path.into();
            }
            shown.push(variable);
        }
        Ok(json!({ "variables": shown }))
    }

    /// A value as the client sees it; its children get a number.
    pub(super) fn shown(&mut self, it: Shown) -> Value {
        let reference = it.handle.map_or(0, |it| self.add(it));
        let mut shown = json!({
            "value": it.value,
            "type": it.ty,
            "variablesReference": reference,
        });
        if it.count > 0 {
            shown["indexedVariables"] = it.count.into();
        }
        if let Some(address) = it.address {
            shown["memoryReference"] = format!("{address:#x}").into();
        }
        shown
    }

    /// The children of what a number means, from one on: name, expression and value.
    pub(super) fn children(
        &self,
        handle: &Handle,
        start: usize,
        count: usize,
        hex: bool,
    ) -> Result<Vec<(String, Option<String>, Shown)>, Refusal> {
        let lanes = |name: &str, row: &Row| {
            let lanes = (start..WARP).take(count);
            let children = lanes.map(|lane| {
                let shown = Shown::plain(row.show(lane, hex), row.ty.word());
                (format!("[{lane}]"), Some(format!("{name}[{lane}]")), shown)
            });
            children.collect()
        };
        Ok(match handle {
            Handle::Frame(_) | Handle::SourceFrame(..) => return Err("a frame has scopes".into()),
            Handle::Fields(fields) => fields
                .iter()
                .skip(start)
                .take(count)
                .map(|(name, value)| {
                    let shown = Shown::plain(value.clone(), String::new());
                    (name.clone(), None, shown)
                })
                .collect(),
            Handle::Register(frame, name, slot, ty) => match self.scope(*frame)?.row(*slot, *ty) {
                Some(row) => lanes(name, &row),
                None => Vec::new(),
            },
            Handle::Special(frame, name) => match self.scope(*frame)?.special(name) {
                Some(row) => lanes(name, &row),
                None => Vec::new(),
            },
            Handle::Values(_, name, row) => lanes(name, row),
            Handle::Part(frame, part) => {
                let length = part.shape.first().copied().unwrap_or(0);
                let mut children = Vec::new();
                for index in (start as u64..length).take(count) {
                    let child = part.at(index.into())?;
                    let name = format!("[{index}]");
                    let path = child.name.clone();
                    children.push((name, Some(path), self.part(*frame, child, hex)?));
                }
                children
            }
            Handle::Scope(frame, kind) => {
                let all = self.members(*frame, *kind, hex)?;
                all.into_iter().skip(start).take(count).collect()
            }
        })
    }

    pub(super) fn members(
        &self,
        frame: FrameRef,
        kind: ScopeKind,
        hex: bool,
    ) -> Result<Vec<(String, Option<String>, Shown)>, Refusal> {
        let scope = self.scope(frame)?;
        let variables = |spaces: &[StateSpace]| {
            let all = spaces.iter().flat_map(|it| scope.variables(*it));
            let all = all.filter_map(|it| scope.variable(it));
            let shown = all.map(|part| {
                let path = match spaces.first() {
                    Some(it) if spaces.len() == 1 => {
                        format!("{}.{}", it.word().trim_start_matches('.'), part.name)
                    }
                    _ => part.name.clone(),
                };
                Ok::<_, Refusal>((part.name.clone(), Some(path), self.part(frame, part, hex)?))
            });
            shown.collect::<Result<Vec<_>, Refusal>>()
        };
        match kind {
            ScopeKind::Registers => {
                let registers = scope.registers().into_iter();
                let shown = registers.filter_map(|(name, slot, ty)| {
                    let row = scope.row(slot, ty)?;
                    let shown = self.row(
                        frame,
                        &row,
                        Handle::Register(frame, name.clone(), slot, ty),
                        hex,
                    );
                    Some((name.clone(), Some(name), shown))
                });
                Ok(shown.collect())
            }
            ScopeKind::Special => {
                let shown = special_names(&scope).into_iter().filter_map(|name| {
                    let row = scope.special(&name)?;
                    let handle = Handle::Special(frame, name.clone());
                    let shown = self.row(frame, &row, handle, hex);
                    Some((name.clone(), Some(name), shown))
                });
                Ok(shown.collect())
            }
            ScopeKind::Parameters => self.parameters(frame, &scope, hex),
            ScopeKind::Shared => variables(&[StateSpace::Shared]),
            ScopeKind::Local => variables(&[StateSpace::Local]),
            ScopeKind::Global => {
                let count = scope.machine.launch().arrays.len();
                let mut all = Vec::new();
                for part in (0..count).filter_map(|it| scope.array(it)) {
                    let name = part.name.clone();
                    all.push((name.clone(), Some(name), self.part(frame, part, hex)?));
                }
                all.extend(variables(&[StateSpace::Global, StateSpace::Const])?);
                Ok(all)
            }
            ScopeKind::Barriers => Ok(self.barriers(frame, &scope)),
        }
    }

    pub(super) fn parameters(
        &self,
        frame: FrameRef,
        scope: &Scope<'_, 'a>,
        hex: bool,
    ) -> Result<Vec<(String, Option<String>, Shown)>, Refusal> {
        let code = scope.machine.code();
        let launch = scope.machine.launch();
        let Some(function) = scope.function() else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for (index, formal) in function.parameters.iter().enumerate() {
            let id: VariableId = match formal {
                Formal::Variable(id) => *id,
                Formal::Register(slot) => {
                    let registers = scope.registers();
                    let found = registers.into_iter().find(|it| it.1 == *slot);
                    if let Some((name, slot, ty)) = found
                        && let Some(row) = scope.row(slot, ty)
                    {
                        let handle = Handle::Register(frame, name.clone(), slot, ty);
                        let shown = self.row(frame, &row, handle, hex);
                        all.push((name.clone(), Some(name), shown));
                    }
                    continue;
                }
            };
            let Some(part) = scope.variable(id) else {
                continue;
            };
            let name = code.variables[id as usize].name.clone();
            let array = match launch.arguments.get(index) {
                Some(Argument::Array(it)) if function.entry => scope.array(*it),
                _ => None,
            };
            let shown = match array {
                // A pointer shows what it points to.
                Some(array) => {
                    let address = array.address;
                    let mut shown = self.part(frame, array, hex)?;
                    shown.value = format!("{address:#x} {}", shown.value);
                    shown
                }
                None => self.part(frame, part, hex)?,
            };
            all.push((name.clone(), Some(name), shown));
        }
        Ok(all)
    }

    pub(super) fn barriers(
        &self,
        frame: FrameRef,
        scope: &Scope<'_, 'a>,
    ) -> Vec<(String, Option<String>, Shown)> {
        let machine = scope.machine;
        let block = frame.view.warp.block;
        let threads: u32 = machine.launch().block.iter().product();
        let mut all = Vec::new();
        let mut add = |name: String, value: String, ty: &str, fields: Vec<(String, String)>| {
            let shown = Shown {
                handle: Some(Handle::Fields(fields)),
                ..Shown::plain(value, ty.to_owned())
            };
            all.push((name, None, shown));
        };
        let field = |name: &str, value: String| (name.to_owned(), value);
        for it in machine.barriers(block) {
            let expected = match it.expected {
                0 => threads,
                some => some,
            };
            let mut fields = vec![
                field("arrived", it.arrived.to_string()),
                field("expected", expected.to_string()),
            ];
            if let (Some(range), Some(run)) = (it.at, &self.run) {
                fields.push(field("at", run.program.shown(range)));
            }
            let value = format!("{} of {expected} threads have arrived", it.arrived);
            add(format!("barrier {}", it.number), value, "barrier", fields);
        }
        for it in machine.mbarriers(block) {
            let value = format!(
                "phase {} (parity {}), {} of {} arrivals pending, {} bytes pending",
                it.phase,
                it.phase & 1,
                it.pending,
                it.expected,
                it.bytes
            );
            let fields = vec![
                field("phase", it.phase.to_string()),
                field("parity", (it.phase & 1).to_string()),
                field("expected", it.expected.to_string()),
                field("pending", it.pending.to_string()),
                field("bytes", it.bytes.to_string()),
            ];
            let name = self.name_at(scope, it.address);
            add(name, value, "mbarrier", fields);
        }
        for it in machine.operations(frame.view.warp) {
            let value = format!(
                "{} groups closed, {} operations of lanes pending",
                it.closed, it.waiting
            );
            let fields = vec![
                field("closed", it.closed.to_string()),
                field("pending", it.waiting.to_string()),
            ];
            add(
                format!("{:?} async-groups", it.kind),
                value,
                "async-group",
                fields,
            );
        }
        all
    }

    /// The variable in shared memory at an address.
    pub(super) fn name_at(&self, scope: &Scope<'_, 'a>, address: u64) -> String {
        let shared = scope.variables(StateSpace::Shared).into_iter();
        let mut parts = shared.filter_map(|it| scope.variable(it));
        let found =
            parts.find(|it| it.address <= address && address - it.address < it.size().max(1));
        match found {
            Some(it) if it.address == address => format!("mbarrier {}", it.name),
            Some(it) => format!("mbarrier {}+{}", it.name, address - it.address),
            None => format!("mbarrier {address:#x}"),
        }
    }

    pub(super) fn row(&self, frame: FrameRef, row: &Row, handle: Handle, hex: bool) -> Shown {
        let frame = self.focus(frame);
        Shown {
            handle: Some(handle),
            count: WARP,
            ..Shown::plain(
                row.summary(frame.view.lane, frame.lanes, hex),
                row.ty.word(),
            )
        }
    }

    pub(super) fn part(&self, frame: FrameRef, part: Part, hex: bool) -> Result<Shown, Refusal> {
        let ty = part.ty();
        let address = part.address + window(part.space);
        if part.shape.is_empty() {
            let scope = self.scope(frame)?;
            let value = match scope.scalar(&part)? {
                Some(bits) => Type::Number(part.element).show(bits, hex),
                None => "undefined".to_owned(),
            };
            return Ok(Shown {
                address: Some(address),
                ..Shown::plain(value, ty)
            });
        }
        let count = part.shape.first().copied().unwrap_or(0);
        Ok(Shown {
            count: usize::try_from(count).unwrap_or(usize::MAX),
            address: Some(address),
            ..Shown {
                handle: Some(Handle::Part(frame, part)),
                ..Shown::plain(ty.clone(), ty)
            }
        })
    }

    /// The value of what an expression means, in the lane that is shown.
    pub(super) fn value(
        &self,
        frame: FrameRef,
        text: &str,
        found: Found,
        hex: bool,
    ) -> Result<Shown, Refusal> {
        let lane = self.focus(frame).view.lane;
        Ok(match found {
            Found::Row(row, slot) => {
                let handle = match slot {
                    Some(slot) => Handle::Register(frame, text.to_owned(), slot, row.ty),
                    None => Handle::Values(frame, text.to_owned(), row.clone()),
                };
                Shown {
                    handle: Some(handle),
                    count: WARP,
                    ..Shown::plain(row.show(lane, hex), row.ty.word())
                }
            }
            Found::Lane(row, _, lane) => Shown::plain(row.show(lane, hex), row.ty.word()),
            Found::Part(part) => self.part(frame, part, hex)?,
            Found::Number(run::debug::Number::Integer(it)) if hex && it >= 0 => {
                Shown::plain(format!("{it:#x}"), String::new())
            }
            Found::Number(it) => Shown::plain(it.to_string(), String::new()),
        })
    }
}

/// The special registers that are worth a look, with their components.
pub(super) fn special_names(scope: &Scope<'_, '_>) -> Vec<String> {
    let launch = scope.machine.launch();
    let is_clustered = launch.cluster != [1; 3];
    let rest = SPECIAL_REGISTERS.iter().filter(|it| {
        let of_cluster = it.name.contains("cluster");
        !it.name.contains('#')
            && !FIRST.contains(&it.name)
            && !changes(it.name)
            && (is_clustered || !of_cluster)
    });
    let first = FIRST
        .iter()
        .filter_map(|name| SPECIAL_REGISTERS.iter().find(|it| it.name == *name));
    let names = first.chain(rest).flat_map(|it| match it.components {
        [] => vec![it.name.to_owned()],
        // The fourth one is always 0.
        components => components
            .iter()
            .take(3)
            .map(|part| format!("{}.{}", it.name, part.trim_start_matches('.')))
            .collect(),
    });
    names.collect()
}

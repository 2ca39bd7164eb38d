//! The session: requests and their answers, and how a run begins, stops and ends.

use run::{
    Ended, FindingCode,
    debug::{Debugger, Goal, Reason, Stop, Thread, WARP, WarpId, Watch, lane_ranges},
};
use serde_json::{Value, json};

use super::{
    launch::prepare,
    outcome::outcome_event,
    program::{Files, Program, Programs},
    protocol::{
        Answer, Granularity, InitializeArguments, LaunchArguments, Message, Refusal,
        RestartArguments, ThreadArguments, arguments,
    },
    state::{Client, Handle, KernelRun, NAN, Stopped, Wanted},
};

/// How many instructions run between two looks at what the client has sent.
const CHUNK: u64 = 1 << 13;
/// The most warps of a block.
const WARPS: u64 = 32;

/// A debug session with one client.
pub struct Session<'a> {
    pub(super) files: &'a dyn Files,
    programs: &'a Programs,
    pub(super) client: Client,
    pub(super) run: Option<KernelRun<'a>>,
    pub(super) wanted: Wanted,
    /// The data for which breakpoints may be requested.
    pub(super) known_data: Vec<Watch>,
    pub(super) handles: Vec<Handle>,
    /// The lane whose values are shown.
    pub(super) lane: usize,
    pub(super) next_id: u64,
    launched: Option<LaunchArguments>,
    /// A program whose breakpoints were requested before its launch.
    early: Option<&'a Program>,
    is_initialized: bool,
    is_configured: bool,
    is_over: bool,
    sequence: u64,
    out: Vec<String>,
}

impl<'a> Session<'a> {
    /// A session that waits for `initialize`.
    #[must_use]
    pub fn new(files: &'a dyn Files, programs: &'a Programs) -> Session<'a> {
        Session {
            files,
            programs,
            client: Client::default(),
            run: None,
            wanted: Wanted::default(),
            known_data: Vec::new(),
            handles: Vec::new(),
            lane: 0,
            next_id: 1,
            launched: None,
            early: None,
            is_initialized: false,
            is_configured: false,
            is_over: false,
            sequence: 0,
            out: Vec::new(),
        }
    }

    /// The messages for the client, in order.
    pub fn take_messages(&mut self) -> Vec<String> {
        std::mem::take(&mut self.out)
    }

    /// Whether the client has disconnected.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether the kernel runs, so that [`Self::advance`] has something to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.is_over && self.run.as_ref().is_some_and(|it| it.debugger.is_running())
    }

    fn send(&mut self, mut message: Value) {
        self.sequence += 1;
        message["seq"] = self.sequence.into();
        self.out.push(message.to_string());
    }

    pub(super) fn event(&mut self, name: &str, body: Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }

    pub(super) fn output(&mut self, category: &str, text: String) {
        if !text.is_empty() {
            self.event("output", json!({ "category": category, "output": text }));
        }
    }

    /// Takes a message of the client and answers it.
    pub fn receive(&mut self, text: &str) {
        let message: Message = match serde_json::from_str(text) {
            Ok(it) => it,
            Err(error) => {
                self.answer(0, "", Err(format!("this is not a request: {error}").into()));
                return;
            }
        };
        if message.kind != "request" {
            return;
        }
        let Message {
            seq,
            command,
            arguments,
            ..
        } = message;
        if self.is_over {
            self.answer(seq, &command, Err("the session is over".into()));
            return;
        }
        let answer = match self.is_initialized || matches!(&*command, "initialize" | "disconnect") {
            true => self.request(&command, &arguments),
            false => Err("the first request is `initialize`".into()),
        };
        let is_right = answer.is_ok();
        self.answer(seq, &command, answer);
        if is_right {
            self.after(&command);
        }
    }

    fn answer(&mut self, seq: i64, command: &str, answer: Answer) {
        let mut message = json!({ "type": "response", "request_seq": seq, "command": command });
        match answer {
            Ok(body) => {
                message["success"] = true.into();
                if !body.is_null() {
                    message["body"] = body;
                }
            }
            Err(Refusal {
                message: it,
                is_shown,
            }) => {
                message["success"] = false.into();
                message["body"] =
                    json!({ "error": { "id": 1, "format": it, "showUser": is_shown } });
                message["message"] = it.into();
            }
        }
        self.send(message);
    }

    fn request(&mut self, command: &str, value: &Value) -> Answer {
        match command {
            "initialize" => self.initialize(value),
            "launch" => self.launch(arguments(value)?),
            "configurationDone" | "disconnect" => Ok(Value::Null),
            "terminate" => self
                .run
                .is_some()
                .then_some(Value::Null)
                .ok_or_else(not_launched),
            "restart" => self.restart(value),
            "setBreakpoints" => self.set_breakpoints(arguments(value)?),
            "breakpointLocations" => self.breakpoint_locations(&arguments(value)?),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments(value)?),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(&arguments(value)?),
            "dataBreakpointInfo" => self.data_breakpoint_info(&arguments(value)?),
            "setDataBreakpoints" => self.set_data_breakpoints(&arguments(value)?),
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(&arguments(value)?),
            "scopes" => self.scopes(&arguments(value)?),
            "variables" => self.variables(&arguments(value)?),
            "setVariable" => self.set_variable(&arguments(value)?),
            "evaluate" => self.evaluate(&arguments(value)?),
            "setExpression" => self.set_expression(&arguments(value)?),
            "exceptionInfo" => self.exception_info(&arguments(value)?),
            "readMemory" => self.read_memory(&arguments(value)?),
            "writeMemory" => self.write_memory(&arguments(value)?),
            "continue" => self.go(value, |_| Goal::Continue),
            "next" => self.next(value, Goal::Next),
            "stepIn" => self.next(value, Goal::StepIn),
            "ptx/lanes" => self.lanes(&arguments(value)?),
            "ptx/continueToBarrier" => self.go(value, Goal::Barrier),
            "stepOut" => self.go(value, Goal::StepOut),
            "stepBack" => self.go(value, Goal::StepBack),
            "reverseContinue" => self.go(value, |_| Goal::Reverse),
            "pause" => match self.is_running() {
                true => Ok(Value::Null),
                false => Err("the kernel does not run".into()),
            },
            // Requests are answered in their order, so what could be cancelled has been answered.
            "cancel" => Ok(Value::Null),
            "goto" | "gotoTargets" => Err(
                "a run steps backwards and forwards; a jump would make a state that no run has"
                    .into(),
            ),
            _ => Err(format!("`{command}` is not supported").into()),
        }
    }

    /// The events after an answer.
    fn after(&mut self, command: &str) {
        match command {
            "initialize" => self.event("initialized", json!({})),
            "launch" | "configurationDone" => {
                self.is_configured |= command == "configurationDone";
                self.begin();
            }
            "restart" => self.begin(),
            "pause" => {
                let stop = self.run.as_mut().and_then(|it| it.debugger.pause());
                if let Some(stop) = stop {
                    self.stop(stop);
                }
            }
            "terminate" => {
                self.run = None;
                self.event("terminated", json!({}));
            }
            "disconnect" => {
                self.run = None;
                self.is_over = true;
            }
            _ => {}
        }
    }

    fn initialize(&mut self, value: &Value) -> Answer {
        if self.is_initialized {
            return Err("`initialize` is sent once".into());
        }
        let it: InitializeArguments = arguments(value)?;
        self.client = Client {
            first_line: it.lines_start_at1.into(),
            first_column: it.columns_start_at1.into(),
            is_told_of_changes: it.supports_invalidated_event,
            is_told_of_memory: it.supports_memory_event,
            is_told_of_outcomes: it.supports_outcome_event,
        };
        self.is_initialized = true;
        let filters = FindingCode::ALL.iter().map(|it| {
            json!({
                "filter": it.word(),
                "label": it.word().replace('-', " "),
                "default": true,
            })
        });
        let nan = json!({ "filter": NAN, "label": "NaN made", "default": false });
        let filters = filters.chain([nan]);
        Ok(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsFunctionBreakpoints": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsDataBreakpoints": true,
            "supportsBreakpointLocationsRequest": true,
            "supportsEvaluateForHovers": true,
            "supportsStepBack": true,
            "supportsSetVariable": true,
            "supportsSetExpression": true,
            "supportsRestartRequest": true,
            "supportsExceptionInfoRequest": true,
            "supportsValueFormattingOptions": true,
            "supportsReadMemoryRequest": true,
            "supportsWriteMemoryRequest": true,
            "supportsTerminateRequest": true,
            "supportsCancelRequest": true,
            "supportsSteppingGranularity": true,
            "exceptionBreakpointFilters": filters.collect::<Vec<_>>(),
        }))
    }

    /// The program at a path, to find lines in it.
    pub(super) fn program_at(&mut self, path: &str) -> Result<&'a Program, String> {
        if let Some(run) = &self.run {
            return match run.program.is_at(path) {
                true => Ok(run.program),
                false => Err(format!("the program is {}", run.program.path)),
            };
        }
        if let Some(it) = self.early.filter(|it| it.is_at(path)) {
            return Ok(it);
        }
        let program = Program::read(self.files, path)?;
        let program = self.programs.keep(program);
        self.early = Some(program);
        Ok(program)
    }

    fn launch(&mut self, it: LaunchArguments) -> Answer {
        if self.run.is_some() {
            return Err("a kernel has been launched before".into());
        }
        self.load(&it).map_err(shown)?;
        self.launched = Some(it);
        Ok(Value::Null)
    }

    fn load(&mut self, it: &LaunchArguments) -> Result<(), String> {
        let program = Program::read(self.files, &it.program)?;
        let program = self.programs.keep(program);
        if let Some((line, message)) = &program.error {
            return Err(format!("{}:{line}: {message}", program.path));
        }
        let prepared = prepare(self.files, program, it)?;
        let debugger = Debugger::new(
            &program.code,
            prepared.launch.clone(),
            prepared.arrays.clone(),
        );
        self.run = Some(KernelRun {
            program,
            debugger: debugger.map_err(|it| it.0)?,
            prepared,
            stops_on_entry: it.stop_on_entry,
            is_debugged: !it.no_debug,
            has_begun: false,
            stopped: None,
        });
        self.handles.clear();
        self.wanted.watches.clear();
        self.known_data.clear();
        Ok(())
    }

    fn restart(&mut self, value: &Value) -> Answer {
        let new: RestartArguments = arguments(value)?;
        let Some(known) = new.arguments.or_else(|| self.launched.clone()) else {
            return Err(not_launched());
        };
        self.load(&known).map_err(shown)?;
        self.launched = Some(known);
        Ok(Value::Null)
    }

    /// Begins the run once there is one and the client has set its breakpoints.
    fn begin(&mut self) {
        let Some(run) = self
            .run
            .as_mut()
            .filter(|it| self.is_configured && !it.has_begun)
        else {
            return;
        };
        run.has_begun = true;
        let stops = run.stops_on_entry && run.is_debugged;
        let thread = run.debugger.current();
        self.publish_breakpoints();
        if stops {
            self.stop(Stop {
                reason: Reason::Entry,
                thread,
            });
        } else if let Some(run) = &mut self.run {
            run.debugger.start(Goal::Continue, false);
        }
    }

    /// Runs the kernel for a while.
    pub fn advance(&mut self) {
        let Some(run) = &mut self.run else {
            return;
        };
        let stop = run.debugger.advance(CHUNK);
        let printed = run.debugger.take_printed();
        let logs = run.debugger.take_logs();
        self.output("stdout", printed);
        for it in logs {
            self.output("console", it + "\n");
        }
        if let Some(stop) = stop {
            self.stop(stop);
        }
    }

    /// A step of an instruction, or of a source line.
    fn next(&mut self, value: &Value, goal: impl FnOnce(Thread) -> Goal) -> Answer {
        let it: ThreadArguments = arguments(value)?;
        match it.granularity {
            Some(Granularity::Line) => self.go(value, Goal::Line),
            _ => self.go(value, goal),
        }
    }

    fn go(&mut self, value: &Value, goal: impl FnOnce(Thread) -> Goal) -> Answer {
        let it: ThreadArguments = arguments(value)?;
        let thread = self.thread(it.thread_id)?;
        let run = self.stopped_run()?;
        run.stopped = None;
        run.debugger.start(goal(thread), true);
        self.handles.clear();
        Ok(json!({ "allThreadsContinued": true }))
    }

    /// The run, if it is stopped.
    pub(super) fn stopped_run(&mut self) -> Result<&mut KernelRun<'a>, Refusal> {
        let run = self.run.as_mut().ok_or_else(not_launched)?;
        match run.stopped.is_some() {
            true => Ok(run),
            false => Err("notStopped".into()),
        }
    }

    /// The number of a thread: warps are numbered through the grid, and their lanes in them.
    pub(super) fn thread_id(thread: Thread) -> i64 {
        let warp = thread.warp.block * WARPS + u64::from(thread.warp.warp);
        (warp * WARP as u64 + thread.lane as u64) as i64 + 1
    }

    /// The thread with a number, if its block runs now.
    pub(super) fn thread(&mut self, id: i64) -> Result<Thread, Refusal> {
        let unknown = || Refusal::from(format!("there is no thread {id}"));
        let number = u64::try_from(id - 1).map_err(|_| unknown())?;
        let (warp, lane) = (number / WARP as u64, (number % WARP as u64) as usize);
        let thread = Thread {
            warp: WarpId {
                block: warp / WARPS,
                warp: (warp % WARPS) as u32,
            },
            lane,
        };
        let run = self.stopped_run()?;
        match run.debugger.machine().warp_view(thread.warp) {
            Some(_) => Ok(thread),
            None => Err(unknown()),
        }
    }

    /// Reports a stop.
    fn stop(&mut self, stop: Stop) {
        self.handles.clear();
        let Some(run) = &mut self.run else {
            return;
        };
        let is_debugged = run.is_debugged;
        let (reason, description, text) = match &stop.reason {
            Reason::Ended => return self.finish(),
            Reason::Entry => ("entry", "Stopped at the start".to_owned(), None),
            Reason::Step => ("step", "Stopped after a step".to_owned(), None),
            Reason::Pause => ("pause", "Paused".to_owned(), None),
            Reason::Breakpoint(_) => ("breakpoint", "Stopped at a breakpoint".to_owned(), None),
            Reason::Data(id) => {
                let watch = run.debugger.points.watches.iter().find(|it| it.id == *id);
                let name = watch.map_or("", |it| &*it.name);
                let text = format!("`{name}` has changed");
                ("data breakpoint", text.clone(), Some(text))
            }
            Reason::Nan(mask) => {
                let text = format!(
                    "the next instruction makes NaN in lanes {}, and none of its operands is NaN there",
                    lane_ranges(*mask)
                );
                (
                    "exception",
                    "Stopped where NaN is made".to_owned(),
                    Some(text),
                )
            }
            Reason::Finding(findings) => {
                let texts: Vec<String> =
                    findings.iter().map(|it| finding(run.program, it)).collect();
                let text = texts.join("\n");
                let code = findings.first().map_or("", |it| it.code.word());
                (
                    "exception",
                    format!("Stopped at a finding: {code}"),
                    Some(text),
                )
            }
        };
        if !is_debugged {
            // Findings are reported at the end.
            run.debugger.start(Goal::Continue, true);
            return;
        }
        let findings = match &stop.reason {
            Reason::Finding(findings) => findings.clone(),
            _ => Vec::new(),
        };
        let mask = stop
            .thread
            .and_then(|it| run.debugger.group(it))
            .map_or(0, |it| it.lanes);
        let mut id = None;
        if let Some(thread) = stop.thread {
            let keeps =
                matches!(stop.reason, Reason::Step | Reason::Pause) && mask >> self.lane & 1 == 1;
            if !keeps {
                self.lane = thread.lane;
            }
            // The threads that are listed are known by their lowest lanes.
            let lane = match mask {
                0 => thread.lane,
                _ => mask.trailing_zeros() as usize,
            };
            id = Some(Self::thread_id(Thread { lane, ..thread }));
        }
        run.stopped = Some(Stopped {
            thread: stop.thread,
            findings,
            nan: text
                .clone()
                .filter(|_| matches!(stop.reason, Reason::Nan(_))),
        });
        let mut body = json!({
            "reason": reason,
            "description": description,
            "threadId": id.unwrap_or(1),
            "allThreadsStopped": true,
            "preserveFocusHint": false,
        });
        if let Some(text) = text {
            body["text"] = text.into();
        }
        if let Reason::Breakpoint(ids) = &stop.reason {
            body["hitBreakpointIds"] = json!(ids);
        }
        if let Reason::Data(id) = &stop.reason {
            body["hitBreakpointIds"] = json!([id]);
        }
        self.event("stopped", body);
    }

    /// Reports the end of the kernel.
    fn finish(&mut self) {
        let Some(run) = &mut self.run else {
            return;
        };
        let printed = run.debugger.take_printed();
        let outcome = run.debugger.machine().outcome();
        let mut lines = Vec::new();
        for it in &outcome.findings {
            lines.push(finding(run.program, it));
        }
        for it in &outcome.not_run {
            let place = run.program.shown(it.range);
            lines.push(format!("{place}: {} is not run yet", it.what));
        }
        lines.extend(outcome.wrong_launch.clone());
        let is_stopped = matches!(outcome.ended, Ended::Stopped | Ended::Limit);
        let mut fails = !outcome.findings.is_empty() || outcome.ended != Ended::Finished;
        if outcome.ended == Ended::Limit {
            lines.push("the run has reached a limit".to_owned());
        }
        if !is_stopped {
            for it in run.prepared.judge(&outcome) {
                if it.holds() {
                    lines.push(format!("`{}`: as expected", it.name));
                    continue;
                }
                fails = true;
                let mut line = format!(
                    "`{}`: {} of {} elements differ",
                    it.name, it.different, it.of
                );
                if let Some(first) = it.first {
                    let index: Vec<String> = first.index.iter().map(u64::to_string).collect();
                    line += &format!(
                        "; [{}] is {}, expected {}",
                        index.join(", "),
                        first.got,
                        first.want
                    );
                }
                lines.push(line);
            }
        }
        lines.push(format!("{} instructions of warps", outcome.steps));
        let code = match (is_stopped, &outcome.wrong_launch) {
            (_, Some(_)) => 2,
            (true, None) => 3,
            (false, None) => i32::from(fails),
        };
        let told = self
            .client
            .is_told_of_outcomes
            .then(|| outcome_event(run, &outcome, self.client));
        self.run = None;
        self.handles.clear();
        self.output("stdout", printed);
        self.output("console", lines.join("\n") + "\n");
        if let Some(it) = told {
            self.event("ptx/outcome", it);
        }
        self.event("exited", json!({ "exitCode": code }));
        self.event("terminated", json!({}));
    }
}

/// A finding with its places.
pub(super) fn finding(program: &Program, it: &run::Finding) -> String {
    let mut text = format!(
        "{}: {}: {}",
        program.shown(it.range),
        it.code.word(),
        it.message
    );
    for other in &it.related {
        text += &format!("\n{}: {}", program.shown(other.range), other.message);
    }
    text
}

pub(super) fn not_launched() -> Refusal {
    "no kernel has been launched".into()
}

/// A refusal that a person should see.
fn shown(message: String) -> Refusal {
    Refusal {
        message,
        is_shown: true,
    }
}

use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{Files, Programs, Session};

struct Memory(FxHashMap<String, String>);

impl Files for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.0.get(path);
        text.map(|it| it.clone().into_bytes())
            .ok_or_else(|| "there is no such file".to_owned())
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<Vec<u8>, String> {
        self.read(&format!("{folder}/{name}"))
    }
}

/// Doubles the elements of an array, by a function, through shared memory.
const DOUBLE: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.shared .align 4 .b32 tile[64];

.func (.reg .u32 %out) twice(.reg .u32 %in)
{
    add.u32 %out, %in, %in;
    ret;
}

// run: grid=[1] block=[64] args.x={ramp=[64], type=\"u32\"} args.n={value=2} expect.x={value=3}
.visible .entry double(.param .u64 x, .param .u32 n)
{
    .reg .b64 %p, %a;
    .reg .u32 %t, %r, %s;
    .reg .f32 %f;
    .reg .pred %c;
    ld.param.u64 %p, [x];
    cvta.to.global.u64 %p, %p;
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %p;
    ld.global.u32 %r, [%a];
    call (%s), twice, (%r);
    mov.u32 %r, tile;
    mad.lo.u32 %r, %t, 4, %r;
    st.shared.u32 [%r], %s;
    bar.sync 0;
    setp.lt.u32 %c, %t, 16;
    mov.f32 %f, 0f3FC00000;
    @%c bra $small;
    add.u32 %s, %s, 1;
$small:
    st.global.u32 [%a], %s;
    ret;
}
";

/// Each thread reads what its neighbour writes.
const RACE: &str = "\
.version 8.5
.target sm_90a
.address_size 64
// run: block=[64] args.y={zeros=[64], type=\"u32\"}
.visible .entry race(.param .u64 y)
{
    .reg .b64 %p;
    .reg .u32 %t, %r;
    .shared .align 4 .b32 tile[64];
    mov.u32 %t, %tid.x;
    mov.u32 %r, tile;
    mad.lo.u32 %r, %t, 4, %r;
    st.shared.u32 [%r], %t;
    xor.b32 %r, %r, 128;
    ld.shared.u32 %t, [%r];
    ret;
}
";

const BROKEN: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.visible .entry broken()
{
    add.u32 %r, 1, 2;
}
";

fn files() -> Memory {
    let files = [
        ("/k/double.ptx", DOUBLE),
        ("/k/race.ptx", RACE),
        ("/k/broken.ptx", BROKEN),
        (
            "/k/double.toml",
            "block = [32]\n[args.x]\nfile = \"missing.npy\"\n",
        ),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Memory(files.into_iter().collect())
}

/// What a message says, without what is the same in all of them.
fn shown(text: &str) -> String {
    let message: Value = serde_json::from_str(text).unwrap();
    let word = |key: &str| message[key].as_str().unwrap_or("").to_owned();
    let mut body = message["body"].clone();
    if let Some(body) = body.as_object_mut() {
        for key in [
            "allThreadsStopped",
            "preserveFocusHint",
            "description",
            "source",
        ] {
            body.remove(key);
        }
    }
    let body = match body.is_null() {
        true => String::new(),
        false => format!(" {body}"),
    };
    match (&*word("type"), message["success"].as_bool()) {
        ("event", _) => format!("event {}{body}", word("event")),
        (_, Some(true)) => format!("{}:{body}", word("command")),
        _ => format!("{} fails: {}", word("command"), word("message")),
    }
}

/// A client that sends the lines of a script: a command and its arguments. Capitals stand for numbers of the answer
/// before: `FRAME` for that of the first frame, and the name of a scope or variable in brackets for its children.
struct Client<'a> {
    session: Session<'a>,
    sequence: i64,
    frame: i64,
    known: FxHashMap<String, i64>,
}

impl Client<'_> {
    fn send(&mut self, line: &str) -> Vec<String> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, "{}"));
        let mut rest = rest.replace("FRAME", &self.frame.to_string());
        for (name, id) in &self.known {
            rest = rest.replace(&format!("<{name}>"), &id.to_string());
        }
        let arguments: Value =
            serde_json::from_str(&rest).unwrap_or_else(|it| panic!("{it}: {rest}"));
        self.sequence += 1;
        let request = json!({
            "seq": self.sequence,
            "type": "request",
            "command": command,
            "arguments": arguments,
        });
        self.session.receive(&request.to_string());
        let mut out = self.session.take_messages();
        while self.session.is_running() {
            self.session.advance();
            out.extend(self.session.take_messages());
        }
        for text in &out {
            let message: Value = serde_json::from_str(text).unwrap();
            let body = &message["body"];
            if let Some(id) = body["stackFrames"][0]["id"].as_i64() {
                self.frame = id;
            }
            for key in ["scopes", "variables"] {
                for it in body[key].as_array().into_iter().flatten() {
                    let id = it["variablesReference"].as_i64().unwrap();
                    self.known
                        .insert(it["name"].as_str().unwrap().to_owned(), id);
                }
            }
        }
        out
    }
}

fn run(script: &str) -> String {
    let files = files();
    let programs = Programs::default();
    let mut client = Client {
        session: Session::new(&files, &programs),
        sequence: 0,
        frame: 0,
        known: FxHashMap::default(),
    };
    let mut out = String::new();
    for line in script.lines().map(str::trim).filter(|it| !it.is_empty()) {
        // What is not of interest is not shown.
        let (line, is_shown) = match line.strip_prefix('-') {
            Some(rest) => (rest.trim(), false),
            None => (line, true),
        };
        for message in client.send(line) {
            if is_shown {
                out += &shown(&message);
                out.push('\n');
            }
        }
    }
    out
}

#[track_caller]
fn check(script: &str, expect: Expect) {
    expect.assert_eq(&run(script));
}

const START: &str = "\
    - initialize
    - launch {\"program\":\"/k/double.ptx\",\"stopOnEntry\":true}
    - configurationDone
    - stackTrace {\"threadId\":1}
";

#[track_caller]
fn check_started(script: &str, expect: Expect) {
    check(&format!("{START}{script}"), expect);
}

#[test]
fn a_launch_runs_to_its_end() {
    check(
        "- initialize
        launch {\"program\":\"/k/double.ptx\"}
        configurationDone
        threads {}
        disconnect",
        expect![[""]],
    );
}

#[test]
fn wrong_launches_are_refused() {
    check(
        "launch {\"program\":\"/k/double.ptx\"}
        - initialize
        initialize
        launch {}
        launch {\"program\":\"/k/none.ptx\"}
        launch {\"program\":\"/k/broken.ptx\"}
        launch {\"program\":\"/k/double.ptx\",\"entry\":\"x\"}
        launch {\"program\":\"/k/double.ptx\",\"launch\":7}
        launch {\"program\":\"/k/double.ptx\",\"launch\":{\"grid\":[0]}}
        launch {\"program\":\"/k/double.ptx\",\"launch\":{\"block\":[32],\"args\":{\"y\":{\"zeros\":[3]}}}}
        launch {\"program\":\"/k/double.ptx\",\"launch\":\"/k/double.toml\"}
        launch {\"program\":\"/k/double.ptx\",\"launch\":\"/k/none.toml\"}
        launch {\"program\":\"/k/double.ptx\",\"schedule\":\"best\"}
        continue {\"threadId\":1}
        pause {\"threadId\":1}
        restart
        terminate
        goto {\"threadId\":1,\"targetId\":1}
        modules
        - launch {\"program\":\"/k/double.ptx\"}
        launch {\"program\":\"/k/double.ptx\"}
        cancel {}
        disconnect
        threads",
        expect![[""]],
    );
}

#[test]
fn breakpoints_have_conditions_counts_and_messages() {
    check(
        "- initialize
        setBreakpoints {\"source\":{\"path\":\"/k/double.ptx\"},\"breakpoints\":[{\"line\":23,\"condition\":\"%tid.x == 35\"},{\"line\":12},{\"line\":21,\"hitCondition\":\"2\"},{\"line\":100},{\"line\":22,\"logMessage\":\"t = {%t}, {%q}\"},{\"line\":22,\"condition\":\"%t ==\"}]}
        setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"twice\"}]}
        - launch {\"program\":\"/k/double.ptx\"}
        configurationDone
        setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"twice\",\"condition\":\"%in == 40\"},{\"name\":\"thrice\"}]}
        evaluate {\"expression\":\"%t\"}
        continue {\"threadId\":1}
        evaluate {\"expression\":\"%t\"}
        continue {\"threadId\":1}
        evaluate {\"expression\":\"%in\"}
        breakpointLocations {\"source\":{\"path\":\"/k/double.ptx\"},\"line\":1,\"endLine\":10}
        breakpointLocations {\"source\":{},\"line\":1}
        setBreakpoints {\"source\":{\"path\":\"/k/other.ptx\"},\"breakpoints\":[{\"line\":1}]}
        setBreakpoints {\"source\":{}}
        continue {\"threadId\":1}",
        expect![[""]],
    );
}

#[test]
fn steps_forwards_and_backwards() {
    check_started(
        "next {\"threadId\":1}
        - next {\"threadId\":1}
        - next {\"threadId\":1}
        - next {\"threadId\":1}
        - next {\"threadId\":1}
        stackTrace {\"threadId\":1}
        stepIn {\"threadId\":1}
        stackTrace {\"threadId\":1}
        stackTrace {\"threadId\":1,\"startFrame\":1,\"levels\":1}
        evaluate {\"expression\":\"%in\"}
        stepOut {\"threadId\":1}
        stackTrace {\"threadId\":1}
        evaluate {\"expression\":\"%s[3]\"}
        stepBack {\"threadId\":1}
        stackTrace {\"threadId\":1}
        - next {\"threadId\":1}
        stepBack {\"threadId\":1}
        stepBack {\"threadId\":1}
        stepBack {\"threadId\":1}
        stackTrace {\"threadId\":1}
        next {\"threadId\":1}
        next {\"threadId\":1}
        evaluate {\"expression\":\"%s[3]\"}
        reverseContinue {\"threadId\":1}
        stackTrace {\"threadId\":1}
        stepBack {\"threadId\":1}
        next {\"threadId\":9999}
        next {}
        restart
        continue {\"threadId\":1}",
        expect![[""]],
    );
}

#[test]
fn registers_are_summed_up() {
    check_started(
        "scopes {\"frameId\":FRAME}
        - setBreakpoints {\"source\":{\"path\":\"/k/double.ptx\"},\"breakpoints\":[{\"line\":31}]}
        - continue {\"threadId\":1}
        threads
        - stackTrace {\"threadId\":1}
        - scopes {\"frameId\":FRAME}
        variables {\"variablesReference\":<Registers>}
        variables {\"variablesReference\":<%t>,\"start\":3,\"count\":2}
        variables {\"variablesReference\":<%t>,\"filter\":\"named\"}
        variables {\"variablesReference\":<Special>,\"count\":8}
        variables {\"variablesReference\":<Parameters>}
        variables {\"variablesReference\":<Shared>}
        variables {\"variablesReference\":<tile>,\"start\":2,\"count\":2,\"format\":{\"hex\":true}}
        variables {\"variablesReference\":<Barriers>}
        variables {\"variablesReference\":999}
        scopes {\"frameId\":999}
        evaluate {\"expression\":\"lane 5\"}
        evaluate {\"expression\":\"%t\"}
        evaluate {\"expression\":\"%t[7]\"}
        evaluate {\"expression\":\"%tid.x\"}
        evaluate {\"expression\":\"f32(%f)\"}
        evaluate {\"expression\":\"u32(%f)\",\"format\":{\"hex\":true}}
        evaluate {\"expression\":\"shared.tile[3]\"}
        evaluate {\"expression\":\"shared tile[3]\"}
        evaluate {\"expression\":\"tile[64]\"}
        evaluate {\"expression\":\"x[3] + n * 2\"}
        evaluate {\"expression\":\"%t == 5 && 1.5 > 1\"}
        evaluate {\"expression\":\"%none\"}
        evaluate {\"expression\":\"1 +\"}
        evaluate {\"expression\":\"lane 32\"}
        evaluate {}",
        expect![[""]],
    );
}

#[test]
fn values_can_be_changed() {
    check_started(
        "- setBreakpoints {\"source\":{\"path\":\"/k/double.ptx\"},\"breakpoints\":[{\"line\":31}]}
        - continue {\"threadId\":1}
        - stackTrace {\"threadId\":1}
        - scopes {\"frameId\":FRAME}
        - variables {\"variablesReference\":<Registers>}
        setVariable {\"variablesReference\":<Registers>,\"name\":\"%s\",\"value\":\"100\"}
        setVariable {\"variablesReference\":<%s>,\"name\":\"[3]\",\"value\":\"0x10\"}
        setVariable {\"variablesReference\":<Registers>,\"name\":\"%f\",\"value\":\"2.5\"}
        setVariable {\"variablesReference\":<Registers>,\"name\":\"%s\",\"value\":\"-1\"}
        setVariable {\"variablesReference\":<Registers>,\"name\":\"%s\",\"value\":\"99999999999\"}
        setVariable {\"variablesReference\":<Special>,\"name\":\"%tid.x\",\"value\":\"1\"}
        setExpression {\"expression\":\"shared.tile[2]\",\"value\":\"7\"}
        evaluate {\"expression\":\"%s[3] = %s[3] + 1\"}
        readMemory {\"memoryReference\":\"shared.tile\",\"offset\":8,\"count\":4}
        readMemory {\"memoryReference\":\"0x0\",\"count\":4}
        readMemory {\"memoryReference\":\"%s\",\"count\":4}
        writeMemory {\"memoryReference\":\"x\",\"offset\":4,\"data\":\"BQAAAA==\"}
        writeMemory {\"memoryReference\":\"x\",\"offset\":4,\"data\":\"?\"}
        writeMemory {\"memoryReference\":\"0x0\",\"data\":\"BQAAAA==\"}
        evaluate {\"expression\":\"x[1]\"}
        - stepBack {\"threadId\":1}
        - next {\"threadId\":1}
        evaluate {\"expression\":\"%s[3]\"}",
        expect![[""]],
    );
}

#[test]
fn findings_stop_the_run() {
    check(
        "- initialize
        - launch {\"program\":\"/k/race.ptx\"}
        setExceptionBreakpoints {\"filters\":[\"race\",\"none\"]}
        configurationDone
        exceptionInfo {\"threadId\":1}
        stackTrace {\"threadId\":1}
        evaluate {\"expression\":\"%tid.x\"}
        stepBack {\"threadId\":1}
        exceptionInfo {\"threadId\":1}
        continue {\"threadId\":1}
        continue {\"threadId\":1}",
        expect![[""]],
    );
    check(
        "- initialize
        - launch {\"program\":\"/k/race.ptx\"}
        setExceptionBreakpoints {\"filters\":[]}
        configurationDone",
        expect![[""]],
    );
    check(
        "- initialize
        - launch {\"program\":\"/k/race.ptx\",\"noDebug\":true,\"stopOnEntry\":true}
        configurationDone",
        expect![[""]],
    );
}

#[test]
fn data_that_changes_stops_the_run() {
    check_started(
        "dataBreakpointInfo {\"name\":\"shared.tile[3]\"}
        dataBreakpointInfo {\"name\":\"%s\"}
        dataBreakpointInfo {\"name\":\"%tid.x\"}
        dataBreakpointInfo {\"name\":\"tile[\"}
        setDataBreakpoints {\"breakpoints\":[{\"dataId\":\"1\",\"accessType\":\"write\"},{\"dataId\":\"2\",\"accessType\":\"read\"},{\"dataId\":\"9\"}]}
        continue {\"threadId\":1}
        stackTrace {\"threadId\":1}
        reverseContinue {\"threadId\":1}
        stackTrace {\"threadId\":1}",
        expect![[""]],
    );
}

#[test]
fn what_is_not_the_protocol_is_answered() {
    let files = files();
    let programs = Programs::default();
    let mut session = Session::new(&files, &programs);
    let mut out = String::new();
    for text in [
        "",
        "{",
        "[]",
        "{\"type\":\"request\"}",
        "{\"type\":\"event\",\"event\":\"x\"}",
        "{\"type\":\"request\",\"seq\":1,\"command\":\"initialize\",\"arguments\":[]}",
        "{\"type\":\"request\",\"seq\":2,\"command\":\"initialize\"}",
        "{\"type\":\"request\",\"seq\":3,\"command\":\"variables\",\"arguments\":{\"variablesReference\":\"x\"}}",
    ] {
        session.receive(text);
        for it in session.take_messages() {
            if !it.contains("supportsRestart") {
                out += &shown(&it);
                out.push('\n');
            }
        }
    }
    expect![[""]].assert_eq(&out);
}

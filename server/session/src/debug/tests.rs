use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::{Files, Programs, Session};

mod source;

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
        ("/k/made.ptx", source::MADE),
        ("/k/lanes.ptx", source::LANES),
        ("/k/last.ptx", source::LAST),
        (
            "/k/double.toml",
            "block = [32]\n[args.x]\nfile = \"missing.npy\"\n",
        ),
    ];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
    Memory(files.into_iter().collect())
}

/// The contents of a message, without the fields that are the same in all of them.
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
/// before: `FRAME` for the number of the first frame, and the name of a scope or variable in brackets for its children.
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
        expect![[r#"
            launch:
            configurationDone:
            event output {"category":"console","output":"`x`: 64 of 64 elements differ; [0] is 0, expected 3\n37 instructions of warps\n"}
            event exited {"exitCode":1}
            event terminated {}
            threads fails: no kernel has been launched
            disconnect:
        "#]],
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
        expect![[r#"
            launch fails: the first request is `initialize`
            initialize fails: `initialize` is sent once
            launch fails: wrong arguments: missing field `program`
            launch fails: /k/none.ptx: there is no such file
            launch fails: /k/broken.ptx:6: `%r` is not declared
            launch fails: /k/double.ptx: there is no entry `x` (entries: double)
            launch fails: `launch` is the path of a launch file, or an object
            launch fails: launch: grid: 0 is not from 1 to 4294967295
            launch fails: launch: args.y: `type` is missing: the type of an element (allowed: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, ue4m3, ue5m3, s2f6, s8, s16, s32, s64, u8, u16, u32, u64, b8, b16, b32, b64)
            launch fails: /k/double.toml:2:1: args.x.file: missing.npy: there is no such file
            launch fails: /k/none.toml: there is no such file
            launch fails: `schedule` is lowest, reverse or random:SEED, where SEED is a number, not "best"
            continue fails: no kernel has been launched
            pause fails: the kernel does not run
            restart fails: no kernel has been launched
            terminate fails: no kernel has been launched
            goto fails: a run steps backwards and forwards; a jump would make a state that no run has
            modules fails: `modules` is not supported
            launch fails: a kernel has been launched before
            cancel:
            disconnect:
            threads fails: the session is over
        "#]],
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
        expect![[r#"
            setBreakpoints: {"breakpoints":[{"column":5,"endColumn":28,"endLine":23,"id":1,"line":23,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},{"id":2,"message":"there is no instruction here","reason":"failed","verified":false},{"column":5,"endColumn":24,"endLine":21,"id":3,"line":21,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},{"id":4,"message":"there is no instruction here","reason":"failed","verified":false},{"column":5,"endColumn":32,"endLine":22,"id":5,"line":22,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},{"id":6,"message":"expected a value","reason":"failed","verified":false}]}
            setFunctionBreakpoints: {"breakpoints":[{"id":7,"message":"no kernel has been launched yet","reason":"pending","verified":false}]}
            configurationDone:
            event breakpoint {"breakpoint":{"column":5,"endColumn":28,"endLine":23,"id":1,"line":23,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},"reason":"changed"}
            event breakpoint {"breakpoint":{"id":2,"message":"there is no instruction here","reason":"failed","verified":false},"reason":"changed"}
            event breakpoint {"breakpoint":{"column":5,"endColumn":24,"endLine":21,"id":3,"line":21,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},"reason":"changed"}
            event breakpoint {"breakpoint":{"id":4,"message":"there is no instruction here","reason":"failed","verified":false},"reason":"changed"}
            event breakpoint {"breakpoint":{"column":5,"endColumn":32,"endLine":22,"id":5,"line":22,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},"reason":"changed"}
            event breakpoint {"breakpoint":{"id":6,"message":"expected a value","reason":"failed","verified":false},"reason":"changed"}
            event breakpoint {"breakpoint":{"column":5,"endColumn":28,"endLine":8,"id":7,"line":8,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},"reason":"changed"}
            event output {"category":"console","output":"t = 0, <there is no register `%q` here>\n"}
            event stopped {"hitBreakpointIds":[7],"reason":"breakpoint","threadId":1}
            setFunctionBreakpoints: {"breakpoints":[{"column":5,"endColumn":28,"endLine":8,"id":8,"line":8,"source":{"name":"double.ptx","path":"/k/double.ptx"},"verified":true},{"id":9,"message":"there is no function `thrice` (functions: twice, double)","reason":"failed","verified":false}]}
            evaluate fails: there is no register `%t` here
            continue: {"allThreadsContinued":true}
            event stopped {"hitBreakpointIds":[3],"reason":"breakpoint","threadId":33}
            evaluate: {"indexedVariables":32,"result":"undefined","type":"u32","variablesReference":1}
            continue: {"allThreadsContinued":true}
            event output {"category":"console","output":"t = 32, <there is no register `%q` here>\n"}
            event stopped {"hitBreakpointIds":[1],"reason":"breakpoint","threadId":33}
            evaluate fails: there is no register `%in` here
            breakpointLocations: {"breakpoints":[{"line":8},{"line":9}]}
            breakpointLocations fails: a source has a path
            setBreakpoints: {"breakpoints":[{"id":10,"message":"the program is /k/double.ptx","verified":false}]}
            setBreakpoints fails: a source has a path
            continue: {"allThreadsContinued":true}
            event stopped {"hitBreakpointIds":[8],"reason":"breakpoint","threadId":33}
        "#]],
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
        expect![[r#"
            next: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":28,"endLine":24,"id":1,"line":24,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
            stepIn: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":28,"endLine":8,"id":1,"line":8,"name":"twice","source":{"name":"double.ptx","path":"/k/double.ptx"}},{"column":5,"endColumn":28,"endLine":24,"id":2,"line":24,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":2}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":28,"endLine":24,"id":2,"line":24,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":2}
            evaluate: {"indexedVariables":32,"result":"0","type":"u32","variablesReference":3}
            stepOut: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":22,"endLine":25,"id":1,"line":25,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
            evaluate: {"result":"6","type":"u32","variablesReference":0}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":9,"endLine":9,"id":1,"line":9,"name":"twice","source":{"name":"double.ptx","path":"/k/double.ptx"}},{"column":5,"endColumn":28,"endLine":24,"id":2,"line":24,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":2}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":28,"endLine":24,"id":1,"line":24,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
            next: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            next: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            evaluate: {"result":"6","type":"u32","variablesReference":0}
            reverseContinue: {"allThreadsContinued":true}
            event stopped {"reason":"entry","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":26,"endLine":19,"id":1,"line":19,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"entry","threadId":1}
            next fails: there is no thread 9999
            next fails: wrong arguments: missing field `threadId`
            restart:
            event stopped {"reason":"entry","threadId":1}
            continue: {"allThreadsContinued":true}
            event output {"category":"console","output":"`x`: 64 of 64 elements differ; [0] is 0, expected 3\n37 instructions of warps\n"}
            event exited {"exitCode":1}
            event terminated {}
        "#]],
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
        expect![[r#"
            scopes: {"scopes":[{"expensive":false,"name":"Registers","namedVariables":7,"presentationHint":"registers","variablesReference":2},{"expensive":false,"name":"Special","variablesReference":3},{"expensive":false,"name":"Parameters","variablesReference":4},{"expensive":false,"name":"Shared","variablesReference":5},{"expensive":false,"name":"Global","namedVariables":1,"variablesReference":6},{"expensive":false,"name":"Barriers","variablesReference":7}]}
            threads: {"threads":[{"id":1,"name":"block 0,0 warp 0"},{"id":33,"name":"block 0,0 warp 1"}]}
            variables: {"variables":[{"evaluateName":"%p","indexedVariables":32,"name":"%p","type":"u64","value":"139637976727552 in all lanes","variablesReference":8},{"evaluateName":"%t","indexedVariables":32,"name":"%t","type":"u32","value":"0 (lane)","variablesReference":9},{"evaluateName":"%a","indexedVariables":32,"name":"%a","type":"u64","value":"139637976727552 (139637976727552 + 4*lane)","variablesReference":10},{"evaluateName":"%r","indexedVariables":32,"name":"%r","type":"u32","value":"1024 (1024 + 4*lane)","variablesReference":11},{"evaluateName":"%s","indexedVariables":32,"name":"%s","type":"u32","value":"0 (2*lane)","variablesReference":12},{"evaluateName":"%c","indexedVariables":32,"name":"%c","type":"pred","value":"undefined in all lanes","variablesReference":13},{"evaluateName":"%f","indexedVariables":32,"name":"%f","type":"f32","value":"undefined in all lanes","variablesReference":14}]}
            variables: {"variables":[{"evaluateName":"%t[3]","name":"[3]","type":"u32","value":"3","variablesReference":0},{"evaluateName":"%t[4]","name":"[4]","type":"u32","value":"4","variablesReference":0}]}
            variables: {"variables":[]}
            variables: {"variables":[{"evaluateName":"%tid.x","indexedVariables":32,"name":"%tid.x","type":"u32","value":"0 (lane)","variablesReference":15},{"evaluateName":"%tid.y","indexedVariables":32,"name":"%tid.y","type":"u32","value":"0 in all lanes","variablesReference":16},{"evaluateName":"%tid.z","indexedVariables":32,"name":"%tid.z","type":"u32","value":"0 in all lanes","variablesReference":17},{"evaluateName":"%ctaid.x","indexedVariables":32,"name":"%ctaid.x","type":"u32","value":"0 in all lanes","variablesReference":18},{"evaluateName":"%ctaid.y","indexedVariables":32,"name":"%ctaid.y","type":"u32","value":"0 in all lanes","variablesReference":19},{"evaluateName":"%ctaid.z","indexedVariables":32,"name":"%ctaid.z","type":"u32","value":"0 in all lanes","variablesReference":20},{"evaluateName":"%ntid.x","indexedVariables":32,"name":"%ntid.x","type":"u32","value":"64 in all lanes","variablesReference":21},{"evaluateName":"%ntid.y","indexedVariables":32,"name":"%ntid.y","type":"u32","value":"1 in all lanes","variablesReference":22}]}
            variables: {"variables":[{"evaluateName":"x","indexedVariables":64,"memoryReference":"0x7f0000000000","name":"x","type":"u32[64]","value":"0x7f0000000000 u32[64]","variablesReference":23},{"evaluateName":"n","memoryReference":"0x40000000108","name":"n","type":"u32","value":"2","variablesReference":0}]}
            variables: {"variables":[{"evaluateName":"shared.tile","indexedVariables":64,"memoryReference":"0x10000000400","name":"tile","type":"b32[64]","value":"b32[64]","variablesReference":24}]}
            variables: {"variables":[{"evaluateName":"tile[2]","memoryReference":"0x10000000408","name":"[2]","type":"b32","value":"0x4","variablesReference":0},{"evaluateName":"tile[3]","memoryReference":"0x1000000040c","name":"[3]","type":"b32","value":"0x6","variablesReference":0}]}
            variables: {"variables":[]}
            variables fails: 999 means nothing at this stop
            scopes fails: 999 means nothing at this stop
            evaluate: {"result":"lane 5","variablesReference":0}
            evaluate: {"indexedVariables":32,"result":"37","type":"u32","variablesReference":25}
            evaluate: {"result":"39","type":"u32","variablesReference":0}
            evaluate: {"indexedVariables":32,"result":"37","type":"u32","variablesReference":26}
            evaluate: {"indexedVariables":32,"result":"1.5","type":"f32","variablesReference":27}
            evaluate: {"indexedVariables":32,"result":"0x3fc00000","type":"u32","variablesReference":28}
            evaluate: {"memoryReference":"0x1000000040c","result":"6","type":"b32","variablesReference":0}
            evaluate: {"memoryReference":"0x1000000040c","result":"6","type":"b32","variablesReference":0}
            evaluate fails: index 64 is outside `tile`, which has 64 elements
            evaluate: {"result":"7","type":"","variablesReference":0}
            evaluate: {"result":"0","type":"","variablesReference":0}
            evaluate fails: there is no register `%none` here
            evaluate fails: expected a value
            evaluate fails: `32` is not a lane: lanes are 0 to 31
            evaluate fails: wrong arguments: missing field `expression`
        "#]],
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
        expect![[r#"
            setVariable: {"indexedVariables":32,"result":null,"type":"u32","value":"100","variablesReference":12}
            setVariable: {"result":null,"type":"u32","value":"16","variablesReference":0}
            setVariable: {"indexedVariables":32,"result":null,"type":"f32","value":"2.5","variablesReference":14}
            setVariable: {"indexedVariables":32,"result":null,"type":"u32","value":"4294967295","variablesReference":12}
            setVariable fails: 99999999999 does not fit into `.u32`
            setVariable fails: `%tid.x` cannot be written
            setExpression: {"memoryReference":"0x10000000408","result":null,"type":"b32","value":"7","variablesReference":0}
            evaluate: {"result":"71","type":"u32","variablesReference":0}
            readMemory: {"address":"0x10000000408","data":"BwAAAA==","unreadableBytes":0}
            readMemory: {"address":"0x0","data":"","unreadableBytes":4}
            readMemory fails: `%s` is not in memory
            writeMemory: {"bytesWritten":4}
            writeMemory fails: `data` is not base64: Invalid symbol 63, offset 0.
            writeMemory fails: only 0 bytes at 0x0 can be written
            evaluate: {"memoryReference":"0x7f0000000004","result":"5","type":"u32","variablesReference":0}
            evaluate: {"result":"6","type":"u32","variablesReference":0}
        "#]],
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
        expect![[r#"
            setExceptionBreakpoints: {"breakpoints":[{"verified":true},{"message":"there is no finding `none`","verified":false}]}
            configurationDone:
            event stopped {"reason":"exception","text":"race.ptx:13: race: another warp reads this location, which this instruction writes, and nothing orders them\nrace.ptx:15: reads the location","threadId":33}
            exceptionInfo: {"breakMode":"always","details":{"message":"another warp reads this location, which this instruction writes, and nothing orders them","typeName":"race"},"exceptionId":"race"}
            stackTrace: {"stackFrames":[],"totalFrames":0}
            evaluate: {"indexedVariables":32,"result":"32","type":"u32","variablesReference":1}
            stepBack: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            exceptionInfo fails: the run has not stopped at a finding
            continue: {"allThreadsContinued":true}
            event stopped {"reason":"exception","text":"race.ptx:13: race: another warp reads this location, which this instruction writes, and nothing orders them\nrace.ptx:15: reads the location","threadId":33}
            continue: {"allThreadsContinued":true}
            event stopped {"reason":"exception","text":"race.ptx:15: race: another warp writes this location, which this instruction reads, and nothing orders them\nrace.ptx:13: writes the location","threadId":33}
        "#]],
    );
    check(
        "- initialize
        - launch {\"program\":\"/k/race.ptx\"}
        setExceptionBreakpoints {\"filters\":[]}
        configurationDone",
        expect![[r#"
            setExceptionBreakpoints: {"breakpoints":[]}
            configurationDone:
            event output {"category":"console","output":"race.ptx:13: race: another warp reads this location, which this instruction writes, and nothing orders them\nrace.ptx:15: reads the location\nrace.ptx:15: race: another warp writes this location, which this instruction reads, and nothing orders them\nrace.ptx:13: writes the location\n14 instructions of warps\n"}
            event exited {"exitCode":1}
            event terminated {}
        "#]],
    );
    check(
        "- initialize
        - launch {\"program\":\"/k/race.ptx\",\"noDebug\":true,\"stopOnEntry\":true}
        configurationDone",
        expect![[r#"
            configurationDone:
            event output {"category":"console","output":"race.ptx:13: race: another warp reads this location, which this instruction writes, and nothing orders them\nrace.ptx:15: reads the location\nrace.ptx:15: race: another warp writes this location, which this instruction reads, and nothing orders them\nrace.ptx:13: writes the location\n14 instructions of warps\n"}
            event exited {"exitCode":1}
            event terminated {}
        "#]],
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
        expect![[r#"
            dataBreakpointInfo: {"accessTypes":["write"],"canPersist":false,"dataId":"1"}
            dataBreakpointInfo: {"accessTypes":["write"],"canPersist":false,"dataId":"2"}
            dataBreakpointInfo: {"dataId":null}
            dataBreakpointInfo: {"dataId":null}
            setDataBreakpoints: {"breakpoints":[{"id":1,"verified":true},{"message":"only changes can be watched","verified":false},{"message":"this is not known any more","verified":false}]}
            continue: {"allThreadsContinued":true}
            event stopped {"hitBreakpointIds":[1],"reason":"data breakpoint","text":"`shared.tile[3]` has changed","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":16,"endLine":28,"id":1,"line":28,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
            reverseContinue: {"allThreadsContinued":true}
            event stopped {"hitBreakpointIds":[1],"reason":"data breakpoint","text":"`shared.tile[3]` has changed","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":28,"endLine":27,"id":1,"line":27,"name":"double","source":{"name":"double.ptx","path":"/k/double.ptx"}}],"totalFrames":1}
        "#]],
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
    expect![[r#"
         fails: this is not a request: EOF while parsing a value at line 1 column 0
         fails: this is not a request: EOF while parsing an object at line 1 column 1
         fails: this is not a request: invalid length 1, expected struct Message with 4 elements at line 1 column 2
         fails: the first request is `initialize`
        event initialized {}
        initialize fails: `initialize` is sent once
        variables fails: wrong arguments: invalid type: string "x", expected i64
    "#]].assert_eq(&out);
}

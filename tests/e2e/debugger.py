"""A client of the debug adapter: drives `ptx-analyzer dap` as an editor does.

usage: tests/e2e/debugger.py PROGRAM

Every request is sent with right and wrong arguments, over standard input and output and over a port; the times of the
first stop and of steps are printed.
"""

import base64
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

KERNEL = """\
.version 8.5
.target sm_90a
.address_size 64
// run: block=[64] args.x={ramp=[64], type="u32"} expect.x={value=0}
.visible .entry k(.param .u64 x)
{
    .reg .b64 %p, %a;
    .reg .u32 %t, %r;
    .shared .align 4 .b32 tile[64];
    ld.param.u64 %p, [x];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %p;
    ld.global.u32 %r, [%a];
    add.u32 %r, %r, 1;
    st.global.u32 [%a], %r;
    ret;
}
"""

LOOP = """\
.version 8.5
.target sm_90a
.address_size 64
// run: block=[32] args.n={value=100000000}
.visible .entry spin(.param .u32 n)
{
    .reg .u32 %i, %n;
    .reg .pred %p;
    ld.param.u32 %n, [n];
    mov.u32 %i, 0;
again:
    add.u32 %i, %i, 1;
    setp.lt.u32 %p, %i, %n;
    @%p bra again;
    ret;
}
"""


class Client:
    """A session over a pair of binary streams."""

    def __init__(self, output, input):
        self.output, self.input = output, input
        self.seq = 0
        self.events = []

    def send(self, command, **arguments):
        self.seq += 1
        message = {"seq": self.seq, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self.output.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.output.flush()
        return self.seq

    def read(self):
        length = None
        while True:
            line = self.input.readline()
            if not line:
                raise EOFError
            line = line.strip()
            if not line:
                break
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.input.read(length))

    def answer(self, command, **arguments):
        seq = self.send(command, **arguments)
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == seq:
                assert message["command"] == command, message
                return message

    def ask(self, command, **arguments):
        message = self.answer(command, **arguments)
        assert message["success"], message
        return message.get("body", {})

    def refuse(self, command, **arguments):
        message = self.answer(command, **arguments)
        assert not message["success"] and message["message"], message
        return message["message"]

    def wait(self, name):
        for index, event in enumerate(self.events):
            if event["event"] == name:
                del self.events[: index + 1]
                return event["body"]
        while True:
            message = self.read()
            if message["type"] == "event" and message["event"] == name:
                self.events.clear()
                return message["body"]


def start(program, *arguments):
    return subprocess.Popen(
        [program, "dap", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def opened(program):
    process = start(program)
    client = Client(process.stdin, process.stdout)
    capabilities = client.ask("initialize", adapterID="ptx")
    assert capabilities["supportsStepBack"], capabilities
    client.wait("initialized")
    return process, client


def top(client, thread=1):
    return client.ask("stackTrace", threadId=thread)["stackFrames"][0]


def session(client, path):
    """One session with each request."""
    assert client.refuse("launch")
    assert client.refuse("launch", program=str(path.with_name("none.ptx")))
    assert "no entry" in client.refuse("launch", program=str(path), entry="none")
    assert client.refuse("launch", program=str(path), launch={"grid": "x"})
    points = client.ask(
        "setBreakpoints",
        source={"path": str(path)},
        breakpoints=[{"line": 14, "condition": "%tid.x == 37 && %r > 10"}, {"line": 900}],
    )["breakpoints"]
    assert [it["verified"] for it in points] == [True, False], points
    assert client.refuse("setBreakpoints")
    client.ask("setExceptionBreakpoints", filters=["race", "out-of-bounds"])
    assert client.refuse("setExceptionBreakpoints")
    client.ask("setFunctionBreakpoints", breakpoints=[])
    begin = time.monotonic()
    client.ask("launch", program=str(path), stopOnEntry=True)
    client.ask("configurationDone")
    stop = client.wait("stopped")
    print(f"launch to first stop: {(time.monotonic() - begin) * 1000:.1f} ms")
    assert stop["reason"] == "entry", stop
    threads = client.ask("threads")["threads"]
    assert [it["name"] for it in threads] == ["block 0,0 warp 0", "block 0,0 warp 1"], threads
    assert top(client)["line"] == 10
    client.ask("next", threadId=1)
    assert client.wait("stopped")["reason"] == "step"
    client.ask("stepIn", threadId=1)
    client.wait("stopped")
    assert top(client)["line"] == 12
    frame = top(client)["id"]
    assert client.ask("evaluate", expression="%t", frameId=frame)["result"] == "0"
    assert client.ask("evaluate", expression="%t[5]")["result"] == "5"
    client.ask("evaluate", expression="lane 7")
    assert client.ask("evaluate", expression="%tid.x")["result"] == "7"
    assert client.refuse("evaluate", expression="%none")
    assert client.refuse("evaluate", expression="lane 77")
    client.ask("stepBack", threadId=1)
    client.wait("stopped")
    assert top(client)["line"] == 11
    client.ask("continue", threadId=1)
    stop = client.wait("stopped")
    assert stop["reason"] == "breakpoint", stop
    thread = stop["threadId"]
    frame = top(client, thread)
    assert frame["line"] == 14
    scopes = client.ask("scopes", frameId=frame["id"])["scopes"]
    names = [it["name"] for it in scopes]
    assert names[:4] == ["Registers", "Special", "Parameters", "Shared"], names
    numbers = {it["name"]: it["variablesReference"] for it in scopes}
    variables = client.ask("variables", variablesReference=numbers["Registers"])["variables"]
    value = {it["name"]: it for it in variables}
    assert value["%t"]["value"].startswith("37"), value["%t"]
    lanes = client.ask("variables", variablesReference=value["%t"]["variablesReference"])
    assert [it["name"] for it in lanes["variables"]] == [f"[{it}]" for it in range(32)]
    assert client.refuse("variables", variablesReference=12345)
    assert client.refuse("scopes", frameId=12345)
    assert client.refuse("stackTrace", threadId=54321)
    set_to = client.ask(
        "setVariable", variablesReference=numbers["Registers"], name="%r", value="1000"
    )
    assert set_to["value"] == "1000", set_to
    assert client.refuse(
        "setVariable", variablesReference=numbers["Registers"], name="%r", value="x y"
    )
    assert client.refuse(
        "setVariable", variablesReference=numbers["Special"], name="%tid.x", value="1"
    )
    memory = client.ask("readMemory", memoryReference="x", offset=4, count=8)
    assert base64.b64decode(memory["data"]) == b"\2\0\0\0\3\0\0\0", memory
    assert client.refuse("readMemory", memoryReference="%t", count=4)
    written = client.ask("writeMemory", memoryReference="x", offset=4, data="CQAAAA==")
    assert written["bytesWritten"] == 4
    assert client.ask("evaluate", expression="x[1]")["result"] == "9"
    assert client.refuse("writeMemory", memoryReference="x", data="?")
    info = client.ask("dataBreakpointInfo", name="x[37]")
    assert info["dataId"], info
    assert client.ask("dataBreakpointInfo", name="%tid.x")["dataId"] is None
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
    client.ask("continue", threadId=thread)
    assert client.wait("stopped")["reason"] == "data breakpoint"
    assert client.ask("evaluate", expression="x[37]")["result"] == "1001"
    client.ask("reverseContinue", threadId=thread)
    assert client.wait("stopped")["reason"] in ("data breakpoint", "breakpoint")
    for command in ("goto", "gotoTargets", "disassemble", "modules", "nothing"):
        assert client.refuse(command)
    assert client.refuse("pause", threadId=1)
    assert client.refuse("exceptionInfo", threadId=1)
    for command in ("next", "stepIn", "stepOut", "stepBack", "continue", "reverseContinue"):
        assert client.refuse(command)
        assert client.refuse(command, threadId=98765)
    client.ask("cancel", requestId=1)
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[])
    client.ask("restart")
    assert client.wait("stopped")["reason"] == "entry"
    client.ask("stepOut", threadId=1)
    stop = client.wait("stopped")
    assert stop["reason"] == "step" and stop["threadId"] == 33, stop
    client.ask("continue", threadId=33)
    assert client.wait("exited")["exitCode"] == 1
    client.wait("terminated")
    assert client.refuse("threads")
    client.ask("disconnect")


def pauses(program, path):
    process, client = opened(program)
    client.ask("launch", program=str(path))
    client.ask("configurationDone")
    time.sleep(0.2)
    assert client.refuse("stackTrace", threadId=1) == "notStopped"
    client.ask("pause", threadId=1)
    assert client.wait("stopped")["reason"] == "pause"
    count = int(client.ask("evaluate", expression="%i")["result"])
    assert count > 0
    # How far the kernel is by now depends on the machine.
    there = max(count + 1000, 290000)
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[
        {"line": 12, "condition": f"%i == {there}"},
    ])
    client.ask("continue", threadId=1)
    assert client.wait("stopped")["reason"] == "breakpoint"
    times = {}
    for command in ("stepIn", "stepBack"):
        begin = time.monotonic()
        client.ask(command, threadId=1)
        client.wait("stopped")
        times[command] = (time.monotonic() - begin) * 1000
        print(f"{command} after {3 * there} instructions: {times[command]:.1f} ms")
    client.ask("terminate")
    client.wait("terminated")
    client.ask("disconnect")
    assert process.wait(10) == 0


def large(program, path):
    """A kernel of 10,000 lines with 255 registers: the first stop, and all that a person sees there."""
    lines = [".version 8.5", ".target sm_90a", ".address_size 64", "// run: block=[32]", ".visible .entry large()", "{",
             "    .reg .b32 %r<255>;"]
    lines += [f"    mov.u32 %r{it}, {it};" for it in range(255)]
    lines += [f"    add.u32 %r{it % 255}, %r{it * 7 % 255}, {it};" for it in range(10_000 - len(lines) - 2)]
    path.write_text("\n".join([*lines, "    ret;", "}", ""]))
    process, client = opened(program)
    begin = time.monotonic()
    client.ask("launch", program=str(path), stopOnEntry=True)
    client.ask("configurationDone")
    client.wait("stopped")
    print(f"launch to first stop, 10,000 lines: {(time.monotonic() - begin) * 1000:.1f} ms")
    client.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 9_000}])
    client.ask("continue", threadId=1)
    assert client.wait("stopped")["reason"] == "breakpoint"
    registers = client.ask("scopes", frameId=top(client)["id"])["scopes"][0]
    begin = time.monotonic()
    shown = client.ask("variables", variablesReference=registers["variablesReference"])["variables"]
    assert len(shown) == 255, len(shown)
    print(f"variables of 255 registers: {(time.monotonic() - begin) * 1000:.1f} ms")
    lanes = client.ask("ptx/lanes", expressions=["%r1", "%none"])
    assert [it["name"] for it in lanes["columns"]][0] == "%r1" and len(lanes["lanes"]) == 32, lanes
    assert client.refuse("ptx/lanes", frameId=9999)
    client.ask("disconnect")
    assert process.wait(10) == 0


def ends(program):
    """What is not the protocol, and a client that is gone."""
    for text in (b"", b"x\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 9\r\n\r\n{",
                 b"Content-Length: 99999999999999\r\n\r\n", b"\xff\xfe\r\n", b"a" * 100000):
        process = start(program)
        try:
            _, errors = process.communicate(text, timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert process.returncode in (0, 1), (text[:20], process.returncode)
        assert b"panicked" not in errors, errors
    process, client = opened(program)
    client.output.write(b"Content-Length: 1\r\n\r\n{")
    client.output.flush()
    message = client.read()
    assert message["type"] == "response" and not message["success"], message
    client.ask("disconnect")
    assert process.wait(10) == 0


def port(program, path):
    process = start(program, "--port", "0")
    line = process.stderr.readline().decode()
    host, number = line.split()[-1].rsplit(":", 1)
    assert host == "127.0.0.1", line
    with socket.create_connection((host, int(number))) as connection:
        stream = connection.makefile("rwb")
        client = Client(stream, stream)
        client.ask("initialize")
        client.wait("initialized")
        session(client, path)
    assert process.wait(10) == 0


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        kernel, loop = folder / "k.ptx", folder / "loop.ptx"
        kernel.write_text(KERNEL)
        loop.write_text(LOOP)
        process, client = opened(program)
        session(client, kernel)
        assert process.wait(10) == 0
        pauses(program, loop)
        large(program, folder / "large.ptx")
        ends(program)
        port(program, kernel)
    print("the debugger passes")


main()

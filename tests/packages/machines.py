"""Tries a program that was built for another machine: the command line, and the server as a client sees it.

usage: machines.py [--windows PTXAS] COMMAND...

COMMAND starts the program, such as `wine64 ptx-analyzer.exe`. With --windows paths are those of Windows as Wine shows
them: the root folder is the drive Z:. PTXAS is machines.c, which plays ptxas there.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

PATIENCE = 120
MODULE = """\
.version 8.0
.target sm_80
.address_size 64
.global .u32 sink;
.visible .func helper
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
    st.global.u32 [sink], %r1;
    ret;
}
"""
USER = MODULE.replace(".visible .func helper\n{", ".extern .func helper;\n.visible .entry main\n{").replace(
    "    ret;", "    call helper;\n    ret;"
)
passed = 0


def told(what: str) -> None:
    global passed
    passed += 1
    print(f"ok: {what}", flush=True)


def same(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise SystemExit(f"error: {what}: expected {expected!r}, found {found!r}")


class Server:
    """A server in a process of its own, and the messages that it has sent."""

    def __init__(self, command: list, folder: str, options: object = None) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.messages: queue.Queue = queue.Queue()
        self.seen: list = []
        self.last = 0
        threading.Thread(target=self.read, daemon=True).start()
        capabilities = {
            "workspace": {
                "didChangeWatchedFiles": {"dynamicRegistration": True},
                "workspaceFolders": True,
            },
            "textDocument": {"publishDiagnostics": {"versionSupport": True}},
        }
        self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder,
                "workspaceFolders": [{"uri": folder, "name": "a"}],
                "capabilities": capabilities,
                "initializationOptions": options,
            },
        )
        self.tell("initialized", {})

    def read(self) -> None:
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length == 0:
                return
            message = json.loads(stream.read(length))
            if "method" in message and "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            self.messages.put(message)

    def send(self, message: dict) -> None:
        data = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def tell(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait(self, wanted) -> dict:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                message = self.messages.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise SystemExit(f"error: no answer; the last messages: {self.seen[-5:]}") from None
            self.seen.append(message)
            if wanted(message):
                return message

    def ask(self, method: str, params: object) -> object:
        self.last += 1
        number = self.last
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self.wait(lambda it: it.get("id") == number and "method" not in it)
        if "error" in answer:
            raise SystemExit(f"error: {method}: {answer['error']}")
        return answer["result"]

    def refused(self, method: str, params: object) -> str:
        """The error of a request that fails."""
        self.last += 1
        number = self.last
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self.wait(lambda it: it.get("id") == number and "method" not in it)
        return answer.get("error", {}).get("message", f"no error but {answer.get('result')}")

    def open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "ptx", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def diagnostics(self, uri: str, count: int) -> list:
        """The errors that the server pushes for a document, as soon as there are so many."""

        def wanted(it: dict) -> bool:
            if it.get("method") != "textDocument/publishDiagnostics":
                return False
            params = it["params"]
            return params["uri"].lower() == uri.lower() and len(errors(params)) == count

        def errors(params: dict) -> list:
            return [it for it in params["diagnostics"] if it["severity"] == 1]

        return errors(self.wait(wanted)["params"])

    def symbols(self, query: str, count: int) -> list:
        """The symbols of the workspace, asked for until there are so many."""
        end = time.monotonic() + PATIENCE
        while True:
            found = self.ask("workspace/symbol", {"query": query}) or []
            if len(found) == count:
                return found
            if time.monotonic() > end:
                raise SystemExit(f"error: {count} symbols {query} expected, found {found}")
            time.sleep(0.2)

    def close(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.process.wait(PATIENCE)


def at(uri: str, line: int, character: int) -> dict:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def main() -> None:
    arguments = sys.argv[1:]
    windows = arguments[:1] == ["--windows"]
    command = arguments[2:] if windows else arguments
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / "a b"
        folder.mkdir()
        command_line(command, folder, windows)
        server(command, folder, windows)
        if windows:
            exact_mode(command, folder, Path(arguments[1]))
    print(f"{passed} passed, 0 failed")


def native(path: Path, windows: bool) -> str:
    """The path as the program reads it."""
    return "Z:" + str(path).replace("/", "\\") if windows else str(path)


def uris(path: Path, windows: bool) -> list:
    """The ways in which clients write the URI of a file."""
    rest = quote(str(path))
    if not windows:
        return ["file://" + rest]
    return ["file:///z%3A" + rest, "file:///Z:" + rest, "file:///z:" + rest, "file:///Z%3A" + rest]


def command_line(command: list, folder: Path, windows: bool) -> None:
    def run(*arguments: str, text: str = "") -> tuple:
        done = subprocess.run(
            [*command, *arguments], input=text.encode(), capture_output=True, timeout=PATIENCE, check=False
        )
        return done.returncode, done.stdout.decode()

    status, said = run("--version")
    same((status, said.split()[0]), (0, "ptx-analyzer"), "--version")
    right, wrong = folder / "right.ptx", folder / "wrong.ptx"
    right.write_text(MODULE)
    # The same lines, with the ends of Windows and without them.
    text = MODULE.replace("%r1, %tid.x", "%r9, %tid.x")
    wrong.write_bytes(text.replace("\n", "\r\n").encode())
    status, said = run("check", "--format", "json", native(folder, windows))
    same(status, 1, "the status of check")
    records = [json.loads(it) for it in said.splitlines()]
    records = [it for it in records if it["severity"] == "error"]
    same([it["code"] for it in records], ["undefined-name"], "the errors of a folder")
    [record] = records
    place = [record[it] for it in ("line", "column", "end_line", "end_column", "code")]
    same(place, [8, 13, 8, 16, "undefined-name"], "the place of a problem in lines that end in CR LF")
    same(Path(record["file"].replace("\\", "/")).name, "wrong.ptx", "the name of a file")
    same(run("check", "-", text=MODULE)[0], 0, "check of standard input")
    same(run("check", native(folder / "no such file.ptx", windows))[0], 2, "check of nothing")
    told("check reads folders, files and standard input")
    wrong.write_bytes(text.replace("    ", "").replace("\n", "\r\n").encode())
    same(run("format", "--check", native(wrong, windows))[0], 1, "format --check of a file that is not formatted")
    same(run("format", native(wrong, windows))[0], 0, "format")
    formatted = wrong.read_bytes()
    same(formatted.count(b"\r\n"), text.count("\n"), "the ends of lines of a formatted file")
    same(formatted.split(), text.encode().split(), "the words of a formatted file")
    same(run("format", "--check", native(wrong, windows))[0], 0, "format --check of a formatted file")
    told("format keeps the ends of lines")
    status, said = run("registers", "--format", "json", "-", text=USER)
    same((status, json.loads(said)["entry"]), (0, "main"), "registers")
    status, said = run("explain", "%laneid")
    same((status, "laneid" in said), (0, True), "explain")
    same(run("diff", native(right, windows), native(wrong, windows))[0], 1, "diff")
    told("registers, explain and diff answer")
    # Longer than the 260 characters that Windows takes without a prefix.
    deep = folder
    for _ in range(8):
        deep = deep / ("long" * 10)
    deep.mkdir(parents=True)
    (deep / "deep.ptx").write_text(text)
    status, said = run("check", "--format", "json", native(folder, windows))
    errors = said.count('"severity":"error"')
    same((status, errors), (1, 2), "check of a folder with a long path")
    status, _ = run("check", native(deep / "deep.ptx", windows))
    same(status, 1, "check of a file with a long path")
    told(f"paths of {len(native(deep, windows))} characters are read")


def server(command: list, folder: Path, windows: bool) -> None:
    root = folder / "project"
    root.mkdir()
    library = root / "helper.ptx"
    library.write_bytes(MODULE.replace("\n", "\r\n").encode())
    for number, uri in enumerate(uris(root, windows)):
        user = root / f"user{number}.ptx"
        user.write_text(USER)
        other = uris(user, windows)[number]
        client = Server([*command, "lsp", "--stdio"], uri)
        client.open(other, USER)
        client.diagnostics(other, 0)
        # The file on the disk and the document are one, whatever the client calls it.
        client.symbols("main", 1 + number)
        client.symbols("helper", 2 + number)
        line = USER.splitlines().index("    call helper;")
        found = client.ask("textDocument/definition", at(other, line, 10))
        found = found if isinstance(found, list) else [found]
        names = {Path((it.get("uri") or it["targetUri"])).name for it in found}
        same("helper.ptx" in names, True, f"the definition in another file, from {other}: {found}")
        hover = client.ask("textDocument/hover", at(other, line - 2, 18))
        same("tid" in json.dumps(hover), True, "hover")
        # An edit across the end of a line.
        change = {
            "range": {"start": {"line": line, "character": 4}, "end": {"line": line + 1, "character": 0}},
            "text": "call nowhere;\r\n",
        }
        document = {"uri": other, "version": 2}
        client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        [problem] = client.diagnostics(other, 1)
        same((problem["code"], problem["range"]["start"]["line"]), ("undefined-function", line), "a problem")
        # A file that another program has written.
        watched = root / f"watched{number}.ptx"
        watched.write_text(MODULE.replace("helper", "watched"))
        changes = [{"uri": uris(watched, windows)[number], "type": 1}]
        client.tell("workspace/didChangeWatchedFiles", {"changes": changes})
        client.symbols("watched", 1)
        os.remove(watched)
        client.tell("workspace/didChangeWatchedFiles", {"changes": [{**changes[0], "type": 3}]})
        client.symbols("watched", 0)
        same(client.close(), 0, "the status of the server")
        told(f"the server serves {uri.split(str(folder.parent))[0]}…: index, watching, hover, definition, edits")


def exact_mode(command: list, folder: Path, program: Path) -> None:
    """Exact mode on Windows: its messages, and what becomes of a ptxas that does not end."""
    root, tools = folder / "exact", folder / "tools"
    for it in (root, tools):
        it.mkdir()
    ptxas, inside = tools / "ptxas.exe", root / "ptxas.exe"
    for it in (ptxas, inside):
        shutil.copy(program, it)
    ran = tools / "ptxas.exe.folders"
    [uri, *_] = uris(root / "a.ptx", True)
    beat = folder / "beat"
    text = MODULE.replace("tid.x;\n", "tid.x;\n    add.u32 %r2, %r1, 1;\n").replace("\n", "\r\n")

    def start(path: Path, seconds: int) -> Server:
        options = {"trusted": True, "ptxas": {"path": native(path, True), "timeout": seconds}}
        return Server([*command, "lsp", "--stdio"], uris(root, True)[0], options)

    def run(client: Server, version: int, first: str) -> tuple:
        """The answer of a run over the text after this line, or the error."""
        changes = [{"text": first + "\r\n" + text}]
        document = {"uri": uri, "version": version}
        client.tell("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return client.refused("ptx/runPtxas", {"textDocument": {"uri": uri}})

    client = start(ptxas, 60)
    client.open(uri, text)
    answer = client.ask("ptx/runPtxas", {"textDocument": {"uri": uri}})
    same((answer["release"], answer["warnings"]), ("13.5.37", 1), "the answer of ptxas")

    def told_by_ptxas(message: dict) -> bool:
        params = message.get("params") or {}
        return any(it.get("source") == "ptxas" for it in params.get("diagnostics", []))

    [problem] = [it for it in client.wait(told_by_ptxas)["params"]["diagnostics"] if it["source"] == "ptxas"]
    lines = text.split("\r\n")
    same(lines[problem["range"]["start"]["line"]].split()[0], "add.u32", "the line of a message of ptxas")
    told("the messages of ptxas are shown in their lines")
    same(run(client, 2, "// flood"), "ptxas wrote without end and was ended", "a ptxas that writes without end")
    error = run(client, 3, "// crash")
    same(error.startswith("ptxas ended without a verdict"), True, f"a ptxas that crashes: {error}")
    same(client.close(), 0, "the status of the server")
    client = start(ptxas, 3)
    client.open(uri, text)
    error = run(client, 2, f"// hang {native(beat, True)}")
    same(error, "ptxas took longer than 3 s and was ended", "a ptxas that hangs")
    same(beat.exists() and beat.stat().st_size > 0, True, "the process that it started has run")
    time.sleep(0.5)
    size = beat.stat().st_size
    time.sleep(0.5)
    same(beat.stat().st_size, size, "the process that it started, after it")
    same(client.close(), 0, "the status of the server")
    told("a ptxas that hangs, floods or crashes is ended with what it started")
    folders = ran.read_text().splitlines()
    same(len(folders), 4, "the runs of ptxas")
    left = [it for it in folders if on_this_machine(it).exists()]
    same(left, [], "the private folders")
    told("nothing is left of private folders")
    client = start(Path(str(inside).upper().replace(str(folder).upper(), str(folder))), 60)
    client.open(uri, text)
    error = client.refused("ptx/runPtxas", {"textDocument": {"uri": uri}})
    same("is not run, because it lies inside an open folder" in error, True, f"a ptxas in an open folder: {error}")
    same((inside.parent / "ptxas.exe.folders").exists(), False, "a ptxas in an open folder has run")
    same(client.close(), 0, "the status of the server")
    told("a ptxas in an open folder is not run, whatever the case of its path")


def on_this_machine(path: str) -> Path:
    """A path of Windows as Wine keeps it."""
    drive, rest = path[0].lower(), path[2:].replace("\\", "/")
    return Path(rest) if drive == "z" else Path(os.environ["WINEPREFIX"]) / f"drive_{drive}{rest}"


if __name__ == "__main__":
    main()

"""Runs kernels without a GPU."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Union

from ._arrays import Array, array, npy_data
from ._ask import PtxAnalyzerError, Text, ask, lines, made

#: Blocks or threads along x, y and z; missing ones are 1.
Dimensions = Union[int, Sequence[int]]
#: Arguments in the order of the parameters, or by the names of these.
Arguments = Union[Sequence[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Related:
    """Another place of a finding."""

    line: int
    message: str


@dataclass(frozen=True)
class Finding:
    """A mistake of a kernel that a run reached."""

    line: int
    column: int
    #: ``error`` or ``warning``.
    severity: str
    #: A stable name: ``race``, ``deadlock``, ``out-of-bounds``, …
    code: str
    message: str
    #: The block along x, y and z.
    block: tuple[int, int, int]
    #: The warp in its block, and the lanes in it.
    warp: int
    lanes: tuple[int, ...]
    related: tuple[Related, ...] = ()

    def __str__(self) -> str:
        place = f"block {','.join(map(str, self.block))}, warp {self.warp}, lanes {list(self.lanes)}"
        others = "".join(f"\n    {it.line}: {it.message}" for it in self.related)
        return f"{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message} ({place}){others}"


@dataclass(frozen=True)
class NotRun:
    """An instruction or a feature that is not run yet."""

    line: int
    what: str


@dataclass(frozen=True)
class Expectation:
    """A comparison of an array after the run with the expected one."""

    name: str
    holds: bool
    #: How many of how many elements differ.
    different: int
    of: int
    #: The first element that differs: its index, the number that is there, and the one that was expected.
    index: Optional[tuple[int, ...]] = None
    got: Any = None
    want: Any = None

    def __str__(self) -> str:
        if self.holds:
            return f"{self.name}: as expected"
        first = f"{self.name}{list(self.index or ())} is {self.got}, want {self.want}"
        return f"{first}; {self.different} of {self.of} elements differ"


@dataclass(frozen=True)
class Mutants:
    """The results of a kernel without one of its synchronizing instructions, for each of these in turn."""

    #: How many of these kernels failed: had a finding, or an expectation that did not hold.
    found: int
    #: The lines of the instructions without which the kernel passes.
    survivors: tuple[int, ...]
    #: The reasons for which the kernel itself fails under one of the schedules; nothing was deleted then.
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    entry: str
    #: ``finished``, ``stopped``, ``deadlock``, ``trap`` or ``limit``.
    outcome: str
    #: Instructions of warps, and of threads.
    steps: int
    lane_instructions: int
    seconds: float
    findings: tuple[Finding, ...]
    expectations: tuple[Expectation, ...]
    #: Why the run was stopped, if it was.
    not_run: tuple[NotRun, ...]
    #: Results that PTX leaves open and that were computed in one of the allowed ways.
    approximated: tuple[str, ...]
    #: The text that the kernel printed.
    printed: str = ""
    #: With ``mutate=True``.
    mutants: Optional[Mutants] = None

    @property
    def passed(self) -> bool:
        """Whether the kernel ran to its end without a finding, and every expectation holds."""
        mutants = self.mutants
        return (
            self.outcome == "finished"
            and not self.findings
            and all(it.holds for it in self.expectations)
            and (mutants is None or not (mutants.survivors or mutants.failures))
        )

    def __str__(self) -> str:
        said = [f"{self.entry}: {self.outcome} after {self.steps} steps of warps"]
        said += map(str, self.findings)
        said += [f"{it.line}: not run yet: {it.what}" for it in self.not_run]
        said += map(str, self.expectations)
        if self.mutants is not None:
            said += self.mutants.failures
            said += [f"{line}: the kernel passes without this instruction" for line in self.mutants.survivors]
        return "\n".join(said)


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel with what its launches have in common."""

    text: str
    entry: str
    block: tuple[int, int, int]
    #: Dynamic shared memory of a block in bytes.
    shared: int = 0
    cluster: Optional[tuple[int, int, int]] = None

    def run(self, grid: Dimensions = 1, args: Arguments = (), **options: Any) -> Run:
        """Runs the kernel on a grid of programs, as :func:`run` does with the other options."""
        blocks = _dimensions(grid)
        if self.cluster is not None:
            # A cluster runs a program.
            blocks = [it * by for it, by in zip(blocks, self.cluster)]
        launch = {"block": self.block, "shared": self.shared, "cluster": self.cluster, **options}
        return run(self.text, self.entry, grid=blocks, args=args, **launch)


def triton(compiled: Any) -> Kernel:
    """The kernel that ``triton.compile`` and launches of Triton return.

    Its parameters are the arguments of the kernel that are not constants, then some of Triton's own, which most
    kernels do not read: leave them out.
    """
    metadata = compiled.metadata
    warp = getattr(getattr(metadata, "target", None), "warp_size", 32)
    text = compiled.asm["ptx"]
    # `cluster_dims` has been there in some versions only.
    cluster = getattr(metadata, "cluster_dims", None) or (getattr(metadata, "num_ctas", 1), 1, 1)
    cluster = (int(cluster[0]), int(cluster[1]), int(cluster[2]))
    return Kernel(
        text=text if isinstance(text, str) else text.decode(),
        entry=metadata.name,
        block=(int(metadata.num_warps) * int(warp), 1, 1),
        shared=int(metadata.shared),
        cluster=None if cluster == (1, 1, 1) else cluster,
    )


def run(
    text: Text,
    entry: Optional[str] = None,
    *,
    grid: Dimensions = 1,
    block: Optional[Dimensions] = None,
    args: Arguments = (),
    expect: Optional[Mapping[Any, Any]] = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    cluster: Optional[Dimensions] = None,
    shared: int = 0,
    schedule: str = "lowest",
    late: bool = False,
    mutate: bool = False,
    steps: Optional[int] = None,
    memory: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Run:
    """Runs a kernel on arrays without a GPU, and names its races, deadlocks, overruns and other mistakes.

    ``args`` has an array or a number for each parameter, in their order or by their names; a parameter without one
    must not be read. Arrays are those of numpy, tensors of torch on the CPU and everything with the buffer protocol.
    They are in global memory, and are **changed in place**; read-only ones are not. A ``bytes`` is a parameter that
    is passed by value, a ``dict`` an argument in the words of launch files:
    ``{"tensormap": {"of": "x", "type": "f16", …}}``.

    ``grid`` has the blocks and ``block`` the threads along x, y and z; ``block`` is optional with ``.reqntid``,
    ``cluster`` with ``.reqnctapercluster``. ``shared`` is the dynamic shared memory of a block in bytes.

    ``expect`` says what arrays are to be after the run, by the names or the positions of the parameters: an array, a
    number for all elements, or the name of another array. Without ``rtol`` and ``atol`` all bits must be equal.

    ``schedule`` is the order in which warps run: ``lowest``, ``reverse`` or ``random:SEED``. With ``late`` asynchronous
    operations land as late as PTX allows. With ``mutate`` the kernel is then run without each of its synchronizing
    instructions in turn, under several schedules; :attr:`Run.mutants` says without which it passes.

    A run stops after ``steps`` instructions of warps, or if its arrays, shared and local memory take more than ``memory``
    in MiB.

    Raises :class:`PtxAnalyzerError` for PTX with errors and for launches that do not fit it.
    """
    if isinstance(args, Mapping):
        named = {str(name): value for name, value in args.items()}
    elif isinstance(args, (str, bytes)):
        raise TypeError("the arguments are a sequence or a mapping")
    else:
        named = {str(position): value for position, value in enumerate(args)}
    arrays = {name: it for name, it in ((name, array(value)) for name, value in named.items()) if it is not None}
    _disjoint(named, arrays)
    options = [f"--schedule={schedule}", *(["--late"] if late else [])]
    limits = [] if steps is None else [f"--steps={steps}"]
    limits += [] if memory is None else [f"--memory={memory}"]

    # Only this user may look into the folder.
    with tempfile.TemporaryDirectory(prefix="ptx-analyzer-") as name:
        folder = Path(name)
        launch = _Launch(folder)
        launch.key("entry", entry)
        launch.key("grid", _dimensions(grid))
        launch.key("block", None if block is None else _dimensions(block))
        launch.key("cluster", None if cluster is None else _dimensions(cluster))
        launch.key("shared", shared)
        for number, (name, value) in enumerate(named.items()):
            launch.argument(f"args-{number}.npy", name, value, arrays.get(name))
        for number, (name, value) in enumerate((expect or {}).items()):
            launch.expectation(f"expect-{number}.npy", str(name), value, rtol, atol)
        path = launch.write()
        out = folder / "out"
        command = ["run", "--format=json", f"--launch={path}", f"--out={out}", *options, *limits, "-"]
        record = _asked(folder, command, text, (0, 1, 3), timeout)[0]
        for name, it in arrays.items():
            if it.write is not None:
                it.write(npy_data((out / f"{name}.npy").read_bytes()))
        mutants = None
        if mutate:
            data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
            (folder / "kernel.ptx").write_bytes(data)
            command = ["test", "--format=json", "--mutate", *limits, os.fspath(path)]
            [tested] = _asked(folder, command, "", (0, 1), timeout)
            mutants = _mutants(tested)
    return _run(record, mutants)


def _asked(
    folder: Path, command: list[str], text: Text, ends: tuple[int, ...], timeout: Optional[float]
) -> list[dict[str, Any]]:
    try:
        return lines(ask(command, text, ends=ends, timeout=timeout))
    except PtxAnalyzerError as error:
        # The folder is an implementation detail.
        message = str(error).replace(os.path.join(os.fspath(folder), ""), "")
        raise PtxAnalyzerError(message) from None


def _run(record: dict[str, Any], mutants: Optional[Mutants]) -> Run:
    def finding(it: dict[str, Any]) -> Finding:
        related = tuple(made(Related, other) for other in it["related"])
        x, y, z = it["block"]
        return made(Finding, it, block=(x, y, z), lanes=tuple(it["lanes"]), related=related)

    def expectation(it: dict[str, Any]) -> Expectation:
        first = it["first_difference"]
        if first is None:
            return made(Expectation, it)
        return made(Expectation, it, index=tuple(first["index"]), got=first["got"], want=first["want"])

    return made(
        Run,
        record,
        findings=tuple(map(finding, record["findings"])),
        expectations=tuple(map(expectation, record["expectations"])),
        not_run=tuple(made(NotRun, it) for it in record["not_run"]),
        approximated=tuple(record["approximated"]),
        mutants=mutants,
    )


def _mutants(tested: dict[str, Any]) -> Mutants:
    found = tested.get("mutants")
    if found is None:
        return Mutants(found=0, survivors=(), failures=tuple(tested["messages"]))
    return Mutants(found=found["found"], survivors=tuple(found["survivors"]))


def _dimensions(value: Dimensions) -> list[int]:
    numbers = [int(it) for it in value] if isinstance(value, Sequence) else [int(value)]
    return numbers + [1] * (3 - len(numbers))


def _disjoint(values: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Raises an error if two arrays share memory: each gets its own in a run."""
    seen: list[tuple[str, Array]] = []
    for name, it in arrays.items():
        for other, that in seen:
            apart = it.place is None or that.place is None
            apart = apart or it.place[0] >= that.place[1] or that.place[0] >= it.place[1]  # type: ignore[index]
            if values[name] is values[other] or not apart:
                raise PtxAnalyzerError(f"the arguments {other} and {name} share memory; each gets its own in a run")
        seen.append((name, it))


class _Launch:
    """A launch file and the files of its arrays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[str] = []

    def key(self, name: str, value: Any) -> None:
        if value is not None:
            self.lines.append(f"{name} = {_toml(value)}")

    def argument(self, file: str, name: str, value: Any, of: Optional[Array]) -> None:
        if value is None:
            return
        if of is not None:
            made = self.file(file, of)
        elif isinstance(value, Mapping):
            made = dict(value)
        elif isinstance(value, bytes):
            made = {"bytes": value.hex()}
        else:
            made = {"value": _number(name, value)}
        self.lines += [f"[args.{_toml(name)}]", *(f"{key} = {_toml(it)}" for key, it in made.items())]

    def expectation(self, file: str, name: str, value: Any, rtol: float, atol: float) -> None:
        of = array(value)
        if of is not None:
            # The array that is compared with it has the type.
            made = {"file": self.file(file, of)["file"]}
        elif isinstance(value, str):
            made = {"same": value}
        else:
            made = {"value": _number(name, value)}
        made.update(rtol=rtol, atol=atol)
        self.lines += [f"[expect.{_toml(name)}]", *(f"{key} = {_toml(it)}" for key, it in made.items())]

    def file(self, name: str, of: Array) -> dict[str, Any]:
        (self.folder / name).write_bytes(of.npy())
        return {"file": name} if of.type is None else {"file": name, "type": of.type}

    def write(self) -> Path:
        path = self.folder / "kernel.toml"
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")
        return path


def _number(name: str, value: Any) -> Union[int, float]:
    # Floating-point numbers have no index; a truth value is a number.
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"the argument {name} is neither an array nor a number but a {type(value).__name__}")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # Strings of JSON are strings of TOML, except DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(it)}" for key, it in value.items()) + " }"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(_number("of a launch", value))

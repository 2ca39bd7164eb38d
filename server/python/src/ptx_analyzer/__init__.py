"""Check, run, explain and format NVIDIA PTX, and estimate the registers that it needs.

Every function starts the program ``ptx-analyzer`` that comes with this package and reads what it prints.
Neither a GPU nor the CUDA toolkit is needed. Lines and columns count from 1, columns in bytes of UTF-8.

Every function takes a ``timeout`` in seconds, after which it ends the program and raises :class:`PtxAnalyzerError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from ._ask import PtxAnalyzerError, Text, ask, lines, made
from ._program import program
from ._run import Expectation, Finding, Kernel, Mutants, NotRun, Related, Run, run, triton

__all__ = [
    "Edit",
    "Expectation",
    "Finding",
    "Fix",
    "Kernel",
    "Mutants",
    "NotRun",
    "Occupancy",
    "Page",
    "Problem",
    "PtxAnalyzerError",
    "Registers",
    "Related",
    "Run",
    "check",
    "explain",
    "format",
    "program",
    "registers",
    "run",
    "triton",
]

@dataclass(frozen=True)
class Edit:
    """A replacement of a part of the text; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    insert: str


@dataclass(frozen=True)
class Fix:
    """A way to repair a problem."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with a text; the end of its place is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    #: ``error``, ``warning``, ``information`` or ``hint``.
    severity: str
    #: A stable name, which :func:`explain` knows.
    code: str
    message: str
    #: What to do about it.
    help: Optional[str] = None
    fixes: tuple[Fix, ...] = ()

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}"


@dataclass(frozen=True)
class Occupancy:
    """How many warps of an entry fit on a multiprocessor."""

    warps: int
    #: How many warps a multiprocessor has at most.
    of: int
    #: What there is not enough of for more: ``registers``, ``shared memory``, …; ``None`` if all fit.
    limiter: Optional[str]


@dataclass(frozen=True)
class Registers:
    """How many registers an entry will need, by an estimate."""

    entry: str
    target: str
    estimate: int
    #: The estimate lies between these with good confidence.
    low: int
    high: int
    #: The most that are live at once, and the line where they are.
    max_live: int
    peak_line: Optional[int]
    #: The most that the directives of the entry allow.
    cap: Optional[int]
    occupancy: Occupancy


@dataclass(frozen=True)
class Page:
    """A page of documentation; notebooks show it laid out."""

    name: str
    #: What is explained: ``instruction``, ``special register``, …
    kind: str
    markdown: str

    def __str__(self) -> str:
        return f"# {self.name} ({self.kind})\n\n{self.markdown.rstrip()}\n"

    def _repr_markdown_(self) -> str:
        return str(self)


def check(
    text: Text,
    *,
    target: Optional[str] = None,
    portable_to: Iterable[str] = (),
    hints: bool = False,
    severity: Optional[Mapping[str, str]] = None,
    timeout: Optional[float] = None,
) -> list[Problem]:
    """Tells what is wrong with a module, in the order of its text; nothing if all is well.

    ``target`` judges it as if its ``.target`` directive said so, ``portable_to`` also warns of what these targets
    lack, ``severity`` maps codes to their severities: ``{"unused-register": "error"}``.

    Raises :class:`PtxAnalyzerError` for targets, codes and levels that do not exist.
    """
    arguments = ["check", "--format", "json", *_for_target(target)]
    arguments += [f"--portable-to={_one_target(it)}" for it in portable_to]
    if hints:
        arguments.append("--hints")
    for code, level in (severity or {}).items():
        arguments.append(f"--severity={code}={level}")
    return [_problem(it) for it in lines(ask(arguments + ["-"], text, ends=(0, 1), timeout=timeout))]


def registers(
    text: Text,
    target: Optional[str] = None,
    *,
    threads: int = 256,
    shared: int = 0,
    timeout: Optional[float] = None,
) -> list[Registers]:
    """Estimates how many registers each entry of a module will need, on another target than its own if one is given.

    ``threads`` is the size of a block where the text does not say, ``shared`` how many bytes of shared memory blocks
    get at launch besides what the text declares.

    Raises :class:`PtxAnalyzerError` for targets that do not exist and for sizes that no block has.
    """
    arguments = ["registers", "--format", "json", f"--threads={threads}", f"--shared={shared}"]
    found = lines(ask([*arguments, *_for_target(target), "-"], text, ends=(0,), timeout=timeout))
    return [made(Registers, it, occupancy=made(Occupancy, it["occupancy"])) for it in found]


def explain(word: str, *, target: Optional[str] = None, timeout: Optional[float] = None) -> list[Page]:
    """The documentation of an instruction, a statement, a word, the code of a problem or a message of ``ptxas``.

    ``target`` says whether instructions are available there.

    Raises :class:`LookupError` if nothing is called so, with names that are close to it, and
    :class:`PtxAnalyzerError` for a target that does not exist.
    """
    arguments = ["explain", "--format", "json", *_for_target(target)]
    # One question, also if it has blanks; it may begin like an option.
    output = ask(arguments + ["--", word], "", ends=(0, 2), timeout=timeout, empty_fails=True)
    answer = json.loads(output or "[]")
    pages = [made(Page, page) for it in answer for page in it["found"]]
    if not pages:
        similar = ", ".join(name for it in answer for name in it["similar"])
        close = f"; did you mean {similar}?" if similar else ""
        raise LookupError(f"no documentation for {word!r}{close}")
    return pages


def format(text: str, *, indent: int = 4, timeout: Optional[float] = None) -> str:
    """The module with other whitespace and line breaks; no token changes.

    ``indent`` is the number of columns of one level, at most 16.
    """
    return ask(["format", f"--indent={indent}", "-"], text, ends=(0,), timeout=timeout)


def _one_target(name: str) -> str:
    # The program takes lists with commas.
    if not name or "," in name:
        raise PtxAnalyzerError(f"{name!r} is not a target")
    return name


def _for_target(name: Optional[str]) -> list[str]:
    return [] if name is None else [f"--target={_one_target(name)}"]


def _problem(record: dict[str, Any]) -> Problem:
    fixes = tuple(
        made(Fix, it, edits=tuple(made(Edit, edit) for edit in it["edits"])) for it in record.get("fixes", ())
    )
    return made(Problem, record, fixes=fixes)

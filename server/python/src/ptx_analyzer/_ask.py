"""Starts the program and reads what it prints."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import fields
from typing import Any, Optional, TypeVar, Union

from ._program import program

#: The text of a module.
Text = Union[str, bytes]


class PtxAnalyzerError(Exception):
    """The program could not do what it was asked to; the message is its own."""

    # For tracebacks and pickles.
    __module__ = "ptx_analyzer"


def ask(
    arguments: list[str],
    text: Text,
    *,
    ends: tuple[int, ...],
    timeout: Optional[float],
    empty_fails: bool = False,
) -> str:
    """The output of the program; it must end with one of the given statuses."""
    if isinstance(text, str):
        data = text.encode("utf-8", "surrogatepass")
    elif isinstance(text, bytes):
        data = text
    else:
        # Without a text the program would read what the caller reads.
        raise TypeError(f"a text is str or bytes, not {type(text).__name__}")
    try:
        done = subprocess.run(
            [os.fspath(program()), *arguments],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            timeout=timeout,
        )
        output = done.stdout.decode("utf-8")
    except subprocess.TimeoutExpired:
        raise PtxAnalyzerError(f"the program did not end within {timeout} seconds") from None
    except UnicodeDecodeError:
        raise PtxAnalyzerError("the text is not UTF-8") from None
    except ValueError as error:
        # An argument has a NUL or half of a surrogate pair.
        raise PtxAnalyzerError(f"this cannot be asked: {error}") from error
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in ends or (empty_fails and not done.stdout):
        raise PtxAnalyzerError(said or f"the program ended with status {done.returncode}")
    return output


def lines(output: str) -> list[dict[str, Any]]:
    """The records of an output."""
    # They end with a line feed; other characters that Python takes for ends of lines may be in their strings.
    return [json.loads(line) for line in output.split("\n") if line]


_Record = TypeVar("_Record")


def made(kind: type[_Record], record: dict[str, Any], **others: Any) -> _Record:
    """A dataclass with what a record of the program has under the names of its fields."""
    names = [it.name for it in fields(kind) if it.name not in others]  # type: ignore[arg-type]
    return kind(**{name: record[name] for name in names if name in record}, **others)

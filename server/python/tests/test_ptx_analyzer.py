"""The functions over the installed program."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

import ptx_analyzer

MODULE = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 values)
{
    .reg .b32 %r<4>;
    mov.u32 %r1, %tid.x;
}
"""


def test_check():
    assert ptx_analyzer.check(MODULE) == []
    wrong = MODULE.replace("%r1", "%r4")
    [problem] = ptx_analyzer.check(wrong)
    assert str(problem) == "7:13: error[undefined-name]: `%r4` is not declared"
    assert (problem.end_line, problem.end_column) == (7, 16)
    assert problem.help == "`%r<4>` declares `%r0` to `%r3`"
    [edit] = problem.fixes[0].edits
    assert (edit.line, edit.column, edit.insert) == (6, 18, "5")
    with pytest.raises(dataclasses.FrozenInstanceError):
        problem.line = 1
    assert ptx_analyzer.check(wrong, severity={"undefined-name": "off"}) == []
    assert ptx_analyzer.check(wrong.encode()) == [problem]
    # What a terminal, JSON and Python take for ends of lines is in no record.
    odd = ptx_analyzer.check(MODULE.replace("%tid.x", "\u2028\x85\x0b\x00\ud800"))
    assert odd and all(it.line == 7 for it in odd)


def test_what_cannot_be_asked():
    for function in [ptx_analyzer.check, ptx_analyzer.registers, ptx_analyzer.format]:
        with pytest.raises(TypeError, match="not NoneType"):
            function(None)
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="not UTF-8"):
        ptx_analyzer.format(b"// \xff\n")
    for word in ["a\0b", "\ud800"]:
        with pytest.raises(ptx_analyzer.PtxAnalyzerError):
            ptx_analyzer.explain(word)
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="not PTX text"):
        ptx_analyzer.check(b"\x7fELF" + bytes(100))


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for the program")
def test_timeout(tmp_path, monkeypatch):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PTX_ANALYZER_SERVER", str(slow))
    ptx_analyzer.program.cache_clear()
    try:
        for function in [ptx_analyzer.check, ptx_analyzer.registers, ptx_analyzer.explain, ptx_analyzer.format]:
            with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="within 0.1 seconds"):
                function("", timeout=0.1)
    finally:
        ptx_analyzer.program.cache_clear()


def test_targets():
    text = MODULE.replace("mov.u32 %r1, %tid.x", "setmaxnreg.inc.sync.aligned.u32 64")
    severities = [it.severity for it in ptx_analyzer.check(text)]
    assert "error" in severities
    severities = [it.severity for it in ptx_analyzer.check(text, target="sm_90a")]
    assert "error" not in severities
    # The register count at entry is not known there.
    assert "warning" in severities
    assert ptx_analyzer.check(MODULE, portable_to=["sm_80", "sm_90"]) == []
    clusters = MODULE.replace("mov.u32 %r1, %tid.x", "mov.u32 %r1, %cluster_ctarank").replace("sm_80", "sm_90")
    assert ptx_analyzer.check(clusters) == []
    assert ptx_analyzer.check(clusters, portable_to=["sm_80"]) != []
    for wrong in ["sm_1", "", "sm_80,sm_90"]:
        with pytest.raises(ptx_analyzer.PtxAnalyzerError):
            ptx_analyzer.check(MODULE, portable_to=[wrong])
        with pytest.raises(ptx_analyzer.PtxAnalyzerError):
            ptx_analyzer.registers(MODULE, wrong)


def test_registers():
    [entry] = ptx_analyzer.registers(MODULE)
    assert (entry.entry, entry.target) == ("scale", "sm_80")
    assert entry.low <= entry.estimate <= entry.high
    assert 0 < entry.occupancy.warps <= entry.occupancy.of
    [other] = ptx_analyzer.registers(MODULE, "sm_90")
    assert other.target == "sm_90"
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="1..=1024"):
        ptx_analyzer.registers(MODULE, threads=0)


def test_explain():
    [page] = ptx_analyzer.explain("%laneid")
    assert (page.name, page.kind) == ("%laneid", "special register")
    assert page._repr_markdown_().startswith("# %laneid (special register)\n\n")
    assert ptx_analyzer.explain("undefined-name")
    assert ptx_analyzer.explain("-1")
    with pytest.raises(LookupError, match="did you mean .*mbarrier"):
        ptx_analyzer.explain("mbarier.init")
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="unknown target"):
        ptx_analyzer.explain("mov", target="sm_1")


def test_format():
    assert ptx_analyzer.format(MODULE.replace("    ", "")) == MODULE
    assert "\n  mov.u32" in ptx_analyzer.format(MODULE, indent=2)


def test_program():
    program = ptx_analyzer.program()
    assert Path(sys.prefix) in program.parents
    command = [sys.executable, "-m", "ptx_analyzer"]
    said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("ptx-analyzer ")
    ended = subprocess.run([*command, "check", "no such file"], capture_output=True, check=False)
    assert ended.returncode == 2

"""Runs of kernels by the installed program."""

import ctypes
import dataclasses
import types
from array import array

import pytest

import ptx_analyzer

#: `out[i] = by * values[i]` for `i` below `n`.
SCALE = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 out, .param .u64 values, .param .f32 by, .param .u32 n)
{
    .reg .pred %p1;
    .reg .b32 %r<3>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [values];
    ld.param.f32 %f1, [by];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd5];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd4], %f3;
    ret;
}
"""

#: Each thread reads what its neighbour wrote to shared memory.
SHIFT = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry shift(.param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, tile;
    add.u32 %r3, %r3, %r2;
    st.shared.u32 [%r3], %r1;
    bar.sync 0;
    xor.b32 %r4, %r2, 128;
    mov.u32 %r3, tile;
    add.u32 %r3, %r3, %r4;
    ld.shared.u32 %r5, [%r3];
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}
"""


def values(count):
    return array("f", range(count))


def test_arrays_change_in_place():
    out = array("f", [0.0] * 32)
    done = ptx_analyzer.run(SCALE, "scale", block=32, args=[out, values(32), 2.5, 32])
    assert out == array("f", [2.5 * it for it in range(32)])
    assert done.passed and done.outcome == "finished" and done.steps > 0
    assert done.lane_instructions == 32 * done.steps
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.steps = 1
    # By names, of bytes, in a grid that is longer than the array; what is read-only stays.
    out = bytearray(4 * 8)
    given = values(8).tobytes()
    done = ptx_analyzer.run(
        SCALE.encode(), grid=(2, 1), block=[32], args={"n": 8, "by": 1, "out": out, "values": memoryview(given)}
    )
    assert bytes(out) == given
    # Both blocks write the same numbers to the same places.
    assert {it.code for it in done.findings} <= {"race"}


def test_expectations():
    out = array("f", [0.0] * 4)
    want = array("f", [0.0, 1.0, 2.0, 3.0])
    ask = {"block": 32, "args": [out, values(4), 1.0, 4]}
    assert ptx_analyzer.run(SCALE, **ask, expect={0: want}).passed
    assert ptx_analyzer.run(SCALE, **ask, expect={0: "1"}).passed
    want[2] = 2.5
    done = ptx_analyzer.run(SCALE, **ask, expect={0: want})
    [expectation] = done.expectations
    assert not done.passed and not expectation.holds
    assert (expectation.index, expectation.got, expectation.want) == ((2,), 2.0, 2.5)
    assert str(expectation) == "0[2] is 2.0, want 2.5; 1 of 4 elements differ"
    assert ptx_analyzer.run(SCALE, **ask, expect={0: want}, atol=0.5).passed
    assert not ptx_analyzer.run(SCALE, **ask, expect={0: float("nan")}).passed


def test_findings():
    out = array("f", [0.0] * 8)
    done = ptx_analyzer.run(SCALE, block=32, args=[out, values(32), 1.0, 32])
    assert not done.passed
    assert [it.code for it in done.findings] == ["out-of-bounds"]
    [finding] = done.findings
    assert (finding.line, finding.severity, finding.warp) == (22, "error", 0)
    assert finding.lanes[0] == 8
    assert str(finding).startswith("22:5: error[out-of-bounds]: ")
    assert str(finding) in str(done)


def test_schedules_and_mutants():
    out = array("I", [0] * 64)
    for options in [{}, {"schedule": "reverse"}, {"schedule": "random:3", "late": True}]:
        assert ptx_analyzer.run(SHIFT, block=64, args=[out], **options).passed
    assert list(out) == [it ^ 32 for it in range(64)]
    expect = {"out": array("I", [it ^ 32 for it in range(64)])}
    done = ptx_analyzer.run(SHIFT, block=64, args={"out": out}, expect=expect, mutate=True)
    assert done.passed
    assert done.mutants == ptx_analyzer.Mutants(found=1, survivors=())
    # A second barrier is one too many.
    twice = SHIFT.replace("bar.sync 0;", "bar.sync 0;\n    bar.sync 0;")
    done = ptx_analyzer.run(twice, block=64, args={"out": out}, expect=expect, mutate=True)
    assert not done.passed
    assert done.mutants.survivors == (15, 16)
    assert "15: the kernel passes without this instruction" in str(done)
    without = SHIFT.replace("bar.sync 0;", "")
    done = ptx_analyzer.run(without, block=64, args=[out], mutate=True)
    assert {it.code for it in done.findings} == {"race"}
    assert done.findings[0].related
    assert done.mutants.failures


def test_what_cannot_be_run():
    out = array("f", [0.0] * 4)
    error = ptx_analyzer.PtxAnalyzerError
    with pytest.raises(error, match="undefined-name"):
        ptx_analyzer.run(SCALE.replace("%r<3>", "%r<2>"), block=1)
    with pytest.raises(error, match="no entry|unknown entry"):
        ptx_analyzer.run(SCALE, "scales", block=1)
    with pytest.raises(error, match="`block` is missing"):
        ptx_analyzer.run(SCALE)
    # The folder with the arrays is nobody's business.
    with pytest.raises(error, match=r"^error: kernel\.toml:\d+:\d+: args\.outs: unknown parameter `outs`"):
        ptx_analyzer.run(SCALE, block=1, args={"outs": out})
    with pytest.raises(error, match="share memory"):
        ptx_analyzer.run(SCALE, block=1, args=[out, out])
    with pytest.raises(error, match="not next to each other"):
        ptx_analyzer.run(SCALE, block=1, args=[memoryview(out)[::2]])
    with pytest.raises(error, match="integer"):
        ptx_analyzer.run(SCALE, block=1, args={"n": 1.5})
    with pytest.raises(TypeError, match="neither an array nor a number but a str"):
        ptx_analyzer.run(SCALE, block=1, args={"n": "many"})
    with pytest.raises(TypeError):
        ptx_analyzer.run(SCALE, block=1, args="out")
    # A parameter without an argument is read.
    with pytest.raises(error, match="values"):
        ptx_analyzer.run(SCALE, block=1, args={"out": out, "by": 1, "n": 1})
    done = ptx_analyzer.run(SCALE, block=1, args=[out, values(4), 1, 4], steps=3)
    assert done.outcome == "limit" and not done.passed


def test_numpy():
    numpy = pytest.importorskip("numpy")
    given = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    # Neither in the order of C nor dense.
    out = numpy.zeros((3, 8), numpy.float32)[:, ::2]
    arguments = [out, numpy.asfortranarray(given), numpy.float32(0.5), numpy.int64(12)]
    assert ptx_analyzer.run(SCALE, block=32, args=arguments, expect={0: given / 2}).passed
    assert (out == given / 2).all()
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="share memory"):
        ptx_analyzer.run(SCALE, block=1, args=[given, given[1:]])
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="complex"):
        ptx_analyzer.run(SCALE, block=1, args=[given.astype(complex)])
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="big-endian"):
        ptx_analyzer.run(SCALE, block=1, args=[given.astype(">f4")])


class Interface:
    """An array that has only the interface of numpy."""

    def __init__(self, count):
        self.memory = (ctypes.c_uint32 * count)()
        self.__array_interface__ = {
            "version": 3,
            "typestr": "<u4",
            "shape": (count,),
            "data": (ctypes.addressof(self.memory), False),
        }


class Tensor:
    """As much of a tensor of torch as is asked for."""

    device = types.SimpleNamespace(type="cpu")

    def __init__(self, memory, dtype, size):
        self.memory, self.dtype, self.size = memory, dtype, size
        self.shape = (len(memory) * ctypes.sizeof(memory._type_) // size,)

    def detach(self):
        return self

    contiguous = detach

    def data_ptr(self):
        return ctypes.addressof(self.memory)

    def element_size(self):
        return self.size

    def numel(self):
        return self.shape[0]


def test_arrays_of_others():
    out = Interface(64)
    assert ptx_analyzer.run(SHIFT, block=64, args=[out]).passed
    assert list(out.memory) == [it ^ 32 for it in range(64)]
    tensor = Tensor((ctypes.c_uint32 * 64)(), "torch.int32", 4)
    assert ptx_analyzer.run(SHIFT, block=64, args=[tensor]).passed
    assert list(tensor.memory) == [it ^ 32 for it in range(64)]
    # The kernel writes to it what it likes; the expectation knows its type.
    narrow = Tensor((ctypes.c_uint16 * 128)(*[0x3F80] * 128), "torch.bfloat16", 2)
    scale = ptx_analyzer.run(SCALE, block=1, args=[narrow, values(1), 1, 0], expect={0: 1.0})
    assert scale.passed
    narrow.device = types.SimpleNamespace(type="cuda")
    with pytest.raises(ptx_analyzer.PtxAnalyzerError, match="device cuda"):
        ptx_analyzer.run(SHIFT, block=64, args=[narrow])


def test_triton():
    metadata = types.SimpleNamespace(name="scale", num_warps=1, shared=64, num_ctas=1)
    kernel = ptx_analyzer.triton(types.SimpleNamespace(asm={"ptx": SCALE}, metadata=metadata))
    assert (kernel.entry, kernel.block, kernel.shared, kernel.cluster) == ("scale", (32, 1, 1), 64, None)
    out = array("f", [0.0] * 8)
    assert kernel.run(1, [out, values(8), 3, 8], expect={0: array("f", range(0, 24, 3))}).passed

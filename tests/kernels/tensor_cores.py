"""PTX and arrays of kernels for tensor cores, from the layouts of the manual (PTX ISA 9.7.16.5.1.2 and 9.7.17.3.3).

A matrix in shared memory is described as in the table of canonical layouts: shapes and strides in elements, and a
swizzle of the byte address.
"""

import ml_dtypes
import numpy as np

#: The number of a swizzle in descriptors of `wgmma` and of `tcgen05`, and its width in bytes.
WARPGROUP = {16: 0, 128: 1, 64: 2, 32: 3}
FIFTH = {16: 0, 128: 2, 64: 4, 32: 6}


def swizzled(address, width):
    """`Swizzle<b, 4, 3>` of an address, b the binary logarithm of the chunks of 16 bytes."""
    chunks = width // 16
    return address ^ ((address >> 7) % chunks << 4)


class Layout:
    """Where the elements of a matrix are: `rows` along M or N, `depth` along K."""

    def __init__(self, rows, depth, size, width, across=False):
        self.rows, self.depth, self.size, self.width, self.across = rows, depth, size, width, across
        t = 16 // size
        wide = width // 16
        self.t, self.wide = t, wide
        if not across:
            # ((8,m),(T,2k)): the rows of an atom, then the next atoms.
            columns = depth // t if width == 16 else min(depth // t, wide)
            self.stride = 8 * 16 if width == 16 else 8 * width
            self.leading = (rows // 8) * self.stride if width == 16 else 16
            # Columns of atoms one after the other.
            self.atom = rows // 8 * 8 * width
            self.columns = columns
        else:
            # ((T,w,m),(8,k)): the atoms along K are next to each other, then those along M or N.
            if width == 16:
                self.stride, self.leading = 8 * 16, (rows // t) * 8 * 16
            else:
                self.stride = 8 * width
                self.leading = (depth // 8) * self.stride
        self.bytes = rows * depth * size

    def address(self, row, k):
        t, wide = self.t, self.wide
        if not self.across:
            if self.width == 16:
                at = row % 8 * 16 + row // 8 * self.stride + k // t * self.leading + k % t * self.size
            else:
                per = self.width // self.size
                at = row % 8 * self.width + row // 8 * self.stride + k % per * self.size + k // per * self.atom
        elif self.width == 16:
            at = row % t * self.size + row // t * self.stride + k % 8 * 16 + k // 8 * self.leading
        else:
            per = self.width // self.size
            at = row % per * self.size + row // per * self.leading + k % 8 * self.width + k // 8 * self.stride
        return swizzled(at, self.width)

    def image(self, matrix):
        """The bytes of shared memory, for a matrix of rows by depth."""
        raw = np.ascontiguousarray(matrix).view(np.uint8).reshape(self.rows, self.depth, self.size)
        out = np.zeros(self.bytes, np.uint8)
        for row in range(self.rows):
            for k in range(self.depth):
                at = self.address(row, k)
                out[at : at + self.size] = raw[row, k]
        return out

    def step(self, k):
        """The bytes from the start of a matrix to its part from element k along K on, before the swizzle."""
        if not self.across:
            if self.width == 16:
                return k // self.t * self.leading
            per = self.width // self.size
            return k % per * self.size + k // per * self.atom
        return k // 8 * (self.leading if self.width == 16 else self.stride)

    def descriptor(self, fifth=False):
        """The descriptor without its address."""
        bits = self.leading >> 4 << 16 | self.stride >> 4 << 32
        if fifth:
            return bits | 1 << 46 | FIFTH[self.width] << 61
        return bits | WARPGROUP[self.width] << 62


def head(version, target, name, parameters):
    lines = [f".version {version}", f".target {target}", ".address_size 64", "", f".visible .entry {name}("]
    lines += [f"    .param .u64 {it}" + ("," if it != parameters[-1] else "") for it in parameters]
    return lines + [")", "{"]


def copied(size, array, variable, threads=128):
    """Copies bytes of an array to a variable in shared memory, 16 at a time."""
    out = [f"    ld.param.u64 %rd1, [{array}];", "    mul.wide.u32 %rd2, %t, 16;", "    add.s64 %rd1, %rd1, %rd2;"]
    out += [f"    mov.u32 %r2, {variable};", "    mad.lo.u32 %r2, %t, 16, %r2;"]
    for at in range(0, size, 16 * threads):
        left = (size - at) // 16
        guard = "" if left >= threads else "@%p1 "
        if guard:
            out.append(f"    setp.lt.u32 %p1, %t, {left};")
        out.append(f"    {guard}ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%rd1+{at}];")
        out.append(f"    {guard}st.shared.v4.u32 [%r2+{at}], {{%r4, %r5, %r6, %r7}};")
    return out


def braces(registers):
    return "{" + ", ".join(registers) + "}"


def warpgroup(name, shape, types, k, a, b, after, results, sparse=False, d16=False):
    """A kernel of one warpgroup: parameters `a`, `b`, `d`; a and b are images of shared memory.

    `shape` is (N, K of an instruction), `after` what follows b in the statement, `results` `store` or `hash`.
    `a` may be `registers`: then the parameter has the four registers of each thread for each step.
    """
    n, depth = shape
    count = n // 4 if d16 else n // 2
    d = [f"%d{it}" for it in range(count)]
    words = ".".join(types)
    out = head("8.4", "sm_90a", name, ["a", "b", "d"] + (["meta"] if sparse else []))
    out += ["    .reg .pred %p<4>;", "    .reg .b32 %r<16>, %t, %a<4>;", f"    .reg .b32 %d<{count}>;", "    .reg .b64 %rd<12>;"]
    if a != "registers":
        out.append(f"    .shared .align 1024 .b8 first[{a.bytes}];")
    out += [f"    .shared .align 1024 .b8 second[{b.bytes}];", "    mov.u32 %t, %tid.x;"]
    if a != "registers":
        out += copied(a.bytes, "a", "first")
    out += copied(b.bytes, "b", "second")
    out += ["    fence.proxy.async.shared::cta;", "    bar.sync 0;"]

    def descriptor(register, variable, layout, at):
        bits = layout.descriptor()
        signed = bits - (1 << 64) if bits >> 63 else bits
        return [
            f"    mov.u32 %r2, {variable};",
            f"    add.u32 %r2, %r2, {layout.step(at)};",
            "    bfe.u32 %r2, %r2, 4, 14;",
            "    cvt.u64.u32 %rd3, %r2;",
            f"    or.b64 {register}, %rd3, {signed};",
        ]

    if sparse:
        out += ["    ld.param.u64 %rd1, [meta];", "    mul.wide.u32 %rd2, %t, 4;", "    add.s64 %rd1, %rd1, %rd2;", "    ld.global.u32 %r9, [%rd1];"]
    out += [f"    mov.b32 {it}, 0;" for it in d]
    if a != "registers":
        out.append("    wgmma.fence.sync.aligned;")
    for step in range(k // depth):
        at = step * depth
        if a == "registers":
            out += ["    ld.param.u64 %rd1, [a];", "    mul.wide.u32 %rd2, %t, 16;", "    add.s64 %rd1, %rd1, %rd2;"]
            out += [f"    ld.global.v4.u32 {braces([f'%a{it}' for it in range(4)])}, [%rd1+{step * 128 * 16}];", "    wgmma.fence.sync.aligned;"]
            first = braces([f"%a{it}" for it in range(4)])
        else:
            out += descriptor("%rd5", "first", a, at // 2 if sparse else at)
            first = "%rd5"
        out += descriptor("%rd6", "second", b, at)
        out.append(f"    setp.ne.u32 %p2, {step}, 0;")
        meta = ", %r9, 0" if sparse else ""
        sp = ".sp" if sparse else ""
        out.append(f"    wgmma.mma_async{sp}.sync.aligned.m64n{n}k{depth}.{words} {braces(d)}, {first}, %rd6{meta}, %p2{after};")
        if a == "registers":
            out += ["    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;"]
    if a != "registers":
        out += ["    wgmma.commit_group.sync.aligned;", "    wgmma.wait_group.sync.aligned 0;"]
    out += ["    ld.param.u64 %rd1, [d];"]
    if results == "hash":
        out += ["    mov.b32 %r3, 0;"]
        for at, it in enumerate(d):
            if types[0] == "f32":
                out.append(f"    cvt.rni.s32.f32 %r8, {it};")
            out.append(f"    mad.lo.s32 %r3, {'%r8' if types[0] == 'f32' else it}, {at + 1}, %r3;")
        out += ["    mul.wide.u32 %rd2, %t, 4;", "    add.s64 %rd1, %rd1, %rd2;", "    st.global.u32 [%rd1], %r3;"]
    else:
        # Row 16 * warp + lane / 4, column 2 * (lane % 4): of each pair of registers, or of halves, the next 8 rows down.
        size = 2 if d16 else 4
        out += ["    shr.u32 %r3, %t, 5;", "    and.b32 %r4, %t, 31;", "    shr.u32 %r5, %r4, 2;", "    mad.lo.u32 %r3, %r3, 16, %r5;"]
        out += ["    and.b32 %r4, %r4, 3;", f"    mul.lo.u32 %r4, %r4, {2 * size};", f"    mad.lo.u32 %r3, %r3, {n * size}, %r4;"]
        out += ["    cvt.u64.u32 %rd2, %r3;", "    add.s64 %rd1, %rd1, %rd2;"]
        for at, it in enumerate(d):
            if d16:
                offset = at % 2 * 8 * n * 2 + at // 2 * 16
            else:
                offset = at % 2 * 4 + at // 2 % 2 * 8 * n * 4 + at // 4 * 32
            out.append(f"    st.global.b32 [%rd1+{offset}], {it};")
    return "\n".join(out + ["    ret;", "}"]) + "\n"


def hashed(d):
    """The numbers that `results="hash"` stores, of the integers of a 64 by N matrix."""
    out = np.zeros(128, np.int64)
    n = d.shape[1]
    for thread in range(128):
        lane, row = thread % 32, 16 * (thread // 32) + thread % 32 // 4
        for at in range(n // 2):
            value = d[row + at // 2 % 2 * 8, lane % 4 * 2 + at % 2 + at // 4 * 8]
            out[thread] += int(value) * (at + 1)
    return (out & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def fragments(a, size):
    """The four registers of each thread for a of 64 rows, a step of K after the other."""
    count = 4 // size
    per = 8 * count
    out = np.zeros((a.shape[1] // per, 128, 4, count), a.dtype)
    for step, thread, register, element in np.ndindex(out.shape):
        lane = thread % 32
        row = 16 * (thread // 32) + lane // 4 + register % 2 * 8
        column = step * per + lane % 4 * count + element + register // 2 * 4 * count
        out[step, thread, register, element] = a[row, column]
    return out


def small(r, shape, dtype, most=4):
    """Small integers, whose sums of products every float type here holds."""
    return r.integers(-most, most + 1, shape).astype(dtype)


def fifth(name, kind, k, step_k, a, b, idesc, columns, results, fill="", a_tmem=None, block_scale="", loads="32x32b", meta=None):
    """A kernel of four warps around a product in tensor memory: parameters `a`, `b`, `d` and `x`.

    With `meta`, a is sparse: half of its `k` columns are there, and each step has its metadata at one of these columns.

    The result is at column 0; `fill` is what the warps store to tensor memory first, and `a_tmem` the column of a if it
    is there. Thread i stores row i of the result, of which there are `columns` columns, or what `hash` makes of it.
    """
    out = head("8.8", "sm_100a", name, ["a", "b", "d", "x"])
    out += ["    .reg .pred %p<4>;", "    .reg .b32 %r<16>, %t, %tm, %w, %v<32>;", f"    .reg .b32 %d<{columns}>;", "    .reg .b64 %rd<12>;"]
    out += ["    .shared .align 4 .b32 slot;", "    .shared .align 8 .b64 done;"]
    if a is not None:
        out.append(f"    .shared .align 1024 .b8 first[{a.bytes}];")
    out += [f"    .shared .align 1024 .b8 second[{b.bytes}];", "    mov.u32 %t, %tid.x;", "    shr.u32 %w, %t, 5;"]
    out += ["    setp.ne.u32 %p0, %w, 0;", "    @%p0 bra allocated;"]
    out += ["    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 256;", "    tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", "allocated:"]
    out += ["    setp.ne.u32 %p3, %t, 0;", "    @%p3 bra ready;", "    mbarrier.init.shared.b64 [done], 1;", "    fence.mbarrier_init.release.cluster;", "ready:"]
    if a is not None:
        out += copied(a.bytes, "a", "first")
    out += copied(b.bytes, "b", "second")
    out += ["    fence.proxy.async.shared::cta;", "    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;", "    ld.shared.u32 %tm, [slot];"]
    out += ["    shl.b32 %r3, %w, 21;", "    add.u32 %r3, %r3, %tm;"]
    if fill:
        out += fill.splitlines() + ["    tcgen05.wait::st.sync.aligned;", "    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;"]
    out += ["    @%p3 bra issued;"]

    def descriptor(register, variable, layout, at):
        bits = layout.descriptor(True)
        return [
            f"    mov.u32 %r2, {variable};",
            f"    add.u32 %r2, %r2, {layout.step(at)};",
            "    bfe.u32 %r2, %r2, 4, 14;",
            "    cvt.u64.u32 %rd3, %r2;",
            f"    or.b64 {register}, %rd3, {bits - (1 << 64) if bits >> 63 else bits};",
        ]

    for step in range(k // step_k):
        at = step * step_k
        if a is not None:
            out += descriptor("%rd5", "first", a, at // 2 if meta else at)
            first = "%rd5"
        else:
            out += [f"    add.u32 %r4, %tm, {a_tmem + step * 8};"]
            first = "[%r4]"
        out += descriptor("%rd6", "second", b, at)
        out.append(f"    setp.ne.u32 %p2, {step}, 0;")
        scales = ""
        if block_scale:
            out += ["    add.u32 %r5, %tm, 128;", "    add.u32 %r6, %tm, 160;"]
            scales = ", [%r5], [%r6]"
        if meta:
            out.append(f"    add.u32 %r7, %tm, {meta[step]};")
        out.append(f"    tcgen05.mma{'.sp' if meta else ''}.cta_group::1.kind::{kind}{block_scale} [%tm], {first}, %rd6, {'[%r7], ' if meta else ''}{idesc[step] if isinstance(idesc, list) else idesc}{scales}, %p2;")
    out += ["    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];", "issued:", "wait:"]
    out += ["    mbarrier.try_wait.parity.shared.b64 %p1, [done], 0;", "    @!%p1 bra wait;", "    tcgen05.fence::after_thread_sync;"]
    d = [f"%d{it}" for it in range(columns)]
    out += [f"    tcgen05.ld.sync.aligned.32x32b.x{columns}.b32 {braces(d)}, [%r3];", "    tcgen05.wait::ld.sync.aligned;", "    ld.param.u64 %rd1, [d];"]
    if results == "hash":
        out.append("    mov.b32 %r5, 0;")
        for at, it in enumerate(d):
            if kind != "i8":
                out.append(f"    cvt.rni.s32.f32 %r8, {it};")
            out.append(f"    mad.lo.s32 %r5, {it if kind == 'i8' else '%r8'}, {at + 1}, %r5;")
        out += ["    mul.wide.u32 %rd2, %t, 4;", "    add.s64 %rd1, %rd1, %rd2;", "    st.global.u32 [%rd1], %r5;"]
    else:
        out += [f"    mul.wide.u32 %rd2, %t, {4 * columns};", "    add.s64 %rd1, %rd1, %rd2;"]
        out += [f"    st.global.b32 [%rd1+{4 * at}], {it};" for at, it in enumerate(d)]
    out += ["    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;", "    @%p0 bra end;"]
    out += ["    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 256;", "end:", "    ret;", "}"]
    return "\n".join(out) + "\n"


#: The codes of types in instruction descriptors, PTX ISA 9.7.17.4.2.
TYPES = {"f16": 0, "bf16": 1, "tf32": 2, "u8": 0, "s8": 1, "e4m3": 0, "e5m2": 1, "e2m3": 3, "e3m2": 4, "e2m1": 5}


def instruction(d, a, b, m, n, across=(0, 0), negate=(0, 0)):
    """An instruction descriptor without block scaling."""
    return (
        {"f16": 0, "f32": 1, "s32": 2}[d] << 4 | TYPES[a] << 7 | TYPES[b] << 10 | negate[0] << 13 | negate[1] << 14
        | across[0] << 15 | across[1] << 16 | n // 8 << 17 | m // 16 << 24
    )


def scaled_instruction(a, b, m, n, of_a=0, of_b=0):
    """An instruction descriptor of `.kind::mxf8f6f4`; the last are the bytes of the scales."""
    return of_b << 4 | TYPES[a] << 7 | TYPES[b] << 10 | n // 8 << 17 | 1 << 23 | m // 128 << 27 | of_a << 29


def rows_hashed(d):
    """The numbers that `results="hash"` of `fifth` stores, of the integers of a row for each thread."""
    weights = np.arange(1, d.shape[1] + 1)
    return ((d.astype(np.int64) * weights).sum(1) & 0xFFFFFFFF).astype(np.uint32).view(np.int32)


def moves(name):
    """A kernel of four warps: 8 columns are stored as 32x32b, and loaded in every shape."""
    out = head("8.8", "sm_100a", name, ["x", "y"])
    out += ["    .reg .pred %p<4>;", "    .reg .b32 %r<16>, %t, %tm, %w, %v<8>;", "    .reg .b64 %rd<12>;", "    .shared .align 4 .b32 slot;"]
    out += ["    mov.u32 %t, %tid.x;", "    shr.u32 %w, %t, 5;", "    setp.ne.u32 %p0, %w, 0;", "    @%p0 bra allocated;"]
    out += ["    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;", "allocated:", "    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;"]
    out += ["    ld.shared.u32 %tm, [slot];", "    shl.b32 %r3, %w, 21;", "    add.u32 %r3, %r3, %tm;", "    add.u32 %r4, %r3, 0x100000;"]
    out += ["    ld.param.u64 %rd1, [x];", "    mul.wide.u32 %rd2, %t, 32;", "    add.s64 %rd1, %rd1, %rd2;", "    ld.param.u64 %rd3, [y];", "    mul.wide.u32 %rd2, %t, 128;", "    add.s64 %rd3, %rd3, %rd2;"]
    for at in range(0, 8, 4):
        out.append(f"    ld.global.v4.u32 {{%v{at}, %v{at + 1}, %v{at + 2}, %v{at + 3}}}, [%rd1+{at * 4}];")
    eight = braces([f"%v{it}" for it in range(8)])
    four = braces([f"%v{it}" for it in range(4)])
    out += [f"    tcgen05.st.sync.aligned.32x32b.x8.b32 [%r3], {eight};", "    tcgen05.wait::st.sync.aligned;"]
    at = 0
    for text, count in [
        (f"16x64b.x4.b32 {four}, [%r4]", 4),
        (f"16x128b.x2.b32 {four}, [%r3]", 4),
        (f"16x256b.x1.b32 {four}, [%r4]", 4),
        (f"16x32bx2.x4.b32 {four}, [%r3], 4", 4),
        (f"32x32b.x4.pack::16b.b32 {four}, [%r3]", 4),
    ]:
        out += [f"    tcgen05.ld.sync.aligned.{text};", "    tcgen05.wait::ld.sync.aligned;"]
        out.append(f"    st.global.v4.u32 [%rd3+{4 * at}], {four};")
        at += count
    # Halves are written to the other columns, and whole cells read.
    out += [f"    tcgen05.st.sync.aligned.32x32b.x4.unpack::16b.b32 [%r3+8], {four};", "    tcgen05.wait::st.sync.aligned;"]
    out += [f"    tcgen05.ld.sync.aligned.32x32b.x8.b32 {eight}, [%r3+8];", "    tcgen05.wait::ld.sync.aligned;"]
    out += ["    st.global.v4.u32 [%rd3+80], {%v0, %v1, %v2, %v3};", "    st.global.v4.u32 [%rd3+96], {%v4, %v5, %v6, %v7};"]
    out += ["    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;", "    @%p0 bra end;", "    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 32;", "end:", "    ret;", "}"]
    return "\n".join(out) + "\n"


def moved(x):
    """The numbers that `moves` stores for cells of 128 lanes and 8 columns, by the figures of 9.7.17.2.3.1."""
    out = np.zeros((128, 32), np.uint32)
    for thread in range(128):
        warp, lane = thread // 32, thread % 32
        q = x[32 * warp : 32 * warp + 32]
        for r in range(4):
            # 16x64b: a row has two threads of one lane and of the lane 8 further.
            out[thread, r] = q[16 + lane // 4 + lane % 2 * 8, 2 * r + lane % 4 // 2]
            # 16x128b: four threads side by side, then 8 rows down, then right.
            out[thread, 4 + r] = q[lane // 4 + r % 2 * 8, lane % 4 + r // 2 * 4]
            # 16x256b: pairs of registers side by side.
            out[thread, 8 + r] = q[16 + lane // 4 + r // 2 * 8, lane % 4 * 2 + r % 2]
            # 16x32bx2: the upper threads four columns further.
            out[thread, 12 + r] = q[lane % 16, r + lane // 16 * 4]
            # pack::16b: the lower halves of two columns.
            low, high = q[lane, 2 * r] & 0xFFFF, q[lane, 2 * r + 1] & 0xFFFF
            out[thread, 16 + r] = low | high << 16
            out[thread, 20 + 2 * r], out[thread, 21 + 2 * r] = low, high
    return out


def pair(name, a, b, idesc, columns, k):
    """A kernel of two CTAs of a cluster with a product of 256 rows: each has half of the rows of a and of b.

    Parameters `a`, `b` with the images of both halves one after the other, `d`; thread i of a CTA stores a number for
    row i of its half.
    """
    out = head("8.8", "sm_100a", name, ["a", "b", "d"])
    out += ["    .reg .pred %p<6>;", "    .reg .b32 %r<16>, %t, %tm, %w, %c;", f"    .reg .b32 %d<{columns}>;", "    .reg .b64 %rd<12>;"]
    out += ["    .shared .align 4 .b32 slot;", "    .shared .align 8 .b64 done;", f"    .shared .align 1024 .b8 first[{a.bytes}];", f"    .shared .align 1024 .b8 second[{b.bytes}];"]
    out += ["    mov.u32 %t, %tid.x;", "    mov.u32 %c, %cluster_ctarank;", "    shr.u32 %w, %t, 5;", "    setp.ne.u32 %p0, %w, 0;", "    @%p0 bra allocated;"]
    out += ["    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 32;", "    tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;", "allocated:"]
    out += ["    setp.ne.u32 %p3, %t, 0;", "    @%p3 bra ready;", "    mbarrier.init.shared.b64 [done], 1;", "    fence.mbarrier_init.release.cluster;", "ready:"]
    for layout, array, variable in ((a, "a", "first"), (b, "b", "second")):
        part = copied(layout.bytes, array, variable)
        part.insert(1, f"    mul.wide.u32 %rd7, %c, {layout.bytes};\n    add.s64 %rd1, %rd1, %rd7;")
        out += part
    out += ["    fence.proxy.async.shared::cta;", "    tcgen05.fence::before_thread_sync;", "    barrier.cluster.arrive.release;", "    barrier.cluster.wait.acquire;", "    tcgen05.fence::after_thread_sync;"]
    out += ["    ld.shared.u32 %tm, [slot];", "    shl.b32 %r3, %w, 21;", "    add.u32 %r3, %r3, %tm;", "    or.b32 %r4, %t, %c;", "    setp.ne.u32 %p4, %r4, 0;", "    @%p4 bra issued;"]
    for step in range(k // 16):
        for register, variable, layout in (("%rd5", "first", a), ("%rd6", "second", b)):
            bits = layout.descriptor(True)
            out += [f"    mov.u32 %r2, {variable};", f"    add.u32 %r2, %r2, {layout.step(16 * step)};", "    bfe.u32 %r2, %r2, 4, 14;", "    cvt.u64.u32 %rd3, %r2;"]
            out.append(f"    or.b64 {register}, %rd3, {bits - (1 << 64) if bits >> 63 else bits};")
        out += [f"    setp.ne.u32 %p2, {step}, 0;", f"    tcgen05.mma.cta_group::2.kind::f16 [%tm], %rd5, %rd6, {idesc}, %p2;"]
    out += ["    mov.b16 %h, 3;", "    tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [done], %h;", "issued:", "wait:"]
    out.insert(out.index("    .shared .align 4 .b32 slot;"), "    .reg .b16 %h;")
    out += ["    mbarrier.try_wait.parity.shared.b64 %p1, [done], 0;", "    @!%p1 bra wait;", "    tcgen05.fence::after_thread_sync;"]
    d = [f"%d{it}" for it in range(columns)]
    out += [f"    tcgen05.ld.sync.aligned.32x32b.x{columns}.b32 {braces(d)}, [%r3];", "    tcgen05.wait::ld.sync.aligned;", "    ld.param.u64 %rd1, [d];", "    mov.b32 %r5, 0;"]
    for at, it in enumerate(d):
        out += [f"    cvt.rni.s32.f32 %r8, {it};", f"    mad.lo.s32 %r5, %r8, {at + 1}, %r5;"]
    out += ["    mad.lo.u32 %r6, %c, 128, %t;", "    mul.wide.u32 %rd2, %r6, 4;", "    add.s64 %rd1, %rd1, %rd2;", "    st.global.u32 [%rd1], %r5;"]
    out += ["    tcgen05.fence::before_thread_sync;", "    barrier.cluster.arrive.release;", "    barrier.cluster.wait.acquire;", "    tcgen05.fence::after_thread_sync;", "    @%p0 bra end;"]
    out += ["    tcgen05.dealloc.cta_group::2.sync.aligned.b32 %tm, 32;", "end:", "    ret;", "}"]
    return "\n".join(out) + "\n"


def copy(name):
    """A kernel of four warps: 32 rows of 16 bytes are copied to all of them, and 128 rows of 32 bytes."""
    out = head("8.8", "sm_100a", name, ["x", "y", "z"])
    out += ["    .reg .pred %p<4>;", "    .reg .b32 %r<16>, %t, %tm, %w, %v<12>;", "    .reg .b64 %rd<12>;", "    .shared .align 4 .b32 slot;", "    .shared .align 8 .b64 done;"]
    out += ["    .shared .align 128 .b8 first[512];", "    .shared .align 128 .b8 second[4096];"]
    out += ["    mov.u32 %t, %tid.x;", "    shr.u32 %w, %t, 5;", "    setp.ne.u32 %p0, %w, 0;", "    @%p0 bra allocated;", "    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;", "allocated:"]
    out += ["    setp.ne.u32 %p3, %t, 0;", "    @%p3 bra ready;", "    mbarrier.init.shared.b64 [done], 1;", "    fence.mbarrier_init.release.cluster;", "ready:"]
    out += copied(512, "x", "first") + copied(4096, "y", "second")
    out += ["    fence.proxy.async.shared::cta;", "    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;", "    ld.shared.u32 %tm, [slot];", "    shl.b32 %r3, %w, 21;", "    add.u32 %r3, %r3, %tm;", "    @%p3 bra issued;"]
    # Without swizzling: 8 rows of 16 bytes after each other, then the next 8; the second 16 bytes of a row 2,048 further.
    for register, variable, leading in (("%rd5", "first", 0), ("%rd6", "second", 2048)):
        bits = leading >> 4 << 16 | 128 >> 4 << 32 | 1 << 46
        out += [f"    mov.u32 %r2, {variable};", "    bfe.u32 %r2, %r2, 4, 14;", "    cvt.u64.u32 %rd3, %r2;", f"    or.b64 {register}, %rd3, {bits};"]
    out += ["    add.u32 %r4, %tm, 4;", "    tcgen05.cp.cta_group::1.32x128b.warpx4 [%tm], %rd5;", "    tcgen05.cp.cta_group::1.128x256b [%r4], %rd6;"]
    out += ["    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];", "issued:", "wait:", "    mbarrier.try_wait.parity.shared.b64 %p1, [done], 0;", "    @!%p1 bra wait;", "    tcgen05.fence::after_thread_sync;"]
    out += [f"    tcgen05.ld.sync.aligned.32x32b.x4.b32 {braces([f'%v{it}' for it in range(4)])}, [%r3];", "    add.u32 %r4, %r3, 4;"]
    out += [f"    tcgen05.ld.sync.aligned.32x32b.x8.b32 {braces([f'%v{it}' for it in range(4, 12)])}, [%r4];", "    tcgen05.wait::ld.sync.aligned;"]
    out += ["    ld.param.u64 %rd1, [z];", "    mul.wide.u32 %rd2, %t, 48;", "    add.s64 %rd1, %rd1, %rd2;"]
    out += [f"    st.global.v4.u32 [%rd1+{4 * at}], {{%v{at}, %v{at + 1}, %v{at + 2}, %v{at + 3}}};" for at in range(0, 12, 4)]
    out += ["    tcgen05.fence::before_thread_sync;", "    bar.sync 0;", "    tcgen05.fence::after_thread_sync;", "    @%p0 bra end;", "    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %tm, 32;", "end:", "    ret;", "}"]
    return "\n".join(out) + "\n"

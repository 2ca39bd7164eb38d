use expect_test::expect;

use crate::machine::tests::run_described;

/// A kernel of 8 threads on an image, whose coordinate is 0.3 and whose `%n` is half of the thread; `%r1` is what a
/// thread stores.
fn run(body: &str, arguments: &str, texels: &str) -> String {
    let text = format!(
        "\
.version 8.5
.target sm_90, {mode}
.address_size 64
.global .samplerref nearest;
.visible .entry k(.param .u64 image, .param .u64 sampler, .param .u64 y)
{{
.reg .b64 %t, %s, %y;
.reg .b32 %x, %r<5>;
.reg .b16 %h<5>;
.reg .f32 %f<5>, %u, %n;
.reg .pred %p, %q;
ld.param.u64 %t, [image];
ld.param.u64 %s, [sampler];
ld.param.u64 %y, [y];
mov.u32 %x, %tid.x;
cvt.rn.f32.u32 %n, %x;
mul.f32 %n, %n, 0f3F000000;
mov.f32 %u, 0f3E99999A;
{body}
mad.wide.u32 %y, %x, 4, %y;
st.global.u32 [%y], %r1;
ret;
}}
",
        mode = match arguments.contains("sampler =") {
            true => "texmode_independent",
            false => "texmode_unified",
        }
    );
    let launch = format!(
        "block = 8
        args.nearest = {{ sampler = {{ unnormalized = true }} }}
        args.x = {{ value = {texels} }}
        args.y = {{ zeros = [8], type = 'u32' }}
        {sampler}
        {arguments}",
        sampler = match arguments.contains("args.sampler") {
            true => "",
            false => "args.sampler = 0",
        }
    );
    let out = run_described(&text, &launch);
    let out: Vec<&str> = out.lines().filter(|it| !it.starts_with("p0")).collect();
    format!("{body}\n{}\n", out.join(" "))
}

const LEVELS: &str = "of = 'x', type = 'f32', shape = [4], levels = 3, normalized = true";

fn image(keys: &str) -> String {
    format!("args.image = {{ texture = {{ {keys} }} }}")
}

#[test]
fn levels_of_detail() {
    let texels = "[1, 2, 3, 4, 10, 20, 100], type = 'f32'";
    let shown = "cvt.rni.s32.f32 %r1, %f1;";
    let at = |mip: &str, rest: &str| {
        format!("tex.{mip}.1d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [%t, {{%u}}], {rest}; {shown}")
    };
    let both = image(&format!("{LEVELS}, level_filter = 'linear'"));
    let plane = "of = 'x', type = 'u8', shape = [2, 2], levels = 2, normalized = true";
    let all = [
        run(&at("level", "%n"), &image(LEVELS), texels),
        run(&at("level", "%n"), &both, texels),
        run(
            &at("level", "%n").replace(
                "tex.level",
                "add.f32 %n, %n, 0fC0000000; add.f32 %n, %n, 0f3DCCCCCD; tex.level",
            ),
            &image(LEVELS),
            texels,
        ),
        // A pixel is as wide as a number of texels.
        run(&at("grad", "{%n}, {0f00000000}"), &image(LEVELS), texels),
        run(
            "tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {1}], %x; cvt.rni.s32.f32 %r1, %f1;",
            &image(LEVELS),
            texels,
        ),
        // The largest coordinate and the sum of both choose the same level, and then different ones.
        run(
            "tex.grad.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %u}], {%n, 0f3C23D70A}, {0f00000000, 0f3C23D70A};",
            &image(plane),
            "[1, 2, 3, 4, 5], type = 'u8'",
        ),
        run(
            "tex.grad.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %u}], {0f3F000000, 0f3F000000}, {0f00000000, 0f00000000};",
            &image(plane),
            "[1, 2, 3, 4, 5], type = 'u8'",
        ),
        run(
            &at("level", "%n"),
            &image("of = 'x', type = 'f32', shape = [4], normalized = true"),
            texels,
        ),
        run(
            "txq.level.width.b32 %r1, [%t], 1; txq.num_mipmap_levels.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;",
            &image(LEVELS),
            texels,
        ),
        run("txq.level.width.b32 %r1, [%t], 3;", &image(LEVELS), texels),
    ];
    expect![[r#"
        tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], %n; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 0, 10, 0, 100, 100, 100, 100]
        tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], %n; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 6, 10, 55, 100, 100, 100, 100]
        add.f32 %n, %n, 0fC0000000; add.f32 %n, %n, 0f3DCCCCCD; tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], %n; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 2, 2, 2, 2, 10, 10, 100]
        tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], {%n}, {0f00000000}; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 10, 100, 100, 100, 100, 100, 100]
        tex.level.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {1}], %x; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 20, 100, 100, 100, 100, 100, 100]
        tex.grad.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %u}], {%n, 0f3C23D70A}, {0f00000000, 0f3C23D70A};
        Finished p1 = [1, 1, 5, 5, 5, 5, 5, 5]
        tex.grad.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %u}], {0f3F000000, 0f3F000000}, {0f00000000, 0f00000000};
        Finished uninitialized-read 21 `st.global.u32 [%y], %r1;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the value that is stored depends on one that was never written p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], %n; cvt.rni.s32.f32 %r1, %f1;
        Finished unspecified-operand 19 `tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], %n;` lanes [1, 2, 3, 4, 5, 6, 7]: the texture has one level of detail, and the instruction reads another p1 = [2, 0, 0, 0, 0, 0, 0, 0]
        txq.level.width.b32 %r1, [%t], 1; txq.num_mipmap_levels.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;
        Finished p1 = [23, 23, 23, 23, 23, 23, 23, 23]
        txq.level.width.b32 %r1, [%t], 3;
        Finished unspecified-operand 19 `txq.level.width.b32 %r1, [%t], 3;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the instruction asks about level 3, and the texture has 3 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn coordinates_beyond_integers() {
    let texels = "[1, 2, 3, 4], type = 'f32'";
    let shown = "cvt.rni.s32.f32 %r1, %f1;";
    let at = |number: &str, offset: &str| {
        format!(
            "mov.f32 %u, {number}; tex.1d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [%t, {{%u}}]{offset}; {shown}"
        )
    };
    let linear = image("of = 'x', type = 'f32', shape = [4], filter = 'linear'");
    let point = image("of = 'x', type = 'f32', shape = [4]");
    let all = [
        run(&at("0f7149F2CA", ""), &linear, texels),
        run(&at("0fF149F2CA", ""), &linear, texels),
        run(&at("0f7149F2CA", ", {1}"), &point, texels),
    ];
    expect![[r#"
        mov.f32 %u, 0f7149F2CA; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [4, 4, 4, 4, 4, 4, 4, 4]
        mov.f32 %u, 0fF149F2CA; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [1, 1, 1, 1, 1, 1, 1, 1]
        mov.f32 %u, 0f7149F2CA; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}], {1}; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [4, 4, 4, 4, 4, 4, 4, 4]
    "#]].assert_eq(&all.concat());
}

#[test]
fn samplers_of_their_own() {
    let texels = "[1, 2, 4, 8], type = 'f32'";
    let with = |keys: &str| {
        format!(
            "args.image = {{ texture = {{ of = 'x', type = 'f32', shape = [4], normalized = true }} }}
            args.sampler = {{ sampler = {{ {keys} }} }}"
        )
    };
    let read = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %s, {%n}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;";
    let all = [
        run(read, &with("address = 'wrap'"), texels),
        run(
            read,
            &with("filter = 'linear', unnormalized = true"),
            texels,
        ),
        // A variable.
        run(
            &read.replace("%s", "nearest"),
            &with("address = 'wrap'"),
            texels,
        ),
        run(
            "txq.force_unnormalized_coords.b32 %r1, [nearest]; txq.addr_mode_1.b32 %r2, [nearest]; mad.lo.u32 %r1, %r1, 10, %r2;",
            &with("address = 'wrap'"),
            texels,
        ),
        run(
            "istypep.samplerref %p, %s; mov.u64 %s, nearest; istypep.samplerref %q, %s; selp.u32 %r1, 1, 0, %q; istypep.texref %q, %s; selp.u32 %r2, 1, 0, %q; mad.lo.u32 %r1, %r1, 10, %r2; istypep.surfref %q, 16; selp.u32 %r2, 1, 0, %q; mad.lo.u32 %r1, %r1, 10, %r2;",
            &with("address = 'wrap'"),
            texels,
        ),
        run(
            "istypep.samplerref %p, %s; selp.u32 %r1, 1, 0, %p;",
            &with("address = 'wrap'"),
            texels,
        ),
        run(&read.replace("%s", "%t"), &with("address = 'wrap'"), texels),
    ];
    expect![[r#"
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %s, {%n}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [100, 400, 100, 400, 100, 400, 100, 400]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %s, {%n}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [100, 100, 150, 200, 300, 400, 600, 800]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, nearest, {%n}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [100, 100, 200, 200, 400, 400, 800, 800]
        txq.force_unnormalized_coords.b32 %r1, [nearest]; txq.addr_mode_1.b32 %r2, [nearest]; mad.lo.u32 %r1, %r1, 10, %r2;
        Finished p1 = [13, 13, 13, 13, 13, 13, 13, 13]
        istypep.samplerref %p, %s; mov.u64 %s, nearest; istypep.samplerref %q, %s; selp.u32 %r1, 1, 0, %q; istypep.texref %q, %s; selp.u32 %r2, 1, 0, %q; mad.lo.u32 %r1, %r1, 10, %r2; istypep.surfref %q, 16; selp.u32 %r2, 1, 0, %q; mad.lo.u32 %r1, %r1, 10, %r2;
        Finished p1 = [100, 100, 100, 100, 100, 100, 100, 100]
        istypep.samplerref %p, %s; selp.u32 %r1, 1, 0, %p;
        Finished uninitialized-read 21 `st.global.u32 [%y], %r1;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the value that is stored depends on one that was never written p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %t, {%n}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished unspecified-operand 19 `tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, %t, {%n}];` lanes [0, 1, 2, 3, 4, 5, 6, 7]: there is no sampler at 0x500000000100 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn comparisons() {
    let texels = "[1, 2, 4, 8], type = 'f32'";
    let row = "of = 'x', type = 'f32', shape = [4]";
    let with = |keys: &str| image(&format!("{row}, {keys}"));
    let read = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;";
    let all = [
        run(read, &with("compare = '<='"), texels),
        run(read, &with("compare = '<'"), texels),
        run(read, &with("compare = '>=', filter = 'linear'"), texels),
        run(
            "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n, 0f3F800000}], 0f40000000; fma.rn.f32 %f1, %f1, 0f41200000, %f2; fma.rn.f32 %f1, %f1, 0f41200000, %f3; fma.rn.f32 %f1, %f1, 0f41200000, %f4; cvt.rni.s32.f32 %r1, %f1;",
            &image("of = 'x', type = 'f32', shape = [2, 2], compare = '!='"),
            texels,
        ),
        // The same bits for each type of 32 bits.
        run(
            "tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%t, {%n}], 0f40000000;",
            &with("compare = '<='"),
            texels,
        ),
        run(read, &image(row), texels),
        run(
            read,
            &image("of = 'x', type = 'u32', shape = [4], compare = '<'"),
            "[1, 2, 4, 8], type = 'u32'",
        ),
    ];
    expect![[r#"
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [0, 0, 100, 100, 100, 100, 100, 100]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [0, 0, 0, 0, 100, 100, 100, 100]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [100, 100, 100, 100, 50, 0, 0, 0]
        tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n, 0f3F800000}], 0f40000000; fma.rn.f32 %f1, %f1, 0f41200000, %f2; fma.rn.f32 %f1, %f1, 0f41200000, %f3; fma.rn.f32 %f1, %f1, 0f41200000, %f4; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [1111, 1101, 1101, 1100, 1100, 1100, 1100, 1100]
        tex.1d.v4.s32.f32 {%r1, %r2, %r3, %r4}, [%t, {%n}], 0f40000000;
        Finished p1 = [0, 0, 1065353216, 1065353216, 1065353216, 1065353216, 1065353216, 1065353216]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished unspecified-operand 19 `tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the instruction compares, and the sampler has no comparison p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished unspecified-operand 19 `tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%n}], 0f40000000;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the texture has integers, and the instruction asks for floats p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn halves_and_samples() {
    let all = [
        run(
            "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x}];",
            &image("of = 'x', type = 'u8', shape = [2], scaled = true"),
            "[255, 0], type = 'u8'",
        ),
        run(
            "tex.1d.v2.f16x2.s32 {%r1, %r2}, [%t, {%x}];",
            &image("of = 'x', type = 'f16', channels = 2, shape = [2], address = 'border'"),
            "[1, 2, 3, 4], type = 'f16'",
        ),
        run(
            "tex.1d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%t, {%n}]; cvt.u32.u16 %r1, %h1;",
            &image("of = 'x', type = 'f32', shape = [4], filter = 'linear'"),
            "[1, 2, 4, 8], type = 'f32'",
        ),
        run(
            "shr.u32 %r2, %x, 1; and.b32 %r3, %x, 1; tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r3, %r2, 0, 0}];",
            &image("of = 'x', type = 'u8', shape = [4, 1], samples = 2"),
            "[1, 2, 3, 4, 5, 6, 7, 8], type = 'u8'",
        ),
        run(
            "shr.u32 %r2, %x, 2; and.b32 %r3, %x, 1; tex.a2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r3, %r2, 1, 0}], {-1, 0};",
            &image("of = 'x', type = 'u8', shape = [2, 1], samples = 2, layers = 2"),
            "[1, 2, 3, 4, 5, 6, 7, 8], type = 'u8'",
        ),
        run(
            "tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {2, %x, 0, 0}];",
            &image("of = 'x', type = 'u8', shape = [4, 1], samples = 2"),
            "[1, 2, 3, 4, 5, 6, 7, 8], type = 'u8'",
        ),
    ];
    expect![[r#"
        tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x}];
        Finished p1 = [1065353216, 0, 0, 0, 0, 0, 0, 0]
        tex.1d.v2.f16x2.s32 {%r1, %r2}, [%t, {%x}];
        Finished p1 = [1073757184, 1140867584, 0, 0, 0, 0, 0, 0]
        tex.1d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [%t, {%n}]; cvt.u32.u16 %r1, %h1;
        Finished p1 = [15360, 15360, 15872, 16384, 16896, 17408, 17920, 18432]
        shr.u32 %r2, %x, 1; and.b32 %r3, %x, 1; tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r3, %r2, 0, 0}];
        Finished p1 = [1, 2, 3, 4, 5, 6, 7, 8]
        shr.u32 %r2, %x, 2; and.b32 %r3, %x, 1; tex.a2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r3, %r2, 1, 0}], {-1, 0};
        Finished p1 = [1, 2, 1, 2, 5, 6, 5, 6]
        tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {2, %x, 0, 0}];
        Finished unspecified-operand 19 `tex.2dms.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {2, %x, 0, 0}];` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the instruction asks for sample 2, and texels have 2 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn four_texels_of_a_face_of_a_cube() {
    let cube = "of = 'x', type = 'u8', shape = [2, 2], cube = true, normalized = true";
    let texels = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24], type = 'u8'";
    let read = |place: &str| {
        format!(
            "tld4.r.cube.v4.u32.f32 {{%r1, %r2, %r3, %r4}}, [%t, {{{place}, 0f00000000}}]; mad.lo.u32 %r1, %r1, 100, %r2; mad.lo.u32 %r1, %r1, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4;"
        )
    };
    let all = [
        // The middle of the face of x, and a place at its edge.
        run(
            &read("0f3F800000, 0f00000000, 0f00000000"),
            &image(cube),
            texels,
        ),
        run(
            &read("0f3F800000, 0f3F000000, 0f3F400000"),
            &image(cube),
            texels,
        ),
    ];
    expect![[r#"
        tld4.r.cube.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {0f3F800000, 0f00000000, 0f00000000, 0f00000000}]; mad.lo.u32 %r1, %r1, 100, %r2; mad.lo.u32 %r1, %r1, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4;
        Finished p1 = [3040201, 3040201, 3040201, 3040201, 3040201, 3040201, 3040201, 3040201]
        tld4.r.cube.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {0f3F800000, 0f3F000000, 0f3F400000, 0f00000000}]; mad.lo.u32 %r1, %r1, 100, %r2; mad.lo.u32 %r1, %r1, 100, %r3; mad.lo.u32 %r1, %r1, 100, %r4;
        Finished uninitialized-read 21 `st.global.u32 [%y], %r1;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the value that is stored depends on one that was never written p1 = [30100, 30100, 30100, 30100, 30100, 30100, 30100, 30100]
    "#]].assert_eq(&all.concat());
}

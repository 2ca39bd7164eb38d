use expect_test::expect;

use crate::machine::tests::run_described;

/// A kernel of 8 threads on an image; `%r` is what a thread stores.
fn run(body: &str, image: &str, texels: &str) -> String {
    let text = format!(
        "\
.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 y)
{{
.reg .b64 %t, %y;
.reg .b32 %x, %r<5>, %i;
.reg .f32 %f<5>, %u, %v;
.reg .b16 %h;
ld.param.u64 %t, [image];
ld.param.u64 %y, [y];
mov.u32 %x, %tid.x;
cvt.rn.f32.u32 %u, %x;
mov.f32 %v, 0f3F000000;
{body}
mad.wide.u32 %y, %x, 4, %y;
st.global.u32 [%y], %r1;
ret;
}}
"
    );
    let launch = format!(
        "block = 8
        args.image = {{ texture = {{ of = 'x', {image} }} }}
        args.x = {{ value = {texels} }}
        args.y = {{ zeros = [8], type = 'u32' }}"
    );
    let out = run_described(&text, &launch);
    let out: Vec<&str> = out.lines().filter(|it| !it.starts_with("p0")).collect();
    format!("{body}\n{}\n", out.join(" "))
}

#[test]
fn texels_and_means_of_texels() {
    let row = "type = 'f32', shape = [4]";
    let floats = "[1.0, 2.0, 4.0, 8.0], type = 'f32'";
    let one = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;";
    let hundredths = "sub.f32 %u, %u, 0f3F400000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;";
    let quarters = "mul.f32 %u, %u, 0f3E800000; add.f32 %u, %u, 0fBF000000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;";
    let with = |it: &str| format!("{row}, {it}");
    let plane = "type = 'u8', channels = 2, shape = [4, 2]";
    let bytes = "[0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 255], type = 'u8'";
    let place = "shr.u32 %i, %x, 2; and.b32 %x, %x, 3;";
    let back = "mad.lo.u32 %x, %i, 4, %x;";
    let all = [
        run(one, row, floats),
        run(one, &with("address = 'border'"), floats),
        run(hundredths, &with("filter = 'linear'"), floats),
        run(
            hundredths,
            &with("filter = 'linear', address = 'border'"),
            floats,
        ),
        run(
            quarters,
            &with("normalized = true, address = 'wrap'"),
            floats,
        ),
        run(
            quarters,
            &with("normalized = true, address = 'mirror'"),
            floats,
        ),
        run(
            "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%x}]; cvt.rni.s32.f32 %r1, %f2;",
            row,
            floats,
        ),
        run(
            &format!(
                "{place} tex.2d.v4.u32.s32 {{%r1, %r2, %r3, %r4}}, [%t, {{%x, %i}}]; mad.lo.u32 %r1, %r2, 100, %r1; {back}"
            ),
            plane,
            bytes,
        ),
        run(
            "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u, %u}]; mul.f32 %f2, %f2, 0f437F0000; cvt.rni.s32.f32 %r1, %f2;",
            &format!("{plane}, scaled = true"),
            bytes,
        ),
        run(
            "shr.u32 %i, %x, 1; tex.a1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%i, %u}];",
            "type = 'u8', shape = [8], layers = 2",
            bytes,
        ),
        run(
            "txq.width.b32 %r1, [%t]; txq.height.b32 %r2, [%t]; mad.lo.u32 %r1, %r2, 10, %r1;",
            plane,
            bytes,
        ),
        run(
            "tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u, %u, %u, %u}]; mov.b32 %r1, %f1;",
            row,
            floats,
        ),
    ];
    expect![[r#"
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [1, 2, 4, 8, 8, 8, 8, 8]
        tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [1, 2, 4, 8, 0, 0, 0, 0]
        sub.f32 %u, %u, 0f3F400000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [100, 100, 175, 350, 700, 800, 800, 800]
        sub.f32 %u, %u, 0f3F400000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; mul.f32 %f1, %f1, 0f42C80000; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [0, 75, 175, 350, 700, 200, 0, 0]
        mul.f32 %u, %u, 0f3E800000; add.f32 %u, %u, 0fBF000000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [4, 8, 1, 2, 4, 8, 1, 2]
        mul.f32 %u, %u, 0f3E800000; add.f32 %u, %u, 0fBF000000; tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u}]; cvt.rni.s32.f32 %r1, %f1;
        Finished p1 = [2, 1, 1, 2, 4, 8, 8, 4]
        tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%t, {%x}]; cvt.rni.s32.f32 %r1, %f2;
        Finished p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        shr.u32 %i, %x, 2; and.b32 %x, %x, 3; tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, %i}]; mad.lo.u32 %r1, %r2, 100, %r1; mad.lo.u32 %x, %i, 4, %x;
        Finished p1 = [100, 302, 504, 706, 1110, 1312, 1514, 25516]
        tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u, %u}]; mul.f32 %f2, %f2, 0f437F0000; cvt.rni.s32.f32 %r1, %f2;
        Finished p1 = [1, 13, 15, 255, 255, 255, 255, 255]
        shr.u32 %i, %x, 1; tex.a1d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%i, %u}];
        Finished p1 = [0, 1, 12, 13, 14, 15, 16, 255]
        txq.width.b32 %r1, [%t]; txq.height.b32 %r2, [%t]; mad.lo.u32 %r1, %r2, 10, %r1;
        Finished p1 = [24, 24, 24, 24, 24, 24, 24, 24]
        tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u, %u, %u, %u}]; mov.b32 %r1, %f1;
        Finished unspecified-operand 15 `tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%u, %u, %u, %u}];` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the texture or surface has other dimensions than the instruction p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn bytes_of_surfaces() {
    let image = "type = 'u32', shape = [4, 2]";
    let numbers = "[0, 1, 2, 3, 4, 5, 6, 7], type = 'u32'";
    let place = "shr.u32 %i, %x, 2; and.b32 %r4, %x, 3; shl.b32 %r4, %r4, 2;";
    let all = [
        run(
            &format!("{place} suld.b.2d.b32.trap {{%r1}}, [%t, {{%r4, %i}}];"),
            image,
            numbers,
        ),
        run(
            "mul.lo.u32 %i, %x, 2; suld.b.2d.b16.zero {%h}, [%t, {%i, 1}]; cvt.u32.u16 %r1, %h; suld.b.2d.b32.clamp {%r2}, [%t, {%x, 9}]; suq.width.b32 %r3, [%t];",
            image,
            numbers,
        ),
        run(
            &format!(
                "{place} mul.lo.u32 %r1, %x, 11; sust.b.2d.b32.trap [%t, {{%r4, %i}}], {{%r1}}; suld.b.2d.b32.trap {{%r1}}, [%t, {{%r4, %i}}];"
            ),
            image,
            numbers,
        ),
        run(
            "shl.b32 %r4, %x, 2; mov.u32 %r1, 0; suld.b.2d.b32.trap {%r1}, [%t, {%r4, 0}];",
            image,
            numbers,
        ),
        run("suld.b.1d.b32.trap {%r1}, [%y, {0}];", image, numbers),
    ];
    expect![[r#"
        shr.u32 %i, %x, 2; and.b32 %r4, %x, 3; shl.b32 %r4, %r4, 2; suld.b.2d.b32.trap {%r1}, [%t, {%r4, %i}];
        Finished p1 = [0, 1, 2, 3, 4, 5, 6, 7]
        mul.lo.u32 %i, %x, 2; suld.b.2d.b16.zero {%h}, [%t, {%i, 1}]; cvt.u32.u16 %r1, %h; suld.b.2d.b32.clamp {%r2}, [%t, {%x, 9}]; suq.width.b32 %r3, [%t];
        Finished misaligned-access 15 `suld.b.2d.b32.clamp {%r2}, [%t, {%x, 9}];` lanes [1, 2, 3, 5, 6, 7]: the address 0x1 is not a multiple of 4, the size of the access p1 = [4, 0, 5, 0, 6, 0, 7, 0]
        shr.u32 %i, %x, 2; and.b32 %r4, %x, 3; shl.b32 %r4, %r4, 2; mul.lo.u32 %r1, %x, 11; sust.b.2d.b32.trap [%t, {%r4, %i}], {%r1}; suld.b.2d.b32.trap {%r1}, [%t, {%r4, %i}];
        Finished p1 = [0, 11, 22, 33, 44, 55, 66, 77]
        shl.b32 %r4, %x, 2; mov.u32 %r1, 0; suld.b.2d.b32.trap {%r1}, [%t, {%r4, 0}];
        Finished out-of-bounds 15 `suld.b.2d.b32.trap {%r1}, [%t, {%r4, 0}];` lanes [4, 5, 6, 7]: coordinate 0 of the surface is 16, and the last one is 12 p1 = [0, 1, 2, 3, 0, 0, 0, 0]
        suld.b.1d.b32.trap {%r1}, [%y, {0}];
        Finished unspecified-operand 15 `suld.b.1d.b32.trap {%r1}, [%y, {0}];` lanes [0, 1, 2, 3, 4, 5, 6, 7]: there is no texture or surface at 0x7f0000004a00 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

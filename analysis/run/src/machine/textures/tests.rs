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

#[test]
fn offsets_gathers_cubes_and_properties() {
    let plane = "type = 'u8', channels = 2, shape = [4, 2]";
    let bytes = "[0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 255], type = 'u8'";
    let cube = "type = 'u8', shape = [1, 1], cube = true, normalized = true";
    let faces = "[10, 11, 12, 13, 14, 15], type = 'u8'";
    let direction = |last: &str| {
        // Thread n looks along -x, +x, -y, +y, -z, +z, twice along edges.
        format!(
            "shr.u32 %i, %x, 1; and.b32 %r4, %x, 1; shl.b32 %r4, %r4, 1; sub.s32 %r4, %r4, 1; cvt.rn.f32.s32 %f4, %r4; {{ .reg .pred %q; setp.eq.u32 %q, %i, 0; selp.f32 %f1, %f4, 0f3E800000, %q; setp.eq.u32 %q, %i, 1; selp.f32 %f2, %f4, 0f3E800000, %q; setp.eq.u32 %q, %i, 2; selp.f32 %f3, %f4, 0f3E800000, %q; }} {last}"
        )
    };
    let query = |words: &[&str]| {
        let each = words
            .iter()
            .map(|it| format!("{it}.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;"));
        format!("mov.u32 %r1, 0; {}", each.collect::<String>())
    };
    let all = [
        run(
            "tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, 1}], {-1, -1};",
            plane,
            bytes,
        ),
        run(
            "tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, 1}], {8, 0};",
            plane,
            bytes,
        ),
        run(
            "mov.f32 %v, 0f3F800000; tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}]; mad.lo.u32 %r1, %r1, 1000, %r2; mad.lo.u32 %r3, %r3, 1000, %r4; mad.lo.u32 %r1, %r1, 1000000, %r3;",
            plane,
            "[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 0, 2, 0, 1, 0, 2], type = 'u8'",
        ),
        run(
            &direction("tex.cube.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%f1, %f2, %f3, %f3}];"),
            cube,
            faces,
        ),
        run(
            &query(&[
                "txq.array_size",
                "txq.normalized_coords",
                "txq.filter_mode",
                "txq.addr_mode_0",
                "txq.num_samples",
            ]),
            &format!(
                "{plane}, filter = 'linear', address = 'border', normalized = true, scaled = true"
            ),
            bytes,
        ),
        run(
            "txq.channel_data_type.b32 %r1, [%t]; txq.channel_order.b32 %r2, [%t]; sub.u32 %r1, %r1, 0x10D0; sub.u32 %r2, %r2, 0x10B0; mad.lo.u32 %r1, %r1, 100, %r2; txq.level.width.b32 %r2, [%t], 0; add.u32 %r1, %r1, %r2;",
            plane,
            bytes,
        ),
        run("txq.level.width.b32 %r1, [%t], 1;", plane, bytes),
    ];
    expect![[r#"
        tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, 1}], {-1, -1};
        Finished p1 = [0, 0, 2, 4, 6, 6, 6, 6]
        tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, 1}], {8, 0};
        Finished unspecified-operand 15 `tex.2d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%x, 1}], {8, 0};` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the offset 8 is not from -8 to 7 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        mov.f32 %v, 0f3F800000; tld4.g.2d.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%u, %v}]; mad.lo.u32 %r1, %r1, 1000, %r2; mad.lo.u32 %r3, %r3, 1000, %r4; mad.lo.u32 %r1, %r1, 1000000, %r3;
        Finished p1 = [1001001001, 1002003001, 2001005003, 1002007005, 2002007007, 2002007007, 2002007007, 2002007007]
        shr.u32 %i, %x, 1; and.b32 %r4, %x, 1; shl.b32 %r4, %r4, 1; sub.s32 %r4, %r4, 1; cvt.rn.f32.s32 %f4, %r4; { .reg .pred %q; setp.eq.u32 %q, %i, 0; selp.f32 %f1, %f4, 0f3E800000, %q; setp.eq.u32 %q, %i, 1; selp.f32 %f2, %f4, 0f3E800000, %q; setp.eq.u32 %q, %i, 2; selp.f32 %f3, %f4, 0f3E800000, %q; } tex.cube.v4.u32.f32 {%r1, %r2, %r3, %r4}, [%t, {%f1, %f2, %f3, %f3}];
        Finished uninitialized-read 17 `st.global.u32 [%y], %r1;` lanes [6, 7]: the value that is stored depends on one that was never written p1 = [11, 10, 13, 12, 15, 14, 0, 0]
        mov.u32 %r1, 0; txq.array_size.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;txq.normalized_coords.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;txq.filter_mode.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;txq.addr_mode_0.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;txq.num_samples.b32 %r2, [%t]; mad.lo.u32 %r1, %r1, 10, %r2;
        Finished p1 = [1140, 1140, 1140, 1140, 1140, 1140, 1140, 1140]
        txq.channel_data_type.b32 %r1, [%t]; txq.channel_order.b32 %r2, [%t]; sub.u32 %r1, %r1, 0x10D0; sub.u32 %r2, %r2, 0x10B0; mad.lo.u32 %r1, %r1, 100, %r2; txq.level.width.b32 %r2, [%t], 0; add.u32 %r1, %r1, %r2;
        Finished p1 = [1006, 1006, 1006, 1006, 1006, 1006, 1006, 1006]
        txq.level.width.b32 %r1, [%t], 1;
        Finished unspecified-operand 15 `txq.level.width.b32 %r1, [%t], 1;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the instruction asks about level 1, and the texture has 1 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn surfaces_that_are_reduced_and_formatted() {
    let image = "type = 'u32', shape = [4, 2]";
    let numbers = "[0, 1, 2, 3, 4, 5, 6, 7], type = 'u32'";
    let sixteen = "type = 's16', channels = 2, shape = [8]";
    let all = [
        run(
            "sured.b.add.2d.u32.trap [%t, {4, 1}], %x; bar.sync 0; suld.b.2d.b32.trap {%r1}, [%t, {4, 1}];",
            image,
            numbers,
        ),
        run(
            "sured.p.max.2d.b32.clamp [%t, {%x, 0}], 2; bar.sync 0; and.b32 %i, %x, 3; shl.b32 %i, %i, 2; suld.b.2d.b32.trap {%r1}, [%t, {%i, 0}];",
            image,
            numbers,
        ),
        run(
            "sured.b.min.2d.s32.trap [%t, {16, 1}], %x; mov.u32 %r1, 0;",
            image,
            numbers,
        ),
        run(
            "sub.s32 %r1, 0, %x; sust.p.1d.v2.b32.zero [%t, {%x}], {%x, %r1}; shl.b32 %i, %x, 2; suld.b.1d.b32.trap {%r1}, [%t, {%i}];",
            sixteen,
            "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], type = 's16'",
        ),
        run(
            "mov.u32 %r1, 0; sust.p.1d.v2.b32.zero [%t, {%x}], {70000, %r1};",
            sixteen,
            "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], type = 's16'",
        ),
    ];
    expect![[r#"
        sured.b.add.2d.u32.trap [%t, {4, 1}], %x; bar.sync 0; suld.b.2d.b32.trap {%r1}, [%t, {4, 1}];
        Finished p1 = [33, 33, 33, 33, 33, 33, 33, 33]
        sured.p.max.2d.b32.clamp [%t, {%x, 0}], 2; bar.sync 0; and.b32 %i, %x, 3; shl.b32 %i, %i, 2; suld.b.2d.b32.trap {%r1}, [%t, {%i, 0}];
        Finished p1 = [2, 2, 2, 3, 2, 2, 2, 3]
        sured.b.min.2d.s32.trap [%t, {16, 1}], %x; mov.u32 %r1, 0;
        Finished out-of-bounds 15 `sured.b.min.2d.s32.trap [%t, {16, 1}], %x;` lanes [0, 1, 2, 3, 4, 5, 6, 7]: coordinate 0 of the surface is 16, and the last one is 12 p1 = [0, 0, 0, 0, 0, 0, 0, 0]
        sub.s32 %r1, 0, %x; sust.p.1d.v2.b32.zero [%t, {%x}], {%x, %r1}; shl.b32 %i, %x, 2; suld.b.1d.b32.trap {%r1}, [%t, {%i}];
        Finished p1 = [0, -65535, -131070, -196605, -262140, -327675, -393210, -458745]
        mov.u32 %r1, 0; sust.p.1d.v2.b32.zero [%t, {%x}], {70000, %r1};
        Finished unspecified-operand 15 `sust.p.1d.v2.b32.zero [%t, {%x}], {70000, %r1};` lanes [0, 1, 2, 3, 4, 5, 6, 7]: the manual does not say how 0x11170 is converted to the format of the surface p1 = [0, 0, 0, 0, 0, 0, 0, 0]
    "#]].assert_eq(&all.concat());
}

#[test]
fn variables_have_textures_by_their_names() {
    let text = "\
.version 8.5
.target sm_90
.address_size 64
.global .texref image;
.global .surfref canvas;
.visible .entry k(.param .u64 y)
{
.reg .b64 %y, %t;
.reg .b32 %x, %r<5>, %i;
ld.param.u64 %y, [y];
mov.u32 %x, %tid.x;
tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [image, {%x}];
mov.u64 %t, image;
txq.width.b32 %r2, [%t];
mad.lo.u32 %r1, %r1, 10, %r2;
shl.b32 %i, %x, 2;
sust.b.1d.b32.trap [canvas, {%i}], %r1;
mad.wide.u32 %y, %x, 4, %y;
suld.b.1d.b32.trap %r3, [canvas, {%i}];
st.global.u32 [%y], %r3;
ret;
}
";
    let launch = "block = 4
        args.image = { texture = { of = 'x', type = 'u32', shape = [4] } }
        args.canvas = { texture = { of = 'z', type = 'u32', shape = [4] } }
        args.x = { value = [1, 2, 3, 4], type = 'u32' }
        args.z = { zeros = [4], type = 'u32' }
        args.y = { zeros = [4], type = 'u32' }";
    expect![[r#"
        Finished
        p0 = [1, 2, 3, 4]
        p1 = [14, 24, 34, 44]
        p2 = [14, 24, 34, 44]
    "#]]
    .assert_eq(&run_described(text, launch));
}

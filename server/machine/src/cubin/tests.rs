use std::fmt::Write as _;

use expect_test::expect;

use super::*;
use crate::schedule;

const SCALE: &[u8] = include_bytes!("../data/scale.cubin");

#[test]
fn lines_routines_and_sources() {
    let cubin = read(SCALE).expect("a cubin");
    let mut out = format!("{:?}\n", cubin.files.names());
    for section in &cubin.sections {
        let end = schedule::padding(&section.code);
        let _ = writeln!(
            out,
            "{}: {end:#x} of {:#x}",
            section.name,
            section.code.len()
        );
        for routine in &section.routines {
            let _ = writeln!(
                out,
                "{routine:x?} {} {}",
                routine.function(),
                routine.is_of_ptxas()
            );
        }
        let mut last = None;
        for address in (0..end).step_by(schedule::INSTRUCTION) {
            let place = (
                section.line(address),
                section.source(address).map(|it| it.line),
            );
            if last != Some(place) {
                let _ = writeln!(out, "{address:#06x} {place:?}");
                last = Some(place);
            }
        }
    }
    expect![[r#"
        ["scale.cu"]
        scale: 0x880 of 0x980
        Routine { name: "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath", range: 1a0..840 } __cuda_sm3x_div_rn_noftz_f32_slowpath true
        Routine { name: "$scale$square", range: 840..980 } square false
        0x0000 (Some(14), Some(3))
        0x0010 (Some(22), Some(3))
        0x0020 (Some(24), Some(3))
        0x0030 (Some(14), Some(3))
        0x0040 (Some(29), Some(4))
        0x0050 (Some(24), Some(3))
        0x0060 (Some(26), Some(4))
        0x0070 (Some(29), Some(4))
        0x0130 (Some(30), Some(4))
        0x0160 (Some(32), Some(5))
        0x0170 (Some(33), Some(5))
        0x0190 (Some(34), Some(5))
        0x01a0 (None, None)
        0x0840 (Some(9), Some(5))
        0x0870 (Some(10), Some(5))
    "#]].assert_eq(&out);
}

#[test]
fn the_text_of_debug_information() {
    let text = ptx_text(SCALE).expect("a text");
    let original = include_str!("../data/scale.ptx");
    let kept = |it: &&str| !it.starts_with(".loc") && !it.starts_with(".file");
    let trimmed = original
        .lines()
        .map(|it| Some(it.trim()).filter(kept).unwrap_or_default());
    let trimmed: Vec<_> = trimmed.collect();
    assert_eq!(text.lines().collect::<Vec<_>>(), trimmed);
}

#[test]
fn other_files_are_refused() {
    let mut other = SCALE.to_owned();
    other[18] = 62;
    for (bytes, expected) in [
        (
            &other[..],
            expect!["not a cubin that can be read: it is for another machine"],
        ),
        (
            &SCALE[..100],
            expect!["not a cubin that can be read: Invalid ELF program header size or alignment"],
        ),
        (
            b"text",
            expect!["not a cubin that can be read: Invalid ELF header size or alignment"],
        ),
    ] {
        let error = read(bytes).expect_err("no cubin").to_string();
        expected.assert_eq(&error);
    }
    assert!(is_cubin(SCALE) && !is_cubin(&other) && !is_cubin(b""));
}

#[test]
fn damaged_ones_end() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..2000 {
        let mut bytes = SCALE.to_owned();
        for _ in 0..rng.usize(1..9) {
            let at = rng.usize(..bytes.len());
            bytes[at] = rng.u8(..);
        }
        if let Ok(cubin) = read(&bytes) {
            for section in &cubin.sections {
                let _ = (section.line(16), section.source(16));
            }
        }
        let _ = ptx_text(&bytes);
    }
}

//! The call that makes a tensor map, and the bytes of its boxes.

use std::fmt::Write as _;

use isa::{
    limits::most_shared_per_cta,
    matrix::{
        host::{HOST_TYPES, Tiled},
        tensor_map::BoxMode,
    },
    swizzle::MODES,
};

use super::{Calculator, Values, free, one_of, swizzle::NAMES};

pub(super) fn calculator() -> Calculator {
    Calculator {
        name: "tensor-map",
        inputs: vec![
            one_of("type", "type of an element", HOST_TYPES.map(|it| it.word)),
            free(
                "shape",
                "elements along each dimension, innermost first",
                "64x1024",
            ),
            free("strides", "bytes between rows; dense if empty", ""),
            free("box", "elements of a box", "64x64"),
            free("steps", "element strides; 1 if empty", ""),
            one_of("swizzle", "swizzle in bytes", NAMES),
        ],
    }
}

pub(super) fn tensor_map(values: &Values<'_>) -> Result<String, String> {
    values.only_inputs()?;
    let ty = HOST_TYPES[values.choice("type")?];
    let shape = values.numbers("shape")?;
    let or = |all: Vec<u64>, other: Vec<u64>| if all.is_empty() { other } else { all };
    let tiled = Tiled {
        ty,
        strides: or(values.numbers("strides")?, Tiled::dense_strides(ty, &shape)),
        block: values.numbers("box")?,
        steps: or(values.numbers("steps")?, vec![1; shape.len()]),
        swizzle: MODES[values.choice("swizzle")?],
        shape,
    };
    let problems = tiled.problems();
    if !problems.is_empty() {
        return Ok(format!(
            "`cuTensorMapEncodeTiled` rejects this:\n\n- {}\n",
            problems.join("\n- ")
        ));
    }
    let map = tiled.map().ok_or("the sizes are too large")?;
    let bytes = map.box_bytes(BoxMode::Tile);
    let alignment = match tiled.swizzle.mask {
        0 => "128 bytes".to_owned(),
        _ => format!(
            "128 bytes; of {} bytes for the pattern to begin with the box, as matrix descriptors with the base \
             offset 0 expect",
            tiled.swizzle.period() * 128
        ),
    };
    let mut text = format!(
        "| fact | value |\n|---|---|\n\
         | bytes of a box, which each copy adds to the transaction count of its mbarrier | {bytes} = {bytes:#x} |\n\
         | bytes of a row of the box | {} |\n\
         | alignment of the box in shared memory | {alignment} |\n\
         | alignment of the tensor in global memory | 16 bytes |\n\
         | alignment of the map | 64 bytes |\n",
        tiled.row_bytes(),
    );
    if let Some(span) = tiled.span() {
        let _ = writeln!(
            text,
            "| longest row of a box with this swizzle | {span} bytes |"
        );
    }
    let most = most_shared_per_cta();
    if bytes > most {
        let _ = writeln!(
            text,
            "\nA box of {bytes} bytes is larger than the shared memory of a block, {most} bytes."
        );
    }
    text.push_str(&call(&tiled));
    Ok(text)
}

/// The call of the host, as C++.
fn call(tiled: &Tiled) -> String {
    let list = |all: &[u64]| {
        let all: Vec<String> = all.iter().map(u64::to_string).collect();
        all.join(", ")
    };
    let swizzle = match tiled.span() {
        None => "NONE".to_owned(),
        Some(span) => format!("{span}B"),
    };
    // An array of C++ has an element.
    let strides = match tiled.strides.is_empty() {
        true => "0".to_owned(),
        false => list(&tiled.strides),
    };
    format!(
        "\n```cuda\n\
         cuuint64_t shape[] = {{{}}};\n\
         cuuint64_t strides[] = {{{strides}}};\n\
         cuuint32_t box[] = {{{}}};\n\
         cuuint32_t steps[] = {{{}}};\n\
         CUtensorMap map;\n\
         cuTensorMapEncodeTiled(\n    \
             &map, CU_TENSOR_MAP_DATA_TYPE_{}, {}, address, shape, strides, box, steps,\n    \
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_{swizzle},\n    \
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n\
         ```\n",
        list(&tiled.shape),
        list(&tiled.block),
        list(&tiled.steps),
        tiled.ty.name,
        tiled.shape.len(),
    )
}

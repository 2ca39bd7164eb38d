//! Descriptors of matrices and of products, from their fields or from their bits.

use std::fmt::Write as _;

use isa::{
    descriptor::{Format, Named, PRODUCTS, SHARED},
    matrix::shared::SharedMatrix,
    target::Target,
};

use super::{Calculator, CalculatorInput, Values, free, one_of, row};
use crate::features::hover::matrix::decoded;

/// Inputs that are not fields.
const KNOWN: [&str; 3] = ["for", "target", "value"];
/// The same for instruction descriptors, where a field follows from the last one.
const KNOWN_OF_PRODUCTS: [&str; 4] = ["for", "target", "value", SPARSE];
const SPARSE: &str = "sparse";
const VALUE: &str = "a value to decode, instead of the fields";
/// Rows and chunks of a matrix whose places are shown: one more than a pattern has.
const ROWS: u32 = 9;

/// An input for a field of some descriptors, with the choices of each; the first choice is its default value.
fn field(key: &'static str, label: &'static str, all: &[Named]) -> CalculatorInput {
    let mut choices = vec![String::new()];
    for format in all.iter().filter_map(|it| it.format(false, None)) {
        for it in format.fields.iter().filter(|it| it.key() == key) {
            choices.extend(it.choices());
        }
    }
    let mut seen = Vec::new();
    choices.retain(|it| {
        !seen.contains(it) && {
            seen.push(it.clone());
            true
        }
    });
    CalculatorInput {
        name: key,
        label,
        choices,
        is_open: false,
        default: String::new(),
    }
}

pub(super) fn matrix() -> Calculator {
    Calculator {
        name: "matrix-descriptor",
        inputs: vec![
            one_of("for", "for", SHARED.map(|it| it.name)),
            free("start-address", "start address in bytes", ""),
            free(
                "leading-dimension-offset",
                "leading dimension offset in bytes",
                "",
            ),
            free(
                "stride-dimension-offset",
                "stride dimension offset in bytes",
                "",
            ),
            free("base-offset", "base offset", ""),
            field("swizzle", "swizzle", &SHARED),
            free("value", VALUE, ""),
        ],
    }
}

pub(super) fn product() -> Calculator {
    Calculator {
        name: "instruction-descriptor",
        inputs: vec![
            one_of("for", "kind", PRODUCTS.map(|it| it.name)),
            field("type-of-d", "type of D", &PRODUCTS),
            field("type-of-a", "type of A", &PRODUCTS),
            field("type-of-b", "type of B", &PRODUCTS),
            field("type-of-the-scales", "type of the scales", &PRODUCTS),
            free("m", "M", "128"),
            free("n", "N", "128"),
            field("a", "order of A", &PRODUCTS),
            field("b", "order of B", &PRODUCTS),
            one_of(SPARSE, "A is sparse", ["no", "yes"]),
            free("value", VALUE, ""),
        ],
    }
}

/// The format that the inputs choose, and the bits.
fn read(
    values: &Values<'_>,
    all: &[Named],
    known: &[&str],
    defaults: &[&str],
) -> Result<(Format, u64), String> {
    let named = all[values.choice("for")?];
    let target = match values.text("target") {
        "" => None,
        name => {
            Some(Target::parse(name).ok_or_else(|| format!("`target={name}`: unknown target"))?)
        }
    };
    let sparse = known.contains(&SPARSE) && values.choice(SPARSE)? == 1;
    let format = named
        .format(sparse, target)
        .ok_or("the format is not documented")?;
    let mut fields = values.others(known);
    // A form gives all inputs.
    let is_given = |it: &(&str, &str)| !defaults.contains(&it.0) || it.1 != values.default(it.0);
    let given = fields.iter().find(|it| is_given(it));
    let bits = match (values.optional("value")?, given) {
        (Some(_), Some((name, _))) => {
            return Err(format!("`value` and `{name}` exclude each other"));
        }
        (Some(it), None) => it,
        (None, _) => {
            for name in defaults {
                let is_written = fields.iter().any(|it| it.0 == *name);
                fields.extend((!is_written).then(|| (*name, values.text(name))));
            }
            format.encode_written(&fields)?
        }
    };
    Ok((format, bits))
}

pub(super) fn instruction_descriptor(values: &Values<'_>) -> Result<String, String> {
    let (format, bits) = read(values, &PRODUCTS, &KNOWN_OF_PRODUCTS, &["m", "n"])?;
    Ok(format!(
        "`{bits:#010x}`. {}",
        decoded(&format, bits, u64::MAX)
    ))
}

pub(super) fn matrix_descriptor(values: &Values<'_>) -> Result<String, String> {
    let (format, bits) = read(values, &SHARED, &KNOWN, &[])?;
    let mut text = format!("`{bits:#018x}`. {}\n", decoded(&format, bits, u64::MAX));
    // Matrices are placed in the address space of 18 bits, which the wider fields of a family leave.
    let is_narrow = format.fields.first().is_some_and(|it| it.width == 14);
    let matrix = SharedMatrix::decode(&format, bits).filter(|_| is_narrow);
    if let Some(matrix) = matrix {
        let _ = write!(text, "\n{}", places(&matrix));
    }
    Ok(text)
}

/// Where a K-major matrix has its first chunks, and whether its pattern begins with it.
fn places(matrix: &SharedMatrix) -> String {
    let mut text = String::new();
    let pattern = matrix.pattern;
    if pattern.chunks > 1 {
        let lines = pattern.chunks / pattern.unit;
        let line = matrix.start / 128 % lines;
        if line > 0 && matrix.base == 0 {
            let _ = writeln!(
                text,
                "The pattern repeats every {} bytes, and the start address is in its line {line}: a matrix that begins \
                 there has the base offset {}.\n",
                lines * 128,
                matrix.start / 128 % 8
            );
        }
    }
    let columns = pattern.chunks.max(2);
    text.push_str(
        "Addresses of the 16-byte chunks of a K-major matrix, by row and by number along K:\n\n",
    );
    text.push_str(&row("row", (0..columns).map(|it| it.to_string())));
    text.push_str(&row("---", (0..columns).map(|_| "---".to_owned())));
    for line in 0..ROWS {
        let chunks = (0..columns).map(|it| format!("{:#x}", matrix.along_depth(line, it)));
        text.push_str(&row(&line.to_string(), chunks));
    }
    text
}

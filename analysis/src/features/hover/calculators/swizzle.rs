//! Where the bytes of a box are in shared memory.

use std::fmt::Write as _;

use isa::swizzle::{CHUNKS, MODES, Swizzle};

use super::{Calculator, Values, free, one_of, row};

/// The names of the modes as inputs: the bytes of the widest row.
pub(super) const NAMES: [&str; 4] = ["none", "32", "64", "128"];
/// Addresses of shared memory are below this one.
const MOST: u64 = 1 << 20;

pub(super) fn calculator() -> Calculator {
    let mut mode = one_of("mode", "swizzle in bytes", NAMES);
    NAMES[3].clone_into(&mut mode.default);
    Calculator {
        name: "swizzle",
        inputs: vec![
            mode,
            free("start", "address of the box in shared memory", "0"),
            free("pitch", "bytes from one row to the next", "128"),
            free("row", "row", "0"),
            free("byte", "byte in the row", "0"),
        ],
    }
}

pub(super) fn swizzle(values: &Values<'_>) -> Result<String, String> {
    values.only_inputs()?;
    let mode = MODES[values.choice("mode")?];
    let [start, pitch, line, byte] = {
        let mut all = [0; 4];
        for (value, name) in all.iter_mut().zip(["start", "pitch", "row", "byte"]) {
            *value = values.number(name, MOST)?;
        }
        all
    };
    let address = line
        .checked_mul(pitch)
        .and_then(|it| u32::try_from(it + start + byte).ok())
        .ok_or("the address is outside shared memory")?;
    let mut text = format!(
        "Row {line}, byte {byte} is at `{:#x}`; without swizzling it would be at `{address:#x}`.\n\n",
        mode.address(address)
    );
    if mode.mask > 0 {
        let repeat = mode.period() * 128;
        let _ = writeln!(
            text,
            "The address is `address ^ ((address >> 3) & {:#x})`, and the pattern repeats every {repeat} bytes.",
            mode.mask
        );
        if !start.is_multiple_of(repeat.into()) {
            let _ = writeln!(
                text,
                "\nThe box does not begin at a multiple of {repeat}: its first row is in the middle of the pattern, \
                 and a matrix descriptor needs a base offset."
            );
        }
        let span = u64::from(16 * mode.period());
        if pitch > span {
            let _ = writeln!(
                text,
                "\nThe rows are longer than the {span} bytes that a box of this mode may have."
            );
        }
        text.push('\n');
    }
    text.push_str(&pattern(mode));
    Ok(text)
}

/// The chunks of 16 bytes in each line of shared memory.
fn pattern(mode: Swizzle) -> String {
    let mut text = "Chunks of 16 bytes by their number in the line of 128 bytes:\n\n".to_owned();
    text.push_str(&row("line", (0..CHUNKS).map(|it| format!("place {it}"))));
    text.push_str(&row("---", (0..CHUNKS).map(|_| "---".to_owned())));
    for line in 0..mode.period() {
        let chunks = (0..CHUNKS).map(|it| mode.chunk(line, it).to_string());
        text.push_str(&row(&line.to_string(), chunks));
    }
    text
}

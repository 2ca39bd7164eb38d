//! Fat binaries and cubins: any bytes end, with no more output than the limits allow.

use std::io::Cursor;

use machine::{
    cubin,
    fatbin::{MAX_IMAGE, Part, Reader},
    listing, schedule,
};

const CUBIN: &[u8] = include_bytes!("../../../server/machine/src/data/scale.cubin");

/// Reads the bytes as a file with fat binaries, as a cubin, and as what is printed of one.
///
/// # Panics
/// If an image is larger than the limit, or a row of a line table is outside its section.
pub fn check(bytes: &[u8]) {
    let mut reader = Reader::new(Cursor::new(bytes)).expect("a cursor can be positioned");
    let mut last = 0;
    while let Some(found) = reader.next_image().expect("a cursor can be read") {
        match found {
            Part::Torn(torn) => assert!(torn.container <= torn.offset, "{torn}"),
            Part::Image(image) => {
                assert!(last <= image.offset, "images are in the order of the file");
                last = image.offset;
                if let Ok(unpacked) = reader.unpack(&image) {
                    assert!(unpacked.len() as u64 <= MAX_IMAGE);
                }
            }
        }
    }
    check_printed(&String::from_utf8_lossy(bytes));
    let _ = cubin::ptx_text(bytes);
    let Ok(code) = cubin::read(bytes) else {
        return;
    };
    for section in &code.sections {
        let length = section.code.len() as u64;
        assert!(schedule::padding(&section.code) <= length);
        for address in (0..length).step_by(schedule::INSTRUCTION).take(1000) {
            let _ = (section.line(address), section.source(address));
        }
        for routine in &section.routines {
            assert!(routine.range.end <= length, "{}", routine.name);
        }
    }
}

/// Each instruction of a cubin has one row, whatever is printed of it.
fn check_printed(text: &str) {
    let cubin = cubin::read(CUBIN).expect("a cubin");
    let _ = listing::is_complete(&cubin, text, "sm_90a");
    for (listing, section) in listing::join(&cubin, Some(text), "sm_90a")
        .iter()
        .zip(&cubin.sections)
    {
        let addresses: Vec<u64> = listing.rows.iter().map(|it| it.address).collect();
        assert!(addresses.is_sorted_by(|a, b| a < b), "{addresses:x?}");
        let end = schedule::padding(&section.code);
        assert!(
            addresses.last().is_none_or(|it| *it < end),
            "{addresses:x?}"
        );
        let mut next = 0;
        for block in &listing.blocks {
            assert!(block.first >= next, "blocks are in order");
            next = block.first + 1;
        }
    }
}

/// Files that NVIDIA's tools made of a text of ours.
pub fn seeds() -> Vec<Vec<u8>> {
    let files: [&[u8]; 5] = [
        include_bytes!("../../../server/machine/src/data/lz4.fatbin"),
        include_bytes!("../../../server/machine/src/data/two.fatbin"),
        include_bytes!("../../../server/machine/src/data/zstd.fatbin"),
        CUBIN,
        include_bytes!("../../../server/machine/src/data/scale.sass"),
    ];
    files.into_iter().map(<[u8]>::to_owned).collect()
}

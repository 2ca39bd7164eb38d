//! Fat binaries and cubins: any bytes end, with no more output than the limits allow.

use std::io::Cursor;

use machine::{
    cubin,
    fatbin::{Found, MAX_IMAGE, Reader},
    schedule,
};

/// Reads the bytes as a file with fat binaries, and as a cubin.
///
/// # Panics
/// If an image is larger than the limit, or a row of a line table is outside its section.
pub fn check(bytes: &[u8]) {
    let mut reader = Reader::new(Cursor::new(bytes)).expect("a cursor can be positioned");
    let mut last = 0;
    while let Some(found) = reader.next_image().expect("a cursor can be read") {
        match found {
            Found::Torn(torn) => assert!(torn.container <= torn.offset, "{torn}"),
            Found::Image(image) => {
                assert!(last <= image.offset, "images are in the order of the file");
                last = image.offset;
                if let Ok(unpacked) = reader.unpack(&image) {
                    assert!(unpacked.len() as u64 <= MAX_IMAGE);
                }
            }
        }
    }
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

/// Files that NVIDIA's tools made of a text of ours.
pub fn seeds() -> Vec<Vec<u8>> {
    let files: [&[u8]; 4] = [
        include_bytes!("../../../server/machine/src/data/lz4.fatbin"),
        include_bytes!("../../../server/machine/src/data/two.fatbin"),
        include_bytes!("../../../server/machine/src/data/zstd.fatbin"),
        include_bytes!("../../../server/machine/src/data/scale.cubin"),
    ];
    files.into_iter().map(<[u8]>::to_owned).collect()
}

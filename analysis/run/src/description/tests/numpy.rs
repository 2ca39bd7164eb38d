//! Files of NumPy.

use expect_test::expect;

use super::*;

#[test]
fn files_of_numpy_come_back() {
    for word in Element::words() {
        let element = Element::from_word(&word).expect("a word of a type");
        for shape in [&[][..], &[0], &[8], &[2, 3, 4], &[6, 2]] {
            let elements = count(shape).expect("a small shape");
            let Some(bytes) = element.bytes(elements) else {
                continue;
            };
            let bytes: Vec<u8> = (0..bytes).map(|it| it as u8).collect();
            let file = npy::write(element, shape, &bytes);
            assert_eq!(file[..8], *b"\x93NUMPY\x01\x00");
            let start = file.len() - bytes.len();
            assert_eq!((start % 64, file[start - 1]), (0, b'\n'));
            let read = npy::read(&file)
                .and_then(|it| it.converted(element))
                .expect("an array");
            assert_eq!(
                (read.element, &*read.shape, &read.bytes),
                (element, shape, &bytes),
                "{word}"
            );
        }
    }
}

/// A file of numpy with this header.
fn numpy(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut file = b"\x93NUMPY".to_vec();
    file.extend([version, 0]);
    let length = u32::try_from(header.len())
        .expect("a short header")
        .to_le_bytes();
    file.extend(&length[..if version == 1 { 2 } else { 4 }]);
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

#[test]
fn files_of_numpy_in_all_ways() {
    let header = |descr: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}   \n")
    };
    let files = [
        numpy(
            1,
            &header("<i2", "False", "(2, 3)"),
            &[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0],
        ),
        numpy(
            2,
            &header("<i2", "True", "(2, 3)"),
            &[0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0],
        ),
        numpy(1, &header("|b1", "False", "(2,)"), &[0, 1]),
        numpy(1, &header("|V2", "False", "()"), &[0x80, 0x3f]),
        numpy(
            1,
            "{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"<f2\"}",
            &[0, 0x3c],
        ),
        numpy(1, &header(">i2", "False", "(1,)"), &[0, 0]),
        numpy(1, &header("<c8", "False", "(1,)"), &[0; 8]),
        numpy(1, &header("<i2", "False", "(2,)"), &[0; 3]),
        numpy(1, &header("<i2", "False", "(99999999999999999999,)"), &[]),
        numpy(1, &header("<i8", "False", "(9999999999999999999,)"), &[]),
        numpy(4, "", &[]),
        numpy(
            1,
            "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (1,)}",
            &[0; 2],
        ),
        numpy(1, "{'descr': '<i2', 'shape': (1,)}", &[0; 2]),
        b"\x93NUMPY\x01\x00\xff\x00".to_vec(),
        b"PK".to_vec(),
    ];
    let mut all = String::new();
    for file in files {
        let _ = match npy::read(&file) {
            Ok(it) => {
                let elements = it.elements().map(|bits| it.element.shown(bits).to_string());
                let elements: Vec<_> = elements.collect();
                writeln!(
                    all,
                    "{}{:?}: {}",
                    it.element.word(),
                    it.shape,
                    elements.join(" ")
                )
            }
            Err(error) => writeln!(all, "{error}"),
        };
    }
    expect![[r#"
        s16[2, 3]: 0 1 2 3 4 5
        s16[2, 3]: 0 2 4 1 3 5
        u8[2]: 0 1
        b16[]: 16256
        f16[1]: 1
        elements of type '>i2' are big-endian
        elements of type '<c8' are not read
        the elements are truncated
        the shape in the header is damaged
        the shape is too large
        version 4 of the format is not known
        arrays of records are not read
        the header has no fortran_order
        the header is truncated
        not a file of numpy
    "#]]
    .assert_eq(&all);
}

//! Binaries, machine code and differences: the time for what is large.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench machine`.

use std::{
    io::{Cursor, Write as _},
    sync::Arc,
};

use analysis::{AnalysisConfig, AnalysisHost, Change, Comparable, FileId, compare};
use divan::{
    Bencher,
    counter::{BytesCount, ItemsCount},
};
use machine::{
    cubin,
    fatbin::{Kind, Part, Reader},
    listing::Listing,
    row::Row,
    schedule::Schedule,
};
use ptx_tests::generate;
use session::{
    config::Features,
    exact::{FileFindings, Findings, Results},
    host::Bare,
    lsp::{capabilities::Client, lsp_types::Url},
    machine_code::MachineCode,
    requests,
    snapshot::{Shared, Snapshot},
};
use syntax::FileContents;

const FILE: FileId = FileId(0);

fn main() {
    divan::main();
}

/// Bytes like those of machine code: no container, and no byte that is rare.
fn noise(length: usize) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(22);
    let mut bytes = vec![0; length];
    rng.fill(&mut bytes);
    bytes
}

/// An image of PTX as an LZ4 block, in a container of its own.
fn container(text: &str) -> Vec<u8> {
    let mut stored = lz4_flex::block::compress(text.as_bytes());
    let packed = u32::try_from(stored.len()).expect("a short text");
    stored.resize(stored.len().next_multiple_of(8), 0);
    let mut out = b"\x50\xED\x55\xBA\x01\x00\x10\x00".to_vec();
    out.extend((64 + stored.len() as u64).to_le_bytes());
    out.extend([1, 0, 1, 1, 64, 0, 0, 0]);
    out.extend((stored.len() as u64).to_le_bytes());
    out.extend(packed.to_le_bytes());
    out.extend([0, 0, 0, 0, 5, 0, 8, 0, 90, 0, 0, 0]);
    out.extend([0; 8]);
    out.extend(0x2011_u64.to_le_bytes());
    out.extend([0; 8]);
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(stored);
    out
}

/// How much of the library is PTX, as in one of 191 MB that people install: 28 texts with 69 MB in all.
const TEXTS: usize = 28;
const TEXT: usize = 69_000_000 / TEXTS;
const LIBRARY: usize = 191_000_000;

/// A library with texts between machine code.
fn library() -> Vec<u8> {
    let container = container(&generate::module(TEXT));
    let code = noise(LIBRARY / TEXTS - container.len());
    let mut out = Vec::with_capacity(LIBRARY);
    for _ in 0..TEXTS {
        out.extend(&code);
        out.resize(out.len().next_multiple_of(8), 0);
        out.extend(&container);
    }
    out
}

/// A file without images. The target is 2 GB/s.
#[divan::bench(sample_count = 10)]
fn scan(bencher: Bencher<'_, '_>) {
    let bytes = noise(LIBRARY);
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench_local(|| {
            let mut reader = Reader::new(Cursor::new(&bytes)).expect("a reader");
            assert!(reader.next_image().expect("bytes").is_none());
        });
}

/// All texts of a library on disk. The target is 200 ms.
#[divan::bench(sample_count = 10)]
fn extract_library(bencher: Bencher<'_, '_>) {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&library()).expect("room for the library");
    bencher.bench_local(|| {
        let file = file.try_clone().expect("the file");
        let mut reader = Reader::new(file).expect("a reader");
        let mut found = 0;
        while let Some(Part::Image(image)) = reader.next_image().expect("bytes") {
            assert_eq!(image.kind, Kind::Ptx);
            found += usize::from(!reader.unpack(&image).expect("a text").is_empty());
        }
        assert_eq!(found, TEXTS);
    });
}

fn comparable(text: &str) -> Comparable {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    host.analysis().comparable(FILE).expect("nothing changes")
}

/// Two builds of 10 MB: names of registers differ everywhere, and an instruction in each kernel.
fn builds() -> (String, String) {
    let old = generate::module(10_000_000);
    let new = old
        .replace("%r", "%s")
        .replace("\tret;", "\tbar.sync 0;\n\tret;");
    assert_ne!(old, new);
    (old, new)
}

/// From both texts to what differs, as `diff` does it, on two threads. The target is a second.
#[divan::bench(sample_count = 5)]
fn diff(bencher: Bencher<'_, '_>) {
    let (old, new) = builds();
    bencher.bench_local(|| {
        let (old, new) = std::thread::scope(|scope| {
            let new = scope.spawn(|| comparable(&new));
            (comparable(&old), new.join().expect("no panic"))
        });
        let found = compare(&old, &new);
        assert!(!found.is_same());
        found
    });
}

/// The last step of that.
#[divan::bench(sample_count = 5)]
fn diff_compare(bencher: Bencher<'_, '_>) {
    let (old, new) = builds();
    let (old, new) = (comparable(&old), comparable(&new));
    bencher.bench_local(|| compare(&old, &new));
}

/// A document whose only entry has this many machine instructions.
fn snapshot(count: u32) -> Snapshot {
    let uri = Url::parse("file:///a.ptx").expect("a URI");
    let shared = Shared::new(Arc::new(Bare), Client::default());
    let file = shared.change_files(|files| files.intern(&uri));
    let mut host = AnalysisHost::new();
    let contents = Arc::new(FileContents::new(&generate::function(10_000)));
    host.apply_change(Change {
        files: vec![(file, Some(contents))],
        config: None,
    });
    let texts = [
        "IMAD.WIDE.U32 R4, R3, 0x4, R4",
        "LDG.E R0, desc[UR4][R4.64]",
        "@!P0 BRA `(.L_x_1)",
        "STL.64 [R1+0x8], R2",
    ];
    let rows = (0..count).map(|it| Row {
        address: 16 * u64::from(it),
        text: texts[it as usize % texts.len()].to_owned(),
        line: Some(1 + it % 10_000),
        live: Some(it % 97),
        schedule: Some(Schedule::default()),
        waits_for: vec![u64::from(it / 2)],
        ..Row::default()
    });
    let mut code = MachineCode::default();
    code.listings.push(Listing {
        name: "k".to_owned(),
        rows: rows.collect(),
        ..Listing::default()
    });
    let findings = Findings {
        target: "sm_90a".to_owned(),
        code: Arc::new(code),
        ..Findings::default()
    };
    let mut exact = Results::default();
    exact.insert(file, FileFindings::new(1, findings));
    Snapshot {
        analysis: host.analysis(),
        shared: Arc::new(shared),
        diagnostics: true,
        embedded: true,
        features: Features::default(),
        exact,
        hosts: Arc::default(),
        settings: Arc::new(AnalysisConfig::default()),
    }
}

/// The rows that a screen needs, from 100,000 of them, as JSON. The target is 5 ms.
#[divan::bench(args = [0, 50_000, 99_800])]
fn rows(bencher: Bencher<'_, '_>, from: u32) {
    let snapshot = snapshot(100_000);
    let params =
        format!(r#"{{"textDocument":{{"uri":"file:///a.ptx"}},"from":{from},"count":200}}"#);
    let params: Box<serde_json::value::RawValue> =
        serde_json::from_str(&params).expect("parameters");
    bencher.counter(ItemsCount::new(200_u32)).bench_local(|| {
        let answer = requests::answer(&snapshot, "ptx/machineCode", &params);
        let answer = answer.expect("a method").expect("an answer");
        assert!(answer.get().len() > 20_000, "{}", answer.get());
        answer
    });
}

/// From what `ptxas` and `nvdisasm` wrote to the rows of a panel; a small kernel with its line tables.
#[divan::bench]
fn read_cubin(bencher: Bencher<'_, '_>) {
    const CUBIN: &[u8] = include_bytes!("../../server/machine/src/data/scale.cubin");
    const PRINTED: &str = include_str!("../../server/machine/src/data/scale.sass");
    const PTX: &str = include_str!("../../server/machine/src/data/scale.ptx");
    assert!(cubin::is_cubin(CUBIN));
    bencher.bench_local(|| MachineCode::read(CUBIN, Some(PRINTED), "sm_90a", PTX));
}

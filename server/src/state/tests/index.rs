//! The index: files that hang, are too many, or lie elsewhere.

use super::*;

/// A folder with files, and the state of a client that has it open.
fn in_folder(disk: Disk, files: &[(&str, &str)]) -> (tempfile::TempDir, Fixture) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let uri = Url::from_file_path(folder.path()).expect("a URI");
    let fixture = Fixture::on(
        disk,
        &json!({ "capabilities": {}, "workspaceFolders": [{ "uri": uri, "name": "folder" }] }),
    );
    (folder, fixture)
}

#[test]
fn questions_do_not_wait_for_a_disk_that_does_not_answer() {
    /// Never returns for one name, as a file system of another computer that is gone.
    fn read(path: &std::path::Path, most: u64) -> std::io::Result<Vec<u8>> {
        while path.ends_with("b.ptx") {
            thread::park();
        }
        crate::files::read(path, most)
    }
    let disk = Disk {
        read,
        patience: Duration::from_millis(50),
        ..Disk::REAL
    };
    let files = [("a.ptx", TEXT), ("b.ptx", TEXT), ("c.ptx", TEXT)];
    let (folder, mut fixture) = in_folder(disk, &files);
    let open = Url::from_file_path(folder.path().join("c.ptx")).expect("a URI");
    fixture.open(open.as_str(), TEXT);
    for _ in 0..2 {
        let length = fixture.ask_about(open.as_str(), &LENGTH_OF_WORKSPACE);
        assert_eq!(length.answer().ok(), Some(13));
    }
    // No worker is lost, though the last one may not have ended yet.
    let start = Instant::now();
    while fixture.status().workers_running > 0 {
        assert!(start.elapsed() < WAIT, "a worker waits");
    }
    let status = fixture.status();
    assert_eq!((status.indexing, status.workers_running), (1, 0));
    assert_eq!(status.files, 2);
    let shown = fixture.warnings();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(
        shown[0].contains("cannot be read at the moment"),
        "{shown:?}"
    );
}

#[test]
fn the_text_of_all_files_has_a_limit() {
    let disk = Disk {
        text: 30,
        ..Disk::REAL
    };
    let files = [("a.ptx", TEXT), ("b.ptx", TEXT), ("c.ptx", TEXT)];
    let (folder, mut fixture) = in_folder(disk, &files);
    let uri = |name: &str| Url::from_file_path(folder.path().join(name)).expect("a URI");
    let length = |fixture: &Fixture, name: &str| {
        let pending = fixture.ask_about(uri(name).as_str(), &LENGTH_OF_WORKSPACE);
        pending.answer().ok()
    };
    fixture.open(MAIN, TEXT);
    let main = fixture.ask(&LENGTH_OF_WORKSPACE);
    assert_eq!(main.answer().ok(), Some(13));
    assert_eq!(length(&fixture, "b.ptx"), Some(13));
    assert_eq!(length(&fixture, "c.ptx"), Some(0));
    let shown = fixture.warnings();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(shown[0].contains("1 file is not indexed"), "{shown:?}");
    // Where one leaves the index, there is room for another.
    let changed = |name: &str, kind: u32| {
        let changes = json!({ "changes": [{ "uri": uri(name), "type": kind }] });
        let params: session::lsp::lsp_types::DidChangeWatchedFilesParams = Fixture::params(changes);
        fixture.state.send(Event::FilesChanged(params.changes));
    };
    changed("a.ptx", 3);
    changed("c.ptx", 2);
    // A question that a change overtakes has no answer, and is repeated.
    let becomes_known = |name: &str| {
        let start = Instant::now();
        while length(&fixture, name) != Some(13) {
            assert!(start.elapsed() < WAIT, "{name} is not read");
        }
    };
    becomes_known("c.ptx");
    changed("b.ptx", 2);
    becomes_known("b.ptx");
    assert_eq!(fixture.warnings().len(), 0);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_workspace_are_not_followed() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let outside = elsewhere.path().join("outside.ptx");
    std::fs::write(&outside, TEXT).expect("a file");
    let (folder, fixture) = in_folder(Disk::REAL, &[("a.ptx", TEXT)]);
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink(&outside, at("out.ptx")).expect("a link");
    std::os::unix::fs::symlink(at("a.ptx"), at("in.ptx")).expect("a link");
    let uri = |name: &str| Url::from_file_path(at(name)).expect("a URI");
    let changes = ["out.ptx", "in.ptx"].map(|it| json!({ "uri": uri(it), "type": 1 }));
    let params: session::lsp::lsp_types::DidChangeWatchedFilesParams =
        Fixture::params(json!({ "changes": changes }));
    fixture.state.send(Event::FilesChanged(params.changes));
    let length = |name: &str| {
        let pending = fixture.ask_about(uri(name).as_str(), &LENGTH_OF_WORKSPACE);
        pending.answer().ok()
    };
    let start = Instant::now();
    while length("in.ptx") != Some(13) {
        assert!(start.elapsed() < WAIT, "the file is not read");
    }
    assert_eq!(length("out.ptx"), Some(0));
}

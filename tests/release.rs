//! What a release is made of agrees with itself: versions, names of files, the action, the hooks.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use ptx_tests::workspace::{packages, top};
use serde_json::Value;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What follows `key` on the lines that begin with it, blanks and list dashes aside.
fn values<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines()
        .filter_map(move |line| line.trim_start_matches([' ', '-']).strip_prefix(key))
        .map(str::trim)
}

/// The targets that the workflow builds for.
fn targets() -> BTreeSet<String> {
    let workflow = read(".github/workflows/release.yml");
    values(&workflow, "target: ").map(str::to_owned).collect()
}

#[test]
fn versions_agree() {
    let cargo = read("Cargo.toml");
    for name in ["syntax", "analysis", "isa", "session", "server"] {
        let key = format!("{name} = ");
        let line = values(&cargo, &key)
            .find(|it| it.contains("path = "))
            .expect("a dependency of the workspace");
        assert!(line.contains(&format!("version = \"{VERSION}\"")), "{line}");
    }
    for path in [
        "editors/vscode/package.json",
        "editors/vscode/package-lock.json",
    ] {
        let manifest: Value = serde_json::from_str(&read(path)).expect("JSON");
        assert_eq!(manifest["version"], VERSION, "{path}");
    }
    let action = read(".github/actions/check/action.yml");
    assert!(values(&action, "default: ").any(|it| it == VERSION));
    let usage = read("README.md");
    assert!(
        usage.contains(&format!("/.github/actions/check@v{VERSION}"))
            && usage.contains(&format!("rev: v{VERSION}"))
    );
}

#[test]
fn binstall_finds_the_files_of_a_release() {
    let server = packages()
        .into_iter()
        .find(|it| it["name"] == "ptx-analyzer")
        .expect("the server");
    let binstall = &server["metadata"]["binstall"];
    let targets = targets();
    assert_eq!(targets.len(), 6, "{targets:?}");
    let glibc = targets
        .iter()
        .filter(|it| it.contains("musl"))
        .map(|it| it.replace("musl", "gnu"));
    for target in targets.iter().cloned().chain(glibc) {
        let stated = &binstall["overrides"][&target];
        let field = |name: &str| {
            let value = stated.get(name).unwrap_or(&binstall[name]);
            value.as_str().expect("a text").to_owned()
        };
        let (format, suffix) = match target.contains("windows") {
            true => ("zip", ".zip"),
            false => ("tgz", ".tar.gz"),
        };
        assert_eq!(field("pkg-fmt"), format, "{target}");
        let fill = |template: String| {
            template
                .replace("{ repo }", "https://github.com/ptx-analyzer/ptx-analyzer")
                .replace("{ version }", VERSION)
                .replace("{ target }", &target)
                .replace("{ archive-suffix }", suffix)
                .replace("{ bin }{ binary-ext }", "PROGRAM")
        };
        let packed = target.replace("linux-gnu", "linux-musl");
        assert_eq!(
            fill(field("pkg-url")),
            format!(
                "https://github.com/ptx-analyzer/ptx-analyzer/releases/download/v{VERSION}/ptx-analyzer-{packed}{suffix}"
            )
        );
        assert_eq!(
            fill(field("bin-dir")),
            format!("ptx-analyzer-{packed}/PROGRAM")
        );
    }
}

#[test]
fn mason_finds_the_files_of_a_release() {
    let package = read("editors/nvim/mason/package.yaml");
    let id = format!("pkg:github/ptx-analyzer/ptx-analyzer@v{VERSION}");
    assert_eq!(values(&package, "id: ").collect::<Vec<_>>(), [id]);
    let stated: BTreeSet<_> = values(&package, "file: ")
        .zip(values(&package, "bin: "))
        .map(|(file, program)| (file.to_owned(), program.to_owned()))
        .collect();
    let packed = targets().into_iter().map(|target| {
        let (suffix, program) = match target.contains("windows") {
            true => ("zip", "ptx-analyzer.exe"),
            false => ("tar.gz", "ptx-analyzer"),
        };
        (
            format!("ptx-analyzer-{target}.{suffix}"),
            format!("ptx-analyzer-{target}/{program}"),
        )
    });
    assert_eq!(stated, packed.collect());
    // The configuration of Neovim that goes with it.
    let name = values(&package, "lspconfig: ").next().expect("a name");
    assert!(top().join(format!("editors/nvim/lsp/{name}.lua")).exists());
}

#[test]
fn the_action_knows_the_targets_of_a_release() {
    let script = read(".github/actions/check/check.sh");
    let known: BTreeSet<_> = script
        .lines()
        .filter_map(|line| line.trim().strip_suffix(" ;;")?.split_once(") echo "))
        .map(|it| it.1.to_owned())
        .collect();
    assert_eq!(known, targets());
}

/// Runs a script of the repository; the status, and what it wrote.
#[cfg(unix)]
fn script(path: &str, args: &[&str], folder: &Path, variables: &[(&str, &str)]) -> (i32, String) {
    let output = Command::new("bash")
        .arg(top().join(path))
        .args(args)
        .current_dir(folder)
        .envs(variables.iter().copied())
        .output()
        .expect("Bash runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("a status"),
        text(output.stdout) + &text(output.stderr),
    )
}

#[cfg(unix)]
#[test]
fn the_action_checks_files() {
    let program = ptx_tests::binary::build("dev");
    let folder = tempfile::tempdir().expect("a folder");
    let bad = ".version 8.0\n.target sm_90\n.address_size 64\nfoo;\n";
    fs::write(folder.path().join("b a.ptx"), bad).expect("a file");
    let output = folder.path().join("output");
    let run = |format, paths, arguments| {
        script(
            ".github/actions/check/check.sh",
            &[],
            folder.path(),
            &[
                ("PTX_PATHS", paths),
                ("PTX_FORMAT", format),
                ("PTX_SARIF_FILE", "out.sarif"),
                ("PTX_ARGUMENTS", arguments),
                ("PTX_VERSION", VERSION),
                ("PTX_SERVER", program.to_str().expect("UTF-8")),
                ("GITHUB_OUTPUT", output.to_str().expect("UTF-8")),
            ],
        )
    };
    let (status, said) = run("github", "b a.ptx\n", "--hints\n--portable-to=sm_80\n");
    assert!(
        said.starts_with("::error title=syntax-error,file=b a.ptx,line=4,endLine=4,col=1,"),
        "{said}"
    );
    assert_eq!(status, 1);
    let (status, said) = run("sarif", ".", "");
    assert_eq!((status, said.as_str()), (1, ""));
    let sarif = fs::read_to_string(folder.path().join("out.sarif")).expect("a document");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "syntax-error");
    let stated = fs::read_to_string(&output).expect("outputs");
    assert_eq!(stated, "sarif-file=out.sarif\n");
    assert_eq!(run("text", ".", "").0, 2);
    assert_eq!(run("github", "", "").0, 2);
}

#[cfg(unix)]
#[test]
fn archives_hold_the_program_and_its_pages() {
    let program = ptx_tests::binary::build("dev");
    let folder = tempfile::tempdir().expect("a folder");
    let target = "x86_64-unknown-linux-musl";
    let (status, said) = script(
        ".github/release/pack.sh",
        &[target, program.to_str().expect("UTF-8"), "dist"],
        folder.path(),
        &[],
    );
    assert_eq!((status, said.as_str()), (0, ""));
    let archive = format!("dist/ptx-analyzer-{target}.tar.gz");
    let unpacked = Command::new("tar")
        .args(["-xzf", &archive])
        .current_dir(folder.path())
        .status()
        .expect("tar runs");
    assert!(unpacked.success());
    let inside = folder.path().join(format!("ptx-analyzer-{target}"));
    let version = Command::new(inside.join("ptx-analyzer"))
        .arg("--version")
        .output()
        .expect("the packed program runs");
    assert_eq!(
        String::from_utf8_lossy(&version.stdout),
        format!("ptx-analyzer {VERSION}\n")
    );
    for file in [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "man/man1/ptx-analyzer.1",
        "man/man1/ptx-analyzer-check.1",
        "completions/ptx-analyzer",
        "completions/_ptx-analyzer",
        "completions/ptx-analyzer.fish",
    ] {
        let size = fs::metadata(inside.join(file)).map(|it| it.len());
        assert!(size.is_ok_and(|it| it > 100), "{file}");
    }
    let checksum = fs::read_to_string(folder.path().join(format!("{archive}.sha256")));
    let checksum = checksum.expect("a checksum");
    assert!(
        checksum
            .trim_end()
            .ends_with(&format!("  ptx-analyzer-{target}.tar.gz"))
            && checksum.find("  ") == Some(64),
        "{checksum}"
    );
}

#[test]
fn hooks_run_commands_that_exist() {
    let hooks = read(".pre-commit-hooks.yaml");
    let commands: Vec<_> = values(&hooks, "entry: ").collect();
    assert_eq!(commands, ["ptx-analyzer check", "ptx-analyzer format"]);
    assert_eq!(
        values(&hooks, "files: ").collect::<Vec<_>>(),
        [r"\.ptx$"; 2]
    );
}

//! The parts of a release agree with each other: versions, names of files, the action, the hooks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use ptx_tests::workspace::{metadata, packages, top};
use serde_json::Value;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The text after `key` on the lines that begin with it, blanks and list dashes aside.
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
        "server/npm/package.json",
    ] {
        let manifest: Value = serde_json::from_str(&read(path)).expect("JSON");
        assert_eq!(manifest["version"], VERSION, "{path}");
    }
    let action = read(".github/actions/check/action.yml");
    assert!(values(&action, "default: ").any(|it| it == VERSION));
    let usage = read(CHANNELS);
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

/// A release is fetched by a `curl` that copies, and verified by a `gh` that answers with a status.
#[cfg(unix)]
#[test]
fn the_action_verifies_what_it_fetches() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let tool = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, format!("#!/usr/bin/env bash\n{text}\n")).expect("a program");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
    };
    let name = "ptx-analyzer-x86_64-unknown-linux-musl";
    tool(&at(name).join("ptx-analyzer"), "echo \"checked: $*\"");
    let made = Command::new("bash")
        .args([
            "-c",
            "tar -czf $0.tar.gz $0 && { sha256sum $0.tar.gz || shasum -a 256 $0.tar.gz; } > $0.tar.gz.sha256",
            name,
        ])
        .current_dir(folder.path())
        .status();
    assert!(made.expect("Bash runs").success());
    tool(
        &at("bin/curl"),
        "while [ $# -gt 1 ]; do [ \"$1\" = --output ] && out=$2; shift; done; cp \"${1##*/}\" \"$out\"",
    );
    tool(
        &at("bin/gh"),
        "echo \"$*\" >> gh.log; [ \"$3\" = --help ] || exit \"$STATUS\"",
    );
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{path}", at("bin").display());
    let run = |status: &str| {
        let temporary = at(&format!("temporary-{status}"));
        fs::create_dir(&temporary).expect("a folder");
        script(
            ".github/actions/check/check.sh",
            &[],
            folder.path(),
            &[
                ("PATH", &path),
                ("STATUS", status),
                ("RUNNER_OS", "Linux"),
                ("RUNNER_ARCH", "X64"),
                ("RUNNER_TEMP", temporary.to_str().expect("UTF-8")),
                ("PTX_PATHS", "a.ptx"),
                ("PTX_FORMAT", "github"),
                ("PTX_SARIF_FILE", ""),
                ("PTX_ARGUMENTS", ""),
                ("PTX_VERSION", VERSION),
                ("PTX_SERVER", ""),
            ],
        )
    };
    let (status, said) = run("1");
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("the attestation of") && !said.contains("checked"),
        "{said}"
    );
    let (status, said) = run("0");
    assert_eq!(
        (status, said.as_str()),
        (0, "checked: check --format=github -- a.ptx\n")
    );
    let asked = fs::read_to_string(at("gh.log")).expect("calls");
    let asked = asked.lines().last().expect("a call");
    assert!(
        asked.contains("--signer-workflow ptx-analyzer/ptx-analyzer/.github/workflows/release.yml")
    );
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
        "man/man1/ptx-analyzer-registers.1",
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
    let mut commands = values(&hooks, "entry: ").map(|it| it.split(' ').collect::<Vec<_>>());
    // Each of them is a command of the program, with options that it has.
    let of_ptx: Vec<_> = commands.by_ref().take(2).collect();
    assert_eq!(
        of_ptx,
        [["ptx-analyzer", "check"], ["ptx-analyzer", "format"]]
    );
    let of_hosts: Vec<_> = commands.collect();
    let (check, format) = (
        ["ptx-analyzer", "check"],
        ["ptx-analyzer", "format", "--embedded"],
    );
    assert_eq!(of_hosts, [&check[..], &format[..]]);
    let files: Vec<_> = values(&hooks, "files: ").collect();
    assert_eq!(files[..2], [r"\.ptx$"; 2]);
    assert_eq!(files[2], files[3]);
}

#[test]
fn no_c_compiler_is_needed_without_the_allocator() {
    let tree = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--package", "ptx-analyzer", "--locked", "--offline"])
            .args(["--edges", "normal,build", "--prefix", "none"])
            .args(arguments)
            .current_dir(top())
            .output()
            .expect("Cargo runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    // What starts compilers of other languages.
    let starts_one = |tree: &str| {
        let names = ["cc ", "cmake ", "bindgen ", "pkg-config "];
        tree.lines()
            .any(|line| names.iter().any(|it| line.starts_with(it)))
    };
    assert!(starts_one(&tree(&[])));
    assert!(!starts_one(&tree(&["--no-default-features"])));
}

#[test]
fn npm_has_a_package_for_each_target_of_a_release() {
    let manifest: Value = serde_json::from_str(&read("server/npm/package.json")).expect("JSON");
    let workflow = read(".github/workflows/release.yml");
    let made: BTreeMap<_, _> = values(&workflow, "npm: ")
        .map(|it| (format!("@ptx-analyzer/{it}"), Value::from(VERSION)))
        .collect();
    assert_eq!(made.len(), targets().len());
    let stated = manifest["optionalDependencies"].as_object().expect("names");
    assert!(stated.iter().eq(&made), "{stated:?}");
    // The address agrees with Cargo.toml.
    let repository = manifest["repository"]["url"].as_str();
    assert_eq!(repository, Some(&*format!("git+{}.git", address())));
}

/// The text of documents about channels.
const CHANNELS: &str = ".github/release/channels.md";

/// Words that offer a channel.
const OFFERS: &[(&str, &[&str])] = &[
    ("aur", &["-bin` in the AUR", "yay -S", "paru -S"]),
    ("conda-forge", &["conda install", "conda-forge"]),
    (
        "crates-io",
        &[
            "cargo install --locked ptx-analyzer",
            "cargo install ptx-analyzer",
        ],
    ),
    ("homebrew", &["brew install"]),
    ("marketplace", &["marketplace.visualstudio.com"]),
    ("mason", &["MasonInstall"]),
    (
        "npm",
        &["npx ptx-analyzer", "npm install --global ptx-analyzer"],
    ),
    ("open-vsx", &["open-vsx.org"]),
    ("pages", &["github.io"]),
    (
        "pypi",
        &[
            "pip install ptx-analyzer",
            "uvx ptx-analyzer",
            "pipx install ptx-analyzer",
        ],
    ),
    (
        "releases",
        &[
            "ptx-analyzer/releases",
            "cargo binstall",
            "actions/check@v",
            "rev: v",
        ],
    ),
];

/// The address of the repository.
fn address() -> String {
    let packages = packages();
    let stated = packages.iter().find_map(|it| it["repository"].as_str());
    stated.expect("an address").to_owned()
}

/// The channels, and whether releases are there.
fn channels() -> BTreeMap<String, bool> {
    let metadata = metadata();
    let stated = metadata["metadata"]["channels"].as_object();
    stated
        .expect("channels")
        .iter()
        .map(|(name, it)| (name.clone(), it.as_bool().expect("true or false")))
        .collect()
}

/// The sections of that file: the place, the channel, the text.
fn sections(text: &str) -> Vec<(String, String, String)> {
    let mut sections: Vec<(String, String, String)> = Vec::new();
    for line in text.lines() {
        if let Some((place, channel)) = line.strip_prefix("## ").and_then(|it| it.split_once(": "))
        {
            sections.push((place.to_owned(), channel.to_owned(), String::new()));
        } else if let Some((_, _, text)) = sections.last_mut() {
            *text += line;
            text.push('\n');
        }
    }
    sections
}

/// A document with the sections of its channels.
fn with_channels(text: &str, said: &dyn Fn(&str) -> Vec<String>) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        inside &= line != "<!-- end of channels -->";
        if !inside {
            out += line;
            out.push('\n');
        }
        let place = line.strip_prefix("<!-- channels: ");
        if let Some(place) = place.and_then(|it| it.strip_suffix(" -->")) {
            inside = true;
            for text in said(place) {
                out += &format!("\n{}\n\n", text.trim());
            }
        }
    }
    assert!(!inside, "a place for channels has no end");
    out.replace("\n\n\n", "\n\n")
}

/// The documents for users, by path.
fn documents() -> BTreeMap<String, String> {
    let mut documents = BTreeMap::new();
    for folder in ["README.md", "editors", "analysis/docs"] {
        for entry in ignore::Walk::new(top().join(folder)) {
            let path = entry.expect("an entry").into_path();
            let extension = path.extension().and_then(|it| it.to_str());
            if matches!(extension, Some("md" | "txt")) {
                let name = path.strip_prefix(top()).expect("a path in the repository");
                let name = name.to_string_lossy().replace('\\', "/");
                documents.insert(name.clone(), read(&name));
            }
        }
    }
    documents
}

#[test]
fn documents_offer_what_is_published() {
    let channels = channels();
    let sections = sections(&read(CHANNELS));
    let mut places: BTreeSet<_> = sections.iter().map(|it| it.0.clone()).collect();
    for (_, channel, _) in &sections {
        assert!(
            channels.contains_key(channel),
            "{channel} is not in Cargo.toml"
        );
    }
    for (path, text) in documents() {
        let said = |place: &str| -> Vec<String> {
            let here = sections
                .iter()
                .filter(|it| it.0 == place && channels[&it.1]);
            here.map(|it| it.2.clone()).collect()
        };
        for place in values(&text, "<!-- channels: ") {
            let place = place.trim_end_matches(" -->");
            assert!(
                places.remove(place),
                "{path}: nothing is said at {place}, or elsewhere"
            );
        }
        let expected = with_channels(&text, &said);
        if expected != text && std::env::var_os("UPDATE").is_some() {
            fs::write(top().join(&path), &expected).expect("a file");
        } else {
            assert_eq!(expected, text, "{path}; UPDATE=1 writes it");
        }
    }
    assert_eq!(places, BTreeSet::new(), "no document has these places");
}

#[test]
fn what_is_not_published_is_not_offered() {
    let channels = channels();
    let known: BTreeSet<_> = OFFERS.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(known, channels.keys().cloned().collect());
    let said = read(CHANNELS);
    let mut broken = Vec::new();
    for (channel, words) in OFFERS {
        // A word that is nowhere finds nothing.
        assert!(words.iter().any(|it| said.contains(it)), "{channel}");
        for (path, text) in documents() {
            let found = words
                .iter()
                .filter(|it| !channels[*channel] && text.contains(**it));
            broken.extend(found.map(|it| format!("{path}: {it}")));
        }
    }
    assert_eq!(broken, [""; 0]);
}

#[test]
fn channels_are_written_where_they_go() {
    let text = "a\n\n<!-- channels: x -->\n\nold\n\n<!-- end of channels -->\n\nb\n";
    let empty = "a\n\n<!-- channels: x -->\n<!-- end of channels -->\n\nb\n";
    let none = |_: &str| Vec::new();
    assert_eq!(with_channels(text, &none), empty);
    assert_eq!(with_channels(empty, &none), empty);
    let two = |place: &str| vec![format!("{place} 1\n"), format!("\n{place} 2")];
    let full = "a\n\n<!-- channels: x -->\n\nx 1\n\nx 2\n\n<!-- end of channels -->\n\nb\n";
    assert_eq!(with_channels(text, &two), full);
    assert_eq!(with_channels(full, &two), full);
}

/// Who forks or moves the repository changes `Cargo.toml` and what this test names.
#[test]
fn there_is_one_address() {
    let address = address();
    let own = address
        .strip_prefix("https://github.com/")
        .expect("a repository of GitHub");
    let name = own.split_once('/').expect("an owner").1;
    let (mut broken, mut seen) = (Vec::new(), 0);
    for entry in ignore::WalkBuilder::new(top()).hidden(false).build() {
        let entry = entry.expect("an entry");
        let Ok(text) = fs::read_to_string(entry.path()) else {
            continue;
        };
        for part in text.split("github.com/").skip(1) {
            let mut words =
                part.split(|it: char| !(it.is_ascii_alphanumeric() || "-_.".contains(it)));
            let (owner, repository) = (words.next().unwrap_or_default(), words.next());
            let repository = repository.unwrap_or_default().trim_end_matches(".git");
            if repository.trim_end_matches('.') == name {
                seen += 1;
                if owner != own.trim_end_matches(&format!("/{name}")) {
                    broken.push(format!("{}: {owner}/{name}", entry.path().display()));
                }
            }
        }
    }
    assert!(seen > 15, "{seen}");
    assert_eq!(broken, [""; 0]);
}

#[cfg(unix)]
#[test]
fn recipes_are_filled_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let archives = targets()
        .into_iter()
        .map(|it| match it.contains("windows") {
            true => format!("ptx-analyzer-{it}.zip"),
            false => format!("ptx-analyzer-{it}.tar.gz"),
        });
    let files = archives.chain([format!("ptx_analyzer-{VERSION}.tar.gz")]);
    let sums: Vec<_> = (0x10..)
        .zip(files)
        .map(|(number, file)| format!("{}  {file}\n", format!("{number:x}").repeat(32)))
        .collect();
    let fill = |sums: &str| {
        fs::write(folder.path().join("SHA256SUMS"), sums).expect("a file");
        let path = ".github/release/recipes/fill.sh";
        script(path, &["SHA256SUMS", "recipes"], folder.path(), &[])
    };
    assert_eq!(fill(&sums.concat()), (0, String::new()));
    // What is looked over where its tool is installed.
    let lints: [(&str, &[&str]); 4] = [
        ("PKGBUILD", &["bash", "-n"]),
        ("ptx-analyzer.rb", &["ruby", "-c"]),
        ("package.nix", &["nix-instantiate", "--parse"]),
        (
            "recipe.yaml",
            &["ruby", "-ryaml", "-e", "YAML.load_file(ARGV[0])"],
        ),
    ];
    for (name, lint) in lints {
        let path = folder.path().join("recipes").join(name);
        let text = fs::read_to_string(&path).expect("a recipe");
        assert!(
            text.contains(VERSION) && text.contains(&address()),
            "{name}"
        );
        assert!(
            !text.contains('@') || name == "PKGBUILD" && !text.contains("@SHA256"),
            "{text}"
        );
        let linted = Command::new(lint[0]).args(&lint[1..]).arg(&path).output();
        if let Ok(output) = linted {
            assert!(output.status.success(), "{name}: {output:?}");
        }
    }
    // A file that is missing is reported.
    let (status, said) = fill(&sums[1..].concat());
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("names a file"), "{said}");
}

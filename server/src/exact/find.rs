//! Which `ptxas` may be run.
//!
//! Opening a folder must never run a program from it. So a program is run only if the user's settings name
//! it or it is on the `PATH`, and never if it is inside an open folder, by its own path or by that of
//! what a link leads to. Relative paths are not followed: they would begin where the editor was started.

use std::{
    env,
    ffi::OsStr,
    fmt, fs,
    path::{Path, PathBuf},
};

/// Where programs are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a> {
    /// The `ptxas` that the settings name.
    pub(crate) ptxas: Option<&'a Path>,
    /// The `nvdisasm` that the settings name.
    pub(crate) nvdisasm: Option<&'a Path>,
    /// The value of `PATH`.
    pub(crate) path: &'a OsStr,
    /// Open folders.
    pub(crate) folders: &'a [PathBuf],
}

/// Programs that may be run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tools {
    /// Absolute path of `ptxas`.
    pub(crate) ptxas: PathBuf,
    /// The disassembler of machine code, if it is there.
    pub(crate) nvdisasm: Option<PathBuf>,
    /// The folders of the `PATH` that programs may see.
    pub(crate) path: Vec<PathBuf>,
}

/// Why there is no `ptxas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    /// Nothing names it, and the `PATH` does not have it.
    Nowhere,
    /// The settings name what cannot be run.
    Named {
        /// Name of the program.
        program: &'static str,
        /// The path in the settings.
        path: PathBuf,
        /// The problem with it.
        reason: Unfit,
    },
}

/// Why a path is not a program that may be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// It is relative.
    Relative,
    /// There is no file, or it is not a program.
    NoProgram,
    /// It is inside an open folder.
    Inside,
    /// It has the name of something else.
    Misnamed,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFound::Nowhere => f.write_str("there is no ptxas on the PATH"),
            NotFound::Named {
                program,
                path,
                reason,
            } => {
                let path = path.display();
                match reason {
                    Unfit::Relative => write!(f, "{path}: the path of {program} must be absolute"),
                    Unfit::NoProgram => write!(f, "{path}: there is no such program"),
                    Unfit::Misnamed => {
                        write!(f, "{path}: the name of the file must contain {program}")
                    }
                    Unfit::Inside => write!(
                        f,
                        "{path}: {program} is not run, because it lies inside an open folder"
                    ),
                }
            }
        }
    }
}

/// Finds the programs.
///
/// # Errors
/// There is no `ptxas` that may be run.
pub(crate) fn find(search: Search<'_>) -> Result<Tools, NotFound> {
    let folders: Vec<PathBuf> = search
        .folders
        .iter()
        .flat_map(|it| [Some(it.clone()), it.canonicalize().ok()])
        .flatten()
        .collect();
    let is_inside = |path: &Path| folders.iter().any(|it| path.starts_with(it));
    let unfit = |path: &Path| {
        if !path.is_absolute() {
            return Some(Unfit::Relative);
        }
        let Ok(real) = path.canonicalize() else {
            return Some(Unfit::NoProgram);
        };
        if is_inside(path) || is_inside(&real) {
            return Some(Unfit::Inside);
        }
        (!is_program(&real)).then_some(Unfit::NoProgram)
    };
    let named = |program: &'static str, path: Option<&Path>| match path.map(in_home) {
        None => Ok(None),
        // Settings may come from a source that the user does not watch: they choose among assemblers only.
        Some(path) if !is_named(&path, program) => Err(NotFound::Named {
            program,
            path,
            reason: Unfit::Misnamed,
        }),
        Some(path) => match unfit(&path) {
            None => Ok(Some(path)),
            Some(reason) => Err(NotFound::Named {
                program,
                path,
                reason,
            }),
        },
    };
    let path: Vec<PathBuf> = env::split_paths(search.path)
        .filter(|it| it.is_absolute() && !is_inside(it))
        .filter(|it| it.canonicalize().is_ok_and(|real| !is_inside(&real)))
        .collect();
    let in_folders = |folders: &[PathBuf], program: &str| {
        let name = format!("{program}{}", env::consts::EXE_SUFFIX);
        let mut candidates = folders.iter().map(|it| it.join(&name));
        candidates.find(|it| unfit(it).is_none())
    };
    let ptxas = match named("ptxas", search.ptxas)? {
        Some(path) => path,
        None => in_folders(&path, "ptxas").ok_or(NotFound::Nowhere)?,
    };
    let nvdisasm = named("nvdisasm", search.nvdisasm)?.or_else(|| {
        let beside: Vec<_> = ptxas.parent().map(Path::to_owned).into_iter().collect();
        in_folders(&beside, "nvdisasm").or_else(|| in_folders(&path, "nvdisasm"))
    });
    Ok(Tools {
        ptxas,
        nvdisasm,
        path,
    })
}

/// The path with the user's home folder for a leading `~`.
fn in_home(path: &Path) -> PathBuf {
    let home = || env::home_dir().filter(|it| it.is_absolute());
    match path.strip_prefix("~") {
        Ok(rest) => home().map_or_else(|| path.to_owned(), |home| home.join(rest)),
        Err(_) => path.to_owned(),
    }
}

/// Whether the name of a file contains the name of a program, in any case on Windows.
fn is_named(path: &Path, program: &str) -> bool {
    let name = path.file_name().and_then(OsStr::to_str);
    name.is_some_and(|it| {
        it.contains(program) || cfg!(windows) && it.to_ascii_lowercase().contains(program)
    })
}

/// Whether a file can be run.
fn is_program(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    metadata.is_file() && runs
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A folder `outside` and an open folder `open`, each with a `ptxas`, and `plain` with a file of the name.
    struct World(tempfile::TempDir);

    impl World {
        fn new() -> World {
            let world = World(tempfile::tempdir().expect("a folder"));
            for (folder, mode) in [("outside", 0o755), ("open", 0o755), ("plain", 0o644)] {
                fs::create_dir(world.at(folder)).expect("a folder");
                let program = world.at(folder).join("ptxas");
                fs::write(&program, "#!/bin/sh\n").expect("a file");
                fs::set_permissions(&program, fs::Permissions::from_mode(mode)).expect("a mode");
            }
            world
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        /// The programs found with these folders on the `PATH`, shown without the folder of the test.
        fn find(&self, named: Option<&Path>, path: &[&Path]) -> String {
            let path = env::join_paths(path).expect("folders");
            let open = [self.at("open")];
            let found = find(Search {
                ptxas: named,
                nvdisasm: None,
                path: &path,
                folders: &open,
            });
            let shown = match found {
                Ok(tools) => tools.ptxas.display().to_string(),
                Err(error) => error.to_string(),
            };
            shown.replace(&format!("{}/", self.0.path().display()), "")
        }
    }

    #[test]
    fn programs_on_the_path() {
        let world = World::new();
        let (outside, open, plain) = (world.at("outside"), world.at("open"), world.at("plain"));
        assert_eq!(
            world.find(None, &[&plain, &open, &outside]),
            "outside/ptxas"
        );
        let nowhere = "there is no ptxas on the PATH";
        assert_eq!(world.find(None, &[&plain, &open]), nowhere);
        // What is relative lies wherever the editor was started, in the open folder as a rule.
        for relative in [".", "", "outside", "../outside"] {
            assert_eq!(world.find(None, &[Path::new(relative)]), nowhere);
        }
    }

    #[test]
    fn links_into_and_out_of_an_open_folder() {
        let world = World::new();
        let nowhere = "there is no ptxas on the PATH";
        symlink(world.at("open"), world.at("link")).expect("a link");
        assert_eq!(world.find(None, &[&world.at("link")]), nowhere);
        symlink(world.at("outside"), world.at("open/link")).expect("a link");
        assert_eq!(world.find(None, &[&world.at("open/link")]), nowhere);
        assert_eq!(world.find(None, &[&world.at("outside/../open")]), nowhere);
        fs::create_dir(world.at("other")).expect("a folder");
        symlink(world.at("open/ptxas"), world.at("other/ptxas")).expect("a link");
        assert_eq!(world.find(None, &[&world.at("other")]), nowhere);
    }

    #[test]
    fn programs_that_settings_name() {
        let world = World::new();
        let outside = world.at("outside");
        let find = |path: &Path| world.find(Some(path), &[&outside]);
        assert_eq!(find(&world.at("outside/ptxas")), "outside/ptxas");
        // The PATH is not a way out when the settings are wrong.
        assert_eq!(
            find(&world.at("open/ptxas")),
            "open/ptxas: ptxas is not run, because it lies inside an open folder"
        );
        assert_eq!(
            find(Path::new("outside/ptxas")),
            "outside/ptxas: the path of ptxas must be absolute"
        );
        for missing in ["outside/ptxas-12", "plain/ptxas"] {
            let expected = format!("{missing}: there is no such program");
            assert_eq!(find(&world.at(missing)), expected);
        }
        assert_eq!(
            find(Path::new("/bin/sh")),
            "/bin/sh: the name of the file must contain ptxas"
        );
    }
}

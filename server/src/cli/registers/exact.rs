//! The figures of `ptxas` for entries, for `registers --exact`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use analysis::{ExactEntry, Severity};
use serde::{Deserialize, Serialize};
use session::exact::Findings;

use crate::exact::{
    compile::{Failure, Task, compile, disassemble},
    find::{Search, Tools, find},
    jobs::Cancel,
};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ExactArgs {
    /// Ask ptxas, too, and nvdisasm if it is there.
    #[arg(long)]
    pub(in crate::cli) exact: bool,
    /// The ptxas to ask; the one on the PATH without this.
    #[arg(long, value_name = "FILE", requires = "exact")]
    ptxas: Option<PathBuf>,
    /// Seconds after which ptxas is ended, for each file and target.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "exact",
        value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

/// The figures of `ptxas` for an entry, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) struct Exact {
    pub(in crate::cli) registers: u32,
    pub(in crate::cli) spill_stores: u32,
    pub(in crate::cli) spill_loads: u32,
    pub(in crate::cli) stack: u32,
    pub(in crate::cli) shared: u32,
    /// Machine instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) instructions: Option<u32>,
}

impl From<&ExactEntry> for Exact {
    fn from(it: &ExactEntry) -> Exact {
        Exact {
            registers: it.registers.registers,
            spill_stores: it.registers.spill_stores,
            spill_loads: it.registers.spill_loads,
            stack: it.registers.stack,
            shared: it.registers.shared,
            instructions: it.instructions,
        }
    }
}

impl Exact {
    /// For a table.
    pub(in crate::cli) fn shown(self) -> String {
        match u64::from(self.spill_stores) + u64::from(self.spill_loads) {
            0 => self.registers.to_string(),
            spilled => format!("{} ({spilled} B spilled)", self.registers),
        }
    }
}

/// A `ptxas` to ask.
pub(in crate::cli) struct Ptxas {
    tools: Tools,
    limit: Duration,
}

impl Ptxas {
    /// The one that the arguments or the `PATH` name, if they ask for it: whoever writes a command says what is to be run.
    pub(in crate::cli) fn for_arguments(args: &ExactArgs) -> Result<Option<Ptxas>, String> {
        if !args.exact {
            return Ok(None);
        }
        let absolute = |path: &PathBuf| {
            std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let named = args.ptxas.as_ref().map(absolute).transpose()?;
        Ptxas::find(named.as_deref(), args.timeout).map(Some)
    }

    /// The one with this absolute path, or that on the `PATH`; it is ended after some seconds.
    pub(in crate::cli) fn find(named: Option<&Path>, timeout: u32) -> Result<Ptxas, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let tools = find(Search {
            ptxas: named,
            nvdisasm: None,
            path: &path,
            folders: &[],
        });
        Ok(Ptxas {
            tools: tools.map_err(|it| it.to_string())?,
            limit: Duration::from_secs(timeout.into()),
        })
    }

    /// The text of machine code, if there is an `nvdisasm` that understands it.
    pub(in crate::cli) fn disassemble(
        &self,
        cubin: &[u8],
        target: &str,
    ) -> Result<Option<String>, String> {
        disassemble(&self.tools, cubin, target, self.limit, &Cancel::default())
            .map_err(|it| it.to_string())
    }

    /// All that a run finds out about a text; the error of the text if it has one.
    pub(in crate::cli) fn findings(
        &self,
        name: &str,
        text: &str,
        own: &str,
        wanted: Option<&str>,
    ) -> Result<Findings, String> {
        let task = Task {
            tools: &self.tools,
            text,
            target: own,
            wanted,
            limit: self.limit,
        };
        let findings = compile(&task, &Cancel::default()).map_err(|it| format!("{name}: {it}"))?;
        match first_error(name, &findings) {
            Some(error) => Err(error),
            None => Ok(findings),
        }
    }

    /// The entries of a text, for another target than its own if one is given, and a remark: `ptxas` may
    /// make no code for the target, or for another one only, which is not a mistake of the text.
    pub(in crate::cli) fn ask(
        &self,
        name: &str,
        text: &str,
        own: &str,
        wanted: Option<&str>,
    ) -> Result<(Vec<ExactEntry>, Option<String>), String> {
        let task = Task {
            tools: &self.tools,
            text,
            target: own,
            wanted,
            limit: self.limit,
        };
        match compile(&task, &Cancel::default()) {
            Ok(findings) => match first_error(name, &findings) {
                None => {
                    let other = wanted.is_none() && findings.target != own;
                    let remark = format!("{name}: ptxas made code for {}", findings.target);
                    Ok((findings.entries, other.then_some(remark)))
                }
                Some(error) => Err(error),
            },
            Err(failure @ Failure::NoTarget { .. }) => {
                Ok((Vec::new(), Some(format!("{name}: {failure}"))))
            }
            Err(failure) => Err(format!("{name}: {failure}")),
        }
    }
}

fn first_error(name: &str, findings: &Findings) -> Option<String> {
    let mut messages = findings.messages.iter();
    let error = messages.find(|it| it.severity == Severity::Error)?;
    let line = error.line.as_ref().map(|it| format!(":{}", it.0 + 1));
    let name = Path::new(name).display();
    Some(format!(
        "{name}{}: ptxas: {}",
        line.unwrap_or_default(),
        error.text
    ))
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    const SCRIPT: &str = r#"cat > "$0" <<'END'
#!/bin/sh
case $1 in
--help) echo "'sm_80','sm_90'"; exit 0 ;;
--version) exit 0 ;;
esac
grep -q wrong input.ptx && { echo 'ptxas input.ptx, line 2; error : Wrong' >&2; exit 255; }
echo "ptxas info : Compiling entry function 'k' for '$3'" >&2
echo '    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads' >&2
echo 'ptxas info : Used 40 registers' >&2
END
chmod 755 "$0""#;

    #[test]
    fn entries_remarks_and_failures() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ptxas");
        let args = |path: &Path| ExactArgs {
            exact: true,
            ptxas: Some(path.to_owned()),
            timeout: 60,
        };
        let missing = Ptxas::for_arguments(&args(&path));
        assert!(missing.is_err_and(|it| it.contains("no such program")));
        let made = Command::new("sh").args(["-c", SCRIPT]).arg(&path).status();
        assert!(made.expect("a shell").success());
        let ptxas = Ptxas::for_arguments(&args(&path)).expect("a program");
        let ptxas = ptxas.expect("the arguments ask for it");
        let ask = |text: &str, own: &str, wanted: Option<&str>| {
            let answer = ptxas.ask("a.ptx", text, own, wanted);
            answer.map(|(entries, remark)| {
                let shown: Vec<_> = entries.iter().map(|it| Exact::from(it).shown()).collect();
                (shown, remark)
            })
        };
        let figures = || vec!["40 (16 B spilled)".to_owned()];
        assert_eq!(ask("", "sm_80", None), Ok((figures(), None)));
        assert_eq!(ask("", "sm_80", Some("sm_90")), Ok((figures(), None)));
        let remark = "a.ptx: ptxas made code for sm_80".to_owned();
        assert_eq!(ask("", "sm_70", None), Ok((figures(), Some(remark))));
        let (entries, remark) = ask("", "sm_90", Some("sm_80")).expect("no failure");
        assert!(entries.is_empty() && remark.is_some_and(|it| it.contains("no code for sm_80")));
        let failure = "a.ptx:2: ptxas: Wrong".to_owned();
        assert_eq!(ask("wrong", "sm_80", None), Err(failure));
    }
}

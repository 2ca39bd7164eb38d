//! The settings of the server: one table, from which documentation is generated too.

mod exclude;
mod features;
mod words;

use std::{
    collections::BTreeMap, ops::RangeInclusive, path::PathBuf, str::FromStr, sync::Arc,
    time::Duration,
};

pub use exclude::Exclude;
pub use features::{Features, HoverFigures};

use analysis::{AnalysisConfig, DEFAULT_THREADS, DIAGNOSTIC_CODES, LaunchAssumptions, Level};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use words::{name, on_one_line, shown};

/// Name of the settings section in clients.
pub const SECTION: &str = "ptx-analyzer";

/// The other fields that an editor's extension may send along: settings of its own, and whether the user trusts the
/// folders, which counts in `initialize` only.
const EDITOR_GROUPS: &[&str] = &["server", "trace", "trusted"];

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// `true` or `false`.
    Bool,
    /// A string, or `null`.
    OptionalString,
    /// A whole number in the given inclusive range, or `null`.
    OptionalInteger {
        /// Smallest allowed value.
        min: u64,
        /// Largest allowed value.
        max: u64,
    },
    /// A list of strings, each a glob.
    Globs,
    /// A list of strings, each a target such as `sm_90`.
    Targets,
    /// One of the given strings.
    Choice(&'static [&'static str]),
    /// An object with one of the given strings for each diagnostic code that it names.
    Levels(&'static [&'static str]),
}

impl SettingType {
    /// The allowed values, as the end of the sentence "The setting must be …".
    #[must_use]
    pub fn describe(self) -> String {
        match self {
            SettingType::Bool => "true or false".to_owned(),
            SettingType::OptionalString => "a string or null".to_owned(),
            SettingType::OptionalInteger { min, max } => {
                format!("a whole number from {min} to {max}, or null")
            }
            SettingType::Globs => "a list of glob patterns".to_owned(),
            SettingType::Targets => "a list of targets such as \"sm_90\"".to_owned(),
            SettingType::Choice(choices) => {
                let quoted: Vec<_> = choices.iter().map(|it| format!("\"{it}\"")).collect();
                format!("one of {}", quoted.join(", "))
            }
            SettingType::Levels(values) => {
                let quoted: Vec<_> = values.iter().map(|it| format!("\"{it}\"")).collect();
                format!("an object of codes, each with one of {}", quoted.join(", "))
            }
        }
    }
}

/// Declaration of one setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name inside the section, such as `diagnostics.enable`.
    pub name: &'static str,
    /// JSON type of its values.
    pub ty: SettingType,
    /// Its description, as a sentence.
    pub description: &'static str,
    default: fn() -> Value,
    /// Takes a non-null value; `Err` has the problem with it beyond its type.
    set: fn(&mut Config, &Value) -> Result<(), Option<String>>,
    /// Takes the place of `set` for `null`.
    clear: fn(&mut Config),
}

impl Setting {
    /// Value that holds when the client says nothing.
    #[must_use]
    pub fn default(&self) -> Value {
        (self.default)()
    }
}

/// The levels of [`Level`].
const LEVELS: &[&str] = &["off", "hint", "information", "warning", "error"];
/// The values of `ptxas.enable`, in the order of [`PtxasRuns`].
const PTXAS_RUNS: &[&str] = &["onSave", "onRequest", "off"];
/// How long `ptxas` may take unless the settings say otherwise; ordinary kernels take less than a second.
pub const DEFAULT_PTXAS_TIMEOUT: Duration = Duration::from_secs(30);
/// The last column of `format.operandColumn`.
const MAX_OPERAND_COLUMN: u32 = 80;
/// The values of `hover.figures`, in the order of their meanings.
const FIGURES: &[&str] = &["auto", "light", "dark", "off"];
const LOG_LEVELS: &[&str] = &["error", "warn", "info", "debug", "trace"];
/// A setting that is on or off.
macro_rules! switch {
    ($name:literal, $default:literal, |$config:ident| $place:expr, $description:literal) => {
        Setting {
            name: $name,
            ty: SettingType::Bool,
            description: $description,
            default: || json!($default),
            set: |$config, value| {
                $place = value.as_bool().ok_or(None)?;
                Ok(())
            },
            clear: |$config| $place = $default,
        }
    };
}

/// A whole number in a range.
fn whole(value: &Value, range: RangeInclusive<u32>) -> Result<u32, Option<String>> {
    let number = value.as_u64().and_then(|it| u32::try_from(it).ok());
    number.filter(|it| range.contains(it)).ok_or(None)
}

/// A setting that names a program.
macro_rules! program {
    ($name:literal, |$config:ident| $place:expr, $description:literal) => {
        Setting {
            name: $name,
            ty: SettingType::OptionalString,
            description: $description,
            default: || Value::Null,
            set: |$config, value| {
                let path = value.as_str().ok_or(None)?;
                $place = (!path.is_empty()).then(|| PathBuf::from(path));
                Ok(())
            },
            clear: |$config| $place = None,
        }
    };
}

/// Every setting, sorted by name.
pub const SETTINGS: &[Setting] = &[
    switch!(
        "codeLens.loops",
        true,
        |config| config.features.lenses.loops,
        "Show a code lens above loops with their iterations and the bytes and operations of each, as far as they are known."
    ),
    switch!(
        "codeLens.references",
        false,
        |config| config.features.lenses.references,
        "Show a code lens with the number of uses above functions and labels."
    ),
    switch!(
        "codeLens.registers",
        true,
        |config| config.features.lenses.registers,
        "Show a code lens with the estimated registers and resident warps above entry functions."
    ),
    switch!(
        "codeLens.runs",
        true,
        |config| config.features.lenses.runs,
        "Show a code lens above entry functions that runs them as the comments `// run:` above them say, or that adds such a comment."
    ),
    Setting {
        name: "diagnostics.debounce",
        ty: SettingType::OptionalInteger {
            min: 0,
            max: 10_000,
        },
        description: "Milliseconds to wait after the last edit before diagnostics are published to \
                      clients that do not pull them; null adapts the delay to the size of the file.",
        default: || Value::Null,
        set: |config, value| {
            let Some(millis) = value.as_u64().filter(|it| *it <= 10_000) else {
                return Err(None);
            };
            config.debounce = Some(Duration::from_millis(millis));
            Ok(())
        },
        clear: |config| config.debounce = None,
    },
    switch!(
        "diagnostics.enable",
        true,
        |config| config.diagnostics,
        "Report diagnostics."
    ),
    switch!(
        "diagnostics.quietWhileTyping",
        true,
        |config| config.quiet,
        "Delay diagnostics that may only mean that the statement at the cursor is unfinished until \
         the cursor leaves the statement, the file is saved or a second passes without an edit."
    ),
    Setting {
        name: "diagnostics.severity",
        ty: SettingType::Levels(LEVELS),
        description: "the severity, by the name of the code, such as \
                      {\"unused-register\": \"warning\"}; \"off\" hides them.",
        default: || json!({}),
        set: |config, value| {
            // Neovim sends an empty table of Lua as an empty array.
            if value.as_array().is_some_and(Vec::is_empty) {
                return Ok(());
            }
            let mut severity = BTreeMap::new();
            for (code, level) in value.as_object().ok_or(None)? {
                if !DIAGNOSTIC_CODES.iter().any(|it| it.name == code) {
                    return Err(Some(format!("there is no code \"{}\"", name(code))));
                }
                let level = level.as_str().and_then(Level::parse).ok_or(None)?;
                severity.insert(code.as_str().into(), level);
            }
            config.severity = severity;
            Ok(())
        },
        clear: |config| config.severity = BTreeMap::new(),
    },
    switch!(
        "embedded.enable",
        true,
        |config| config.embedded,
        "Analyse PTX inside CUDA C++, C++, Python, Rust and LLVM IR: the strings of asm statements \
         and of calls that take assembly."
    ),
    Setting {
        name: "format.operandColumn",
        ty: SettingType::OptionalInteger {
            min: 0,
            max: MAX_OPERAND_COLUMN as u64,
        },
        description: "Column of the first operand in formatted PTX, counted from the start of the \
                      statement, for all functions; 0 puts one blank before it, and null takes the \
                      widest opcode of each function that is not too wide.",
        default: || Value::Null,
        set: |config, value| {
            config.features.operand_column = Some(whole(value, 0..=MAX_OPERAND_COLUMN)?);
            Ok(())
        },
        clear: |config| config.features.operand_column = None,
    },
    Setting {
        name: "hover.figures",
        ty: SettingType::Choice(FIGURES),
        description: "Figures in hovers, such as the fragments of mma and the phases of an mbarrier: \
                      \"auto\" where the editor says that it shows pictures, \"light\" or \"dark\" in \
                      any editor, in these colours, or \"off\".",
        default: || json!("auto"),
        set: |config, value| {
            let name = value.as_str().ok_or(None)?;
            let index = FIGURES.iter().position(|it| *it == name).ok_or(None)?;
            let all = [
                HoverFigures::Auto,
                HoverFigures::Light,
                HoverFigures::Dark,
                HoverFigures::Off,
            ];
            config.features.figures = all.get(index).copied().ok_or(None)?;
            Ok(())
        },
        clear: |config| config.features.figures = HoverFigures::default(),
    },
    switch!(
        "inlayHints.defaults",
        false,
        |config| config.features.hints.defaults,
        "Show modifiers that are assumed where none is written, such as .relaxed.gpu of atom."
    ),
    switch!(
        "inlayHints.demangledNames",
        false,
        |config| config.features.hints.demangled_names,
        "Show C++ names after mangled names of functions."
    ),
    switch!(
        "inlayHints.floatLiterals",
        true,
        |config| config.features.hints.float_literals,
        "Show the values of floating-point constants such as 0f3F800000."
    ),
    switch!(
        "inlayHints.liveRegisters",
        false,
        |config| config.features.hints.live_registers,
        "Show the number of live registers after each instruction."
    ),
    switch!(
        "inlayHints.loopRegisters",
        true,
        |config| config.features.hints.loop_registers,
        "Show the number of live registers at the head of each loop, in entry functions whose \
         registers may limit occupancy."
    ),
    switch!(
        "inlayHints.machineInstructions",
        false,
        |config| config.features.machine_instructions,
        "Show the number of machine instructions after each statement, once ptxas has run."
    ),
    switch!(
        "inlayHints.memoryAccesses",
        false,
        |config| config.features.hints.memory_accesses,
        "Show the sectors or the bank conflicts of a full warp after each access of memory, as far as they are known."
    ),
    switch!(
        "inlayHints.operands",
        true,
        |config| config.features.operands,
        "Show the expressions of operands after their placeholders, such as %0 in a string of CUDA \
         C++; not in statements with many operands."
    ),
    switch!(
        "inlayHints.parameterNames",
        true,
        |config| config.features.hints.parameter_names,
        "Show the names of parameters before the arguments of calls."
    ),
    switch!(
        "inlayHints.registerPeak",
        true,
        |config| config.features.hints.register_peak,
        "Mark the peak of live registers, in entry functions whose registers may limit occupancy."
    ),
    switch!(
        "inlayHints.registerTypes",
        false,
        |config| config.features.hints.register_types,
        "Show the types of registers where they are written, unless their names imply them."
    ),
    Setting {
        name: "log.level",
        ty: SettingType::Choice(LOG_LEVELS),
        description: "Log level of the server.",
        default: || json!("warn"),
        set: |config, value| {
            let name = value.as_str().filter(|it| LOG_LEVELS.contains(it));
            let level = name.and_then(|it| LevelFilter::from_str(it).ok());
            config.log_level = Some(level.ok_or(None)?);
            Ok(())
        },
        clear: |config| config.log_level = None,
    },
    Setting {
        name: "portability.targets",
        ty: SettingType::Targets,
        description: "Other targets, such as [\"sm_80\", \"sm_90\"]: warn about code that is valid \
                      for the target of the file but not for all of these.",
        default: || json!([]),
        set: |config, value| {
            let names = value.as_array().ok_or(None)?;
            let names: Option<Vec<_>> = names.iter().map(Value::as_str).collect();
            let names = names.ok_or(None)?;
            if let Some(wrong) = names.iter().find(|it| !analysis::is_target(it)) {
                return Err(Some(format!("there is no target {}", name(wrong))));
            }
            config.portability = names.into_iter().map(Arc::from).collect();
            Ok(())
        },
        clear: |config| config.portability.clear(),
    },
    Setting {
        name: "ptxas.enable",
        ty: SettingType::Choice(PTXAS_RUNS),
        description: "When to run NVIDIA's assembler ptxas on a file, if it is installed: \"onSave\" \
                      after each save, \"onRequest\" on command only, or \"off\". It never runs in \
                      folders that the user does not trust.",
        default: || json!("onSave"),
        set: |config, value| {
            let name = value.as_str().ok_or(None)?;
            let index = PTXAS_RUNS.iter().position(|it| *it == name).ok_or(None)?;
            config.ptxas.runs = [PtxasRuns::OnSave, PtxasRuns::OnRequest, PtxasRuns::Never]
                .get(index)
                .copied()
                .ok_or(None)?;
            Ok(())
        },
        clear: |config| config.ptxas.runs = PtxasRuns::default(),
    },
    program!(
        "ptxas.nvdisasmPath",
        |config| config.ptxas.nvdisasm,
        "Absolute path of nvdisasm; null or an empty string uses the one beside ptxas or on the PATH. \
         A program inside an open folder is never run."
    ),
    program!(
        "ptxas.path",
        |config| config.ptxas.path,
        "Absolute path of ptxas; null or an empty string uses the one on the PATH. A program inside \
         an open folder is never run."
    ),
    Setting {
        name: "ptxas.timeout",
        ty: SettingType::OptionalInteger { min: 1, max: 3600 },
        description: "Seconds after which ptxas is stopped.",
        default: || json!(DEFAULT_PTXAS_TIMEOUT.as_secs()),
        set: |config, value| {
            let seconds = whole(value, 1..=3600)?;
            config.ptxas.timeout = Duration::from_secs(seconds.into());
            Ok(())
        },
        clear: |config| config.ptxas.timeout = DEFAULT_PTXAS_TIMEOUT,
    },
    Setting {
        name: "registers.dynamicSharedMemory",
        ty: SettingType::OptionalInteger {
            min: 0,
            max: 1 << 20,
        },
        description: "Bytes of dynamic shared memory per CTA that estimates of occupancy assume.",
        default: || json!(0),
        set: |config, value| {
            let bytes = whole(value, 0..=1 << 20)?;
            config.launch.dynamic_shared = bytes;
            Ok(())
        },
        clear: |config| config.launch.dynamic_shared = 0,
    },
    Setting {
        name: "registers.threads",
        ty: SettingType::OptionalInteger { min: 1, max: 1024 },
        description: "Threads per CTA that estimates of occupancy assume where the file does not say.",
        default: || json!(DEFAULT_THREADS),
        set: |config, value| {
            config.launch.threads = whole(value, 1..=1024)?;
            Ok(())
        },
        clear: |config| config.launch.threads = DEFAULT_THREADS,
    },
    Setting {
        name: "target",
        ty: SettingType::OptionalString,
        description: "Check every file as if its .target directive were this one, such as \"sm_90a\"; \
                      null or an empty string uses the directive.",
        default: || Value::Null,
        set: |config, value| {
            let target = value.as_str().ok_or(None)?;
            config.target = (!target.is_empty()).then(|| Arc::from(target));
            Ok(())
        },
        clear: |config| config.target = None,
    },
    Setting {
        name: "workspace.exclude",
        ty: SettingType::Globs,
        description: "Files and folders to leave out of the workspace until they are opened, as glob \
                      patterns such as \"**/build/**\" over whole paths or paths inside a workspace \
                      folder; .git and node_modules are always left out.",
        default: || json!([]),
        set: |config, value| {
            let patterns = value.as_array().ok_or(None)?;
            let patterns: Option<Vec<_>> = patterns.iter().map(Value::as_str).collect();
            let patterns = patterns.ok_or(None)?;
            config.exclude = Exclude::new(&patterns).map_err(Some)?;
            Ok(())
        },
        clear: |config| config.exclude = Exclude::default(),
    },
    switch!(
        "workspace.index",
        true,
        |config| config.index,
        "Read the .ptx files of the workspace in the background, so that names resolve across \
         files."
    ),
];

/// When `ptxas` is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PtxasRuns {
    /// When a document is saved, and on request.
    #[default]
    OnSave,
    /// When the user asks for it.
    OnRequest,
    /// Not at all.
    Never,
}

/// The settings of the exact mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas {
    /// When it is run.
    pub runs: PtxasRuns,
    /// The program; `None` for the one on the `PATH`.
    pub path: Option<PathBuf>,
    /// The disassembler for its machine code; `None` for the one next to `ptxas` or on the `PATH`.
    pub nvdisasm: Option<PathBuf>,
    /// How long a run may take.
    pub timeout: Duration,
}

impl Default for Ptxas {
    fn default() -> Self {
        Ptxas {
            runs: PtxasRuns::default(),
            path: None,
            nvdisasm: None,
            timeout: DEFAULT_PTXAS_TIMEOUT,
        }
    }
}

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Config {
    /// The target in place of that of each file.
    pub target: Option<Arc<str>>,
    /// Other targets that files are to be portable to.
    pub portability: Vec<Arc<str>>,
    /// Whether problems are reported at all.
    pub diagnostics: bool,
    /// The other hints that are shown.
    pub features: Features,
    /// How entries are assumed to be launched.
    pub launch: LaunchAssumptions,
    /// Levels of diagnostics by their codes, where they are not the default.
    pub severity: BTreeMap<Box<str>, Level>,
    /// The time without typing before diagnostics are sent; `None` adapts it to what they cost.
    pub debounce: Option<Duration>,
    /// Whether the statement that is being written is left alone.
    pub quiet: bool,
    /// Whether anything is said about PTX in other languages.
    pub embedded: bool,
    /// Whether the files of the workspace are read.
    pub index: bool,
    /// The files of the workspace that are not read.
    pub exclude: Exclude,
    /// The exact mode.
    pub ptxas: Ptxas,
    /// `None` leaves what the command line said.
    pub log_level: Option<LevelFilter>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            target: None,
            portability: Vec::new(),
            diagnostics: true,
            features: Features::default(),
            launch: LaunchAssumptions::default(),
            severity: BTreeMap::new(),
            debounce: None,
            quiet: true,
            embedded: true,
            index: true,
            exclude: Exclude::default(),
            ptxas: Ptxas::default(),
            log_level: None,
        }
    }
}

/// The problems with settings as a client sends them, as text for its user.
#[must_use]
pub fn problems(settings: &Value) -> Vec<String> {
    let (_, problems) = Config::from_json(settings);
    let words = |it| match it {
        Problem::Unknown(words) | Problem::Invalid(words) => words,
    };
    problems.into_iter().map(words).collect()
}

/// Something wrong with what the client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A setting that does not exist; ignored.
    Unknown(String),
    /// A value that is not allowed; the default holds.
    Invalid(String),
}

impl Config {
    /// The part of the settings that the analysis knows.
    #[must_use]
    pub fn analysis(&self) -> AnalysisConfig {
        AnalysisConfig {
            target_override: self.target.clone(),
            portability_targets: self.portability.clone(),
            severity: self.severity.clone(),
            launch: self.launch,
        }
    }

    /// Reads settings as clients send them: the section itself or an object that contains it,
    /// with nested objects or dotted names, in any mixture.
    pub fn from_json(settings: &Value) -> (Config, Vec<Problem>) {
        let mut config = Config::default();
        let mut problems = Vec::new();
        let section = settings.get(SECTION).unwrap_or(settings);
        config.read("", section, &mut problems);
        (config, problems)
    }

    fn read(&mut self, prefix: &str, value: &Value, problems: &mut Vec<Problem>) {
        let Some(object) = value.as_object() else {
            // An empty table of Lua, which is what Neovim's users write, arrives as an empty array.
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                let name = if prefix.is_empty() { "" } else { "." };
                problems.push(Problem::Invalid(format!(
                    "The settings {SECTION}{name}{prefix} must be an object, not {}.",
                    shown(value)
                )));
            }
            return;
        };
        for (key, value) in object {
            let name = match prefix {
                "" => key.clone(),
                prefix => format!("{prefix}.{key}"),
            };
            let name = name.strip_prefix("ptx-analyzer.").unwrap_or(&name);
            if let Some(setting) = SETTINGS.iter().find(|it| it.name == name) {
                self.apply(setting, value, problems);
            } else if is_group(name) {
                self.read(name, value, problems);
            } else if !EDITOR_GROUPS.contains(&name.split('.').next().unwrap_or(name)) {
                problems.push(Problem::Unknown(format!(
                    "The setting {SECTION}.{} does not exist and is ignored.",
                    self::name(name)
                )));
            }
        }
    }

    fn apply(&mut self, setting: &Setting, value: &Value, problems: &mut Vec<Problem>) {
        if value.is_null() {
            (setting.clear)(self);
        } else if let Err(reason) = (setting.set)(self, value) {
            (setting.clear)(self);
            let reason = reason.map_or_else(
                || format!("must be {}, not {}", setting.ty.describe(), shown(value)),
                |reason| format!("is not usable: {}", on_one_line(&reason)),
            );
            problems.push(Problem::Invalid(format!(
                "The setting {SECTION}.{} {reason}; its default, {}, is used.",
                setting.name,
                setting.default()
            )));
        }
    }
}

fn is_group(name: &str) -> bool {
    SETTINGS.iter().any(|it| {
        it.name
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

#[cfg(test)]
mod tests;

//! Messages of the Debug Adapter Protocol, as far as this adapter reads them.

use serde::Deserialize;
use serde_json::{Value, json};

/// A message of the client.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    pub(super) seq: i64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Value,
}

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The sentence, or a keyword of the protocol.
    pub(super) message: String,
    /// Whether a person should see it.
    pub(super) is_shown: bool,
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal {
            message,
            is_shown: false,
        }
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Refusal {
        message.to_owned().into()
    }
}

/// The body of an answer.
pub(super) type Answer = Result<Value, Refusal>;

/// Reads the arguments of a request; missing ones are an empty object.
pub(super) fn arguments<T: for<'de> Deserialize<'de>>(value: &Value) -> Result<T, Refusal> {
    let empty = json!({});
    let value = if value.is_null() { &empty } else { value };
    T::deserialize(value).map_err(|it| format!("wrong arguments: {it}").into())
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InitializeArguments {
    #[serde(default = "yes")]
    pub(super) lines_start_at1: bool,
    #[serde(default = "yes")]
    pub(super) columns_start_at1: bool,
    #[serde(default)]
    pub(super) supports_invalidated_event: bool,
    #[serde(default)]
    pub(super) supports_memory_event: bool,
    /// Our own: the client takes `ptx/outcome` at the end.
    #[serde(default)]
    pub(super) supports_outcome_event: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LaunchArguments {
    pub(super) program: String,
    pub(super) entry: Option<String>,
    /// The path of a launch file, or its contents.
    pub(super) launch: Option<Value>,
    #[serde(default)]
    pub(super) stop_on_entry: bool,
    pub(super) schedule: Option<String>,
    #[serde(default)]
    pub(super) late: bool,
    #[serde(default)]
    pub(super) no_debug: bool,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Source {
    pub(super) path: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceBreakpoint {
    pub(super) line: i64,
    pub(super) column: Option<i64>,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
    pub(super) log_message: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetBreakpointsArguments {
    pub(super) source: Source,
    #[serde(default)]
    pub(super) breakpoints: Vec<SourceBreakpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BreakpointLocationsArguments {
    pub(super) source: Source,
    pub(super) line: i64,
    pub(super) end_line: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionBreakpoint {
    pub(super) name: String,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SetFunctionBreakpointsArguments {
    pub(super) breakpoints: Vec<FunctionBreakpoint>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SetExceptionBreakpointsArguments {
    pub(super) filters: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataBreakpointInfoArguments {
    pub(super) variables_reference: Option<i64>,
    pub(super) name: String,
    pub(super) frame_id: Option<i64>,
    pub(super) bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataBreakpoint {
    pub(super) data_id: String,
    pub(super) access_type: Option<String>,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SetDataBreakpointsArguments {
    pub(super) breakpoints: Vec<DataBreakpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadArguments {
    pub(super) thread_id: i64,
    pub(super) granularity: Option<Granularity>,
}

/// The extent of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Granularity {
    /// An instruction.
    Statement,
    /// A line of the source that `.loc` names.
    Line,
    /// An instruction.
    Instruction,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackTraceArguments {
    pub(super) thread_id: i64,
    pub(super) start_frame: Option<usize>,
    pub(super) levels: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScopesArguments {
    pub(super) frame_id: i64,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Format {
    #[serde(default)]
    pub(super) hex: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VariablesArguments {
    pub(super) variables_reference: i64,
    pub(super) filter: Option<String>,
    pub(super) start: Option<usize>,
    pub(super) count: Option<usize>,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetVariableArguments {
    pub(super) variables_reference: i64,
    pub(super) name: String,
    pub(super) value: String,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EvaluateArguments {
    pub(super) expression: String,
    pub(super) frame_id: Option<i64>,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LanesArguments {
    pub(super) frame_id: Option<i64>,
    /// Registers, and expressions of them, that are shown first.
    #[serde(default)]
    pub(super) expressions: Vec<String>,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetExpressionArguments {
    pub(super) expression: String,
    pub(super) value: String,
    pub(super) frame_id: Option<i64>,
    #[serde(default)]
    pub(super) format: Option<Format>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadMemoryArguments {
    pub(super) memory_reference: String,
    #[serde(default)]
    pub(super) offset: i64,
    pub(super) count: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteMemoryArguments {
    pub(super) memory_reference: String,
    #[serde(default)]
    pub(super) offset: i64,
    #[serde(default)]
    pub(super) allow_partial: bool,
    pub(super) data: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct RestartArguments {
    pub(super) arguments: Option<LaunchArguments>,
}

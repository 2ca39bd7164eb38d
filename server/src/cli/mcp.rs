//! `ptx-analyzer mcp`: serve programs that write PTX.
//!
//! The Model Context Protocol is spoken by the official SDK; what is asked is answered by the code of the other commands.

mod files;
mod lines;
mod tools;

use std::{io, path::PathBuf, sync::Arc, thread};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
    transport::async_rw::AsyncRwTransport,
};
use tokio::{
    io::BufReader,
    sync::{Semaphore, mpsc},
};
use tracing::{error, level_filters::LevelFilter};

use super::{FAILED, Io, check::STACK};
use crate::logging;
use files::Files;
use tools::{Answer, TOOLS};

/// A longer message is dropped, in bytes; it is several times as long as the longest text, which is escaped in it.
const MAX_MESSAGE: usize = 64 << 20;

/// Bytes between the SDK and the streams of the process that may wait.
const PIPE: usize = 64 << 10;
/// How many answers to unreadable lines may wait until the client reads.
const REFUSALS: usize = 16;

/// The description of the server for a model.
const INSTRUCTIONS: &str = "Everything about NVIDIA PTX: `check` judges a text as ptxas does and says how to repair \
    it, `complete` tells what may be written at a place, `explain` has the documentation of the language. Check what \
    you write before you hand it on. Lines and columns count from 1, columns in bytes of UTF-8.";

#[derive(Debug, clap::Args)]
pub(super) struct McpArgs {
    /// The folder whose files may be read, by their paths, absolute or from there; no file is read without this.
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
    /// How much to log to standard error: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log_level: LevelFilter,
}

pub(super) fn run(args: &McpArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let files = match Files::new(args.root.as_deref()) {
        Ok(files) => files,
        Err(error) => {
            io.error(&error)?;
            return Ok(FAILED);
        }
    };
    if let Err(error) = logging::start(args.log_level, None) {
        io.error(format_args!("cannot start the log: {error}"))?;
        return Ok(FAILED);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK)
        .enable_time()
        .build()?;
    let status = runtime.block_on(serve(files));
    // A thread that reads standard input cannot be stopped; the end of the process does that.
    runtime.shutdown_background();
    Ok(status)
}

/// Serves standard input and output until the client closes them; the exit status.
async fn serve(files: Files) -> u8 {
    let server = Server {
        files: Arc::new(files),
        places: Semaphore::new(thread::available_parallelism().map_or(2, usize::from)),
    };
    let (to_server, from_client) = tokio::io::duplex(PIPE);
    let (to_client, from_server) = tokio::io::duplex(PIPE);
    let (refusals, refused) = mpsc::channel(REFUSALS);
    tokio::spawn(lines::hand_on(
        BufReader::new(tokio::io::stdin()),
        to_server,
        refusals,
    ));
    let output = tokio::spawn(lines::merge(
        BufReader::new(from_server),
        refused,
        tokio::io::stdout(),
    ));
    let transport =
        AsyncRwTransport::new_server(from_client, to_client).with_max_line_length(MAX_MESSAGE);
    let status = match server.serve(transport).await {
        Ok(service) => u8::from(service.waiting().await.is_err()),
        // Whoever closes the connection before saying anything has no complaint.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => 0,
        Err(problem) => {
            error!("the connection to the client could not be opened: {problem}");
            FAILED
        }
    };
    // The answers that are on their way; a client that reads no more has no use for them.
    let _ = output.await;
    status
}

struct Server {
    files: Arc<Files>,
    /// Each question that is being answered has one of these, so that many at once do not take all of the machine.
    places: Semaphore,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("ptx-analyzer", env!("CARGO_PKG_VERSION"))
                    .with_title("ptx-analyzer"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = TOOLS.iter().map(|tool| {
            let hints = ToolAnnotations::with_title(tool.title)
                .read_only(true)
                .idempotent(true)
                .open_world(false);
            Tool::new(tool.name, tool.description, (tool.schema)()).with_annotations(hints)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|it| it.name == request.name) else {
            let names: Vec<_> = TOOLS.iter().map(|it| it.name).collect();
            let message = format!(
                "there is no tool `{}`; there are: {}",
                request.name,
                names.join(", ")
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        // It is closed by nobody.
        let _place = self.places.acquire().await;
        let files = Arc::clone(&self.files);
        let answer = tokio::task::spawn_blocking(move || (tool.answer)(&files, arguments)).await;
        let result = match answer {
            Ok(Ok(Answer::Text(text))) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Ok(Ok(Answer::Data(value))) => CallToolResult::structured(value),
            Ok(Err(problem)) => CallToolResult::error(vec![ContentBlock::text(problem)]),
            // A panic, which is told on standard error.
            Err(_) => CallToolResult::error(vec![ContentBlock::text("internal error")]),
        };
        Ok(result.into())
    }
}

//! `ptx-analyzer lsp`: serve an editor.

use std::{io, path::PathBuf};

use tracing::level_filters::LevelFilter;

use super::{FAILED, Io};
use crate::{logging, transport};

#[derive(Debug, clap::Args)]
pub(super) struct LspArgs {
    /// Use standard input and output (the only transport).
    #[arg(long)]
    stdio: bool,
    /// Append the log to this file instead of standard error.
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
    /// How much to log: off, error, warn, info, debug or trace.
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    log_level: LevelFilter,
    /// Process id of the client; ignored, as the protocol has it.
    #[arg(long = "clientProcessId", hide = true)]
    client_process_id: Option<u32>,
}

impl LspArgs {
    /// Whether an option of this command is given.
    pub(super) fn is_asked(&self) -> bool {
        self.stdio || self.log_file.is_some() || self.client_process_id.is_some()
    }
}

pub(super) fn run(args: &LspArgs, io: &mut Io<'_>) -> io::Result<u8> {
    if let Err(error) = logging::start(args.log_level, args.log_file.as_deref()) {
        io.error(format_args!("cannot start the log: {error}"))?;
        return Ok(FAILED);
    }
    // Two threads: one may be busy with a large message while the other watches for the end.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()?;
    let status = runtime.block_on(transport::serve(tokio::io::stdin(), tokio::io::stdout()));
    // A thread that reads standard input cannot be stopped; the end of the process does that.
    runtime.shutdown_background();
    Ok(status)
}

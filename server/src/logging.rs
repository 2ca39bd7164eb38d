//! The log of the server: standard error or a file, never standard output, which is the protocol.

use std::{
    fs::OpenOptions,
    io,
    path::Path,
    sync::{Mutex, OnceLock},
};

use tracing::{Subscriber, error, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, Layer, Registry, layer::SubscriberExt, registry::LookupSpan, reload,
    util::SubscriberInitExt,
};

/// Environment variable with filter directives that win over the level.
const FILTER: &str = "PTX_ANALYZER_LOG";

/// The filter in use, once a log exists.
static LEVEL: OnceLock<reload::Handle<EnvFilter, Registry>> = OnceLock::new();

/// Starts the log of this process.
///
/// # Errors
/// The log file cannot be opened, or there is a log already.
pub(crate) fn start(level: LevelFilter, file: Option<&Path>) -> io::Result<()> {
    let (filter, handle) = reload::Layer::new(filter(level));
    let output = match file {
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path)?;
            format().with_writer(Mutex::new(file)).boxed()
        }
        None => format().with_writer(io::stderr).boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(output)
        .try_init()
        .map_err(io::Error::other)?;
    let _ = LEVEL.set(handle);
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = std::backtrace::Backtrace::force_capture();
        error!("{panic}\n{backtrace}");
    }));
    Ok(())
}

fn format<S: Subscriber + for<'a> LookupSpan<'a>>() -> tracing_subscriber::fmt::Layer<S> {
    tracing_subscriber::fmt::layer().with_ansi(false)
}

/// Changes how much is logged; nothing happens without a log.
pub(crate) fn set_level(level: LevelFilter) {
    if let Some(handle) = LEVEL.get() {
        let _ = handle.reload(filter(level));
    }
}

fn filter(level: LevelFilter) -> EnvFilter {
    match std::env::var(FILTER) {
        Ok(directives) => EnvFilter::builder().parse_lossy(directives),
        // These report every message and every change.
        Err(_) => {
            let dependencies = level.min(LevelFilter::ERROR);
            EnvFilter::builder().parse_lossy(format!(
                "{level},tower_lsp={dependencies},salsa={dependencies}"
            ))
        }
    }
}

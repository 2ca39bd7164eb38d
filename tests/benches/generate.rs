//! Prints a generated module of the length in bytes that the command line says, for programs that measure others; after
//! `pipeline`, a kernel of `N` lines with asynchronous products and copies.

use std::io::Write;

use anyhow::Context as _;
use ptx_tests::{generate, pipeline::pipeline};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().context("the number of bytes")?;
    let text = match first.as_str() {
        "pipeline" => pipeline(arguments.next().context("the number of lines")?.parse()?),
        len => generate::module(len.parse()?),
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

//! Prints a generated module of the length in bytes that the command line says, for programs that measure others.

use std::io::Write;

use anyhow::Context as _;
use ptx_tests::generate;

fn main() -> anyhow::Result<()> {
    let len = std::env::args().nth(1).context("the number of bytes")?;
    let text = generate::module(len.parse()?);
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

//! The `ptx-analyzer` program.

fn main() {}

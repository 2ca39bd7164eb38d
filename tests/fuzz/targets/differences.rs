//! Fuzz target `differences`; see `ptx_tests::properties::inputs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ptx_tests::properties::inputs::run("differences", bytes));

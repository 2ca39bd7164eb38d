//! Language server and command line of ptx-analyzer.

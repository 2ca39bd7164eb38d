//! The server as its clients see it: messages in, messages out.

mod annotations;
mod binary;
mod clients;
mod code_actions;
mod completion;
mod diagnostics;
mod differential;
mod embedded;
#[cfg(unix)]
mod exact;
mod faults;
mod fuzz;
mod harness;
mod lifecycle;
mod limits;
mod mcp;
mod order;
mod pressure;
mod protocol;
mod quiet;
mod stream;
mod sync;
mod words;

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

/// The document that most tests open.
const URI: &str = "file:///ptx-analyzer-tests/a.ptx";

/// A kernel with a name of each kind.
const KERNEL: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 values)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [values];
    mov.u32 %r1, %tid.x;
again: // ptx-analyzer: allow(unused-label)
    add.s32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    bra again;
}
";

/// Checks that the server's document has exactly this text, and the tree of it.
#[track_caller]
fn assert_text(server: &mut TestServer, uri: &str, text: &str) {
    let params = json!({ "textDocument": { "uri": uri } });
    let tree = server.settled("ptx/viewSyntaxTree", &params);
    let expected = syntax::debug_tree(&syntax::parse(text).tree.syntax());
    assert!(
        tree == Value::String(expected.clone()),
        "expected {expected}\nfound {tree:#}"
    );
}

//! A debug adapter over one text, in a worker of its own: messages of the Debug Adapter Protocol in and out.

use session::debug::{Files, Programs, Session};
use wasm_bindgen::prelude::wasm_bindgen;

/// The only file that there is.
struct Page {
    path: String,
    text: String,
}

impl Files for Page {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path == self.path {
            true => Ok(self.text.clone().into_bytes()),
            false => Err("there are no files here".to_owned()),
        }
    }

    fn read_below(&self, _: &str, name: &str) -> Result<Vec<u8>, String> {
        Err(format!(
            "`{name}` cannot be read: there are no files here; use `zeros`, `ramp` or `random`"
        ))
    }
}

/// A debug session over a text.
#[wasm_bindgen]
pub struct Debugger(Session<'static>);

#[wasm_bindgen]
impl Debugger {
    /// A session that waits for `initialize`; the program of its `launch` is `path`.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(path: String, text: String) -> Debugger {
        // A worker has one session and ends with it, so nothing has to give this back.
        let page: &'static Page = Box::leak(Box::new(Page { path, text }));
        let programs: &'static Programs = Box::leak(Box::default());
        Debugger(Session::new(page, programs))
    }

    /// Takes a message of the client and returns the messages for it.
    pub fn receive(&mut self, message: &str) -> Vec<String> {
        self.0.receive(message);
        self.0.take_messages()
    }

    /// Whether the kernel runs, so that `advance` has something to do.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.0.is_running()
    }

    /// Runs the kernel for a while and returns the messages for the client.
    pub fn advance(&mut self) -> Vec<String> {
        self.0.advance();
        self.0.take_messages()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_90\n.address_size 64\n// run: grid = 1 block = 1 args.p = { zeros = [2], type = \"u32\" }\n.entry k(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r;\nld.param.u64 %rd0, [p];\ncvta.to.global.u64 %rd1, %rd0;\nmov.u32 %r, 7;\nst.global.u32 [%rd1], %r;\nret;\n}\n";

    #[test]
    fn a_kernel_runs_to_its_outcome() {
        let mut debugger = Debugger::new("module.ptx".to_owned(), TEXT.to_owned());
        let mut said = Vec::new();
        for (seq, request) in [
            r#""command":"initialize","arguments":{"supportsOutcomeEvent":true}"#,
            r#""command":"launch","arguments":{"program":"module.ptx"}"#,
            r#""command":"configurationDone""#,
        ]
        .into_iter()
        .enumerate()
        {
            said.extend(
                debugger.receive(&format!(r#"{{"seq":{seq},"type":"request",{request}}}"#)),
            );
        }
        while debugger.is_running() {
            said.extend(debugger.advance());
        }
        let outcome = said.iter().find(|it| it.contains("ptx/outcome"));
        let outcome = outcome.unwrap_or_else(|| panic!("{said:#?}"));
        assert!(outcome.contains(r#""values":["7","0"]"#), "{outcome}");
        assert!(outcome.contains(r#""ended":"finished""#), "{outcome}");
    }
}

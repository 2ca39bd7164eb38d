//! Which instructions belong together.

use super::{Handler, Priority, Reads};
use crate::lsp::ext::{FunctionProtocol, PROTOCOLS as METHOD, ProtocolStep, ProtocolsParams};

pub(crate) const PROTOCOLS: Handler<ProtocolsParams, Vec<FunctionProtocol>> = Handler {
    method: METHOD,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(Vec::new());
        };
        let found = snapshot.analysis.protocols(document.file, None)?;
        let convert = |it: analysis::ProtocolView| FunctionProtocol {
            function: it.function,
            title: it.title,
            parts: it
                .parts
                .into_iter()
                .map(|part| ProtocolStep {
                    range: document.range(part.range),
                    role: part.role,
                    partners: part.partners,
                })
                .collect(),
        };
        Ok(found.into_iter().map(convert).collect())
    },
};

//! Which instructions belong together.

use super::{Handler, Priority, Reads, Run};
use crate::lsp::ext::{FunctionProtocol, PROTOCOLS as METHOD, ProtocolStep, ProtocolsParams};

pub(crate) const PROTOCOLS: Handler<ProtocolsParams, Vec<FunctionProtocol>> = Handler {
    method: METHOD,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, _| {
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
    }),
};

//! Semantic tokens.

use syntax::TextRange;

use super::{Handler, Priority, Reads, Run, embedded};
use crate::{
    lsp::{
        lsp_types::{
            SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
            SemanticTokensFullDeltaResult, SemanticTokensParams, SemanticTokensRangeParams,
            SemanticTokensRangeResult, SemanticTokensResult,
        },
        semantic_tokens,
    },
    snapshot::{Answer, Document, Snapshot},
};

/// The text after this many tokens has the colours of the editor's own grammar; an answer has some 15 bytes for each.
const MAX_TOKENS: usize = 1_000_000;

fn tokens(
    snapshot: &Snapshot,
    document: &Document,
    range: Option<TextRange>,
) -> Answer<Vec<SemanticToken>> {
    let mut tokens = match &document.host {
        Some(host) => embedded::semantic_tokens(snapshot, document, host, range)?,
        None => snapshot.analysis.semantic_tokens(document.file, range)?,
    };
    tokens.truncate(MAX_TOKENS);
    Ok(semantic_tokens::encode(
        &tokens,
        document.lines(),
        document.encoding,
        snapshot.shared.client.multiline_tokens,
    ))
}

pub(crate) const TOKENS_FULL: Handler<SemanticTokensParams, Option<SemanticTokensResult>> =
    Handler {
        method: "textDocument/semanticTokens/full",
        priority: Priority::Background,
        document: |params| Some(&params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, _| {
            let data = tokens(snapshot, document, None)?;
            let (result_id, _) = snapshot.shared.tokens.replace(document.file, &data);
            Ok(Some(SemanticTokensResult::Tokens(SemanticTokens {
                result_id,
                data,
            })))
        }),
    };

pub(crate) const TOKENS_DELTA: Handler<
    SemanticTokensDeltaParams,
    Option<SemanticTokensFullDeltaResult>,
> = Handler {
    method: "textDocument/semanticTokens/full/delta",
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let data = tokens(snapshot, document, None)?;
        let (result_id, old) = snapshot.shared.tokens.replace(document.file, &data);
        Ok(Some(match old {
            Some((old_id, old)) if old_id == params.previous_result_id => {
                SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
                    result_id,
                    edits: semantic_tokens::diff(&old, &data),
                })
            }
            _ => SemanticTokensFullDeltaResult::Tokens(SemanticTokens { result_id, data }),
        }))
    }),
};

pub(crate) const TOKENS_RANGE: Handler<
    SemanticTokensRangeParams,
    Option<SemanticTokensRangeResult>,
> = Handler {
    method: "textDocument/semanticTokens/range",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        let range = document.text_range(params.range);
        let data = tokens(snapshot, document, Some(range))?;
        Ok(Some(SemanticTokensRangeResult::Tokens(SemanticTokens {
            result_id: None,
            data,
        })))
    }),
};

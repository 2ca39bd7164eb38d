//! Documentation of words that are nowhere in a file.

use analysis::documented;

use super::{Handler, Priority, Reads, Run};
use crate::lsp::ext::{self, ExplainParams, Explanation, Word, WordsParams};

pub(crate) const WORDS: Handler<WordsParams, Vec<Word>> = Handler {
    method: ext::WORDS,
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Document,
    run: Run::Snapshot(|_, params| {
        let words = documented().into_iter().map(|(name, key)| Word {
            name,
            kind: key.kind().to_owned(),
        });
        let wanted = |it: &Word| params.kind.as_ref().is_none_or(|kind| it.kind == *kind);
        Ok(words.filter(wanted).collect())
    }),
};

pub(crate) const EXPLAIN: Handler<ExplainParams, Vec<Explanation>> = Handler {
    method: ext::EXPLAIN,
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Document,
    run: Run::Snapshot(|_, params| {
        let found = analysis::explain(&params.name, None)
            .unwrap_or_default()
            .found;
        let wanted = |it: &analysis::Explanation| {
            params
                .kind
                .as_ref()
                .is_none_or(|kind| it.kind == kind.as_str())
        };
        let found = found.into_iter().filter(wanted).map(|it| Explanation {
            word: Word {
                name: it.name,
                kind: it.kind.to_owned(),
            },
            text: it.text,
        });
        Ok(found.collect())
    }),
};

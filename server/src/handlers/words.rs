//! Documentation of words that stand nowhere in a file.

use analysis::{documentation, documented};

use super::Handler;
use crate::{
    dictionary,
    lsp::ext::{self, ExplainParams, Explanation, Word, WordsParams},
    pool::Priority,
};

pub(crate) const WORDS: Handler<WordsParams, Vec<Word>> = Handler {
    method: ext::WORDS,
    priority: Priority::Background,
    document: |_| None,
    run: |_, params| {
        let words = documented().into_iter().map(|(name, key)| Word {
            name,
            kind: dictionary::kind(&key).to_owned(),
        });
        let wanted = |it: &Word| params.kind.as_ref().is_none_or(|kind| it.kind == *kind);
        Ok(words.filter(wanted).collect())
    },
};

pub(crate) const EXPLAIN: Handler<ExplainParams, Vec<Explanation>> = Handler {
    method: ext::EXPLAIN,
    priority: Priority::Background,
    document: |_| None,
    run: |_, params| {
        let found = dictionary::called(&params.name).into_iter();
        let found = found.filter_map(|(name, key)| {
            let kind = dictionary::kind(&key);
            if params.kind.as_ref().is_some_and(|it| it != kind) {
                return None;
            }
            let kind = kind.to_owned();
            Some(Explanation {
                word: Word { name, kind },
                text: documentation(&key)?,
            })
        });
        Ok(found.collect())
    },
};

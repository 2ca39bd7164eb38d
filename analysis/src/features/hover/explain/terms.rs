//! The terms of a text: its words in lower case, without endings and without words that every question has.

/// Words that say nothing about the subject of a question.
const STOP_WORDS: &[&str] = &[
    "a", "about", "am", "an", "and", "any", "arch", "are", "as", "at", "be", "been", "between",
    "but", "by", "can", "cannot", "could", "did", "do", "does", "doesn", "doing", "don", "during",
    "each", "else", "ever", "every", "explain", "find", "for", "from", "get", "give", "gives",
    "had", "happen", "happens", "has", "have", "how", "i", "if", "in", "into", "is", "isn", "it",
    "its", "just", "keyword", "know", "let", "like", "make", "me", "mean", "meaning", "means",
    "much", "must", "my", "need", "needs", "no", "not", "of", "on", "one", "or", "other", "our",
    "please", "ptx", "put", "s", "say", "see", "should", "show", "so", "some", "still", "such",
    "syntax", "t", "tell", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "those", "to", "too", "us", "usage", "use", "used", "using", "vs", "want",
    "was", "way", "we", "were", "what", "when", "where", "whether", "which", "who", "why", "will",
    "with", "work", "works", "would", "you", "your",
];

/// The terms of a text in their order, with repetitions. A name such as `cudaMallocAsync` or `try_wait` is a term as a
/// whole and in its parts.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in words(text) {
        let whole = word.trim_matches('_').to_lowercase();
        let parts = parts(word);
        if parts.len() > 1 {
            let parts = parts.iter().filter(|it| !is_stop_word(it));
            parts.for_each(|it| push(&mut found, it));
        }
        if !whole.is_empty() && !is_stop_word(&whole) {
            push(&mut found, &whole);
        }
    }
    found
}

/// The words of a text: names such as `try_wait`, and numbers such as the version `8.7`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut ends: Vec<(usize, usize)> = text
        .char_indices()
        .filter(|(at, letter)| {
            let is_point = *letter == '.' && *at > 0 && is_digit(at - 1) && is_digit(at + 1);
            !letter.is_alphanumeric() && *letter != '_' && !is_point
        })
        .map(|(at, letter)| (at, at + letter.len_utf8()))
        .collect();
    ends.push((text.len(), text.len()));
    let mut start = 0;
    let words = ends.into_iter().map(move |(end, next)| {
        let word = &text[start..end];
        start = next;
        word
    });
    words.filter(|it| !it.is_empty())
}

/// Whether a word, in lower case, says nothing about a subject.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// The parts of a name, divided at underscores and before capitals.
fn parts(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_lower = false;
    for piece in name.split('_').filter(|it| !it.is_empty()) {
        found.push(String::new());
        for letter in piece.chars() {
            if letter.is_uppercase() && is_lower {
                found.push(String::new());
            }
            is_lower = letter.is_lowercase();
            if let Some(last) = found.last_mut() {
                last.extend(letter.to_lowercase());
            }
        }
        is_lower = false;
    }
    found
}

/// Endings with what takes their place, the longest first; at least three letters stay before them.
const ENDINGS: &[(&str, &str)] = &[
    ("isations", "iz"),
    ("izations", "iz"),
    ("isation", "iz"),
    ("ization", "iz"),
    ("ations", "at"),
    ("ising", "iz"),
    ("izing", "iz"),
    ("ances", ""),
    ("ation", "at"),
    ("ences", ""),
    ("ating", "at"),
    ("ancy", ""),
    ("ated", "at"),
    ("ates", "at"),
    ("ency", ""),
    ("ence", ""),
    ("ance", ""),
    ("ables", "ab"),
    ("ibles", "ib"),
    ("ants", ""),
    ("ents", ""),
    ("ings", ""),
    ("ions", ""),
    ("ised", "iz"),
    ("ises", "iz"),
    ("ized", "iz"),
    ("izes", "iz"),
    ("ibly", "ib"),
    ("ably", "ab"),
    ("ible", "ib"),
    ("able", "ab"),
    ("ate", "at"),
    ("ant", ""),
    ("ent", ""),
    ("ied", "y"),
    ("ies", "y"),
    ("ing", ""),
    ("ion", ""),
    ("ise", "iz"),
    ("ize", "iz"),
    ("ive", ""),
    ("ers", ""),
    ("ors", ""),
    ("ed", ""),
    ("er", ""),
    ("or", ""),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
    ("e", ""),
];

/// Terms with the terms that mean the same; of words of CUDA C++ those of PTX. Some are two terms.
const SYNONYMS: &[(&str, &str)] = &[
    ("addr", "address"),
    ("alloc", "allocat"),
    ("ar", "arriv"),
    ("arg", "argum"),
    ("arrival", "arriv"),
    ("async", "asynchron"),
    ("asynchronou", "asynchron"),
    ("bfloat16", "bf16"),
    ("block", "cta"),
    ("cast", "convert"),
    ("cmem", "constant memory"),
    ("cond", "condit"),
    ("conditional", "condit"),
    ("conver", "convert"),
    ("convers", "convert"),
    ("dealloc", "deallocat"),
    ("desc", "descript"),
    ("dim", "dimens"),
    ("div", "divid"),
    ("divis", "divid"),
    ("doubl", "f64"),
    ("dsmem", "distribut shared memory"),
    ("float", "f32"),
    ("fp16", "f16"),
    ("fp32", "f32"),
    ("fp64", "f64"),
    ("gmem", "global memory"),
    ("id", "index"),
    ("idx", "index"),
    ("init", "initializ"),
    ("instr", "instruct"),
    ("integer", "int"),
    ("lmem", "local memory"),
    ("matmul", "matrix multiply"),
    ("max", "maximum"),
    ("mem", "memory"),
    ("min", "minimum"),
    ("mul", "multiply"),
    ("mult", "multiply"),
    ("multip", "multiply"),
    ("multiplicat", "multiply"),
    ("param", "paramet"),
    ("pred", "predicat"),
    ("predic", "predicat"),
    ("print", "printf"),
    ("ptr", "point"),
    ("reduct", "reduc"),
    ("reg", "regist"),
    ("single", "f32"),
    ("sm", "multiprocess"),
    ("smem", "shared memory"),
    ("sum", "reduc"),
    ("swap", "exchang"),
    ("sync", "synchroniz"),
    ("tmem", "tensor memory"),
];

/// Appends the terms of a word: `smem` has two.
fn push(found: &mut Vec<String>, word: &str) {
    found.extend(term(word).split(' ').map(str::to_owned));
}

/// The term of a word: without its ending, and one for all words that mean the same.
fn term(word: &str) -> String {
    let stem = stem(word);
    let synonym = |it: &str| {
        let at = SYNONYMS.binary_search_by_key(&it, |it| it.0).ok()?;
        Some(SYNONYMS[at].1.to_owned())
    };
    synonym(&stem).or_else(|| synonym(word)).unwrap_or(stem)
}

/// A word without its ending, so that `spilling`, `spilled` and `spills` are one term. Names with digits stay.
fn stem(word: &str) -> String {
    if !word.chars().all(|it| it.is_ascii_lowercase()) || word.ends_with("ss") {
        return word.to_owned();
    }
    let is_vowel = |it: char| "aeiouy".contains(it);
    for (ending, instead) in ENDINGS {
        let Some(start) = word.strip_suffix(ending) else {
            continue;
        };
        // `fence`, `lane` and `ring` are not inflected.
        if start.len() < 3 || !start.contains(is_vowel) {
            continue;
        }
        let mut start = format!("{start}{instead}");
        // `mapped`, `running`, but `spilled`.
        let mut last = start.chars().rev();
        if instead.is_empty()
            && let (Some(a), Some(b)) = (last.next(), last.next())
            && a == b
            && !is_vowel(a)
            && !"lsz".contains(a)
        {
            start.pop();
        }
        return start;
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::{STOP_WORDS, terms};

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(super::SYNONYMS.is_sorted_by_key(|it| it.0));
    }

    #[test]
    fn inflections_and_spellings_are_one_term() {
        let shown: Vec<String> = [
            "spill spilling spilled spills",
            "divergence divergent diverged diverging",
            "coalesce coalesced coalescing",
            "initialize initialized initialization initializing",
            "synchronize synchronization synchronizes",
            "occupancy allocate allocation allocated allocating",
            "Why is my kernel so slow?",
            "cudaErrorIllegalAddress __shfl_down_sync",
            "fence lane address barrier barriers memory memories",
            "PTX 8.7, sm_90. 0.5 of 7.",
        ]
        .map(|it| terms(it).join(" "))
        .to_vec();
        let british = "initialize initialization synchronizes".replace('z', "s");
        assert_eq!(terms(&british), ["initializ", "initializ", "synchroniz"]);
        expect![[r#"
            spill spill spill spill
            diverg diverg diverg diverg
            coalesc coalesc coalesc
            initializ initializ initializ initializ
            synchroniz synchroniz synchroniz
            occup allocat allocat allocat allocat
            kernel slow
            cuda er illegal address cudaerrorillegaladdress shfl down synchroniz shfl_down_sync
            fenc lan address barri barri memory memory
            8.7 multiprocess 90 sm_90 0.5 7"#]]
        .assert_eq(&shown.join("\n"));
    }
}

//! Texts that differ only by numbers, as one text with the lists of these numbers: `r4..r7 = x[(0, 8..24)]`.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use crate::alignment::align;

/// The longest period of a list, after which its numbers come again, each larger by the same.
const MAX_PERIOD: usize = 8;
/// Parts of a list that is written as a whole.
const MAX_PARTS: usize = 8;
/// The longest text of the elements of a vector one by one.
const MAX_ELEMENTS: usize = 48;
/// Parts by which two lines differ that are shown as one, and the longest of them in bytes.
const MAX_VARIED: usize = 3;
const MAX_PART: usize = 48;
/// Numbers of a run at least, that of consecutive ones and others.
const MIN_RUN: usize = 3;
const MIN_STEPS: usize = 4;

/// A number in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Integer(i64),
    /// A float, a hexadecimal number, or one that is too long.
    Other(String),
}

impl Number {
    fn text(&self) -> String {
        match self {
            Number::Integer(it) => it.to_string(),
            Number::Other(it) => it.clone(),
        }
    }

    /// By how much it is larger than another number; nothing but 0 is known of some.
    fn minus(&self, other: &Number) -> Option<i64> {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a.checked_sub(*b),
            _ => (self == other).then_some(0),
        }
    }
}

/// A text as its words and its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// One more than there are numbers.
    pub(super) words: Vec<String>,
    pub(super) numbers: Vec<Number>,
}

impl Shape {
    pub(super) fn new(text: &str) -> Shape {
        let mut shape = Shape::default();
        let mut word = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = number_length(&word, rest);
            if length == 0 {
                word.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (digits, after) = rest.split_at(length);
            let number = match digits.parse::<i64>() {
                Ok(it) if it.to_string() == digits => Number::Integer(it),
                _ => Number::Other(digits.to_owned()),
            };
            shape.words.push(std::mem::take(&mut word));
            shape.numbers.push(number);
            rest = after;
        }
        shape.words.push(word);
        shape
    }

    /// Whether it is only the name of a register, or a number.
    fn is_word(&self) -> bool {
        matches!(&self.words[..], [name, after] if after.is_empty() && name.chars().all(is_name))
    }
}

fn is_name(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '%')
}

/// The length of the number at the start of a text after a word, 0 if there is none.
fn number_length(word: &str, text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let all = bytes.get(from..).unwrap_or_default();
        all.iter().take_while(|it| it.is_ascii_digit()).count()
    };
    let in_name = word.ends_with(is_name);
    let sign = usize::from(
        bytes[0] == b'-' && (word.is_empty() || word.ends_with([' ', '(', '[', '{', ','])),
    );
    let mut length = digits(sign);
    if length == 0 {
        return 0;
    }
    length += sign;
    if in_name {
        return length;
    }
    if text.starts_with("0x") {
        let hex = bytes[2..].iter().take_while(|it| it.is_ascii_hexdigit());
        return 2 + hex.count();
    }
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if bytes.get(length) == Some(&b'e') {
        let signed = usize::from(matches!(bytes.get(length + 1), Some(b'-' | b'+')));
        let exponent = digits(length + 1 + signed);
        if exponent > 0 {
            length += 1 + signed + exponent;
        }
    }
    length
}

/// How many of the first numbers are a list that needs few words, and after how many they come again.
pub(super) fn regular(numbers: &[&Number]) -> (usize, usize) {
    let mut best = (numbers.len().min(1), 1);
    for period in 1..=MAX_PERIOD.min(numbers.len()) {
        let by = |at: usize| numbers[at].minus(numbers[at - period]);
        let Some(step) = numbers.get(period).and_then(|_| by(period)) else {
            continue;
        };
        let same = (period..numbers.len()).take_while(|it| by(*it) == Some(step));
        let length = period + same.count();
        // A period has come at least twice.
        if length >= 2 * period && length > best.0 {
            best = (length, period);
        }
    }
    best
}

/// Texts with the same words as one text, and whether it shows how many there are; `None` if it would not be short.
pub(super) fn merged(shapes: &[&Shape]) -> Option<(String, bool)> {
    let (first, rest) = shapes.split_first()?;
    if rest.iter().any(|it| it.words != first.words) {
        return None;
    }
    let mut text = String::new();
    let mut counted = false;
    let mut skipped = false;
    for (index, word) in first.words.iter().enumerate() {
        // The second number of a range, and the word before it.
        if std::mem::take(&mut skipped) {
            continue;
        }
        text.push_str(word);
        let Some(number) = first.numbers.get(index) else {
            continue;
        };
        let numbers: Vec<&Number> = shapes.iter().map(|it| &it.numbers[index]).collect();
        if numbers.iter().all(|it| *it == number) {
            text.push_str(&number.text());
            continue;
        }
        if first.words[index + 1].starts_with(is_name) {
            return None;
        }
        let name_length = word.chars().rev().take_while(|it| is_name(*it)).count();
        let name = &word[word.len() - name_length..];
        let texts = |it: &&Number| format!("{name}{}", it.text());
        text.truncate(text.len() - name_length);
        if let Some((first, last)) = range(shapes, index, name) {
            text.push_str(&format!("{name}{first}..{name}{last}"));
            skipped = true;
            continue;
        }
        let (length, period) = regular(&numbers);
        let whole = length == numbers.len();
        let (list, known) = list(&numbers, &texts, if whole { period } else { 0 })?;
        counted |= known;
        text.push_str(&list);
    }
    Some((text, counted))
}

/// Merges a text with another one that has the same words: `⟨a, b⟩` has the number or name of the first and then of the
/// second. The first one may already be of several texts.
pub(super) fn both(one: &str, other: &str, merged: usize) -> Option<String> {
    let mut shapes: Vec<Shape> = (0..merged)
        .map(|it| Shape::new(&version(one, it)))
        .collect();
    shapes.push(Shape::new(other));
    let (first, rest) = shapes.split_first()?;
    if rest.iter().any(|it| it.words != first.words) {
        return None;
    }
    let mut text = String::new();
    for (index, word) in first.words.iter().enumerate() {
        text.push_str(word);
        let Some(number) = first.numbers.get(index) else {
            continue;
        };
        if rest.iter().all(|it| it.numbers[index] == *number) {
            text.push_str(&number.text());
            continue;
        }
        if first.words[index + 1].starts_with(is_name) {
            return None;
        }
        let name_length = word.chars().rev().take_while(|it| is_name(*it)).count();
        let name = text.split_off(text.len() - name_length);
        let numbers = shapes.iter().map(|it| it.numbers[index].text());
        let names: Vec<String> = numbers.map(|it| format!("{name}{it}")).collect();
        text.push_str(&format!("⟨{}⟩", names.join(", ")));
    }
    Some(text)
}

/// Two texts that differ in a few short parts, as one: `x + ⟨0, 64⟩`.
pub(super) fn varied(one: &str, other: &str) -> Option<String> {
    let [a, b] = [one, other].map(words);
    let mut text = String::new();
    let (mut i, mut j) = (0, 0);
    let (mut parts, mut same, mut different) = (0, 0, 0);
    let [c, d] = [&a, &b].map(|it| {
        it.iter()
            .map(|it| FxBuildHasher.hash_one(it))
            .collect::<Vec<u64>>()
    });
    for (x, y) in align(&c, &d).into_iter().chain([(a.len(), b.len())]) {
        let [from, to] = [a[i..x].concat(), b[j..y].concat()];
        if !from.is_empty() || !to.is_empty() {
            parts += 1;
            different += from.len() + to.len();
            text.push_str(&alternatives(&from, &to)?);
        }
        if let Some(word) = a.get(x) {
            same += word.len();
            text.push_str(word);
        }
        (i, j) = (x + 1, y + 1);
    }
    (parts <= MAX_VARIED && different <= same).then_some(text)
}

/// Two parts of texts as one; one may be empty if the other is an addend.
fn alternatives(one: &str, other: &str) -> Option<String> {
    let added = |it: &str| it.strip_prefix(" + ").map(str::to_owned);
    let (before, one, other) = match (one, other) {
        ("", it) => (" + ", "0".to_owned(), added(it)?),
        (it, "") => (" + ", added(it)?, "0".to_owned()),
        (one, other) => ("", one.to_owned(), other.to_owned()),
    };
    let is_part = |it: &String| {
        let nested = it.contains(", ") || it.contains(['⟨', '⟩']);
        !nested && it.len() <= MAX_PART && is_balanced(it) && it.trim() == it
    };
    (is_part(&one) && is_part(&other)).then(|| format!("{before}⟨{one}, {other}⟩"))
}

/// A text in words, and what is between them character by character.
fn words(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match rest.find(|it| !is_name(it) && it != '.') {
            Some(0) => first.len_utf8(),
            Some(it) => it,
            None => rest.len(),
        };
        let (word, after) = rest.split_at(length);
        found.push(word);
        rest = after;
    }
    found
}

/// Whether each bracket of a text is closed in it.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0;
    let never_below = text.chars().all(|it| {
        depth += match it {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth >= 0
    });
    never_below && depth == 0
}

/// One of the texts of which a merged one is.
pub(super) fn version(text: &str, index: usize) -> String {
    let mut found = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟨')
        && let Some((all, after)) = after.split_once('⟩')
    {
        found.push_str(before);
        found.push_str(all.split(", ").nth(index).unwrap_or_default());
        rest = after;
    }
    found.push_str(rest);
    found
}

/// The first and the last number of ranges, each of which begins after the one before: `r0..r3` and `r4..r7`.
fn range(shapes: &[&Shape], index: usize, name: &str) -> Option<(i64, i64)> {
    let between = shapes[0].words.get(index + 1)?.strip_prefix("..")?;
    if between != name {
        return None;
    }
    let number = |shape: &Shape, index: usize| match shape.numbers.get(index) {
        Some(Number::Integer(it)) => Some(*it),
        _ => None,
    };
    let ranges: Option<Vec<(i64, i64)>> = (shapes.iter())
        .map(|it| Some((number(it, index)?, number(it, index + 1)?)))
        .collect();
    let ranges = ranges?;
    let step = (ranges[0].1 - ranges[0].0).signum();
    let follows = |it: &[(i64, i64)]| it[0].1 + step == it[1].0 && (it[1].1 - it[1].0) * step > 0;
    let all = step != 0 && ranges.windows(2).all(follows);
    all.then(|| Some((ranges[0].0, ranges.last()?.1)))?
}

/// Numbers as a list, and whether it shows how many there are. Without a period the list is irregular.
fn list(
    numbers: &[&Number],
    text: &dyn Fn(&&Number) -> String,
    period: usize,
) -> Option<(String, bool)> {
    let all = parts(numbers, text);
    if let [run] = &all[..]
        && run.contains("..")
        && !run.contains(' ')
    {
        return Some((run.clone(), true));
    }
    let shown = |parts: &[String]| format!("({})", parts.join(", "));
    let constant = period > 0 && numbers[period] == numbers[0];
    if constant && numbers.len() > MIN_STEPS {
        let mut turn = parts(&numbers[..period], text);
        turn.push("…".to_owned());
        return Some((shown(&turn), false));
    }
    if all.len() <= MAX_PARTS {
        return Some((shown(&all), true));
    }
    if period == 0 || numbers.len() < 3 * period {
        return None;
    }
    let mut found = parts(&numbers[..period], text);
    found.extend(parts(&numbers[period..2 * period], text));
    found.push("…".to_owned());
    found.extend(parts(&numbers[numbers.len() - period..], text));
    Some((shown(&found), true))
}

/// The texts of numbers, those that grow by the same as `3, 5..9`.
fn parts(numbers: &[&Number], text: &dyn Fn(&&Number) -> String) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(number) = numbers.get(at) {
        let by = |it: usize| numbers[it].minus(numbers[it - 1]);
        let step = numbers.get(at + 1).and_then(|_| by(at + 1));
        let mut end = at + 1;
        while end < numbers.len() && step.is_some() && by(end) == step {
            end += 1;
        }
        let count = end - at;
        match step {
            Some(1 | -1) if count >= MIN_RUN => {
                found.push(format!("{}..{}", text(number), text(&numbers[end - 1])));
            }
            Some(it) if it != 0 && count >= MIN_STEPS => {
                let (next, last) = (text(&numbers[at + 1]), text(&numbers[end - 1]));
                found.push(format!("{}, {next}..{last}", text(number)));
            }
            _ => {
                found.push(text(number));
                end = at + 1;
            }
        }
        at = end;
    }
    found
}

/// The elements of a vector: as one text if they are long and differ only by numbers.
pub(super) fn vector(texts: &[String]) -> String {
    let short = shortened(texts).join(", ");
    if short.len() <= MAX_ELEMENTS || texts.len() < MIN_RUN {
        return short;
    }
    let shapes: Vec<Shape> = texts.iter().map(|it| Shape::new(it)).collect();
    match merged(&shapes.iter().collect::<Vec<_>>()) {
        Some((text, true)) if text.len() < short.len() => text,
        _ => short,
    }
}

/// A list of texts, in which many that differ only by numbers are shortened: `r1..r4`, or the first two turns and the
/// last one with dots between.
pub(super) fn shortened(texts: &[String]) -> Vec<String> {
    let shapes: Vec<Shape> = texts.iter().map(|it| Shape::new(it)).collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(first) = shapes.get(at) {
        let same = shapes[at..].iter().take_while(|it| it.words == first.words);
        let same = same.count();
        let runs = first.numbers.iter().enumerate().map(|(index, _)| {
            let numbers: Vec<&Number> = (shapes[at..at + same].iter())
                .map(|it| &it.numbers[index])
                .collect();
            (regular(&numbers), numbers)
        });
        let runs: Vec<((usize, usize), Vec<&Number>)> = runs.collect();
        let length = runs.iter().map(|it| it.0.0).min().unwrap_or(1);
        let period = runs.iter().map(|it| it.0.1).max().unwrap_or(1);
        let fits = runs.iter().all(|it| period % it.0.1 == 0);
        let step = runs.first().and_then(|it| it.1.get(1)?.minus(it.1[0]));
        if first.is_word() && period == 1 && length >= MIN_RUN && matches!(step, Some(1 | -1)) {
            out.push(format!("{}..{}", texts[at], texts[at + length - 1]));
        } else if fits && length > 4 * period {
            out.extend_from_slice(&texts[at..at + 2 * period]);
            out.push("…".to_owned());
            out.extend_from_slice(&texts[at + length - period..at + length]);
        } else {
            out.push(texts[at].clone());
            at += 1;
            continue;
        }
        at += length;
    }
    out
}

//! One slip is reported where it is: a token that is missing puts errors on its own statement only.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

use std::collections::BTreeMap;

use analysis::{AnalysisHost, Severity};
use ptx_tests::{
    fixtures::{self, Fixture},
    properties::answers::{self, FILE, change},
};
use syntax::{
    Document, NodeOrToken, SyntaxErrorCode,
    SyntaxKind::{self, *},
    SyntaxNode, SyntaxToken, TextRange,
    text::Edit,
};

/// Statements of each fixture whose tokens are removed in turn; `PTX_SLIPS` says how many of all files
/// together.
const STATEMENTS: usize = 60;
/// Names the environment variable with the number of statements of a corpus.
const STATEMENTS_VARIABLE: &str = "PTX_SLIPS";
/// Statements of each file of a corpus.
const PER_FILE: usize = 10;
/// Examples that are printed of each class.
const EXAMPLES: usize = 4;
/// Longest file of a corpus, in bytes: each slip analyses a file.
const LONGEST: usize = 40_000;

/// A statement, or the header or the braces of a block.
struct Unit {
    kind: SyntaxKind,
    /// Its tokens without trivia.
    tokens: Vec<TextRange>,
    /// Lines, the first and the last, on which errors about it may be.
    lines: Vec<(u32, u32)>,
}

fn units(document: &Document) -> Vec<Unit> {
    let line = |offset| document.lines().line_of(offset);
    let root = document.contents().tree.syntax();
    let mut units = Vec::new();
    let mut unit = |node: &SyntaxNode, tokens: Vec<TextRange>| {
        let Some((first, last)) = tokens.first().zip(tokens.last()) else {
            return;
        };
        // Both braces of a block and the line before it, but nothing between them.
        let lines = if node.kind() == BLOCK {
            let header = previous_token(node).map(|it| it.text_range());
            let ranges = tokens.iter().copied().chain(header);
            ranges
                .map(|it| (line(it.start()), line(it.end())))
                .collect()
        } else {
            vec![(line(first.start()), line(last.end()))]
        };
        let kind = node.kind();
        units.push(Unit {
            kind,
            tokens,
            lines,
        });
    };
    let tokens = |node: &SyntaxNode| -> Vec<TextRange> {
        node.descendants_with_tokens()
            .filter_map(NodeOrToken::into_token)
            .filter(|it| !it.kind().is_trivia())
            .map(|it| it.text_range())
            .collect()
    };
    for node in root.descendants() {
        let parent = node.parent().map(|it| it.kind());
        match node.kind() {
            BLOCK => {
                let braces = node
                    .children_with_tokens()
                    .filter_map(NodeOrToken::into_token)
                    .filter(|it| matches!(it.kind(), L_BRACE | R_BRACE));
                unit(&node, braces.map(|it| it.text_range()).collect());
            }
            FUNCTION => {
                let header = node
                    .children_with_tokens()
                    .take_while(|it| it.kind() != BLOCK)
                    .flat_map(|it| match it {
                        NodeOrToken::Node(it) => tokens(&it),
                        NodeOrToken::Token(it) if it.kind().is_trivia() => Vec::new(),
                        NodeOrToken::Token(it) => vec![it.text_range()],
                    });
                unit(&node, header.collect());
            }
            _ if matches!(parent, Some(STATEMENT_RUN | SOURCE_FILE))
                && !matches!(node.kind(), STATEMENT_RUN | SECTION) =>
            {
                unit(&node, tokens(&node));
            }
            _ => {}
        }
    }
    units
}

/// The last token before a node that is not trivia.
fn previous_token(node: &SyntaxNode) -> Option<SyntaxToken> {
    std::iter::successors(node.first_token(), SyntaxToken::prev_token)
        .skip(1)
        .find(|it| !it.kind().is_trivia())
}

#[derive(Default)]
struct SlipTally {
    slips: usize,
    /// Slips after which the parser says something of another line.
    strayed: usize,
    /// Slips after which something is an error on another line.
    wrong_elsewhere: usize,
    /// Where the first of them happened.
    examples: Vec<String>,
}

impl SlipTally {
    fn add(&mut self, other: &SlipTally) {
        self.slips += other.slips;
        self.strayed += other.strayed;
        self.wrong_elsewhere += other.wrong_elsewhere;
    }
}

fn slip(
    Fixture { name, text }: &Fixture,
    count: usize,
    rng: &mut fastrand::Rng,
    all: &mut BTreeMap<String, SlipTally>,
) {
    let mut document = Document::new(text.to_owned());
    let mut host = answers::host(document.contents());
    let errors = |host: &AnalysisHost| -> Vec<_> {
        let found = host.analysis().diagnostics(FILE).expect("no cancellation");
        found
            .into_iter()
            .filter(|it| it.severity == Severity::Error)
            .collect()
    };
    if !errors(&host).is_empty() {
        return;
    }
    let mut units = units(&document);
    rng.shuffle(&mut units);
    for unit in units.iter().take(count) {
        for token in &unit.tokens {
            let word = &text[*token];
            document
                .apply(&Edit::new(*token, ""))
                .expect("the edit fits");
            change(&mut host, FILE, document.contents());
            let start = document.lines();
            let elsewhere: Vec<_> = errors(&host)
                .into_iter()
                .filter(|it| {
                    let line = start.line_of(it.range.start());
                    !unit
                        .lines
                        .iter()
                        .any(|(first, last)| (*first..=*last).contains(&line))
                })
                .collect();
            let strayed = elsewhere.iter().any(|it| {
                SyntaxErrorCode::ALL
                    .iter()
                    .any(|code| code.as_str() == it.code)
            });
            let class = match word {
                ";" | "," | "(" | ")" | "[" | "]" | "{" | "}" | ":" | "<" | ">" => word,
                _ => "word",
            };
            let tally = all.entry(format!("{:?} {class}", unit.kind)).or_default();
            tally.slips += 1;
            tally.strayed += usize::from(strayed);
            tally.wrong_elsewhere += usize::from(!elsewhere.is_empty());
            if let Some(error) = elsewhere.first() {
                let at = start.line_of(token.start());
                let place = start.line_of(error.range.start());
                tally.examples.push(format!(
                    "{name}:{at} without `{word}`: line {place}: {}",
                    error.message
                ));
            }
            document
                .apply(&Edit::new(TextRange::empty(token.start()), word))
                .expect("the edit fits");
        }
    }
}

/// Prints a table and returns the sums.
fn report(all: &BTreeMap<String, SlipTally>) -> SlipTally {
    let mut sum = SlipTally::default();
    for (class, tally) in all {
        sum.add(tally);
        println!(
            "{class:32} {:6} slips, {:4} stray, {:4} with errors elsewhere",
            tally.slips, tally.strayed, tally.wrong_elsewhere
        );
        for example in tally.examples.iter().take(EXAMPLES) {
            println!("    {example}");
        }
    }
    println!(
        "{} slips, {} stray, {} with errors elsewhere",
        sum.slips, sum.strayed, sum.wrong_elsewhere
    );
    sum
}

#[test]
fn a_missing_token_is_told_in_its_statement() {
    let mut all = BTreeMap::new();
    let mut rng = fastrand::Rng::with_seed(18);
    for fixture in fixtures::ptx() {
        slip(&fixture, STATEMENTS, &mut rng, &mut all);
    }
    let sum = report(&all);
    assert!(3_000 < sum.slips, "{}", sum.slips);
    assert!(sum.strayed * 200 <= sum.slips, "{}", sum.strayed);
    assert!(
        sum.wrong_elsewhere * 200 <= sum.slips,
        "{}",
        sum.wrong_elsewhere
    );
}

/// The same for files of a corpus; prints only, because some of them are wrong to begin with.
#[test]
fn a_missing_token_in_a_corpus() {
    let mut files = fixtures::corpus();
    files.retain(|it| it.text.len() < LONGEST);
    let count =
        std::env::var(STATEMENTS_VARIABLE).map_or(STATEMENTS, |it| it.parse().expect("a number"));
    let mut rng = fastrand::Rng::with_seed(18);
    rng.shuffle(&mut files);
    files.truncate(count.div_ceil(PER_FILE));
    let mut all = BTreeMap::new();
    for file in &files {
        slip(file, PER_FILE, &mut rng, &mut all);
    }
    let sum = report(&all);
    assert!(sum.strayed * 200 <= sum.slips, "{}", sum.strayed);
}

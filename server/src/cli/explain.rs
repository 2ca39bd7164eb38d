//! `ptx-analyzer explain`: documentation in a terminal.

mod trial;

use std::{io, path::Path};

use analysis::{Explanation, Explanations, documented, explain};
use clap::ValueEnum;
use syntax::{host::Language, text::LineTable};

use super::{FAILED, Io, check::target, hosted::Hosted, plain, read_text, terminal};
use crate::compile_commands::CompileCommands;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Anything: an opcode with modifiers, a statement, a modifier, special register, directive, type, target or
    /// constant, a concept, a question, a name of CUDA C++ or SASS, a diagnostic code, a message of ptxas or CUDA.
    #[arg(
        value_name = "WORDS",
        required_unless_present_any = ["list", "at", "run"],
        allow_negative_numbers = true
    )]
    words: Vec<String>,
    /// Run statements on the values that follow, one for each operand that is read, or NAME=VALUE: numbers, `0f3F800000`,
    /// `{1, 2}` for packed types, 32 values with commas, or an expression with `lane`.
    #[arg(long = "try", value_name = "STATEMENTS", conflicts_with_all = ["list", "at", "all"])]
    run: Option<String>,
    /// Explain the statements of PTX on a line of a file: of PTX, or of another language with PTX in its strings.
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["words", "list"])]
    at: Option<String>,
    /// List the names of all pages.
    #[arg(long)]
    list: bool,
    /// Say whether instructions are available on this target, such as `sm_90a`.
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<String>,
    /// Print whole pages: also notes, all modifiers and further examples, and every page that was found.
    #[arg(long)]
    all: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = ExplainFormat::Text)]
    format: ExplainFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExplainFormat {
    /// Wrapped text, with colours on a terminal.
    Text,
    /// The Markdown of the pages.
    Markdown,
    /// One JSON document.
    Json,
}

pub(super) fn run(args: &ExplainArgs, io: &mut Io<'_>) -> io::Result<u8> {
    if let Some(text) = &args.run {
        return trial::run(text, args, io);
    }
    if args.list {
        for (name, key) in &documented() {
            writeln!(io.stdout, "{name}\t{}", key.kind())?;
        }
        return Ok(0);
    }
    let mut answers = Vec::new();
    let asked = match &args.at {
        Some(at) => match on_line(at, io) {
            Ok(statements) => statements,
            Err(error) => {
                io.error(&error)?;
                return Ok(FAILED);
            }
        },
        None => questions(&args.words),
    };
    for question in asked {
        match explain(&question, args.target.as_deref()) {
            Ok(answer) => answers.push((question, answer)),
            Err(name) => {
                io.error(format_args!("unknown target `{name}`"))?;
                return Ok(FAILED);
            }
        }
    }
    if args.format == ExplainFormat::Json {
        let all: Vec<_> = answers
            .iter()
            .map(|(it, answer)| json(it, answer))
            .collect();
        writeln!(io.stdout, "{:#}", serde_json::Value::Array(all))?;
    } else {
        let width = terminal::width(io.color);
        let mut texts = Vec::new();
        for (_, answer) in answers.iter().filter(|it| !it.1.found.is_empty()) {
            if args.format == ExplainFormat::Text && !args.all {
                texts.push(brief(answer, width, io.color));
                continue;
            }
            texts.extend(answer.found.iter().map(|it| match args.format {
                ExplainFormat::Markdown => page(it).split_inclusive('\n').map(line).collect(),
                _ => terminal::render(&page(it), width, io.color),
            }));
        }
        write!(io.stdout, "{}", texts.join("\n"))?;
    }
    let mut status = 0;
    for (question, answer) in answers.iter().filter(|it| it.1.found.is_empty()) {
        status = FAILED;
        io.error(format_args!("{}", nothing(question, answer)))?;
    }
    Ok(status)
}

/// Lines that an answer has at most without `--all`.
const MAX_LINES: usize = 60;
/// Lines of the forms of an instruction without `--all`.
const MAX_FORMS: usize = 12;
/// Lines that remain for a part of a page before the rest is omitted.
const MIN_REST: usize = 6;

/// The first page as far as it fits, and the names of the others.
fn brief(answer: &Explanations, width: usize, color: bool) -> String {
    let Some((first, others)) = answer.found.split_first() else {
        return String::new();
    };
    let mut end = String::new();
    for it in others {
        let summary = match it.kind {
            "other pages" => it.text.clone(),
            kind => format!("- `{}` ({kind}): {}", it.name, it.summary()),
        };
        end.push_str(&summary);
        end.push('\n');
    }
    if !end.is_empty() && !end.contains(':') || others.iter().any(|it| it.kind != "other pages") {
        end = format!("See also:\n\n{end}");
    }
    let mut end = terminal::render(&end, width, color);
    if !end.is_empty() {
        end.insert(0, '\n');
    }
    // A line for what is omitted, and an empty one before it.
    let room = MAX_LINES.saturating_sub(end.lines().count() + 2);
    let markdown = page(first);
    let mut shown = String::new();
    let mut is_cut = false;
    let blocks = terminal::blocks(&markdown);
    for (index, block) in blocks.iter().enumerate() {
        let text = terminal::render(block, width, color);
        let mut lines: Vec<&str> = text.lines().collect();
        let used = shown.lines().count() + usize::from(!shown.is_empty());
        let rest = room.saturating_sub(used);
        // The forms come after the title and the summary.
        let most = match block.starts_with("```") && index == 2 {
            true => MAX_FORMS.min(rest),
            false => rest,
        };
        if lines.len() > most {
            is_cut = true;
            if most < MIN_REST {
                break;
            }
            lines.truncate(most - 1);
        }
        if !shown.is_empty() {
            shown.push('\n');
        }
        for it in &lines {
            shown.push_str(it);
            shown.push('\n');
        }
        if lines.len() < text.lines().count() {
            shown.push_str("    …\n");
            if rest == most {
                break;
            }
        }
    }
    if is_cut {
        shown.push_str("\nMore with --all.\n");
    }
    shown + &end
}

/// A line of a page with nothing in it that acts on a terminal: a page may have words of the question.
fn line(text: &str) -> String {
    match text.strip_suffix('\n') {
        Some(text) => format!("{}\n", plain(text)),
        None => plain(text),
    }
}

/// A page in Markdown.
pub(super) fn page(it: &Explanation) -> String {
    format!("# {} ({})\n\n{}\n", it.name, it.kind, it.text.trim_end())
}

/// The message when nothing was found.
pub(super) fn nothing(question: &str, answer: &Explanations) -> String {
    let similar: Vec<String> = answer.similar.iter().map(|it| format!("`{it}`")).collect();
    match &*similar {
        [] => format!(
            "no documentation for `{question}`; `ptx-analyzer explain --list` prints all names"
        ),
        similar => format!(
            "no documentation for `{question}`; did you mean {}?",
            similar.join(", ")
        ),
    }
}

/// The statements on a line of a file, which is given as `FILE:LINE`. Errors say what is wrong.
fn on_line(at: &str, io: &mut Io<'_>) -> Result<Vec<String>, String> {
    let parts = at.rsplit_once(':').and_then(|(path, line)| {
        let line: u32 = line.parse().ok().filter(|it| *it > 0)?;
        Some((Path::new(path), line - 1))
    });
    let Some((path, line)) = parts else {
        return Err(format!(
            "`{at}` is not a file and a line, as in `kernel.cu:12`"
        ));
    };
    let mut found = Vec::new();
    if Language::of_path(path).is_some() {
        let hosted = Hosted::read(path, None, &CompileCommands::default(), io)?;
        let lines = LineTable::new(&hosted.text);
        for index in 0..hosted.file.fragments().len() {
            let view = hosted.file.view(index, &hosted.text, "sm_90a");
            let statements = view.statements();
            found.extend(
                statements
                    .filter(|it| {
                        (lines.line_of(it.0.start())..=lines.line_of(it.0.end())).contains(&line)
                    })
                    .map(|it| it.1.to_owned()),
            );
        }
    } else {
        let text = read_text(path, io)?;
        let lines = LineTable::new(&text);
        if line < lines.line_count() {
            found.push(text[lines.line_range(line)].trim().to_owned());
        }
    }
    found.retain(|it| !it.is_empty());
    match found.is_empty() {
        true => Err(format!("{at}: there is no statement of PTX on that line")),
        false => Ok(found),
    }
}

/// The questions that the arguments are: each for itself, or all of them as one statement or sentence.
fn questions(words: &[String]) -> Vec<String> {
    let whole = words.join(" ");
    let is_statement = words
        .iter()
        .skip(1)
        .any(|it| it.starts_with(['[', '{', '%', '$']))
        || words.iter().any(|it| it.ends_with([',', ';']));
    let is_name = |it: &str| {
        let answer = explain(it, None).unwrap_or_default();
        let first = answer.found.first();
        first.is_some_and(|page| page.name.eq_ignore_ascii_case(it))
    };
    // `add .ftz` are two names, `warp divergence` is one, `why is my kernel spilling` has other words.
    let is_whole =
        words.len() > 1 && (is_statement || is_name(&whole) || !words.iter().all(|it| is_name(it)));
    if is_whole {
        vec![whole]
    } else {
        words.to_vec()
    }
}

fn json(question: &str, answer: &Explanations) -> serde_json::Value {
    let found: Vec<_> = answer
        .found
        .iter()
        .map(|it| serde_json::json!({ "name": it.name, "kind": it.kind, "markdown": it.text }))
        .collect();
    serde_json::json!({ "question": question, "found": found, "similar": answer.similar })
}

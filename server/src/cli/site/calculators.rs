//! Forms of calculators, before the answers that their page has.

use std::fmt::Write as _;

use analysis::{Calculator, CalculatorInput, calculators};

/// Before an answer, with its question; a comment, so that the page reads well elsewhere.
const START: &str = "<!-- calculator: ";
const END: &str = "<!-- end of calculator -->";

/// A page whose answers have a form each, which asks for other answers.
pub(super) fn with_forms(markdown: &str) -> String {
    let all = calculators();
    let mut text = String::with_capacity(markdown.len());
    for line in markdown.split_inclusive('\n') {
        let question = line.trim_end().strip_prefix(START);
        let question = question.and_then(|it| it.strip_suffix(" -->"));
        let name = question.and_then(|it| it.split(' ').next());
        let calculator = all.iter().find(|it| Some(it.name) == name);
        match (calculator, question) {
            (Some(calculator), Some(question)) => text.push_str(&form(calculator, question)),
            _ if line.trim_end() == END => text.push_str("</div>\n"),
            _ => text.push_str(line),
        }
    }
    text
}

/// A form that has the values of a question.
fn form(calculator: &Calculator, question: &str) -> String {
    let written: Vec<(&str, &str)> = question
        .split(' ')
        .filter_map(|it| it.split_once('='))
        .collect();
    let mut text = format!(
        "<form class=\"ptx-calculator\" data-name=\"{}\">\n",
        calculator.name
    );
    for input in &calculator.inputs {
        let value = written.iter().find(|it| it.0 == input.name);
        let value = value.map_or(&*input.default, |it| it.1);
        let _ = writeln!(
            text,
            "<p><label>{}: {}</label></p>",
            input.label,
            control(input, value)
        );
    }
    text.push_str(
        "<p><button>Compute</button></p>\n</form>\n<div class=\"ptx-answer\" role=\"status\">\n",
    );
    text
}

fn control(input: &CalculatorInput, value: &str) -> String {
    let name = input.name;
    let mut options = String::new();
    for it in &input.choices {
        let selected = if it == value && !input.is_open {
            " selected"
        } else {
            ""
        };
        let _ = write!(options, "<option{selected}>{it}</option>");
    }
    match (input.choices.is_empty(), input.is_open) {
        (true, _) => format!("<input name=\"{name}\" value=\"{value}\">"),
        (false, true) => format!(
            "<input name=\"{name}\" value=\"{value}\" list=\"choices-{name}\" size=\"70\">\
             <datalist id=\"choices-{name}\">{options}</datalist>"
        ),
        (false, false) => format!("<select name=\"{name}\">{options}</select>"),
    }
}

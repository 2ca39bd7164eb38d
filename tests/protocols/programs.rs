//! The kernels of the fixtures.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use analysis::DIAGNOSTIC_CODES;
use ptx_tests::{
    fixtures,
    properties::answers::{self, FILE},
};
use syntax::FileContents;

/// The text before the lines of each kernel.
const HEADER: &str = include_str!("header.txt");

/// Shapes in which a part of a kernel is tried: the lines before it and after it.
const SHAPES: [(&str, &str, &str); 7] = [
    ("straight", "", ""),
    ("then", "@!%p7 bra SKIP_;", "SKIP_:"),
    (
        "else",
        "@%p7 bra ELSE_;\nadd.u32 %r30, %r30, 1;\nbra.uni JOIN_;\nELSE_:",
        "JOIN_:",
    ),
    (
        "loop",
        "mov.u32 %r63, 0;\nAGAIN_:",
        "add.u32 %r63, %r63, 1;\nsetp.lt.u32 %p15, %r63, %r0;\n@%p15 bra AGAIN_;",
    ),
    (
        "role",
        "setp.ge.u32 %p14, %r2, 4;\n@%p14 bra OTHER_;",
        "bra.uni MEET_;\nOTHER_:\nst.global.u32 [%rd0+128], %r0;\nMEET_:",
    ),
    (
        "scope",
        "{\n.reg .b32 %inner;\nmov.u32 %inner, %r0;\nst.global.u32 [%rd0+256], %inner;",
        "}",
    ),
    (
        "nest",
        "mov.u32 %r63, 0;\nAGAIN_:\n@!%p7 bra SKIP_;\n{",
        "}\nSKIP_:\nadd.u32 %r63, %r63, 1;\nsetp.lt.u32 %p15, %r63, %r0;\n@%p15 bra AGAIN_;",
    ),
];

/// A kernel.
pub(crate) struct Program {
    /// File, title and shape.
    pub(crate) title: String,
    /// The target of its module.
    pub(crate) target: String,
    /// Text of the module.
    pub(crate) text: String,
    plain: bool,
}

/// A line, from 1, and the code of a rule.
pub(crate) type Finding = (usize, String);

impl Program {
    /// Whether it is in the first of its shapes.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The findings that the marks in the text expect.
    pub(crate) fn expected(&self) -> Vec<Finding> {
        let marks = (1..).zip(self.text.lines());
        let marks = marks.filter_map(|(line, text)| Some((line, text.split_once("// ")?.1)));
        let mut all: Vec<Finding> = marks
            .flat_map(|(line, codes)| codes.split(", ").map(move |it| (line, it.to_owned())))
            .collect();
        all.sort();
        all
    }

    /// The findings of the rules.
    pub(crate) fn found(&self) -> Vec<Finding> {
        found(&self.text)
    }
}

/// The findings of the rules in a text. Nothing is wrong with it but for its protocols.
pub(crate) fn found(text: &str) -> Vec<Finding> {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let all = host.analysis().diagnostics(FILE).expect("nothing changes");
    let is_rule = |code: &str| {
        let mut rules = DIAGNOSTIC_CODES.iter().filter(|it| it.is_of_protocols());
        rules.any(|it| it.name == code)
    };
    let mut found = Vec::new();
    for it in all {
        assert!(
            it.severity != analysis::Severity::Error,
            "{}\n{text}",
            it.message
        );
        if is_rule(it.code) {
            let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
            found.push((line, it.code.to_owned()));
        }
    }
    found.sort();
    found
}

/// All kernels, in all of their shapes.
pub(crate) fn programs() -> Vec<Program> {
    let files = fixtures::all("protocols", "txt");
    files
        .iter()
        .flat_map(|it| of_file(&it.name, &it.text))
        .collect()
}

/// A kernel before it is put into shapes.
#[derive(Default)]
struct Kernel {
    title: String,
    settings: BTreeMap<String, String>,
    /// The lines before the part that is tried in shapes, of the part, and after it.
    parts: Vec<String>,
}

fn of_file(file: &str, text: &str) -> Vec<Program> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut kernels: Vec<Kernel> = Vec::new();
    for line in text.lines().filter(|it| !it.is_empty()) {
        if let Some(name) = line.strip_prefix("let ") {
            let (name, text) = name.split_once(" = ").expect("let NAME = TEXT");
            names.insert(name.to_owned(), text.to_owned());
            continue;
        }
        if let Some(title) = line.strip_prefix("== ") {
            kernels.push(Kernel {
                title: format!("{file}: {title}"),
                parts: vec![String::new()],
                ..Kernel::default()
            });
            continue;
        }
        let kernel = kernels.last_mut().expect("a title comes first");
        if let ">>" | "<<" = line {
            kernel.parts.push(String::new());
            continue;
        }
        if let Some((setting, value)) = line.split_once(": ")
            && let "shapes" | "target" | "bounds" = setting
        {
            kernel.settings.insert(setting.to_owned(), value.to_owned());
            continue;
        }
        let mut line = line.to_owned();
        for (name, text) in &names {
            let end = |it: char| !it.is_alphanumeric();
            while let Some(at) = line
                .match_indices(&format!("${name}"))
                .map(|it| it.0)
                .find(|at| line[at + name.len() + 1..].chars().next().is_none_or(end))
            {
                line.replace_range(at..=at + name.len(), text);
            }
        }
        assert!(!line.contains('$'), "{line}");
        let part = kernel.parts.last_mut().expect("there is one");
        let _ = writeln!(part, "{line}");
    }
    kernels.iter().flat_map(shaped).collect()
}

fn shaped(kernel: &Kernel) -> Vec<Program> {
    let setting = |name: &str, otherwise: &str| {
        let it = kernel.settings.get(name).map(String::as_str);
        it.unwrap_or(otherwise).to_owned()
    };
    let wanted = setting("shapes", "straight");
    let (target, bounds) = (
        setting("target", "sm_90a"),
        setting("bounds", ".reqntid 256"),
    );
    let part = |index: usize| kernel.parts.get(index).map_or("", String::as_str);
    let shapes = SHAPES
        .iter()
        .filter(|it| wanted == "all" || wanted.split(' ').any(|name| name == it.0));
    shapes
        .map(|(name, before, behind)| {
            let lines = [part(0), before, part(1), behind, part(2)].join("\n");
            let mut text = HEADER.replace("TARGET", &target).replace("BOUNDS", &bounds);
            for line in lines.lines().filter(|it| !it.is_empty()) {
                let _ = writeln!(text, "    {line}");
            }
            text.push_str("    ret;\n}\n");
            Program {
                title: format!("{}, {name}", kernel.title),
                target: target.clone(),
                text,
                plain: *name == SHAPES[0].0,
            }
        })
        .collect()
}

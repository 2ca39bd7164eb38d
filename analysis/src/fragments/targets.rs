//! For which targets code is compiled, by the words of a command.

use isa::target::{Suffix, Target};

use crate::is_target;

/// The target of modules when nothing says which.
pub(super) const USUAL: Target = Target {
    number: 90,
    suffix: Suffix::Architecture,
};

/// The order in which targets are tried when nothing says which: those first that admit most.
const ORDER: [(u16, Suffix); 20] = {
    use Suffix::{Architecture, Family, Plain};
    [
        (90, Architecture),
        (100, Architecture),
        (120, Architecture),
        (80, Plain),
        (103, Architecture),
        (110, Architecture),
        (107, Architecture),
        (121, Architecture),
        (100, Family),
        (103, Family),
        (120, Family),
        (110, Family),
        (75, Plain),
        (70, Plain),
        (60, Plain),
        (89, Plain),
        (90, Plain),
        (100, Plain),
        (120, Plain),
        (52, Plain),
    ]
};

/// The targets that are tried when nothing says which.
pub fn candidates() -> impl Iterator<Item = Target> {
    ORDER
        .iter()
        .map(|&(number, suffix)| Target { number, suffix })
}

/// Divides a command line into words, as a POSIX shell does.
pub fn words_of_command(command: &str) -> impl Iterator<Item = String> {
    let mut chars = command.chars();
    std::iter::from_fn(move || {
        let mut word: Option<String> = None;
        let mut quote = None;
        while let Some(char) = chars.next() {
            match (quote, char) {
                (Some(open), _) if char == open => quote = None,
                (Some('\''), _) => word.get_or_insert_default().push(char),
                (_, '\\') => word.get_or_insert_default().extend(chars.next()),
                (Some(_), _) => word.get_or_insert_default().push(char),
                (None, '"' | '\'') => {
                    quote = Some(char);
                    word.get_or_insert_default();
                }
                (None, _) if char.is_whitespace() => {
                    if word.is_some() {
                        return word;
                    }
                }
                (None, _) => word.get_or_insert_default().push(char),
            }
        }
        word
    })
}

/// The options of nvcc and clang that name targets.
const OPTIONS: [&str; 8] = [
    "-arch",
    "--gpu-architecture",
    "-gpu-architecture",
    "-gencode",
    "--generate-code",
    "-generate-code",
    "--cuda-gpu-arch",
    "--offload-arch",
];

/// The targets that the words of a compile command name, each once, in their order: of nvcc `-arch`,
/// `--gpu-architecture`, `-gencode`, `--generate-code` and `-code`, of clang `--cuda-gpu-arch` and `--offload-arch`.
/// The words themselves are not kept.
#[derive(Debug, Default)]
pub struct CommandTargets {
    targets: Vec<String>,
    /// The option whose value is the next word.
    open: Option<&'static str>,
}

impl CommandTargets {
    /// Reads the next word.
    pub fn word(&mut self, word: &str) {
        if let Some(option) = self.open.take() {
            self.value(option, word);
            return;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let Some(option) = OPTIONS.into_iter().find(|it| *it == name) else {
            return;
        };
        match value {
            Some(value) => self.value(option, value),
            None => self.open = Some(option),
        }
    }

    /// Adds the targets of another part of the command, such as a file of options.
    pub fn extend(&mut self, targets: &[String]) {
        for target in targets {
            add(target, &mut self.targets);
        }
    }

    /// The targets, such as `sm_90a`.
    #[must_use]
    pub fn into_targets(self) -> Vec<String> {
        self.targets
    }

    fn value(&mut self, option: &str, value: &str) {
        if option.ends_with("gencode") || option.ends_with("generate-code") {
            gencode(value, &mut self.targets);
        } else {
            for value in value.split(',') {
                add(value, &mut self.targets);
            }
        }
    }
}

/// Reads `arch=compute_90a,code=[sm_90a,compute_90a]`. The device code is that of `arch`.
fn gencode(value: &str, targets: &mut Vec<String>) {
    let value = value.trim_matches(['"', '\'']);
    let before = targets.len();
    for part in value.split(',') {
        if let Some(arch) = part.trim().strip_prefix("arch=") {
            add(arch, targets);
        }
    }
    if targets.len() > before {
        return;
    }
    for part in value.split([',', '[', ']']) {
        add(part.trim().strip_prefix("code=").unwrap_or(part), targets);
    }
}

/// Adds a target by its name, `sm_90a` or `compute_90a`; others, as `native`, say nothing.
fn add(name: &str, targets: &mut Vec<String>) {
    let name = name.trim().trim_matches(['"', '\'']);
    let number = name
        .strip_prefix("sm_")
        .or_else(|| name.strip_prefix("compute_"));
    // CMake writes `90a-real`.
    let Some(number) = number else {
        return;
    };
    let target = format!("sm_{}", number.split('-').next().unwrap_or_default());
    if is_target(&target) && !targets.contains(&target) {
        targets.push(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expected: &[&str]) {
        let mut targets = CommandTargets::default();
        words_of_command(command).for_each(|it| targets.word(&it));
        assert_eq!(targets.into_targets(), expected, "{command}");
    }

    #[test]
    fn every_spelling_of_a_target_is_read() {
        check("nvcc -arch=sm_80 -c a.cu", &["sm_80"]);
        check("nvcc -arch sm_80 a.cu", &["sm_80"]);
        check("nvcc --gpu-architecture=compute_90a", &["sm_90a"]);
        check(
            "nvcc -gencode arch=compute_90a,code=sm_90a -O3",
            &["sm_90a"],
        );
        check(
            "nvcc \"--generate-code=arch=compute_80,code=[compute_80,sm_80]\" -gencode=arch=compute_100f,code=sm_103",
            &["sm_80", "sm_100f"],
        );
        check(
            "clang++ --cuda-gpu-arch=sm_86 --offload-arch=sm_90,sm_86",
            &["sm_86", "sm_90"],
        );
        check("nvcc -arch=native a.cu", &[]);
        check("nvcc -arch=sm_3 'a b.cu' -gencode", &[]);
        check("nvcc -arch", &[]);
    }
}

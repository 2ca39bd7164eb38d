//! Words with a meaning of their own: directives, types, state spaces, targets, versions.

use isa::{
    directive::gate,
    documentation::{Entry, Topic, entry},
    limits::{self, REGISTERS_PER_MULTIPROCESSOR, REGISTERS_PER_THREAD, THREADS_PER_CTA},
    release,
    target::{Target, Version, least_version, versions},
};
use syntax::SyntaxKind;

use crate::features::hover::documentation::demand;

fn page(topic: Topic, word: &str) -> Option<&'static Entry> {
    entry(topic, word)
}

/// A dotted word of a directive or declaration.
pub(super) fn of_directive(word: &str, place: SyntaxKind) -> Option<String> {
    let topics: &[Topic] = match place {
        // The spaces of pointers and variables come before directives of the same name.
        SyntaxKind::VARIABLE_DECLARATION | SyntaxKind::PARAMETER => &[
            Topic::StateSpaces,
            Topic::Types,
            Topic::Directives,
            Topic::Modifiers,
        ],
        _ => &[
            Topic::Directives,
            Topic::StateSpaces,
            Topic::Types,
            Topic::Modifiers,
        ],
    };
    let found = topics.iter().find_map(|topic| page(*topic, word))?;
    let mut text = format!("```ptx\n{word}\n```\n{}", found.text);
    if let Some(demand) = demand(&gate(word), word) {
        text.push_str(&format!("\n\nNeeds {demand}."));
    }
    Some(text)
}

/// A target or an option of `.target`.
pub(super) fn target(word: &str) -> Option<String> {
    let documented = page(Topic::Targets, word).or_else(|| page(Topic::Pragmas, word));
    let known = Target::parse(word).and_then(|it| Some((it, least_version(it)?)));
    let mut text = format!("```ptx\n.target {word}\n```\n");
    match documented {
        Some(entry) => text.push_str(entry.text),
        None if known.is_none() => return None,
        None => text.push_str("A target architecture."),
    }
    if let Some((target, least)) = known {
        text.push_str(&hardware(target, &text));
        let releases = match release::phrase(least) {
            it if it.is_empty() => it,
            it => format!(" ({it})"),
        };
        text.push_str(&format!("\n\nNeeds PTX ISA {least}{releases}."));
    }
    Some(text)
}

/// The GPUs of a target, if `page` does not name them, and its limits.
fn hardware(target: Target, page: &str) -> String {
    let mut out = String::new();
    if let Some(gpus) = limits::gpus(target).filter(|it| !page.contains(it)) {
        let (major, minor) = limits::compute_capability(target);
        out.push_str(&format!("\n\nCompute capability {major}.{minor}: {gpus}."));
    }
    let Some(limits) = limits::of(target) else {
        return out;
    };
    out.push_str(&format!(
        "\n\n\
         Multiprocessor: {} warps ({} threads), {} CTAs, {REGISTERS_PER_MULTIPROCESSOR} registers, \
         {} KB of shared memory.  \n\
         CTA: {THREADS_PER_CTA} threads, {} registers, {} KB of shared memory, of which {} KB static.  \n\
         Thread: {REGISTERS_PER_THREAD} registers.",
        limits.warps,
        limits.threads(),
        limits.ctas,
        limits.shared_kb,
        limits.registers_per_cta,
        limits.shared_per_cta_kb,
        limits::static_shared(target) / 1024,
    ));
    if limits.clusters {
        out.push_str(&format!(
            "  \nCluster: {} CTAs on every GPU that has clusters.",
            limits::PORTABLE_CLUSTER_SIZE
        ));
    }
    out
}

/// The number of a `.version`.
pub(super) fn version(number: &str) -> Option<String> {
    let version = Version::parse(number).filter(|it| versions().any(|known| known == *it))?;
    let mut text = format!("```ptx\n.version {version}\n```\n");
    match page(Topic::Versions, &version.to_string()) {
        Some(entry) => text.push_str(entry.text),
        None => text.push_str("A version of the PTX ISA."),
    }
    // The pages begin with the releases.
    if release::of(version).next().is_none()
        && let Some((major, minor)) = release::first(version).and_then(|it| it.cuda)
    {
        text.push_str(&format!(
            "\n\nCUDA {major}.{minor} is the first release that reads it."
        ));
    }
    Some(text)
}

/// The string of a `.pragma`.
pub(super) fn pragma(text: &str) -> Option<String> {
    let found = page(Topic::Pragmas, text)?;
    Some(format!("```ptx\n.pragma \"{text}\";\n```\n{}", found.text))
}

/// A component of a vector, or a part of a register in a video instruction.
pub(super) fn selector(word: &str) -> Option<String> {
    let text = match word {
        ".x" | ".r" => "The first element of the vector.",
        ".y" | ".g" => "The second element of the vector.",
        ".z" | ".b" => "The third element of the vector.",
        ".w" | ".a" => "The fourth element of the vector.",
        ".unified" => {
            "The address is in the unified space of host and devices (`.attribute(.unified)`)."
        }
        ".b0" | ".b1" | ".b2" | ".b3" => "A byte of the register, `.b0` being the lowest.",
        ".h0" | ".h1" => "A half of the register, `.h0` being the lower one.",
        _ if word.starts_with(".b") => {
            "Bytes of the two source registers: digits 0 to 3 name those of the first, 4 to 7 those of the second."
        }
        _ if word.starts_with(".h") => {
            "Halves of the two source registers: digits 0 and 1 name those of the first, 2 and 3 those of the second."
        }
        _ => return None,
    };
    Some(format!("`{word}`: {text}"))
}

/// `_`
pub(super) fn sink() -> String {
    "`_`: the sink. The value that would be written here is thrown away.".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last lines of a hover, which the tables write.
    #[track_caller]
    fn check(hover: Option<String>, expected: &[&str]) {
        let hover = hover.expect("a hover");
        let lines: Vec<&str> = hover.lines().filter(|it| !it.is_empty()).collect();
        let first = lines.len().saturating_sub(expected.len());
        assert_eq!(&lines[first..], expected);
    }

    #[test]
    fn targets_have_limits() {
        check(
            target("sm_90a"),
            &[
                "Compute capability 9.0: H100, H200, GH200.",
                "Multiprocessor: 64 warps (2048 threads), 32 CTAs, 65536 registers, 228 KB of shared memory.  ",
                "CTA: 1024 threads, 65536 registers, 227 KB of shared memory, of which 227 KB static.  ",
                "Thread: 255 registers.  ",
                "Cluster: 8 CTAs on every GPU that has clusters.",
                "Needs PTX ISA 8.0 (CUDA 12.0, driver branch 525).",
            ],
        );
        check(
            target("compute_75"),
            &[
                "CTA: 1024 threads, 65536 registers, 64 KB of shared memory, of which 48 KB static.  ",
                "Thread: 255 registers.",
                "Needs PTX ISA 6.3 (CUDA 10.0, driver branch 400).",
            ],
        );
        assert!(
            target("sm_20")
                .unwrap()
                .ends_with("Needs PTX ISA 2.0 (CUDA 3.0, driver branch 195).")
        );
        assert_eq!(target("sm_91"), None);
    }

    #[test]
    fn versions_have_releases() {
        assert!(
            version("8.5")
                .unwrap()
                .contains("CUDA 12.5 and 12.6, driver branches 555 and 560.")
        );
        check(
            version("5.1"),
            &["CUDA 9.0 is the first release that reads it."],
        );
        assert_eq!(version("8.9"), None);
    }
}

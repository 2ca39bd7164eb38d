//! C++ names of the mangled names that compilers write into PTX.

use std::{borrow::Cow, fmt, panic::catch_unwind};

use cpp_demangle::{DemangleOptions, DemangleWrite, ParseOptions, Symbol};

/// Longer mangled names are left as they are; those of deep templates have a few thousand bytes.
const MAX_MANGLED: usize = 1 << 14;
/// Longer C++ names are left out: back references let a short mangled name stand for gigabytes.
const MAX_DEMANGLED: usize = 1 << 12;
/// How deeply types may nest; frames of the library are large.
const MAX_DEPTH: u32 = 128;
/// Short names are cut after so many characters.
const MAX_SHORT: usize = 80;
/// The text that compilers put between the name of a function and the number of its parameter.
const PARAMETER: &str = "_param_";

/// The C++ name of a mangled one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demangled {
    /// The name, with the types of parameters if it is a function.
    pub(crate) name: String,
    /// The number of the parameter of the function that is meant, counted from 0.
    pub(crate) parameter: Option<u32>,
}

impl fmt::Display for Demangled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parameter) = self.parameter {
            write!(f, "parameter {parameter} of ")?;
        }
        f.write_str(&self.name)
    }
}

/// The C++ name of a name of PTX; none if it is not mangled by the rules of the Itanium ABI.
///
/// `_Z1fPi_param_1` is a parameter of `_Z1fPi`.
pub(crate) fn demangled(name: &str) -> Option<Demangled> {
    if !is_mangled(name) {
        return None;
    }
    let parameter = name
        .rsplit_once(PARAMETER)
        .and_then(|(function, number)| Some((function, number.parse().ok()?)));
    if let Some((function, number)) = parameter
        && let Some(name) = symbol(function)
    {
        return Some(Demangled {
            name,
            parameter: Some(number),
        });
    }
    Some(Demangled {
        name: symbol(name)?,
        parameter: None,
    })
}

/// Whether a name looks like a mangled one; a cheap test.
pub(crate) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") && name.len() <= MAX_MANGLED
}

/// The name of a function as lists and headings show it, at most 80 characters: of a mangled name the C++ name without
/// its parameters and return type.
#[must_use]
pub fn short_name(name: &str) -> Cow<'_, str> {
    let options = DemangleOptions::new().no_params().no_return_type();
    let found = is_mangled(name).then(|| printed(name, options)).flatten();
    let shown = found.map_or(Cow::Borrowed(name), Cow::Owned);
    match shown.char_indices().nth(MAX_SHORT) {
        Some((end, _)) => Cow::Owned(format!("{}…", &shown[..end])),
        None => shown,
    }
}

/// The unqualified name of a variable that is declared in a function: `smem` for `_ZZ5saxpyifPfS_E4smem`. `None` for all
/// other names.
pub(crate) fn local_name(name: &str) -> Option<String> {
    let is_local = name.starts_with("_ZZ") && is_mangled(name);
    let full = is_local.then(|| symbol(name)).flatten()?;
    let mut depth = 0_u32;
    let mut start = None;
    for (at, letter) in full.char_indices() {
        match letter {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && full[at..].starts_with("::") => start = Some(at + 2),
            _ => {}
        }
    }
    let own = full.get(start?..)?;
    (!own.is_empty()).then(|| own.to_owned())
}

fn symbol(mangled: &str) -> Option<String> {
    printed(mangled, DemangleOptions::new())
}

fn printed(mangled: &str, options: DemangleOptions) -> Option<String> {
    // The library has had panics on malformed names; a name in a file must not end an answer.
    catch_unwind(|| {
        let parsing = ParseOptions::default().recursion_limit(MAX_DEPTH);
        let symbol = Symbol::new_with_options(mangled.as_bytes(), &parsing).ok()?;
        let mut out = Bounded(String::new());
        let printing = options.recursion_limit(MAX_DEPTH);
        symbol.structured_demangle(&mut out, &printing).ok()?;
        (!out.0.is_empty()).then_some(out.0)
    })
    .ok()
    .flatten()
}

/// A text that refuses to grow beyond [`MAX_DEMANGLED`].
struct Bounded(String);

impl DemangleWrite for Bounded {
    fn write_string(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_DEMANGLED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(names: &[&str], expected: Expect) {
        let lines: String = names
            .iter()
            .map(|it| match demangled(it) {
                Some(found) => format!("{found}\n"),
                None => "no\n".to_owned(),
            })
            .collect();
        expected.assert_eq(&lines);
    }

    #[test]
    fn variables_of_functions() {
        let own = |it| local_name(it).unwrap_or_default();
        assert_eq!(own("_ZZ5saxpyifPfS_E4smem"), "smem");
        assert_eq!(own("_ZZ4copyILi16EEvPfPKfS2_iiE2As"), "As");
        assert_eq!(own("_Z5saxpyifPfS_"), "");
        assert_eq!(own("_ZN3foo3barILi4EfEEvPT0_"), "");
    }

    #[test]
    fn names_of_compilers() {
        check(
            &[
                "_Z5saxpyifPfS_",
                "_Z5saxpyifPfS__param_3",
                "_ZN3foo3barILi4EfEEvPT0_",
                "_ZN3foo3barILi4EfEEvPT0__param_0",
                "_ZZ5saxpyifPfS_E4smem",
                "_ZN34_INTERNAL_00000000_4_a_cu_saxpy_ii5tableE",
            ],
            expect![[r#"
                saxpy(int, float, float*, float*)
                parameter 3 of saxpy(int, float, float*, float*)
                void foo::bar<4, float>(float*)
                parameter 0 of void foo::bar<4, float>(float*)
                saxpy(int, float, float*, float*)::smem
                _INTERNAL_00000000_4_a_cu_saxpy_ii::table
            "#]],
        );
    }

    #[test]
    fn short_names() {
        let long = format!("_Z1fILi{}EEvv", "1".repeat(90));
        let names = [
            "saxpy",
            "_Z5saxpyifPfS_",
            "_ZN3foo3barILi4EfEEvPT0_",
            "_Z9",
            &long,
        ];
        let lines: String = names
            .iter()
            .map(|it| format!("{}\n", short_name(it)))
            .collect();
        expect![[r#"
            saxpy
            saxpy
            foo::bar<4, float>
            _Z9
            f<111111111111111111111111111111111111111111111111111111111111111111111111111111…
        "#]]
        .assert_eq(&lines);
    }

    #[test]
    fn other_names() {
        check(
            &[
                "",
                "_Z",
                "_Z9",
                "kernel",
                "_param_0",
                "_Z_param_0",
                "%r1",
                "_Z1ä",
            ],
            expect![[r#"
                no
                no
                no
                no
                no
                no
                no
                no
            "#]],
        );
    }

    /// A name whose back references double its length again and again.
    #[test]
    fn the_output_is_bounded() {
        // f(A, pair<A, A>, pair<pair<A, A>, pair<A, A>>, …); each type is the second back reference.
        let mut name = "_Z1f1ASt4pairIS_S_E".to_owned();
        for depth in 0..17u32 {
            let digit = char::from_digit(2 * depth + 1, 36).unwrap();
            let digit = digit.to_ascii_uppercase();
            name.push_str(&format!("St4pairIS{digit}_S{digit}_E"));
        }
        assert_eq!(demangled(&name), None);
        assert_eq!(
            demangled(&format!("_Z1f{}i", "P".repeat(MAX_MANGLED))),
            None
        );
        assert_eq!(demangled(&format!("_Z1f{}i", "P".repeat(10_000))), None);
    }

    /// No panic, no stack overflow and no endless work, whatever the name is.
    #[test]
    fn random_names() {
        const PIECES: &[&str] = &[
            "_Z", "N", "E", "I", "J", "S_", "S0_", "S1_", "St", "Sa", "Ss", "T_", "T0_", "T1_",
            "P", "R", "K", "L", "i", "f", "d", "v", "z", "1a", "3foo", "4pair", "C1", "D0", "D1",
            "Dp", "DpT_", "Dn", "DT", "Dt", "X", "sr", "sZ", "cl", "cv", "li", "pl", "cc", "nw",
            "F", "FvvE", "A", "A4_", "M", "U", "Ul", "UlvE_", "Ut_", "_", "__", "0", "9", "99",
            "TV", "TI", "Th", "Tv0_n8_", "GV", "GR", "B", "B3cxx", "n1", "Lb1E", "Li4E", "LZ",
            "_param_0", "$", "ä", ".isra.0", "fp", "fp_", "fL0p_", "dt", "gs", "on", "Q", "W",
        ];
        let mut random = fastrand::Rng::with_seed(5);
        let mut found = 0;
        for _ in 0..200_000 {
            let mut name = "_Z".to_owned();
            for _ in 0..random.usize(1..24) {
                name.push_str(random.choice(PIECES).unwrap());
            }
            if let Some(it) = demangled(&name) {
                found += 1;
                assert!(it.name.len() <= MAX_DEMANGLED && !it.name.is_empty());
            }
        }
        assert!(found > 1000, "{found} names were understood");
        for _ in 0..100_000 {
            let bytes: Vec<u8> = (0..random.usize(1..40)).map(|_| random.u8(..)).collect();
            let name = format!("_Z{}", String::from_utf8_lossy(&bytes));
            assert!(demangled(&name).is_none_or(|it| it.name.len() <= MAX_DEMANGLED));
        }
    }
}

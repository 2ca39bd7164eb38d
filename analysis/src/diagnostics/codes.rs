//! The registry of diagnostic codes. Codes are stable: users filter and search by them.

/// A diagnostic code and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// The code as users see it.
    pub name: &'static str,
    /// What it reports, as one sentence.
    pub summary: &'static str,
}

pub(super) const UNDEFINED_NAME: &str = "undefined-name";
pub(super) const UNDEFINED_LABEL: &str = "undefined-label";
pub(super) const UNDEFINED_FUNCTION: &str = "undefined-function";
pub(super) const DUPLICATE_DEFINITION: &str = "duplicate-definition";
pub(super) const CONFLICTING_DECLARATION: &str = "conflicting-declaration";

/// Every code that a diagnostic can have.
pub const DIAGNOSTIC_CODES: &[DiagnosticCode] = &[
    DiagnosticCode {
        name: "syntax-error",
        summary: "The text does not follow the grammar of PTX.",
    },
    DiagnosticCode {
        name: "unclosed-delimiter",
        summary: "A bracket lacks its partner.",
    },
    DiagnosticCode {
        name: "malformed-number",
        summary: "A word starts like a number but is none.",
    },
    DiagnosticCode {
        name: "unterminated-token",
        summary: "The file ends inside a string or comment.",
    },
    DiagnosticCode {
        name: "invalid-character",
        summary: "A character belongs to no token of PTX.",
    },
    DiagnosticCode {
        name: "nesting-too-deep",
        summary: "Brackets or blocks are nested more deeply than the parser follows.",
    },
    DiagnosticCode {
        name: UNDEFINED_NAME,
        summary: "A name is used that is not declared, or not declared yet.",
    },
    DiagnosticCode {
        name: UNDEFINED_LABEL,
        summary: "A branch names a label that is not visible from it.",
    },
    DiagnosticCode {
        name: UNDEFINED_FUNCTION,
        summary: "A call names a function that is not declared, or not declared yet.",
    },
    DiagnosticCode {
        name: DUPLICATE_DEFINITION,
        summary: "A name is defined twice in one scope.",
    },
    DiagnosticCode {
        name: CONFLICTING_DECLARATION,
        summary: "Two declarations of one name of the module do not agree.",
    },
];

#[cfg(test)]
mod tests {
    use syntax::SyntaxErrorCode::*;

    use super::*;

    #[test]
    fn codes_of_the_parser_are_registered() {
        for code in [
            Syntax,
            UnclosedDelimiter,
            MalformedNumber,
            Unterminated,
            InvalidCharacter,
            NestingTooDeep,
        ] {
            let registered = DIAGNOSTIC_CODES.iter().any(|it| it.name == code.as_str());
            assert!(registered, "{}", code.as_str());
        }
    }
}

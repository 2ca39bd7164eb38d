//! The registry of diagnostic codes. Codes are stable: users filter and search by them.

use crate::{DiagnosticTag, Level};

/// A diagnostic code and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// The code as users see it.
    pub name: &'static str,
    /// What it reports, as one sentence.
    pub summary: &'static str,
}

pub(in crate::diagnostics) const UNDEFINED_NAME: &str = "undefined-name";
pub(in crate::diagnostics) const UNDEFINED_LABEL: &str = "undefined-label";
pub(in crate::diagnostics) const UNDEFINED_FUNCTION: &str = "undefined-function";
pub(in crate::diagnostics) const DUPLICATE_DEFINITION: &str = "duplicate-definition";
pub(in crate::diagnostics) const CONFLICTING_DECLARATION: &str = "conflicting-declaration";
pub(in crate::diagnostics) const INVALID_PARAMETER: &str = "invalid-parameter";
pub(in crate::diagnostics) const INVALID_PARAMETER_ACCESS: &str = "invalid-parameter-access";
pub(in crate::diagnostics) const INVALID_CALL_TARGET: &str = "invalid-call-target";
pub(in crate::diagnostics) const WRONG_ARGUMENT_COUNT: &str = "wrong-argument-count";
pub(in crate::diagnostics) const INVALID_ARGUMENT: &str = "invalid-argument";
pub(in crate::diagnostics) const SYSTEM_CALL_MISMATCH: &str = "system-call-mismatch";

pub(in crate::diagnostics) const UNKNOWN_INSTRUCTION: &str = "unknown-instruction";
pub(in crate::diagnostics) const MODIFIER_NOT_ALLOWED: &str = "modifier-not-allowed";
pub(in crate::diagnostics) const MODIFIER_REQUIRED: &str = "modifier-required";
pub(in crate::diagnostics) const WRONG_OPERAND_COUNT: &str = "wrong-operand-count";
pub(in crate::diagnostics) const INVALID_OPERAND: &str = "invalid-operand";
pub(in crate::diagnostics) const UNSUPPORTED_BY_VERSION: &str = "unsupported-by-version";
pub(in crate::diagnostics) const UNSUPPORTED_BY_TARGET: &str = "unsupported-by-target";
pub(in crate::diagnostics) const IGNORED_MODIFIER: &str = "ignored-modifier";
pub(in crate::diagnostics) const REGISTER_PLUS_CONSTANT: &str = "register-plus-constant";
pub(in crate::diagnostics) const NOT_PORTABLE: &str = "not-portable";
pub(in crate::diagnostics) const UNKNOWN_DIRECTIVE: &str = "unknown-directive";
pub(in crate::diagnostics) const MISSING_DIRECTIVE: &str = "missing-directive";
pub(in crate::diagnostics) const UNKNOWN_VERSION: &str = "unknown-version";
pub(in crate::diagnostics) const UNKNOWN_TARGET: &str = "unknown-target";
pub(in crate::diagnostics) const INVALID_CONSTANT: &str = "invalid-constant";
pub(in crate::diagnostics) const INVALID_DIRECTIVE: &str = "invalid-directive";
pub(in crate::diagnostics) const CONFLICTING_DIRECTIVES: &str = "conflicting-directives";
pub(in crate::diagnostics) const IGNORED_DIRECTIVE: &str = "ignored-directive";
pub(in crate::diagnostics) const UNDEFINED_LOCATION: &str = "undefined-location";
pub(in crate::diagnostics) const INVALID_ALIAS: &str = "invalid-alias";
pub(in crate::diagnostics) const UNKNOWN_PRAGMA: &str = "unknown-pragma";
pub(in crate::diagnostics) const ADDRESS_SIZE_32: &str = "address-size-32";
pub(in crate::diagnostics) const INVALID_DECLARATION: &str = "invalid-declaration";
pub(in crate::diagnostics) const INVALID_INITIALIZER: &str = "invalid-initializer";
pub(in crate::diagnostics) const COMPILE_ONLY: &str = "compile-only";

pub(in crate::diagnostics) const UNUSED_REGISTER: &str = "unused-register";
pub(in crate::diagnostics) const UNUSED_LABEL: &str = "unused-label";
pub(in crate::diagnostics) const UNUSED_PARAMETER: &str = "unused-parameter";
pub(in crate::diagnostics) const UNUSED_VARIABLE: &str = "unused-variable";
pub(in crate::diagnostics) const SHADOWED_NAME: &str = "shadowed-name";
pub(in crate::diagnostics) const UNREACHABLE_CODE: &str = "unreachable-code";
pub(in crate::diagnostics) const UNINITIALIZED_REGISTER: &str = "uninitialized-register";
pub(in crate::diagnostics) const MISSING_RETURN: &str = "missing-return";
pub(in crate::diagnostics) const DIVERGENT_BARRIER: &str = "divergent-barrier";
pub(in crate::diagnostics) const INFINITE_LOOP: &str = "infinite-loop";
pub(in crate::diagnostics) const UNUSED_VALUE: &str = "unused-value";
pub(in crate::diagnostics) const TOO_MANY_REGISTERS: &str = "too-many-registers";
pub(in crate::diagnostics) const LIKELY_SPILL: &str = "likely-spill";
pub(in crate::diagnostics) const IGNORED_SETMAXNREG: &str = "ignored-setmaxnreg";
pub(in crate::diagnostics) const LOCAL_MEMORY: &str = "local-memory";
pub(in crate::diagnostics) const INTEGER_DIVISION: &str = "integer-division";
pub(in crate::diagnostics) const SLOW_F64: &str = "slow-f64";
pub(in crate::diagnostics) const DEPRECATED_FORM: &str = "deprecated-form";
pub(in crate::diagnostics) const TRUNCATED_IMMEDIATE: &str = "truncated-immediate";
pub(in crate::diagnostics) const OUT_OF_BOUNDS: &str = "out-of-bounds";
pub(in crate::diagnostics) const MISALIGNED_ACCESS: &str = "misaligned-access";
pub(in crate::diagnostics) const INCOMPLETE_ARGUMENT: &str = "incomplete-argument";
pub(in crate::diagnostics) const TOO_MANY_THREADS: &str = "too-many-threads";
pub(in crate::diagnostics) const MODIFIER_ORDER: &str = "modifier-order";
pub(in crate::diagnostics) const CONTROL_COMMENT: &str = "control-comment";
/// The code of what `ptxas` says itself.
pub const PTXAS: &str = "ptxas";

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
    DiagnosticCode {
        name: INVALID_PARAMETER,
        summary: "A parameter of a function or entry is declared in a way that it cannot be.",
    },
    DiagnosticCode {
        name: INVALID_PARAMETER_ACCESS,
        summary: "An instruction does with a parameter what parameters do not allow.",
    },
    DiagnosticCode {
        name: INVALID_CALL_TARGET,
        summary: "A call, or a list of targets, names what cannot be called or branched to.",
    },
    DiagnosticCode {
        name: WRONG_ARGUMENT_COUNT,
        summary: "A call passes or receives another number of values than the function has.",
    },
    DiagnosticCode {
        name: INVALID_ARGUMENT,
        summary: "An argument or result of a call does not fit the parameter of the function.",
    },
    DiagnosticCode {
        name: SYSTEM_CALL_MISMATCH,
        summary: "The prototype of a system call is not the one that the driver has.",
    },
    DiagnosticCode {
        name: UNKNOWN_INSTRUCTION,
        summary: "PTX has no instruction of this name.",
    },
    DiagnosticCode {
        name: MODIFIER_NOT_ALLOWED,
        summary: "The instruction does not take this modifier, or not together with the others.",
    },
    DiagnosticCode {
        name: MODIFIER_REQUIRED,
        summary: "The instruction lacks a modifier that it cannot do without.",
    },
    DiagnosticCode {
        name: WRONG_OPERAND_COUNT,
        summary: "The instruction takes another number of operands.",
    },
    DiagnosticCode {
        name: INVALID_OPERAND,
        summary: "An operand is of a kind, type or value that the instruction does not take.",
    },
    DiagnosticCode {
        name: UNSUPPORTED_BY_VERSION,
        summary: "The instruction or modifier is not in the PTX ISA version of the module.",
    },
    DiagnosticCode {
        name: UNSUPPORTED_BY_TARGET,
        summary: "The target of the module does not have the instruction or modifier.",
    },
    DiagnosticCode {
        name: NOT_PORTABLE,
        summary: "A target that the file is to be portable to lacks what is written.",
    },
    DiagnosticCode {
        name: IGNORED_MODIFIER,
        summary: "ptxas reads over a modifier that means nothing to the instruction.",
    },
    DiagnosticCode {
        name: REGISTER_PLUS_CONSTANT,
        summary: "A register plus a constant stands where data is wanted.",
    },
    DiagnosticCode {
        name: UNKNOWN_DIRECTIVE,
        summary: "PTX has no directive of this name, or not in this place.",
    },
    DiagnosticCode {
        name: MISSING_DIRECTIVE,
        summary: "A directive that the module or another directive needs is missing.",
    },
    DiagnosticCode {
        name: UNKNOWN_VERSION,
        summary: "PTX has no version of this number.",
    },
    DiagnosticCode {
        name: UNKNOWN_TARGET,
        summary: "There is no such target architecture or target option.",
    },
    DiagnosticCode {
        name: INVALID_CONSTANT,
        summary: "A constant expression has no value.",
    },
    DiagnosticCode {
        name: INVALID_DIRECTIVE,
        summary: "A directive lacks a value, or has one that it does not take.",
    },
    DiagnosticCode {
        name: CONFLICTING_DIRECTIVES,
        summary: "Two directives or options exclude each other, or stand twice.",
    },
    DiagnosticCode {
        name: IGNORED_DIRECTIVE,
        summary: "ptxas reads over a directive or an option.",
    },
    DiagnosticCode {
        name: UNDEFINED_LOCATION,
        summary: "A file index or a source location is not defined before it is used.",
    },
    DiagnosticCode {
        name: INVALID_ALIAS,
        summary: "An `.alias` names what cannot be an alias or have one.",
    },
    DiagnosticCode {
        name: UNKNOWN_PRAGMA,
        summary: "A pragma is not known, so ptxas reads over it.",
    },
    DiagnosticCode {
        name: ADDRESS_SIZE_32,
        summary: "The module has 32-bit addresses, which current tools do not assemble.",
    },
    DiagnosticCode {
        name: INVALID_DECLARATION,
        summary: "The words, sizes or numbers of a declaration do not go together.",
    },
    DiagnosticCode {
        name: INVALID_INITIALIZER,
        summary: "A variable cannot have this initial value.",
    },
    DiagnosticCode {
        name: COMPILE_ONLY,
        summary: "ptxas takes this only with the option `--compile-only`.",
    },
    DiagnosticCode {
        name: UNUSED_REGISTER,
        summary: "A register is declared and never used.",
    },
    DiagnosticCode {
        name: UNUSED_LABEL,
        summary: "A label is declared and nothing refers to it.",
    },
    DiagnosticCode {
        name: UNUSED_PARAMETER,
        summary: "A function or entry never uses one of its parameters.",
    },
    DiagnosticCode {
        name: UNUSED_VARIABLE,
        summary: "A variable that only this file can use is never used.",
    },
    DiagnosticCode {
        name: SHADOWED_NAME,
        summary: "A declaration hides another one of the same name.",
    },
    DiagnosticCode {
        name: UNREACHABLE_CODE,
        summary: "Control never gets to some instructions.",
    },
    DiagnosticCode {
        name: UNINITIALIZED_REGISTER,
        summary: "A register is read, and no way to there writes it.",
    },
    DiagnosticCode {
        name: MISSING_RETURN,
        summary: "An entry ends without `ret` or `exit`.",
    },
    DiagnosticCode {
        name: DIVERGENT_BARRIER,
        summary: "Threads of a warp do not all run an instruction that they must run together.",
    },
    DiagnosticCode {
        name: INFINITE_LOOP,
        summary: "A loop never ends and does nothing that can be seen from outside.",
    },
    DiagnosticCode {
        name: UNUSED_VALUE,
        summary: "Nobody reads what an instruction writes.",
    },
    DiagnosticCode {
        name: TOO_MANY_REGISTERS,
        summary: "Launch bounds allow more registers than a multiprocessor has.",
    },
    DiagnosticCode {
        name: LIKELY_SPILL,
        summary: "An entry likely needs more registers than its launch bounds leave it.",
    },
    DiagnosticCode {
        name: IGNORED_SETMAXNREG,
        summary: "ptxas ignores `setmaxnreg` in an entry without launch bounds.",
    },
    DiagnosticCode {
        name: LOCAL_MEMORY,
        summary: "A variable lies in local memory.",
    },
    DiagnosticCode {
        name: INTEGER_DIVISION,
        summary: "An integer is divided by what is no constant.",
    },
    DiagnosticCode {
        name: SLOW_F64,
        summary: "Arithmetic in f64 on a target that has few units for it.",
    },
    DiagnosticCode {
        name: DEPRECATED_FORM,
        summary: "The manual calls this form of an instruction deprecated and has another one.",
    },
    DiagnosticCode {
        name: TRUNCATED_IMMEDIATE,
        summary: "An integer constant has more bits than its operand.",
    },
    DiagnosticCode {
        name: OUT_OF_BOUNDS,
        summary: "An access at a constant offset lies outside of its variable.",
    },
    DiagnosticCode {
        name: MISALIGNED_ACCESS,
        summary: "An access at a constant offset is not aligned to its size.",
    },
    DiagnosticCode {
        name: INCOMPLETE_ARGUMENT,
        summary: "An argument or result is stored in part only.",
    },
    DiagnosticCode {
        name: TOO_MANY_THREADS,
        summary: "A block size is larger than any GPU allows.",
    },
    DiagnosticCode {
        name: MODIFIER_ORDER,
        summary: "Modifiers stand in another order than in the manual.",
    },
    DiagnosticCode {
        name: CONTROL_COMMENT,
        summary: "A comment for ptx-analyzer is malformed or names an unknown code.",
    },
    DiagnosticCode {
        name: PTXAS,
        summary: "`ptxas`, which was run on the file, says this.",
    },
];

/// A lint.
#[derive(Clone, Copy, Debug)]
pub(in crate::diagnostics) struct Lint {
    /// Its code.
    pub(in crate::diagnostics) code: &'static str,
    /// How bad its findings are when nobody says otherwise.
    pub(in crate::diagnostics) level: Level,
    /// How editors may show them.
    pub(in crate::diagnostics) tags: &'static [DiagnosticTag],
}

const fn entry(code: &'static str, level: Level, tags: &'static [DiagnosticTag]) -> Lint {
    Lint { code, level, tags }
}

const UNNECESSARY: &[DiagnosticTag] = &[DiagnosticTag::Unnecessary];

const DEPRECATED: &[DiagnosticTag] = &[DiagnosticTag::Deprecated];

/// Every lint.
pub(in crate::diagnostics) const LINTS: &[Lint] = &[
    entry(UNUSED_REGISTER, Level::Hint, UNNECESSARY),
    entry(UNUSED_LABEL, Level::Hint, UNNECESSARY),
    entry(UNUSED_PARAMETER, Level::Hint, UNNECESSARY),
    entry(UNUSED_VARIABLE, Level::Hint, UNNECESSARY),
    entry(SHADOWED_NAME, Level::Hint, &[]),
    entry(UNREACHABLE_CODE, Level::Hint, UNNECESSARY),
    entry(UNINITIALIZED_REGISTER, Level::Warning, &[]),
    entry(MISSING_RETURN, Level::Hint, &[]),
    entry(DIVERGENT_BARRIER, Level::Warning, &[]),
    entry(INFINITE_LOOP, Level::Warning, &[]),
    entry(UNUSED_VALUE, Level::Hint, UNNECESSARY),
    entry(TOO_MANY_REGISTERS, Level::Warning, &[]),
    entry(LIKELY_SPILL, Level::Information, &[]),
    entry(IGNORED_SETMAXNREG, Level::Warning, &[]),
    entry(LOCAL_MEMORY, Level::Hint, &[]),
    entry(INTEGER_DIVISION, Level::Hint, &[]),
    entry(SLOW_F64, Level::Off, &[]),
    entry(DEPRECATED_FORM, Level::Warning, DEPRECATED),
    entry(TRUNCATED_IMMEDIATE, Level::Warning, &[]),
    entry(OUT_OF_BOUNDS, Level::Warning, &[]),
    entry(MISALIGNED_ACCESS, Level::Warning, &[]),
    entry(INCOMPLETE_ARGUMENT, Level::Warning, &[]),
    entry(TOO_MANY_THREADS, Level::Warning, &[]),
    entry(MODIFIER_ORDER, Level::Hint, &[]),
    entry(CONTROL_COMMENT, Level::Warning, &[]),
];

/// The lints that look at single statements, and at the declarations that they name.
pub(in crate::diagnostics) const OF_STATEMENTS: [&str; 7] = [
    INTEGER_DIVISION,
    SLOW_F64,
    DEPRECATED_FORM,
    TRUNCATED_IMMEDIATE,
    MODIFIER_ORDER,
    OUT_OF_BOUNDS,
    MISALIGNED_ACCESS,
];

/// The lint with a code.
pub(in crate::diagnostics) fn lint(code: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|it| it.code == code)
}

/// Whether a code is that of a lint.
#[cfg(test)]
pub(crate) fn is_lint(code: &str) -> bool {
    lint(code).is_some()
}

/// Whether a code is that of a lint about flow.
#[cfg(test)]
pub(crate) fn is_flow_lint(code: &str) -> bool {
    [
        UNREACHABLE_CODE,
        UNINITIALIZED_REGISTER,
        MISSING_RETURN,
        DIVERGENT_BARRIER,
        INFINITE_LOOP,
        UNUSED_VALUE,
    ]
    .contains(&code)
}

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

//! The registry of diagnostic codes, one line for each: everything that is known of a code beside its page follows
//! from here. Codes are stable: users filter and search by them.

use crate::{DiagnosticTag, Level, Severity};

/// A diagnostic code and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagnosticCode {
    /// The code as users see it.
    pub name: &'static str,
    /// A summary in one sentence.
    pub summary: &'static str,
    /// How bad its findings are when neither a rule nor the settings say otherwise.
    level: Level,
    /// How editors may show them.
    pub(in crate::diagnostics) tags: &'static [DiagnosticTag],
    origin: Origin,
    scope: Scope,
}

/// Whose opinion a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Problems that ptxas rejects, ignores or warns about itself.
    Ptxas,
    /// Problems that a compiler rejects before ptxas sees them.
    Compiler,
    /// Our advice about code that ptxas accepts.
    Lint,
    /// Problems that a run of a kernel shows.
    Run,
}

/// The part of a file that must be checked to find all findings of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The text of a file.
    Syntax,
    /// One instruction, and the declarations that it names.
    Statement,
    /// The way of control and values through a function.
    Flow,
    /// The events of a function on the ways of control through it.
    Protocol,
    /// A function or what is around the functions.
    Item,
    /// A statement of assembly in a file of another language.
    Host,
    /// Messages of another program.
    Program,
}

impl DiagnosticCode {
    /// How bad its findings are, if anybody wants to see them.
    pub(crate) fn severity(&self) -> Severity {
        self.level.severity().unwrap_or(Severity::Hint)
    }

    /// Whether nobody sees its findings unless the settings or a comment ask for them.
    pub(in crate::diagnostics) fn is_off(&self) -> bool {
        self.level == Level::Off
    }

    /// The name of the level that its findings have when neither a rule nor the settings say otherwise.
    #[must_use]
    pub fn default_level(&self) -> &'static str {
        let mut names = Level::NAMES.into_iter();
        names.find(|it| it.1 == self.level).map_or("", |it| it.0)
    }

    /// Whether a rule of a protocol finds it: of asynchronous operations, barriers, proxies and roles.
    #[must_use]
    pub fn is_of_protocols(&self) -> bool {
        self.scope == Scope::Protocol
    }

    /// Whether only another program finds it, or a run.
    #[cfg(test)]
    pub(in crate::diagnostics) fn is_found_elsewhere(&self) -> bool {
        self.scope == Scope::Program
    }
}

/// The code with a name.
pub(crate) fn code(name: &str) -> Option<&'static DiagnosticCode> {
    DIAGNOSTIC_CODES.iter().find(|it| it.name == name).copied()
}

/// Whether a code is our own advice.
#[cfg(test)]
pub(crate) fn is_lint(name: &str) -> bool {
    code(name).is_some_and(|it| it.origin == Origin::Lint)
}

/// Whether a code is our own advice about flow.
#[cfg(test)]
pub(crate) fn is_flow_lint(name: &str) -> bool {
    code(name).is_some_and(|it| it.origin == Origin::Lint && it.scope == Scope::Flow)
}

/// Declares the codes: name, whose opinion, level, tags, scope, summary.
macro_rules! codes {
    ($($constant:ident = $name:literal $origin:ident $level:ident [$($tag:ident)*] $scope:ident $summary:literal;)*) => {
        $(
            pub(crate) const $constant: &DiagnosticCode = &DiagnosticCode {
                name: $name,
                summary: $summary,
                level: Level::$level,
                tags: &[$(DiagnosticTag::$tag),*],
                origin: Origin::$origin,
                scope: Scope::$scope,
            };
        )*

        /// Every code that a diagnostic can have.
        pub const DIAGNOSTIC_CODES: &[&DiagnosticCode] = &[$($constant),*];
    };
}

codes! {
    SYNTAX_ERROR = "syntax-error" Ptxas Error [] Syntax
        "The text does not follow the grammar of PTX.";
    UNCLOSED_DELIMITER = "unclosed-delimiter" Ptxas Error [] Syntax
        "A bracket is unmatched.";
    MALFORMED_NUMBER = "malformed-number" Ptxas Error [] Syntax
        "A token starts like a number but is not a valid number.";
    UNTERMINATED_TOKEN = "unterminated-token" Ptxas Error [] Syntax
        "The file ends inside a string or comment.";
    INVALID_CHARACTER = "invalid-character" Ptxas Error [] Syntax
        "A character is not part of any PTX token.";
    NESTING_TOO_DEEP = "nesting-too-deep" Ptxas Error [] Syntax
        "Brackets or blocks are nested too deeply for the parser.";
    UNDEFINED_NAME = "undefined-name" Ptxas Error [] Statement
        "A name is used that is not declared, or not declared yet.";
    UNDEFINED_LABEL = "undefined-label" Ptxas Error [] Statement
        "A branch names a label that is not visible from it.";
    UNDEFINED_FUNCTION = "undefined-function" Ptxas Error [] Statement
        "A call names a function that is not declared, or not declared yet.";
    DUPLICATE_DEFINITION = "duplicate-definition" Ptxas Error [] Item
        "A name is defined twice in one scope.";
    CONFLICTING_DECLARATION = "conflicting-declaration" Ptxas Error [] Item
        "Two declarations of one name of the module do not agree.";
    INVALID_PARAMETER = "invalid-parameter" Ptxas Error [] Item
        "A parameter of a function or entry has an invalid declaration.";
    INVALID_PARAMETER_ACCESS = "invalid-parameter-access" Ptxas Error [] Statement
        "A parameter is accessed in a way that is not allowed.";
    INVALID_CALL_TARGET = "invalid-call-target" Ptxas Error [] Statement
        "A call or a list of targets names something that cannot be called or branched to.";
    WRONG_ARGUMENT_COUNT = "wrong-argument-count" Ptxas Error [] Statement
        "A call has the wrong number of arguments or results.";
    INVALID_ARGUMENT = "invalid-argument" Ptxas Error [] Statement
        "An argument or result of a call does not fit the parameter of the function.";
    ABI_TYPE = "abi-type" Ptxas Error [] Statement
        "A call passes a value of a type that ptxas cannot pass between functions.";
    SYSTEM_CALL_MISMATCH = "system-call-mismatch" Ptxas Warning [] Item
        "The prototype of a system call differs from the driver's.";
    UNKNOWN_INSTRUCTION = "unknown-instruction" Ptxas Error [] Statement
        "PTX has no instruction of this name.";
    MODIFIER_NOT_ALLOWED = "modifier-not-allowed" Ptxas Error [] Statement
        "A modifier is not allowed on the instruction, or not in this combination.";
    MODIFIER_REQUIRED = "modifier-required" Ptxas Error [] Statement
        "A required modifier is missing.";
    WRONG_OPERAND_COUNT = "wrong-operand-count" Ptxas Error [] Statement
        "The instruction has the wrong number of operands.";
    INVALID_OPERAND = "invalid-operand" Ptxas Error [] Statement
        "The kind, type or value of an operand is not allowed.";
    UNSUPPORTED_BY_VERSION = "unsupported-by-version" Ptxas Error [] Statement
        "The instruction or modifier is not in the PTX ISA version of the module.";
    UNSUPPORTED_BY_TARGET = "unsupported-by-target" Ptxas Error [] Statement
        "The target of the module does not support the instruction or modifier.";
    NOT_PORTABLE = "not-portable" Ptxas Warning [] Item
        "A target of the portability setting does not support this code.";
    IGNORED_MODIFIER = "ignored-modifier" Ptxas Warning [] Statement
        "ptxas ignores a modifier that has no meaning for the instruction.";
    REGISTER_PLUS_CONSTANT = "register-plus-constant" Ptxas Warning [] Statement
        "A register plus a constant is used as data.";
    UNKNOWN_DIRECTIVE = "unknown-directive" Ptxas Error [] Item
        "The directive is unknown, or not allowed here.";
    MISSING_DIRECTIVE = "missing-directive" Ptxas Error [] Item
        "A directive that the module or another directive needs is missing.";
    UNKNOWN_VERSION = "unknown-version" Ptxas Error [] Item
        "PTX has no version of this number.";
    UNKNOWN_TARGET = "unknown-target" Ptxas Error [] Item
        "There is no such target architecture or target option.";
    INVALID_CONSTANT = "invalid-constant" Ptxas Error [] Statement
        "A constant expression has no value.";
    INVALID_DIRECTIVE = "invalid-directive" Ptxas Error [] Item
        "A value of a directive is missing or not allowed.";
    CONFLICTING_DIRECTIVES = "conflicting-directives" Ptxas Error [] Item
        "Two directives or options exclude each other, or one is repeated.";
    IGNORED_DIRECTIVE = "ignored-directive" Ptxas Warning [] Item
        "ptxas ignores a directive or an option.";
    UNDEFINED_LOCATION = "undefined-location" Ptxas Error [] Item
        "A file index or a source location is not defined before it is used.";
    INVALID_ALIAS = "invalid-alias" Ptxas Error [] Item
        "An `.alias` names something that cannot be an alias or have one.";
    UNDEFINED_SECTION_LABEL = "undefined-section-label" Ptxas Error [] Item
        "The function name of a source location is a label that no section has.";
    UNKNOWN_PRAGMA = "unknown-pragma" Ptxas Hint [] Item
        "The pragma is unknown, so ptxas ignores it.";
    MISSING_CALL = "missing-call" Ptxas Error [] Flow
        "A parameter of a call is read, but no earlier call returns it.";
    MISSING_DEFINITION = "missing-definition" Ptxas Error [] Item
        "A function is declared without `.extern` and never defined.";
    MEMORY_LIMIT = "memory-limit" Ptxas Error [] Item
        "Static variables take more shared or constant memory than ptxas allows.";
    SYSTEM_FUNCTION_ADDRESS = "system-function-address" Ptxas Error [] Item
        "A function that the driver provides is used for more than a call.";
    OPTIX_CALL = "optix-call" Ptxas Information [] Statement
        "A call names a function that OptiX provides and ptxas does not know.";
    ADDRESS_SIZE_32 = "address-size-32" Ptxas Error [] Item
        "The module has 32-bit addresses, for which ptxas generates no code.";
    NARROW_ADDRESS = "narrow-address" Ptxas Error [] Item
        "An address in generic or global memory has fewer bits than ptxas needs.";
    INVALID_DECLARATION = "invalid-declaration" Ptxas Error [] Item
        "A declaration is inconsistent: its keywords, sizes or numbers conflict.";
    INVALID_INITIALIZER = "invalid-initializer" Ptxas Error [] Item
        "A variable cannot have this initial value.";
    COMPILE_ONLY = "compile-only" Ptxas Error [] Item
        "ptxas accepts this only with the option `--compile-only`.";
    UNUSED_REGISTER = "unused-register" Lint Hint [Unnecessary] Item
        "A register is declared and never used.";
    UNUSED_LABEL = "unused-label" Lint Hint [Unnecessary] Item
        "A label is declared and nothing refers to it.";
    UNUSED_PARAMETER = "unused-parameter" Lint Hint [Unnecessary] Item
        "A function or entry never uses one of its parameters.";
    UNUSED_VARIABLE = "unused-variable" Lint Hint [Unnecessary] Item
        "A variable that only this file can use is never used.";
    SHADOWED_NAME = "shadowed-name" Lint Hint [] Item
        "A declaration hides another one of the same name.";
    UNREACHABLE_CODE = "unreachable-code" Lint Hint [Unnecessary] Flow
        "Some instructions are unreachable.";
    UNINITIALIZED_REGISTER = "uninitialized-register" Lint Warning [] Flow
        "A register is read but never written on any path before.";
    MISSING_RETURN = "missing-return" Lint Hint [] Flow
        "An entry ends without `ret` or `exit`.";
    DIVERGENT_BARRIER = "divergent-barrier" Lint Warning [] Flow
        "An instruction that needs all threads of a warp is executed by some of them only.";
    INFINITE_LOOP = "infinite-loop" Lint Warning [] Flow
        "A loop never ends and has no visible effect.";
    UNUSED_VALUE = "unused-value" Lint Hint [Unnecessary] Flow
        "The result of an instruction is never used.";
    TOO_MANY_REGISTERS = "too-many-registers" Lint Warning [] Item
        "Launch bounds allow more registers than a multiprocessor has.";
    LIKELY_SPILL = "likely-spill" Lint Information [] Item
        "An entry likely needs more registers than its launch bounds allow.";
    IGNORED_SETMAXNREG = "ignored-setmaxnreg" Lint Warning [] Item
        "ptxas ignores `setmaxnreg` in an entry without launch bounds.";
    LOCAL_MEMORY = "local-memory" Lint Hint [] Item
        "A variable is in local memory.";
    INTEGER_DIVISION = "integer-division" Lint Hint [] Statement
        "An integer is divided by a value that is not a constant.";
    SLOW_F64 = "slow-f64" Lint Off [] Statement
        "Arithmetic in f64 is slow on this target.";
    DEPRECATED_FORM = "deprecated-form" Lint Warning [Deprecated] Statement
        "This form of an instruction is deprecated and has a replacement.";
    TRUNCATED_IMMEDIATE = "truncated-immediate" Lint Warning [] Statement
        "An integer constant has more bits than its operand.";
    OUT_OF_BOUNDS = "out-of-bounds" Lint Warning [] Statement
        "An access is outside its variable.";
    MISALIGNED_ACCESS = "misaligned-access" Lint Warning [] Statement
        "The address of an access is not a multiple of its size.";
    BANK_CONFLICT = "bank-conflict" Lint Hint [] Flow
        "Lanes of a warp access different words of one bank of shared memory in a loop.";
    UNCOALESCED_ACCESS = "uncoalesced-access" Lint Hint [] Flow
        "A warp accesses many more sectors of global memory in a loop than its bytes need.";
    ADDRESS_OVERFLOW = "address-overflow" Lint Hint [] Flow
        "A number of 32 bits inside an address wraps in a thread of every launch.";
    INCOMPLETE_ARGUMENT = "incomplete-argument" Lint Warning [] Item
        "An argument or result is stored in part only.";
    TOO_MANY_THREADS = "too-many-threads" Lint Warning [] Item
        "A block size is larger than any GPU allows.";
    MODIFIER_ORDER = "modifier-order" Lint Hint [] Statement
        "Modifiers are not in the order of the manual.";
    MISSING_PROXY_FENCE = "missing-proxy-fence" Lint Warning [] Protocol
        "Shared memory is read asynchronously without a proxy fence after the writes.";
    WGMMA_RESULT_BEFORE_WAIT = "wgmma-result-before-wait" Lint Warning [] Protocol
        "The result of an asynchronous product is read before a wait for it.";
    WGMMA_OPERAND_OVERWRITTEN = "wgmma-operand-overwritten" Lint Warning [] Protocol
        "A register of an asynchronous product is written while it may still run.";
    MBARRIER_CONSTANT_PARITY = "mbarrier-constant-parity" Lint Warning [] Protocol
        "A loop waits on a constant phase parity although every iteration completes a phase.";
    WGMMA_MISSING_FENCE = "wgmma-missing-fence" Lint Warning [] Protocol
        "Registers of an asynchronous product are not ordered before it.";
    UNPUBLISHED_INITIALIZATION = "unpublished-initialization" Lint Warning [] Protocol
        "Threads use an object that another thread initializes, without a barrier between the two.";
    ISSUED_BY_EVERY_THREAD = "issued-by-every-thread" Lint Warning [] Protocol
        "An instruction meant for one thread is issued by every thread.";
    IGNORED_ELECTION = "ignored-election" Lint Warning [] Protocol
        "The elected lane is never used.";
    TCGEN05_MISSING_WAIT = "tcgen05-missing-wait" Lint Warning [] Protocol
        "A tensor memory transfer is signalled as complete before a wait for it.";
    TCGEN05_MISSING_DEALLOC = "tcgen05-missing-dealloc" Lint Warning [] Protocol
        "An entry allocates tensor memory and never frees it.";
    TCGEN05_MISSING_COMMIT = "tcgen05-missing-commit" Lint Warning [] Protocol
        "No commit signals the end of a tensor core operation.";
    TCGEN05_ALLOC_AFTER_RELINQUISH = "tcgen05-alloc-after-relinquish" Lint Warning [] Protocol
        "Tensor memory is allocated after the permit was relinquished.";
    TCGEN05_COLUMN_COUNT = "tcgen05-column-count" Lint Warning [] Protocol
        "A number of columns of tensor memory is not possible, or not the one allocated.";
    TCGEN05_MISSING_FENCE = "tcgen05-missing-fence" Lint Warning [] Protocol
        "Tensor memory is used after a wait that orders nothing.";
    CP_ASYNC_MISSING_WAIT = "cp-async-missing-wait" Lint Warning [] Protocol
        "No wait follows an asynchronous copy.";
    CP_ASYNC_MISSING_COMMIT = "cp-async-missing-commit" Lint Warning [] Protocol
        "A wait is for copies that are not committed.";
    CP_ASYNC_MISSING_BARRIER = "cp-async-missing-barrier" Lint Warning [] Protocol
        "Copies of other threads are read after a wait that covers this thread's copies only.";
    BULK_COPY_MISSING_COMMIT = "bulk-copy-missing-commit" Lint Warning [] Protocol
        "A bulk copy is not committed, so that nothing can wait for it.";
    BULK_COPY_MISSING_WAIT = "bulk-copy-missing-wait" Lint Warning [] Protocol
        "Nothing waits for a bulk copy out of shared memory.";
    WGMMA_MISSING_COMMIT = "wgmma-missing-commit" Lint Warning [] Protocol
        "A wait is for products that are not committed.";
    WGMMA_MISSING_WAIT = "wgmma-missing-wait" Lint Warning [] Protocol
        "No wait follows an asynchronous product.";
    INEFFECTIVE_WAIT = "ineffective-wait" Lint Warning [] Protocol
        "A wait allows more pending groups than there can be, so it never waits.";
    SETMAXNREG_DIRECTION = "setmaxnreg-direction" Lint Warning [] Protocol
        "`setmaxnreg` increases to fewer, or decreases to more, registers than a warp has.";
    CLUSTER_BARRIER_MISMATCH = "cluster-barrier-mismatch" Lint Warning [] Protocol
        "Arrivals and waits at the cluster barrier do not alternate.";
    CLUSTER_ACCESS_BEFORE_SYNC = "cluster-access-before-sync" Lint Warning [] Protocol
        "Another block of the cluster is accessed that may not have started.";
    CLUSTER_EXIT_BEFORE_SYNC = "cluster-exit-before-sync" Lint Warning [] Protocol
        "Another block of the cluster is accessed that may have ended.";
    BARRIER_THREAD_COUNT = "barrier-thread-count" Lint Warning [] Protocol
        "A barrier waits for a number of threads that never arrives.";
    BARRIER_NEVER_COMPLETED = "barrier-never-completed" Lint Warning [] Protocol
        "Threads arrive at a barrier where no thread waits.";
    EXPECT_TX_MISMATCH = "expect-tx-mismatch" Lint Warning [] Protocol
        "The expected transaction count differs from the bytes copied.";
    MBARRIER_NEVER_ARRIVED = "mbarrier-never-arrived" Lint Warning [] Protocol
        "Threads wait for an mbarrier at which no thread arrives.";
    MBARRIER_NEVER_INITIALIZED = "mbarrier-never-initialized" Lint Warning [] Protocol
        "An mbarrier is used that is never initialized.";
    SYNC_MASK = "sync-mask" Lint Warning [] Protocol
        "A mask does not match the lanes that execute the instruction.";
    MISSING_BARRIER = "missing-barrier" Lint Warning [] Protocol
        "Shared memory is read that another thread writes, without a barrier between.";
    WEAK_POLL = "weak-poll" Lint Warning [] Protocol
        "A loop polls memory with weak loads, which may never see other threads' writes.";
    IGNORED_WAIT_RESULT = "ignored-wait-result" Lint Warning [] Protocol
        "The result of an mbarrier wait is never used.";
    GRIDDEPCONTROL_MISSING_WAIT = "griddepcontrol-missing-wait" Lint Hint [] Protocol
        "An entry starts dependent grids and never waits for those before it.";
    READ_ONLY_LOAD_OF_WRITTEN_MEMORY = "read-only-load-of-written-memory" Lint Hint [] Protocol
        "A read-only load reads memory that the kernel writes.";
    SERIALIZED_WGMMA = "serialized-wgmma" Lint Warning [] Protocol
        "A call makes ptxas serialize asynchronous products.";
    CONTROL_COMMENT = "control-comment" Lint Warning [] Item
        "A comment for ptx-analyzer is malformed or names an unknown code.";
    RUN_COMMENT = "run-comment" Lint Warning [] Program
        "A comment that describes a run is malformed or does not fit its entry.";
    ASM_OPERAND_INDEX = "asm-operand-index" Compiler Error [] Host
        "A placeholder in a string of assembly names no operand of its statement.";
    ASM_CONSTRAINT = "asm-constraint" Compiler Error [] Host
        "The constraint of an operand, or a clobber, is one that compilers of device code reject.";
    ASM_STRING = "asm-string" Compiler Error [] Host
        "The assembly of a statement is not a string literal.";
    ASM_PLACEHOLDER = "asm-placeholder" Compiler Error [] Host
        "A percent sign, dollar sign or brace means something else to the compiler than to PTX.";
    ASM_DUPLICATE_NAME = "asm-duplicate-name" Lint Warning [] Host
        "Two statements of assembly in one block declare the same name.";
    ASM_LEAKED_NAME = "asm-leaked-name" Lint Hint [] Host
        "A name stays declared after the statement of assembly that declares it.";
    ASM_HIDDEN_REGISTER = "asm-hidden-register" Lint Warning [] Host
        "A register that a statement of assembly declares may hide one of the compiler.";
    ASM_UNESCAPED_PERCENT = "asm-unescaped-percent" Lint Hint [] Host
        "A percent sign is written in a way that not every compiler takes.";
    ASM_NAMED_LABEL = "asm-named-label" Compiler Error [] Host
        "A label has a name in `asm!` of Rust, which rustc denies.";
    ASM_MISSING_VOLATILE = "asm-missing-volatile" Lint Warning [] Host
        "The compiler may drop or move a statement of assembly that has effects.";
    ASM_PARTIAL_OUTPUT = "asm-partial-output" Lint Hint [] Host
        "A statement of assembly writes an output under a guard only.";
    ASM_WRITTEN_INPUT = "asm-written-input" Lint Warning [] Host
        "A statement of assembly writes an input operand.";
    ASM_GENERIC_ADDRESS = "asm-generic-address" Lint Information [] Host
        "A generic pointer is an address in shared memory.";
    RACE = "race" Run Error [] Program
        "Two threads access one location, at least one of them writes, and nothing orders them.";
    UNINITIALIZED_READ = "uninitialized-read" Run Error [] Program
        "An address, a guard or a result depends on bits that were never written.";
    USE_AFTER_RETURN = "use-after-return" Run Error [] Program
        "A thread accesses a local variable of a function that has returned.";
    DEADLOCK = "deadlock" Run Error [] Program
        "Threads wait for an event that can no longer happen.";
    DIVERGENT_SYNC = "divergent-sync" Run Error [] Program
        "Lanes of a warp wait for other lanes that are at a different instruction.";
    INVALID_MASK = "invalid-mask" Run Error [] Program
        "A mask omits a lane that executes the instruction, or names one that does not.";
    STALE_READ = "stale-read" Run Error [] Program
        "A thread reads the destination of an asynchronous copy before a wait for it.";
    MBARRIER_MISUSE = "mbarrier-misuse" Run Error [] Program
        "An mbarrier is used against its rules.";
    TRAP = "trap" Run Error [] Program
        "A thread runs `trap`, or an assertion fails.";
    DIVISION_BY_ZERO = "division-by-zero" Run Error [] Program
        "An integer is divided by 0; the result is unspecified.";
    UNSPECIFIED_OPERAND = "unspecified-operand" Run Error [] Program
        "The result is unspecified for these operands.";
    PTXAS = "ptxas" Ptxas Error [] Program
        "`ptxas`, which was run on the file, says this.";
}

/// The code of a module without a header; its range is empty where the text has nothing but comments.
pub const NO_MODULE_CODE: &str = MISSING_DIRECTIVE.name;

/// The code of what `ptxas` says itself.
pub const PTXAS_CODE: &str = PTXAS.name;

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
            let registered = super::code(code.as_str());
            assert!(
                registered.is_some_and(|it| it.scope == Scope::Syntax),
                "{}",
                code.as_str()
            );
        }
    }
}

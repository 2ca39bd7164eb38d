//! The parts of the manual pages that the definition of the command line does not have: exit statuses and examples.

/// The page of a command.
pub(super) struct Page {
    pub(super) command: &'static str,
    /// Its own exit statuses, in addition to 0 and 2.
    pub(super) statuses: &'static [(u8, &'static str)],
    /// Command lines, with what each of them does.
    pub(super) examples: &'static [(&'static str, &'static str)],
}

/// The meaning of the statuses that all commands have.
pub(super) const SUCCESS: (u8, &str) = (0, "Success.");
pub(super) const FAILURE: (u8, &str) = (
    2,
    "The command line is wrong, or something could not be read or written.",
);

/// The page of the program itself.
pub(super) const PROGRAM: Page = Page {
    command: "",
    statuses: &[(
        1,
        "Something that the command looks for was found, such as an error in a checked file.",
    )],
    examples: &[
        ("ptx-analyzer check kernel.ptx", "Check a file."),
        (
            "ptx-analyzer explain ldmatrix.sync",
            "Explain an instruction.",
        ),
        (
            "ptx-analyzer man check",
            "Print the manual page of a command, here of check.",
        ),
        (
            "ptx-analyzer lsp",
            "Serve an editor; it starts the program with its input and output as pipes.",
        ),
    ],
};

/// The pages of the commands.
pub(super) const PAGES: &[Page] = &[
    Page {
        command: "lsp",
        statuses: &[(1, "The client disconnected without a shutdown request.")],
        examples: &[(
            "ptx-analyzer lsp --log-file /tmp/ptx.log --log-level info",
            "Serve an editor and keep a log.",
        )],
    },
    Page {
        command: "mcp",
        statuses: &[(1, "The connection failed.")],
        examples: &[(
            "ptx-analyzer mcp --root .",
            "Serve a program that may read files of this folder.",
        )],
    },
    Page {
        command: "dap",
        statuses: &[(1, "The client violated the protocol.")],
        examples: &[
            (
                "ptx-analyzer dap",
                "Serve a debugger; the editor starts the program with its input and output as pipes.",
            ),
            (
                "ptx-analyzer dap --port 4711",
                "Serve one client that connects to this port of the same machine.",
            ),
        ],
    },
    Page {
        command: "check",
        statuses: &[(1, "There are errors.")],
        examples: &[
            (
                "ptx-analyzer check kernels",
                "Check the PTX files of a folder.",
            ),
            (
                "ptx-analyzer check --portable-to sm_80,sm_90 kernel.ptx",
                "Also report features that these targets lack.",
            ),
            (
                "ptx-analyzer check --format sarif . > ptx.sarif",
                "Write a report for code scanning.",
            ),
            (
                "ptx-analyzer check --hints kernel.cu",
                "Check the asm statements of CUDA C++, with hints.",
            ),
        ],
    },
    Page {
        command: "format",
        statuses: &[(1, "With --check: a file is not formatted.")],
        examples: &[
            ("ptx-analyzer format kernel.ptx", "Rewrite a file."),
            (
                "ptx-analyzer format --check .",
                "Name the files of a folder that are not formatted.",
            ),
        ],
    },
    Page {
        command: "explain",
        statuses: &[
            (1, "With --try: running the statements has a finding."),
            (
                3,
                "With --try: the run was stopped, by an instruction that cannot be run yet or by a limit.",
            ),
        ],
        examples: &[
            (
                "ptx-analyzer explain cp.async.bulk --target sm_90",
                "Explain an instruction, and whether a target has it.",
            ),
            (
                "ptx-analyzer explain why is my kernel spilling",
                "Answer a question.",
            ),
            (
                "ptx-analyzer explain --at kernel.cu:12",
                "Explain the statements on a line.",
            ),
            (
                "ptx-analyzer explain --try 'lop3.b32 %0, %1, %2, %3, 0x96' 1 2 4",
                "Run a statement on values.",
            ),
        ],
    },
    Page {
        command: "diff",
        statuses: &[(
            1,
            "Something differs, or with --fail-on registers: a function needs more registers.",
        )],
        examples: &[
            ("ptx-analyzer diff old.ptx new.ptx", "Compare two files."),
            (
                "ptx-analyzer diff --fail-on registers old/libkernels.so new/libkernels.so",
                "Compare the PTX of two libraries.",
            ),
        ],
    },
    Page {
        command: "sass",
        statuses: &[],
        examples: &[
            (
                "ptx-analyzer sass kernel.ptx --target sm_90a",
                "Compile a file and show its machine code.",
            ),
            (
                "ptx-analyzer sass libkernels.so --entry saxpy",
                "Show the machine code of an entry in a library.",
            ),
        ],
    },
    Page {
        command: "extract",
        statuses: &[(1, "There is no PTX and no machine code.")],
        examples: &[
            (
                "ptx-analyzer extract libkernels.so",
                "List the images of a library.",
            ),
            (
                "ptx-analyzer extract -o out package.whl",
                "Write the PTX of a wheel to a folder.",
            ),
            (
                "ptx-analyzer extract --asm kernel.cu",
                "Print the PTX of asm statements as modules.",
            ),
        ],
    },
    Page {
        command: "run",
        statuses: &[
            (1, "There is a finding, or an expectation failed."),
            (
                3,
                "The run was stopped: by an instruction that cannot be run yet, or by a limit.",
            ),
        ],
        examples: &[
            (
                "ptx-analyzer run kernel.ptx",
                "Run the launches of the `// run:` comments of a file.",
            ),
            (
                "ptx-analyzer run kernel.ptx --launch launch.toml --out results",
                "Run a launch file and write the arrays.",
            ),
            (
                "ptx-analyzer run --can kernel.ptx",
                "List the instructions that cannot be run yet.",
            ),
        ],
    },
    Page {
        command: "test",
        statuses: &[(1, "A test failed.")],
        examples: &[
            (
                "ptx-analyzer test kernels",
                "Run all launches of a folder under several schedules.",
            ),
            (
                "ptx-analyzer test --mutate kernel.ptx",
                "Delete each synchronizing instruction in turn, and see whether the tests find it.",
            ),
        ],
    },
    Page {
        command: "registers",
        statuses: &[(1, "With --baseline: an estimate has grown.")],
        examples: &[
            (
                "ptx-analyzer registers kernel.ptx --target sm_80,sm_90",
                "Estimate the registers for two targets.",
            ),
            (
                "ptx-analyzer registers --exact kernel.ptx",
                "Also run ptxas.",
            ),
        ],
    },
    Page {
        command: "flow",
        statuses: &[],
        examples: &[(
            "ptx-analyzer flow --format svg --function saxpy kernel.ptx",
            "Draw a control-flow graph.",
        )],
    },
    Page {
        command: "accesses",
        statuses: &[],
        examples: &[(
            "ptx-analyzer accesses --block 256 kernel.ptx",
            "Show sectors and bank conflicts of the accesses of blocks of 256 threads.",
        )],
    },
    Page {
        command: "costs",
        statuses: &[],
        examples: &[(
            "ptx-analyzer costs --block 256 kernel.ptx",
            "Show trips, bytes and operations of loops for blocks of 256 threads.",
        )],
    },
    Page {
        command: "kernel",
        statuses: &[],
        examples: &[
            (
                "ptx-analyzer kernel --entry attention kernel.ptx",
                "Show the map of a kernel.",
            ),
            (
                "ptx-analyzer kernel --entry attention --format svg kernel.ptx > kernel.svg",
                "Draw it.",
            ),
        ],
    },
    Page {
        command: "read",
        statuses: &[],
        examples: &[(
            "ptx-analyzer read kernel.ptx",
            "Show kernels as pseudocode.",
        )],
    },
    Page {
        command: "targets",
        statuses: &[],
        examples: &[(
            "ptx-analyzer targets kernel.ptx",
            "List the targets that a file fits.",
        )],
    },
    Page {
        command: "protocols",
        statuses: &[],
        examples: &[(
            "ptx-analyzer protocols kernel.ptx",
            "List barriers and asynchronous groups.",
        )],
    },
    Page {
        command: "parse",
        statuses: &[],
        examples: &[(
            "ptx-analyzer parse --errors kernel.ptx",
            "Print the syntax tree and the syntax errors.",
        )],
    },
    Page {
        command: "stats",
        statuses: &[],
        examples: &[("ptx-analyzer stats kernel.ptx", "Print sizes and timings.")],
    },
    Page {
        command: "completions",
        statuses: &[],
        examples: &[(
            "ptx-analyzer completions bash > ~/.local/share/bash-completion/completions/ptx-analyzer",
            "Complete the words of this program in bash.",
        )],
    },
    Page {
        command: "man",
        statuses: &[],
        examples: &[
            (
                "ptx-analyzer man > ptx-analyzer.1",
                "Write the page of the program.",
            ),
            (
                "ptx-analyzer man check | man -l -",
                "Read the page of a command.",
            ),
        ],
    },
];

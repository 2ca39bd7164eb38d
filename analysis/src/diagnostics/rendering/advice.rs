//! The advice of `ptxas` about asynchronous products and `setmaxnreg`, which names a function and often no line: joined
//! to our own diagnostic of the same cause, which names the instruction.

use syntax::{FileContents, TextRange};

use crate::{Diagnostic, FileRange, RelatedInformation, db::SourceFile};

/// The numbers of messages of `ptxas`, and the codes of ours that tell their causes, the likeliest first.
const CAUSES: [(&str, &[&str]); 15] = [
    ("C7504", &["ignored-setmaxnreg"]),
    ("C7505", &["ignored-setmaxnreg"]),
    ("C7506", &["ignored-setmaxnreg"]),
    ("C7507", &["ignored-setmaxnreg"]),
    ("C7508", &["ignored-setmaxnreg"]),
    ("C7509", &["serialized-wgmma"]),
    ("C7510", &["serialized-wgmma"]),
    ("C7511", &["too-many-registers", "likely-spill"]),
    ("C7512", &["too-many-registers", "likely-spill"]),
    ("C7513", &["wgmma-operand-overwritten"]),
    ("C7514", &["wgmma-result-before-wait", "ineffective-wait"]),
    ("C7515", &["wgmma-operand-overwritten"]),
    (
        "C7517",
        &[
            "wgmma-result-before-wait",
            "wgmma-missing-wait",
            "wgmma-missing-commit",
            "ineffective-wait",
        ],
    ),
    ("C7518", &["divergent-barrier"]),
    ("C7519", &["divergent-barrier", "wgmma-missing-fence"]),
];

/// Adds a message about a function to the diagnostic of ours that tells its cause. Returns whether there is one.
///
/// # Arguments
/// `within` is the range of the function that the message names. Of several diagnostics with the likeliest code the
/// one closest to the line in the message is meant, without such a line the first.
pub(super) fn join(
    db: &dyn salsa::Database,
    file: SourceFile,
    contents: &FileContents,
    within: TextRange,
    message: &str,
    diagnostics: &mut [Diagnostic],
) -> bool {
    let number = message
        .strip_prefix('(')
        .and_then(|it| it.split_once(')'))
        .map(|it| it.0);
    let Some((_, codes)) = CAUSES.iter().find(|it| Some(it.0) == number) else {
        return false;
    };
    let line = named_line(message);
    let lines = &contents.lines;
    let distance = |range: TextRange| {
        let own = lines.line_of(range.start());
        line.map_or(0, |it| own.abs_diff(it))
    };
    let candidates = diagnostics
        .iter_mut()
        .filter(|it| within.contains_range(it.range));
    let ranked = candidates.filter_map(|it| {
        let rank = codes.iter().position(|code| *code == it.code)?;
        Some(((rank, distance(it.range)), it))
    });
    let Some((_, found)) = ranked.min_by_key(|it| it.0) else {
        return false;
    };
    let place = line
        .filter(|it| *it < lines.line_count())
        .map(|it| TextRange::new(lines.line_start(it), lines.line_end(it)))
        .filter(|it| within.contains_range(*it));
    let told = RelatedInformation {
        location: FileRange {
            file: file.id(db),
            range: place.map_or(found.range, |it| trimmed(contents, it)),
        },
        message: format!("ptxas: {message}"),
    };
    if !found.related.contains(&told) {
        found.related.push(told);
    }
    true
}

/// The line that a message names in its words, from 0; `ptxas` writes line 0 where it knows none.
fn named_line(message: &str) -> Option<u32> {
    let (_, rest) = message.rsplit_once("line ")?;
    let digits = rest.split(|it: char| !it.is_ascii_digit()).next()?;
    digits.parse::<u32>().ok()?.checked_sub(1)
}

/// A range of one line without the blanks at its ends.
fn trimmed(contents: &FileContents, range: TextRange) -> TextRange {
    let text = contents.tree.syntax().text().slice(range).to_string();
    let blank = text.len() - text.trim_start().len();
    let (blank, len) = (blank as u32, text.trim().len() as u32);
    TextRange::at(range.start() + syntax::TextSize::from(blank), len.into())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::{CompilerMessage, FileId, Severity, diagnostics::registry::code, fixture::Fixture};

    /// The lines before those of a kernel.
    const HEAD: &str = "\
.version 8.7
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 list);
.entry k(.param .b64 out, .param .b64 a, .param .b64 b) .reqntid 128 {
    .reg .b64 %rd<4>;
    .reg .f32 %f<8>;
    ld.param.b64 %rd0, [out];
    ld.param.b64 %rd1, [a];
    ld.param.b64 %rd2, [b];
    mov.f32 %f0, 0f00000000;
    mov.f32 %f1, 0f00000000;
    mov.f32 %f2, 0f00000000;
    mov.f32 %f3, 0f00000000;
    wgmma.fence.sync.aligned;
";
    /// A product, which the letters below name.
    const PRODUCT: &str = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;";

    /// The diagnostics of a kernel after what `ptxas` 13.5 printed about it.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(head: &str, lines: &str, output: &[&str], expect: Expect) {
        let mut text = head.to_owned();
        for line in lines.replace("PRODUCT", PRODUCT).lines() {
            let _ = writeln!(text, "    {}", line.trim());
        }
        text.push_str("    ret;\n}\n");
        let message = |text: &&str| CompilerMessage {
            line: None,
            severity: Severity::Information,
            text: (*text).to_owned(),
        };
        let messages: Vec<CompilerMessage> = output.iter().map(message).collect();
        let fixture = Fixture::new(&text);
        let analysis = fixture.host.analysis();
        let own = analysis.diagnostics(FileId(0)).expect("nothing changes");
        let joined = analysis.with_compiler_messages(FileId(0), own, &messages);
        let mut shown = String::new();
        let place = |range| {
            fixture.show(FileRange {
                file: FileId(0),
                range,
            })
        };
        for it in joined.expect("nothing changes") {
            let _ = writeln!(shown, "{} | {}: {}", place(it.range), it.code, it.message);
            for it in it.related {
                let _ = writeln!(shown, "  {} | {}", place(it.location.range), it.message);
            }
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn advice_joins_the_diagnostic_of_its_cause() {
        check(
            HEAD,
            "PRODUCT
            wgmma.commit_group.sync.aligned;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};
            wgmma.wait_group.sync.aligned 0;",
            &[
                "(C7517) wgmma.wait_group is injected in around line 18 by compiler to allow use of registers defined by GMMA in function 'k'",
            ],
            expect![[r#"
                18:5 st | wgmma-result-before-wait: `%f0` is read before the product that writes it is waited for
                  16:5 wgmma.mma_async | the product
                  18:5 st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3}; | ptxas: (C7517) wgmma.wait_group is injected in around line 18 by compiler to allow use of registers defined by GMMA in function 'k'
            "#]],
        );
        check(
            HEAD,
            "PRODUCT
            wgmma.commit_group.sync.aligned;
            PRODUCT
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 1;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};
            wgmma.wait_group.sync.aligned 0;",
            &[
                "(C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage in the function 'k' in line 0",
            ],
            expect![[r#"
                21:5 st | wgmma-result-before-wait: `%f0` is read before the product that writes it is waited for
                  18:5 wgmma.mma_async | the product
                  21:5 st | ptxas: (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage in the function 'k' in line 0
            "#]],
        );
        check(
            HEAD,
            "PRODUCT
            wgmma.commit_group.sync.aligned;
            mov.f32 %f0, 0f3f800000;
            wgmma.wait_group.sync.aligned 0;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};",
            &[
                "(C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'k' in line 18",
            ],
            expect![[r#"
                18:5 mov | wgmma-operand-overwritten: `%f0` is written while a product that writes it may still run
                  16:5 wgmma.mma_async | the product
                  18:5 mov.f32 %f0, 0f3f800000; | ptxas: (C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'k' in line 18
            "#]],
        );
        check(
            HEAD,
            "PRODUCT
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};
            {
            .param .b64 format;
            .param .b64 list;
            .param .b32 r;
            st.param.b64 [format], %rd0;
            st.param.b64 [list], 0;
            call.uni (r), vprintf, (format, list);
            }",
            &[
                "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'k' in line 26",
            ],
            expect![[r#"
                26:5 call | serialized-wgmma: ptxas runs the `wgmma` of this function one after the other because of this call
                  26:5 call.uni (r), vprintf, (format, list); | ptxas: (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function boundary at a function call in the function 'k' in line 26
            "#]],
        );
    }

    #[test]
    fn advice_without_a_function_is_about_the_file() {
        check(
            &HEAD.replace(".reqntid 128 ", ""),
            "setmaxnreg.inc.sync.aligned.u32 160;
            PRODUCT
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};",
            &[
                "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.",
            ],
            expect![[r#"
                16:5 setmaxnreg | ignored-setmaxnreg: ptxas ignores this: the register count at entry is unknown
                  16:5 setmaxnreg | ptxas: (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.
            "#]],
        );
    }

    #[test]
    fn advice_without_a_known_cause_stays() {
        let right = "PRODUCT
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};";
        // What ptxas prints at -O0.
        check(
            HEAD,
            right,
            &[
                "(C7517) wgmma.wait_group is injected in around line 16 by compiler to allow use of registers defined by GMMA in function 'k'",
                "(C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k' in line 16",
            ],
            expect![[r#"
                5:8 k | ptxas: (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'k' in line 16
                5:8 k | ptxas: (C7517) wgmma.wait_group is injected in around line 16 by compiler to allow use of registers defined by GMMA in function 'k'
            "#]],
        );
        // The other entry is the wrong one.
        let other = format!("{}\n    ret;\n}}\n", HEAD.replace(" k(", " other("));
        check(
            &format!("{other}{}", HEAD.split_once("list);\n").expect("a head").1),
            "PRODUCT
            wgmma.commit_group.sync.aligned;
            st.global.v4.f32 [%rd0], {%f0, %f1, %f2, %f3};
            wgmma.wait_group.sync.aligned 0;",
            &[
                "(C7519) Potential Performance Loss: wgmma.mma_async instructions are serialized due to compiler-inserted WG.AR in divergent path in the function 'other' in line 0",
                "(C7517) wgmma.wait_group is injected in around line 29 by compiler to allow use of registers defined by GMMA in function 'absent'",
            ],
            expect![[r#"
                1:1 .version | ptxas: (C7517) wgmma.wait_group is injected in around line 29 by compiler to allow use of registers defined by GMMA in function 'absent'
                5:8 other | ptxas: (C7519) Potential Performance Loss: wgmma.mma_async instructions are serialized due to compiler-inserted WG.AR in divergent path in the function 'other' in line 0
                8:5 ld.param.b64 %rd0, [out]; | unused-value: the result is never used
                9:5 ld.param.b64 %rd1, [a]; | unused-value: the result is never used
                10:5 ld.param.b64 %rd2, [b]; | unused-value: the result is never used
                11:5 mov.f32 %f0, 0f00000000; | unused-value: the result is never used
                12:5 mov.f32 %f1, 0f00000000; | unused-value: the result is never used
                13:5 mov.f32 %f2, 0f00000000; | unused-value: the result is never used
                14:5 mov.f32 %f3, 0f00000000; | unused-value: the result is never used
                32:5 st | wgmma-result-before-wait: `%f0` is read before the product that writes it is waited for
                  30:5 wgmma.mma_async | the product
            "#]],
        );
    }

    #[test]
    fn causes_are_codes() {
        for (number, codes) in CAUSES {
            for it in codes {
                assert!(code(it).is_some(), "{number}: {it}");
            }
        }
    }
}

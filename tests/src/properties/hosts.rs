//! Files of other languages: any text is read, and every byte of a fragment leads to its host and back.

use analysis::HostFile;
use syntax::{
    TextRange, TextSize,
    host::{Language, Part, lex},
};

/// Tries the lexer of a language, and the fragments of what it finds.
///
/// # Panics
///
/// If a range is not one of the text, or a place of a fragment does not lead back to itself.
pub fn check(language: Language, text: &str) {
    let host = lex(text, language);
    for statement in &host.statements {
        let text = match statement.layer {
            Some(layer) => &*host.layers[layer as usize].text.text,
            None => text,
        };
        let _ = &text[statement.range];
        for part in statement.template.iter().chain(&statement.constraints) {
            match part {
                Part::Literal(it) => {
                    assert!(it.range.contains_range(it.content));
                    let _ = (&text[it.range], &text[it.content]);
                }
                Part::Unknown(it) | Part::Name(it) => drop(text[*it].to_owned()),
                Part::Break => {}
            }
        }
        for operand in &statement.operands {
            let _ = &text[operand.expression];
        }
    }
    let file = HostFile::new(text, language);
    for index in 0..file.fragments().len() {
        let view = file.view(index, text, "sm_90a");
        let template = view.template();
        for (offset, _) in view.module[template].char_indices() {
            let at = template.start() + TextSize::new(offset as u32);
            let Some(place) = view.to_host(TextRange::empty(at)) else {
                continue;
            };
            let _ = &text[place];
            let back = view.to_module(place.start()).expect("it leads back");
            let again = view.to_host(TextRange::empty(back));
            assert_eq!(again.map(TextRange::start), Some(place.start()), "{text:?}");
        }
    }
}

/// Texts to begin with.
#[must_use]
pub fn seeds(language: Language) -> Vec<Vec<u8>> {
    let all = [
        Language::Cuda,
        Language::Python,
        Language::Rust,
        Language::Llvm,
    ];
    let others = all.into_iter().filter(|it| texts(*it) != texts(language));
    let texts = std::iter::once(language).chain(others).flat_map(texts);
    texts.map(|it| it.as_bytes().to_vec()).collect()
}

fn texts(language: Language) -> &'static [&'static str] {
    match language {
        Language::Cuda | Language::C => &[
            "#define X \"add\"\n__device__ void f() { asm volatile(X \".u32 %0, %1, 7;\\n\" \"}\" : \"=r\"(x) : \"r\"(y), \"n\"(N) : \"memory\"); }\n",
            "#if __CUDA_ARCH__ >= 900\nasm(R\"x(\n{ .reg .pred p; @p bra L%=; }\n)x\" :: \"l\"(p)); // it's\n#else\n#endif\n",
            "#ifndef H\n#define H\n#undef H\n#define M(a) asm(\"st.\" #a \" [%0], 0;\" :: \"l\"(a))\n#endif\nNV_IF_TARGET(NV_IS_HOST, (asm(\"%%\");))",
        ],
        Language::Python => &[
            "llvm.inline_asm(T.i32(), [a], f\"\"\"{{ add.u32 $0, ${1}, {N}; }}\"\"\", \"=r,r\", has_side_effects=True)\n",
            "S = r'''asm(\"add.u32 %0, %0, 1;\" : \"+r\"(x));'''\nk = cp.RawKernel(S, 'k')\ntl.inline_asm_elementwise(asm='mov.b32 $0, $1;' + T, constraints='=r,r', args=[x])\n",
        ],
        Language::Rust => &[
            "asm!(\"{{\", r#\"add.u32 {x}, {0}, {};\"#, concat!(\"}\", \"}\"), in(reg32) y, x = inout(reg32) x, options(pure, nomem));\nptx_asm!(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));\n",
        ],
        Language::Llvm => &[
            "target triple = \"nvptx64\"\n%r = call i32 asm sideeffect \"{\\0A\\09add.u32 $0, ${1}, $$; $(a$|b$)}\", \"=r,r,~{memory}\"(i32 %a)\n",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes of the seeds, the same in each run.
    #[test]
    fn changed_texts_of_hosts() {
        let mut random = fastrand::Rng::with_seed(200);
        for language in [
            Language::Cuda,
            Language::Python,
            Language::Rust,
            Language::Llvm,
        ] {
            for seed in seeds(language) {
                check(language, &String::from_utf8_lossy(&seed));
                for _ in 0..300 {
                    let mut bytes = seed.clone();
                    for _ in 0..random.usize(1..6) {
                        if bytes.is_empty() {
                            break;
                        }
                        let at = random.usize(..bytes.len());
                        match random.u8(..4) {
                            0 => drop(bytes.remove(at)),
                            1 => bytes.truncate(at.max(1)),
                            2 => bytes.insert(at, b"\"'%{}()#\\\n:;/*$"[random.usize(..15)]),
                            _ => {
                                let piece = bytes[at..].to_vec();
                                bytes.extend(piece);
                            }
                        }
                    }
                    check(language, &String::from_utf8_lossy(&bytes));
                }
            }
        }
    }
}

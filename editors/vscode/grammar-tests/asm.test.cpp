// SYNTAX TEST "source.cpp" "PTX in asm statements"
asm volatile("add.u32 %0, %%laneid, 1;\n\t" // why
// <--- meta.asm.ptx storage.type.asm
//            ^^^ meta.embedded.inline.ptx support.function.mnemonic.ptx
//               ^^^^ meta.embedded.inline.ptx storage.modifier.ptx
//                    ^^ meta.embedded.inline.ptx variable.parameter.operand.ptx
//                         ^^^^^^^ meta.embedded.inline.ptx variable.language.ptx
//                                    ^^^^ constant.character.escape.ptx
//                                          ^^^^^^ comment.line.double-slash
             "bar.sync 0;" : "+r"(x) : "r"(f("add.u32")));
//            ^^^ support.function.mnemonic.ptx
//                           ^^^^ string.quoted.double.constraint.asm
//                                            ^^^ string.quoted.double.cpp - support.function.mnemonic.ptx
int after = 3;
// <--- storage.type.cpp - meta.asm.ptx
asm(R"(
  ret;
//^^^ meta.embedded.inline.ptx
)");
int after = 3;
// <--- storage.type.cpp - meta.asm.ptx

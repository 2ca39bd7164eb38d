" Vim syntax file
" Language: PTX
"
" Colours a file before the server answers, and where no server runs.
" It looks at the shape of words, not at lists of them: the server knows the instruction set.

if exists('b:current_syntax')
  finish
endif

let s:cpo_save = &cpo
set cpo&vim

syntax case match
syntax sync ccomment ptxComment minlines=50

" An opcode is the first word of a statement, after labels and a guard.
syntax match ptxOpcode /\%(^\s*\|[;{}:]\s*\|@!\=[%A-Za-z0-9_$]\+\s\+\)\@40<=\<[a-z][a-z0-9_]*\>\ze\%([.;[:space:]]\|$\)/
syntax match ptxModifier /\.[A-Za-z_][A-Za-z0-9_]*\%(::[A-Za-z0-9_]\+\)*/
syntax match ptxType /\.\%(pred\|[busef][0-9]\+\%(x[0-9]\+\)\=\|bf16\%(x2\)\=\|tf32\|e[0-9]m[0-9]\%(x[0-9]\)\=\|v[248]\|texref\|samplerref\|surfref\)\>/
syntax match ptxStorage /\.\%(reg\|sreg\|const\|global\|local\|param\|shared\|tex\)\%(::[a-z]\+\)\=\>/
syntax match ptxLinkage /\.\%(extern\|visible\|weak\|common\)\>/
syntax match ptxFunction /\.\%(entry\|func\)\>/
" Directives appear where a statement begins, or after a kernel's parameters.
syntax match ptxDirective /^\s*\zs\.[a-z_]\+\>/ contains=ptxStorage,ptxLinkage,ptxFunction
syntax match ptxDirective /\.\%(align\|ptr\|alias\|noreturn\|version\|target\|address_size\)\>/
syntax match ptxDirective /@@[A-Za-z_]\+/

syntax match ptxRegister /%[A-Za-z_$][A-Za-z0-9_$]*/
" A compiler's registers end in a number; long lower-case names without one are predefined.
syntax match ptxSpecialRegister /%[a-z_]\{2,}[a-z]\>\%(\.[xyzw]\>\)\=/
syntax match ptxGuard /@!\=%\=[A-Za-z_$][A-Za-z0-9_$]*/ contains=ptxRegister
syntax match ptxLabel /[A-Za-z_$%][A-Za-z0-9_$]*\ze\s*:\%(:\)\@!/

syntax match ptxNumber /\<\d\+U\=\>/
syntax match ptxNumber /\<0[xX]\x\+U\=\>/
syntax match ptxNumber /\<0[bB][01]\+U\=\>/
syntax match ptxFloat /\<0[fF]\x\{8}\>/
syntax match ptxFloat /\<0[dD]\x\{16}\>/
syntax match ptxFloat /\<\d\+\.\d*\%([eE][-+]\=\d\+\)\=/
syntax match ptxFloat /\<\d\+[eE][-+]\=\d\+\>/
syntax region ptxString start=/"/ end=/"/

syntax match ptxPreProc /^\s*#.*$/
syntax keyword ptxTodo TODO FIXME XXX NOTE contained
syntax match ptxComment +//.*$+ contains=ptxTodo,@Spell
syntax region ptxComment start=+/\*+ end=+\*/+ contains=ptxTodo,@Spell

highlight default link ptxOpcode Statement
highlight default link ptxModifier Special
highlight default link ptxType Type
highlight default link ptxStorage StorageClass
highlight default link ptxLinkage StorageClass
highlight default link ptxFunction Keyword
highlight default link ptxDirective PreProc
highlight default link ptxRegister Identifier
highlight default link ptxSpecialRegister Constant
highlight default link ptxGuard Conditional
highlight default link ptxLabel Label
highlight default link ptxNumber Number
highlight default link ptxFloat Float
highlight default link ptxString String
highlight default link ptxPreProc PreProc
highlight default link ptxTodo Todo
highlight default link ptxComment Comment

" The same colours for what the server says, so that they do not change when it answers.
highlight default link @lsp.type.keyword.ptx ptxOpcode
highlight default link @lsp.type.modifier.ptx ptxModifier
highlight default link @lsp.type.type.ptx ptxType
highlight default link @lsp.type.namespace.ptx ptxStorage
highlight default link @lsp.type.macro.ptx ptxDirective
highlight default link @lsp.type.variable.ptx ptxRegister
highlight default link @lsp.type.label.ptx ptxLabel
highlight default link @lsp.typemod.variable.defaultLibrary.ptx ptxSpecialRegister
highlight default link @lsp.typemod.variable.static.ptx Normal

let b:current_syntax = 'ptx'

let &cpo = s:cpo_save
unlet s:cpo_save

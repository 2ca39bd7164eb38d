" Vim with ALE and the real server; $PTX_CONFIGURATION is the example of the README.
set nocompatible noswapfile hidden
execute 'set runtimepath^=' . fnameescape($PTX_ALE)
filetype plugin on
let g:ale_linters_explicit = 1
let g:ale_linters = {'ptx': ['ptx-analyzer']}
let g:ale_lint_on_enter = 1
source $PTX_CONFIGURATION

let s:passed = 0

function! s:end(failed) abort
  call writefile(s:lines + [printf('%d passed, %d failed', s:passed, a:failed)], $PTX_RESULTS)
  execute a:failed ? 'cquit!' : 'qall!'
endfunction

let s:lines = []
function! s:check(what, condition) abort
  let l:count = 0
  while !eval(a:condition)
    if l:count >= 600
      call add(s:lines, 'not ok ' . a:what)
      call s:end(1)
    endif
    sleep 100m
    let l:count += 1
  endwhile
  call add(s:lines, 'ok     ' . a:what)
  let s:passed += 1
endfunction

function! Texts() abort
  return join(map(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.text'), "\n")
endfunction

function! s:run() abort
  edit broken.ptx
  call s:check('*.ptx has the file type ptx', '&filetype ==# "ptx"')
  call s:check('the undeclared register is reported', 'Texts() =~# "%count"')
  call s:check('the missing semicolon is reported', 'Texts() =~# "semicolon\\|;"')
  %substitute/%count/%r1/
  ALELint
  call s:check('an edit takes the error away', 'Texts() !~# "%count" && Texts() isnot# ""')
  edit! saxpy.ptx
  call search('%index, 4')
  call s:check('a file that is right has no errors', 'empty(filter(copy(ale#engine#GetLoclist(bufnr(""))), "v:val.type is# ''E''"))')
  ALEGoToDefinition
  call s:check('the declaration is found', 'getline(".") =~# "\\.reg \\.u32 %index"')
  call s:end(0)
endfunction

autocmd VimEnter * ++nested call s:run()

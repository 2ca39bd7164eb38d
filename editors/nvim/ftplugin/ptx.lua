if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = 1

vim.bo.comments = 's1:/*,mb:*,ex:*/,://'
vim.bo.commentstring = '// %s'
-- `%` and `$` belong to names, so that `*` and `cw` take `%r3` as one word.
vim.opt_local.iskeyword:append({ '%', '$' })
vim.opt_local.formatoptions:remove('t')
vim.opt_local.formatoptions:append('croql')

vim.b.undo_ftplugin = 'setlocal comments< commentstring< iskeyword< formatoptions<'

if vim.g.loaded_ptx_analyzer then
  return
end
vim.g.loaded_ptx_analyzer = 1

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('ptx-analyzer needs Neovim 0.10 or newer.', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('PtxRestart', function()
  require('ptx_analyzer').restart()
end, { desc = 'Restart the PTX language server' })

vim.api.nvim_create_user_command('PtxSyntaxTree', function(args)
  require('ptx_analyzer').syntax_tree(args.range > 0 and { args.line1, args.line2 } or nil)
end, { desc = 'Show the syntax tree of the file, or of a range of lines', range = true })

vim.lsp.commands['ptx-analyzer.showReferences'] = function(command, context)
  require('ptx_analyzer').show_references(command, context)
end

-- Says once what to do when the program is missing: Neovim itself stays silent about it.
vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('ptx_analyzer', {}),
  pattern = 'ptx',
  callback = function()
    require('ptx_analyzer').warn_if_missing()
  end,
})

if vim.g.ptx_analyzer_enable ~= false then
  require('ptx_analyzer').enable()
end

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

vim.api.nvim_create_user_command('PtxExplain', function(args)
  require('ptx_analyzer.explain').explain(args.args)
end, {
  desc = 'Explain a word of PTX, or the one under the cursor',
  nargs = '?',
  complete = function(typed)
    return require('ptx_analyzer.explain').complete(typed)
  end,
})

vim.api.nvim_create_user_command('PtxRegisters', function(args)
  require('ptx_analyzer.registers').registers(args.bang)
end, { desc = 'List how many registers the kernels need; with !, show it for the kernel under the cursor', bang = true })

vim.api.nvim_create_user_command('PtxFlow', function(args)
  require('ptx_analyzer.flow').flow(args.bang)
end, { desc = 'Show the control flow of the function under the cursor; with !, as Mermaid', bang = true })

vim.api.nvim_create_user_command('PtxRead', function()
  require('ptx_analyzer.read').read()
end, { desc = 'Show the function under the cursor as pseudocode beside it' })

vim.api.nvim_create_user_command('PtxTry', function(args)
  require('ptx_analyzer.try').try(args.range > 0 and { args.line1, args.line2 } or nil)
end, { desc = 'Run the statement under the cursor, or lines of statements, on values', range = true })

vim.api.nvim_create_user_command('PtxKernel', function()
  require('ptx_analyzer.kernel').kernel()
end, { desc = 'Show the map of the kernel under the cursor beside it' })

vim.api.nvim_create_user_command('PtxTargets', function(args)
  require('ptx_analyzer.targets').targets(args.fargs)
end, { desc = 'List what would be wrong with the file for other targets', nargs = '*' })

vim.api.nvim_create_user_command('PtxLiveRange', function(args)
  require('ptx_analyzer.marks').live_range(args.bang)
end, { desc = 'Mark where the register under the cursor is needed; with !, take the marks away', bang = true })

vim.api.nvim_create_user_command('PtxSlice', function(args)
  require('ptx_analyzer.marks').slice(args.args ~= '' and args.args or 'backward', args.bang)
end, {
  desc = 'Mark what the value under the cursor was computed from, or with forward what is computed from it',
  nargs = '?',
  bang = true,
  complete = function()
    return { 'backward', 'forward' }
  end,
})

vim.api.nvim_create_user_command('PtxAccesses', function(args)
  require('ptx_analyzer.accesses').accesses(args.fargs[1])
end, { desc = 'List the reads and writes of the name under the cursor, or of one of its registers', nargs = '?' })

vim.api.nvim_create_user_command('PtxSource', function()
  require('ptx_analyzer.source').source()
end, { desc = 'List the instructions that came from the same source line' })

vim.api.nvim_create_user_command('PtxRunPtxas', function()
  require('ptx_analyzer.ptxas').run()
end, { desc = 'Run ptxas on the file and show what it says' })

vim.api.nvim_create_user_command('PtxSass', function(args)
  require('ptx_analyzer.sass').sass(args.fargs[1])
end, { desc = 'Run ptxas and show the machine code of the kernel under the cursor beside it', nargs = '?' })

vim.api.nvim_create_user_command('PtxExtract', function(args)
  require('ptx_analyzer.sass').extract(args.args)
end, { desc = 'Open a PTX text of an executable, library, object or fat binary', nargs = 1, complete = 'file' })

vim.api.nvim_create_user_command('PtxDiff', function(args)
  require('ptx_analyzer.diff').diff(args.args)
end, { desc = 'Show what differs from an older file, apart from names', nargs = 1, complete = 'file' })

vim.api.nvim_create_user_command('PtxRun', function(args)
  require('ptx_analyzer.run').run(args.fargs[1])
end, { desc = 'Run the kernels of the file, or one of them, as the comments above them say', nargs = '?' })

vim.api.nvim_create_user_command('PtxTest', function()
  require('ptx_analyzer.run').test()
end, { desc = 'Test the runs of the file under several schedules' })

vim.api.nvim_create_user_command('PtxTrust', function()
  require('ptx_analyzer.ptxas').trust()
end, { desc = 'Let the server run ptxas on the files of this session' })

if vim.fn.has('nvim-0.11') == 1 then
  vim.lsp.config('ptx_analyzer', require('ptx_analyzer').additions())
  vim.lsp.config('ptx_analyzer_embedded', require('ptx_analyzer').additions_embedded())
end
vim.lsp.commands['ptx-analyzer.showReferences'] = function(command, context)
  require('ptx_analyzer').show_references(command, context)
end

vim.lsp.commands['ptx-analyzer.showRegisters'] = function(command)
  require('ptx_analyzer.registers').of_lens(command)
end

vim.lsp.commands['ptx-analyzer.showKernel'] = function(command, context)
  require('ptx_analyzer.kernel').of_lens(command, context)
end

vim.lsp.commands['ptx-analyzer.run'] = function(command)
  require('ptx_analyzer.run').of_lens(command)
end

vim.lsp.commands['ptx-analyzer.addRun'] = function(command, context)
  require('ptx_analyzer.run').add(command, context)
end

vim.lsp.commands['ptx-analyzer.renameFamily'] = function(command, context)
  require('ptx_analyzer').rename_family(command, context)
end

vim.lsp.commands['ptx-analyzer.tryStatements'] = function(command, context)
  require('ptx_analyzer.try').of_action(command, context)
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

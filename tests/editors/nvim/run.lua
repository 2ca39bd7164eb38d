--- Runs the tests of this folder in the Neovim that reads it; see `tests/editors/run-nvim.sh`.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here)))
package.path = here .. '/?.lua;' .. vim.fs.dirname(here) .. '/?.lua;' .. package.path

vim.opt.runtimepath:prepend(vim.fs.joinpath(root, 'editors/nvim'))
vim.o.swapfile = false
-- The screens of the tests are read by people too.
vim.env.PTX_EDITOR_SCREENS = vim.env.PTX_EDITOR_SCREENS or vim.fs.joinpath(root, 'target/editor-screens')

local harness = require('harness')
-- The name in the configuration is the one of an installed program; here it is found first.
local server = assert(vim.env.PTX_ANALYZER_SERVER, 'PTX_ANALYZER_SERVER is not set')
vim.env.PATH = vim.fs.dirname(server) .. (vim.fn.has('win32') == 1 and ';' or ':') .. vim.env.PATH
assert(vim.fs.basename(vim.fn.exepath('ptx-analyzer')):find('ptx%-analyzer'), 'not a ptx-analyzer: ' .. server)

local function main()
  vim.cmd('filetype plugin indent on')
  -- Neovim has turned file types on before it read this file, and with that has looked for plugins; 0.10 needs ours.
  vim.cmd('runtime! ftdetect/ptx.lua')
  vim.cmd('syntax on')
  vim.cmd('runtime! plugin/ptx_analyzer.lua')

  for _, file in ipairs(vim.fn.sort(vim.fn.glob(here .. '/*_test.lua', true, true))) do
    local ok, message = xpcall(dofile, debug.traceback, file)
    if not ok then
      harness.test(vim.fs.basename(file), function()
        error(message)
      end)
    end
  end

  io.stdout:write(('%d passed, %d failed\n'):format(harness.passed, harness.failed))
  io.stdout:flush()
  vim.cmd(harness.failed == 0 and harness.passed > 0 and 'qall!' or 'cquit 1')
end

-- After the start of the editor, as a person would: during it Neovim puts some things off.
vim.schedule(function()
  local ok, message = xpcall(main, debug.traceback)
  if not ok then
    io.stderr:write(message, '\n')
    vim.cmd('cquit 1')
  end
end)

--- Prints what Neovim shows of a PTX file: `nvim --headless -S print.lua FILE`; see `editors/try --print`.
local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
package.path = here .. '/?.lua;' .. package.path
local Screen = require('screen')

local file = vim.fn.fnamemodify(vim.fn.argv(0) --[[@as string]], ':p')
local root = vim.fs.dirname(vim.fs.dirname(here))
local tour = vim.fs.joinpath(root, 'editors/tour')
local COLUMNS, LINES = 110, 30

local function title(text)
  io.stdout:write('\n', text, '\n', ('='):rep(COLUMNS), '\n')
end

local function show(screen)
  io.stdout:write(table.concat(screen:text(), '\n'), '\n')
end

---@param path string
local function open(path)
  local command = { vim.v.progpath, '--clean', '-u', vim.fs.joinpath(tour, 'init.lua'), '--', path }
  local screen = Screen.open(command, { columns = COLUMNS, lines = LINES })
  screen:wait_for('ptx-analyzer ready')
  return screen
end

local function print_screens()
  local screen = open(file)
  title('The file as it opens')
  show(screen)

  -- The last register of the first instruction that has one.
  screen:type('/^\\s*[a-z@].*\\zs%[A-Za-z]\\+\\d\\+<CR>')
  if screen:wait_for_either('[1/', 'E486') then
    -- The pattern and its count are not what is to be seen.
    screen:type('<C-L>')
    screen:wait_gone('[1/')
    title('The register under the cursor explained (K)')
    screen:type('K')
    screen:wait_for_either('╭', 'No information')
    show(screen)

    title('Its definition (gd)')
    screen:type('gd')
    screen:wait_gone('╭')
    show(screen)
  end

  title('The outline (gO)')
  screen:type('gO')
  screen:wait_for_either('| [', 'No document symbols')
  show(screen)
  screen:close()

  if file == vim.fs.joinpath(tour, 'tour.ptx') then
    screen = open(vim.fs.joinpath(tour, 'tour-mistakes.ptx'))
    title('The other file of the tour, with mistakes')
    show(screen)
    screen:close()
  end
end

local ok, message = xpcall(print_screens, debug.traceback)
if not ok then
  io.stderr:write('error: ', message, '\n')
  vim.cmd('cquit 1')
end
vim.cmd('qall!')

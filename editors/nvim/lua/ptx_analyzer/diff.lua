--- `:PtxDiff`: what differs between the current file and another one, apart from names, in a window beside it.
local request = require('ptx_analyzer.request')
local M = {}

--- The line of each text that a row of `ptx-analyzer diff` names.
---@param row string
---@return integer? old
---@return integer? new
local function lines_of(row)
  local sign, numbers = row:match('^  ([-+>~])([ %d]*)')
  if not sign then
    return nil, nil
  end
  local first, second = numbers:match('(%d+)%s+(%d+)')
  if first then
    return tonumber(first), tonumber(second)
  end
  local only = tonumber(numbers:match('%d+'))
  if sign == '-' then
    return only, nil
  end
  return nil, only
end

--- The rows, with what is said of two files before their paths: these may be longer than the window is wide.
---@param rows string[]
---@return string[]
local function with_paths_last(rows)
  local found = {}
  for _, row in ipairs(rows) do
    local paths, said = row:match('^(%S.* %-> .+): (%a+: %d.*)$')
    vim.list_extend(found, paths and { said, paths } or { row })
  end
  return found
end

local groups = { ['-'] = 'DiffDelete', ['+'] = 'DiffAdd', ['>'] = 'DiffChange', ['~'] = 'DiffText' }

--- Goes to the place of the row under the cursor: that of the new file, or else that of the old one.
---@param old string
---@param new string
local function go(old, new)
  local was, is = lines_of(vim.api.nvim_get_current_line())
  local path, line = is and new or old, is or was
  if not line then
    return
  end
  vim.cmd('wincmd p')
  vim.cmd('normal! m`')
  vim.cmd.edit(vim.fn.fnameescape(path))
  vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
end

--- Compares the file of the current buffer with another file, folder or binary; the other one is the old one.
---@param other string
function M.diff(other)
  local new = vim.api.nvim_buf_get_name(0)
  local old = vim.fn.fnamemodify(vim.fn.expand(other), ':p')
  if new == '' or vim.bo.modified then
    request.notify('save the file first: what is on disk is compared.')
    return
  end
  local command = require('ptx_analyzer').program() or 'ptx-analyzer'
  local done = vim.system({ command, 'diff', old, new }, { text = true }):wait()
  -- As with `diff`, more than 1 means trouble.
  if done.code > 1 then
    request.notify(vim.trim(done.stderr))
    return
  end
  local rows = with_paths_last(vim.split(vim.trim(done.stdout), '\n'))
  if done.code == 0 then
    rows = { 'The two files are the same, apart from names.' }
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, rows)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.cmd('belowright sbuffer ' .. bufnr)
  local title = ('ptx-diff://%s'):format(vim.fn.fnamemodify(old, ':t'))
  -- That of another window may have this name.
  pcall(vim.api.nvim_buf_set_name, bufnr, title)
  local window = vim.wo[0]
  window.number, window.relativenumber = false, false
  -- A row has two paths.
  window.wrap, window.breakindent = true, true
  local namespace = vim.api.nvim_create_namespace('ptx_analyzer_diff')
  for index, row in ipairs(rows) do
    local group = groups[row:match('^  ([-+>~])')]
    if group then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, index - 1, 0, { line_hl_group = group })
    end
  end
  vim.keymap.set('n', '<CR>', function()
    go(old, new)
  end, { buffer = bufnr, desc = 'Go to this difference' })
  vim.keymap.set('n', 'q', '<C-w>c', { buffer = bufnr, desc = 'Close' })
end

return M

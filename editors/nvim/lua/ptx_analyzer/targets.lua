--- `:PtxTargets`: what would be wrong with the file if it were for other GPUs.
local request = require('ptx_analyzer.request')
local M = {}

---@param count integer
---@return string
local function errors(count)
  return count == 0 and 'no errors' or count == 1 and '1 error' or count .. ' errors'
end

--- The table: a letter for each column, then a row for each cause, with its places folded below it.
---@param matrix table
---@return string[] lines
---@return table<integer, lsp.Range> places The places that lines are about, by their numbers from one.
---@return table<integer, string> folds The level of each line that opens a fold or is in one.
local function draw(matrix)
  local lines, places, folds = {}, {}, {}
  local width = 0
  for _, column in ipairs(matrix.columns) do
    width = math.max(width, vim.api.nvim_strwidth(column.title))
  end
  local head = {}
  for index, column in ipairs(matrix.columns) do
    -- After Z come a, b and so on; there are fewer targets than letters.
    local letter = string.char(index <= 26 and 64 + index or 70 + index)
    table.insert(head, letter)
    local space = (' '):rep(width - vim.api.nvim_strwidth(column.title))
    local own = column.own and (' (%s is the target of the file)'):format(column.own) or ''
    table.insert(lines, ('%s  %s%s  %s%s'):format(letter, column.title, space, errors(column.errors), own))
  end
  if #matrix.groups == 0 then
    return lines, places, folds
  end
  vim.list_extend(lines, { '', table.concat(head, ' ') })
  for _, group in ipairs(matrix.groups) do
    local marks = {}
    for _, wrong in ipairs(group.wrong) do
      table.insert(marks, wrong and '✗' or '·')
    end
    local row = table.concat(marks, ' ')
    for _, cause in ipairs(group.causes) do
      local count = #cause.ranges
      local where = count == 1 and ('line %d'):format(cause.ranges[1].start.line + 1) or ('%d places'):format(count)
      table.insert(lines, ('%s  %s: %s'):format(row, vim.split(cause.message, '\n')[1], where))
      places[#lines] = cause.ranges[1]
      if count > 1 then
        folds[#lines] = '>1'
        for _, range in ipairs(cause.ranges) do
          table.insert(lines, ('%s    line %d'):format((' '):rep(2 * #head), range.start.line + 1))
          places[#lines] = range
          folds[#lines] = '1'
        end
      end
    end
  end
  return lines, places, folds
end

--- The fold of a line of the window, for `foldexpr`.
---@return string
function M.fold()
  local folds = vim.b.ptx_target_folds or {}
  return folds[tostring(vim.v.lnum)] or '0'
end

--- The text of a closed fold is its first line.
---@return string
function M.folded()
  return vim.fn.getline(vim.v.foldstart)
end

--- Shows the table in a window below, where `<CR>` goes to a place and `za` opens the places of a cause.
---@param targets string[] Such as `sm_90`; empty: that of the file and those of hardware of today.
function M.targets(targets)
  local bufnr = vim.api.nvim_get_current_buf()
  local window = vim.api.nvim_get_current_win()
  local params = request.document(bufnr)
  -- An empty table of Lua would be sent as an object.
  params.targets = #targets > 0 and targets or nil
  request.send(bufnr, 'ptx/compareTargets', params, function(matrix, client)
    if not matrix then
      return
    end
    local lines, places, folds = draw(matrix)
    local shown = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(shown, 0, -1, false, lines)
    vim.bo[shown].bufhidden = 'wipe'
    vim.bo[shown].filetype = 'ptx-targets'
    vim.bo[shown].modifiable = false
    local by_name = vim.empty_dict()
    for line, level in pairs(folds) do
      by_name[tostring(line)] = level
    end
    vim.b[shown].ptx_target_folds = by_name
    local below = vim.api.nvim_open_win(shown, true, {
      split = 'below',
      height = math.min(#lines + 1, math.max(5, math.floor(vim.o.lines * 0.4))),
    })
    for name, value in pairs({
      foldmethod = 'expr',
      foldexpr = "v:lua.require'ptx_analyzer.targets'.fold()",
      foldtext = "v:lua.require'ptx_analyzer.targets'.folded()",
      foldlevel = 0,
      foldenable = true,
      number = false,
      relativenumber = false,
      wrap = false,
      cursorline = true,
      winbar = ' Targets: <CR> goes to a place, za opens a cause, q closes',
    }) do
      vim.api.nvim_set_option_value(name, value, { win = below, scope = 'local' })
    end
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = shown, nowait = true, desc = 'Close' })
    vim.keymap.set('n', '<CR>', function()
      local range = places[vim.api.nvim_win_get_cursor(0)[1]]
      if not range or not vim.api.nvim_win_is_valid(window) then
        return
      end
      local row, column = request.place(bufnr, range, client)
      vim.api.nvim_set_current_win(window)
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_buf(window, bufnr)
      vim.api.nvim_win_set_cursor(window, { row + 1, column })
    end, { buffer = shown, desc = 'Go to the place' })
  end)
end

return M

--- Windows beside a PTX file, with lines that belong to lines of the file: each highlights the other.
local M = {}

local namespace = vim.api.nvim_create_namespace('ptx_analyzer_beside')

--- Highlights whole lines, from one, and nothing else.
---@param bufnr integer
---@param lines integer[]
local function highlight(bufnr, lines)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, line in ipairs(lines) do
    if line <= count then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line - 1, 0, { line_hl_group = 'Visual', priority = 50 })
    end
  end
end

--- Puts the cursor of the window of a buffer on a line, from one, if it is shown.
---@param bufnr integer
---@param line integer?
local function reveal(bufnr, line)
  local window = vim.fn.bufwinid(bufnr)
  if line and window ~= -1 and line <= vim.api.nvim_buf_line_count(bufnr) then
    vim.api.nvim_win_set_cursor(window, { line, 0 })
  end
end

---@class ptx_analyzer.Beside
---@field stale string Shown above the window when the file has been edited.
---@field closed fun()? Called when the window is gone.

--- Makes the cursor in either buffer highlight what belongs to its line in the other.
---@param source integer
---@param shown integer
---@param places table<integer, integer[][]> First and last lines of the file, from zero, by lines of the window.
---@param options ptx_analyzer.Beside
function M.connect(source, shown, places, options)
  local group = vim.api.nvim_create_augroup('ptx_analyzer_beside_' .. shown, {})
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = source,
    callback = function()
      local line = vim.api.nvim_win_get_cursor(0)[1] - 1
      local found, lengths = {}, {}
      for row, runs in pairs(places) do
        for _, run in ipairs(runs) do
          if run[1] <= line and line <= run[2] then
            table.insert(found, row)
            lengths[row] = run[2] - run[1]
            break
          end
        end
      end
      highlight(source, {})
      highlight(shown, found)
      -- What is about few lines is meant rather than what is about many.
      table.sort(found, function(one, other)
        return lengths[one] < lengths[other] or lengths[one] == lengths[other] and one < other
      end)
      reveal(shown, found[1])
    end,
  })
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = shown,
    callback = function()
      local lines = {}
      for _, run in ipairs(places[vim.api.nvim_win_get_cursor(0)[1]] or {}) do
        for line = run[1], run[2] do
          table.insert(lines, line + 1)
        end
      end
      highlight(shown, {})
      highlight(source, lines)
      reveal(source, lines[1])
    end,
  })
  -- What is shown is about the text as it was.
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    group = group,
    buffer = source,
    once = true,
    callback = function()
      local window = vim.fn.bufwinid(shown)
      if window ~= -1 then
        vim.wo[window].winbar = '%#WarningMsg#' .. options.stale
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = shown,
    callback = function()
      if vim.api.nvim_buf_is_valid(source) then
        vim.api.nvim_buf_clear_namespace(source, namespace, 0, -1)
        if options.closed then
          options.closed()
        end
      end
      vim.api.nvim_del_augroup_by_id(group)
    end,
  })
end

--- Opens a scratch buffer in a window beside the current one; `q` closes it.
---@param lines string[]
---@param filetype string
---@param name string For the status line.
---@return integer
function M.scratch(lines, filetype, name)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.cmd('vertical belowright sbuffer ' .. bufnr)
  vim.bo[bufnr].filetype = filetype
  -- That of another window may have this name.
  pcall(vim.api.nvim_buf_set_name, bufnr, name)
  -- Every column is for the text.
  local window = vim.wo[0]
  window.wrap, window.number, window.relativenumber = false, false, false
  vim.keymap.set('n', 'q', '<C-w>c', { buffer = bufnr, desc = 'Close' })
  return bufnr
end

--- The lines of ranges of the protocol, neighbouring ones together: first and last, from zero.
---@param ranges lsp.Range[]
---@return integer[][]
function M.runs(ranges)
  local runs = {}
  for _, range in ipairs(ranges) do
    local first, last = range.start.line, range['end'].line
    local before = runs[#runs]
    if before and first <= before[2] + 1 and first >= before[1] then
      before[2] = math.max(before[2], last)
    else
      table.insert(runs, { first, last })
    end
  end
  return runs
end

return M

--- Marks in the text that stay until it changes: live ranges, slices, and counts of registers at the end of lines.
local request = require('ptx_analyzer.request')
local M = {}

--- The namespace of all marks.
M.namespace = vim.api.nvim_create_namespace('ptx_analyzer')

vim.api.nvim_set_hl(0, 'PtxAlive', { link = 'CursorLine', default = true })
vim.api.nvim_set_hl(0, 'PtxWritten', { link = 'LspReferenceWrite', default = true })
vim.api.nvim_set_hl(0, 'PtxRead', { link = 'LspReferenceRead', default = true })
vim.api.nvim_set_hl(0, 'PtxPressure', { link = 'LspInlayHint', default = true })
vim.api.nvim_set_hl(0, 'PtxPeak', { link = 'DiagnosticVirtualTextWarn', default = true })

--- Takes all marks of a buffer away.
---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, M.namespace, 0, -1)
end

--- Clears the buffer now, and again when its text changes, for then the marks are not true any more.
---@param bufnr integer
function M.begin(bufnr)
  M.clear(bufnr)
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    group = vim.api.nvim_create_augroup('ptx_analyzer_marks_' .. bufnr, {}),
    buffer = bufnr,
    once = true,
    callback = function()
      M.clear(bufnr)
    end,
  })
end

--- Marks words of a buffer.
---@param bufnr integer
---@param ranges lsp.Range[]
---@param group string
---@param client vim.lsp.Client
local function mark_words(bufnr, ranges, group, client)
  for _, range in ipairs(ranges) do
    local row, column, end_row, end_column = request.place(bufnr, range, client)
    vim.api.nvim_buf_set_extmark(bufnr, M.namespace, row, column, {
      end_row = end_row,
      end_col = end_column,
      hl_group = group,
      priority = 150,
    })
  end
end

--- Takes the old marks of a buffer away and marks lines; returns how many.
---@param bufnr integer
---@param ranges lsp.Range[]
---@return integer
local function mark_lines(bufnr, ranges)
  M.begin(bufnr)
  local lines = 0
  for _, range in ipairs(ranges) do
    for row = range.start.line, range['end'].line do
      lines = lines + 1
      vim.api.nvim_buf_set_extmark(bufnr, M.namespace, row, 0, {
        line_hl_group = 'PtxAlive',
        sign_text = '┃',
        sign_hl_group = 'PtxWritten',
      })
    end
  end
  return lines
end

--- Marks where the value of the register under the cursor is needed; called with `!` it takes the marks away.
---@param clear boolean
function M.live_range(clear)
  local bufnr = vim.api.nvim_get_current_buf()
  if clear then
    M.clear(bufnr)
    return
  end
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/liveRange', params, function(found, client)
    if not found then
      request.notify('put the cursor on a register.')
      return
    end
    local lines = mark_lines(bufnr, found.ranges)
    mark_words(bufnr, found.definitions, 'PtxWritten', client)
    mark_words(bufnr, found.uses, 'PtxRead', client)
    local where = found.crossesPeak and 'also at the peak' or 'not at the peak'
    vim.api.nvim_echo({ { ('%s: live in %d lines, %s'):format(found.register, lines, where) } }, false, {})
  end)
end

--- Marks what the value under the cursor was computed from, or what is computed from it.
---@param direction string `backward` or `forward`
---@param clear boolean Take the marks away instead.
function M.slice(direction, clear)
  local bufnr = vim.api.nvim_get_current_buf()
  if clear then
    M.clear(bufnr)
    return
  end
  if direction ~= 'backward' and direction ~= 'forward' then
    request.notify('a slice is backward or forward.')
    return
  end
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/slice', params, function(found, client)
    if not found then
      request.notify('put the cursor on a register in an instruction.')
      return
    end
    local instructions = found[direction]
    mark_lines(bufnr, instructions)
    mark_words(bufnr, found.definitions, 'PtxWritten', client)
    mark_words(bufnr, direction == 'forward' and found.uses or { found.origin }, 'PtxRead', client)
    local count = ('%d instruction%s'):format(#instructions, #instructions == 1 and '' or 's')
    local message = direction == 'backward' and ('%s is computed from %s'):format(found.register, count)
      or ('computed from %s: %s'):format(found.register, count)
    vim.api.nvim_echo({ { message } }, false, {})
  end)
end

--- Shows at the end of each line how many registers are live there.
---@param bufnr integer
---@param entries table[] Entries of the answer to `ptx/registers`.
function M.pressure(bufnr, entries)
  M.begin(bufnr)
  for _, entry in ipairs(entries) do
    local counted = entry.counted == 'ptxas' and 'live by ptxas' or 'live as written'
    for _, it in ipairs(entry.lines) do
      local peak = it.line == entry.peakLine
      vim.api.nvim_buf_set_extmark(bufnr, M.namespace, it.line, 0, {
        virt_text = {
          { ('%d %s%s'):format(it.live, counted, peak and ', the peak' or ''), peak and 'PtxPeak' or 'PtxPressure' },
        },
        virt_text_pos = 'eol',
      })
    end
  end
end

return M

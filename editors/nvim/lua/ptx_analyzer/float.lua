--- Floating windows, as hover has them.
local M = {}

--- Shows text in a window at the cursor that goes when the cursor moves; `q` closes it when it has been entered.
---@param lines string[]
---@param syntax string For example `markdown`.
---@param title string
---@return integer buffer, integer window
function M.open(lines, syntax, title)
  local bufnr, window = vim.lsp.util.open_floating_preview(lines, syntax, {
    border = 'rounded',
    focus_id = 'ptx_analyzer',
    max_width = math.max(60, math.floor(vim.o.columns * 0.8)),
    max_height = math.max(10, math.floor(vim.o.lines * 0.7)),
    title = title,
    wrap = syntax == 'markdown',
  })
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, nowait = true, desc = 'Close' })
  return bufnr, window
end

return M

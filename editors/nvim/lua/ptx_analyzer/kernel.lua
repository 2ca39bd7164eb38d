--- `:PtxKernel`: the map of the kernel under the cursor beside it, each highlighting the other.
local beside = require('ptx_analyzer.beside')
local request = require('ptx_analyzer.request')
local M = {}

--- The lines of a map.
---@param map table
---@return string[] lines
---@return table<integer, integer[][]> places Lines of the file, from zero, by lines of the text.
local function draw(map)
  local lines, places = { map.title }, {}
  for _, section in ipairs(map.sections) do
    table.insert(lines, '  ' .. section.title)
    for _, row in ipairs(section.rows) do
      table.insert(lines, ('  '):rep(row.depth + 2) .. row.text)
      places[#lines] = beside.runs(row.ranges)
    end
  end
  return lines, places
end

---@param bufnr integer
---@param window integer Of the buffer.
---@param params table
local function show(bufnr, window, params)
  request.send(bufnr, 'ptx/kernelMap', params, function(map)
    if not map then
      request.notify('put the cursor into a kernel.')
      return
    end
    local lines, places = draw(map)
    local shown = beside.scratch(lines, 'text', 'ptx-kernel://' .. map['function'])
    vim.wo[0].wrap, vim.wo[0].linebreak, vim.wo[0].breakindent = true, true, true
    beside.connect(bufnr, shown, places, { stale = 'map of the text before the last edits; :PtxKernel again' })
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  end)
end

--- Shows the map of the kernel under the cursor.
function M.kernel()
  local bufnr = vim.api.nvim_get_current_buf()
  local params = request.position(bufnr)
  if params then
    show(bufnr, vim.api.nvim_get_current_win(), params)
  end
end

--- Shows the map of the kernel of a lens: the command of a code lens.
---@param command lsp.Command Its arguments are a URI and a position.
---@param context { bufnr: integer }
function M.of_lens(command, context)
  local uri, position = unpack(command.arguments or {})
  if position then
    local window = vim.api.nvim_get_current_win()
    show(context.bufnr, window, { textDocument = { uri = uri }, position = position })
  end
end

return M

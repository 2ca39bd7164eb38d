--- `:PtxFlow`: the control flow of the function under the cursor.
local float = require('ptx_analyzer.float')
local request = require('ptx_analyzer.request')
local M = {}

--- The blocks, each with where control goes from it.
---@param graph table
---@return string[] lines
---@return table<integer, integer> rows Lines of the file, from one, by rows of the text.
local function draw(graph)
  local next_blocks = {} ---@type table<integer, table[]>
  for _, edge in ipairs(graph.edges) do
    next_blocks[edge.from] = next_blocks[edge.from] or {}
    table.insert(next_blocks[edge.from], edge)
  end
  local names = {} ---@type table<integer, string>
  for _, block in ipairs(graph.blocks) do
    names[block.id] = block.label or ('line %d'):format(block.range.start.line + 1)
  end
  local lines, rows = {}, {}
  for _, block in ipairs(graph.blocks) do
    local indent = ('  '):rep(block.loopDepth)
    local dead = block.reachable and '' or ', never reached'
    local from, to = block.range.start.line + 1, block.range['end'].line + 1
    table.insert(
      lines,
      ('%s■ %s  lines %d–%d, %d instructions, %d live%s'):format(
        indent,
        names[block.id],
        from,
        to,
        block.instructions,
        block.live,
        dead
      )
    )
    rows[#lines] = from
    for _, operations in ipairs(block.inFlight or {}) do
      table.insert(lines, ('%s  in flight: %s'):format(indent, operations))
      rows[#lines] = from
    end
    for _, edge in ipairs(next_blocks[block.id] or {}) do
      local arrow = edge.back and '↑' or '→'
      table.insert(lines, ('%s  %s %s (%s)'):format(indent, arrow, names[edge.to], edge.kind))
      rows[#lines] = from
    end
  end
  return lines, rows
end

--- Shows the blocks in a floating window, where `<CR>` goes to a block; with a bang, the graph as Mermaid.
---@param mermaid boolean
function M.flow(mermaid)
  local bufnr = vim.api.nvim_get_current_buf()
  local window = vim.api.nvim_get_current_win()
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/flowGraph', params, function(graph)
    if not graph then
      request.notify('put the cursor into a function.')
      return
    end
    local title = (' Control flow of %s '):format(graph['function'])
    if mermaid then
      float.open(vim.split(graph.mermaid, '\n', { trimempty = true }), 'mermaid', title)
      return
    end
    local lines, rows = draw(graph)
    local shown, float_window = float.open(lines, 'text', title)
    vim.keymap.set('n', '<CR>', function()
      local line = rows[vim.api.nvim_win_get_cursor(0)[1]]
      vim.api.nvim_win_close(float_window, true)
      vim.api.nvim_set_current_win(window)
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(window, { line, 0 })
      vim.cmd('normal! ^')
    end, { buffer = shown, desc = 'Go to the block' })
    vim.api.nvim_set_current_win(float_window)
  end)
end

return M

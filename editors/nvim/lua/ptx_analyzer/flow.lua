--- `:PtxFlow`: the control flow of the function under the cursor.
local float = require('ptx_analyzer.float')
local request = require('ptx_analyzer.request')
local M = {}

--- The blocks, each with where control goes from it.
---@param graph table
---@return string[] lines
---@param line integer Of the cursor, from one.
---@return table<integer, integer> rows Lines of the file, from one, by rows of the text.
---@return integer current The row of the block at the line, or else of the last one before it; from one.
local function draw(graph, line)
  local next_blocks = {} ---@type table<integer, table[]>
  for _, edge in ipairs(graph.edges) do
    next_blocks[edge.from] = next_blocks[edge.from] or {}
    table.insert(next_blocks[edge.from], edge)
  end
  local names = {} ---@type table<integer, string>
  for _, block in ipairs(graph.blocks) do
    names[block.id] = block.label or ('line %d'):format(block.range.start.line + 1)
  end
  local counted = graph.counted == 'ptxas' and 'live by ptxas' or 'live as written'
  local lines, rows = {}, {}
  local current, nearest = 1, 0
  for _, block in ipairs(graph.blocks) do
    local indent = ('  '):rep(block.loopDepth)
    local dead = block.reachable and '' or ', never reached'
    local from, to = block.range.start.line + 1, block.range['end'].line + 1
    table.insert(
      lines,
      ('%s■ %s  lines %d–%d, %d instructions%s%s'):format(
        indent,
        names[block.id],
        from,
        to,
        block.instructions,
        block.live and (', %d %s'):format(block.live, counted) or '',
        dead
      )
    )
    rows[#lines] = from
    if nearest < from and from <= line then
      current, nearest = #lines, from
    end
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
  return lines, rows, current
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
    local lines, rows, current = draw(graph, params.position.line + 1)
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
    vim.api.nvim_win_set_cursor(float_window, { current, 0 })
    vim.cmd('normal! zz')
    vim.wo[float_window].cursorline = true
  end)
end

return M

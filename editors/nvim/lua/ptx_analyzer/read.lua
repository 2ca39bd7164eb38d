--- `:PtxRead`: the function under the cursor as pseudocode beside it, each highlighting the other.
local beside = require('ptx_analyzer.beside')
local request = require('ptx_analyzer.request')
local M = {}

-- The column of the lines of PTX, and the spaces of a level; deeper levels have the indentation of the last one.
local COLUMN, LEVEL, MAX_LEVELS = 72, 4, 24

--- The lines of a reading, with the lines of the PTX and of its source on the right.
---@param reading table
---@return string[] lines
---@return table<integer, integer[][]> places Lines of the file, from zero, by lines of the text.
---@return table<integer, table> sources Places in source files, by lines of the text.
local function draw(reading)
  local lines = { '// For reading: this does not compile. PTX lines on the right.', reading.heading }
  local places, sources = {}, {}
  for _, it in ipairs(reading.lines) do
    local text = (' '):rep(LEVEL * math.min(it.indent + 1, MAX_LEVELS)) .. it.text
    local runs = beside.runs(it.ranges)
    if #runs > 0 then
      local words = vim.tbl_map(function(run)
        return run[1] == run[2] and tostring(run[1] + 1) or ('%d-%d'):format(run[1] + 1, run[2] + 1)
      end, runs)
      text = text .. (' '):rep(COLUMN - vim.api.nvim_strwidth(text)) .. '  // ' .. table.concat(words, ', ')
      if it.source then
        text = ('%s  %s:%d'):format(text, it.source.path:match('[^/\\]*$'), it.source.line + 1)
      end
    end
    table.insert(lines, text)
    places[#lines] = runs
    sources[#lines] = it.source
  end
  return lines, places, sources
end

--- Goes to a place in a source file.
---@param source table?
local function go_to(source)
  if not source then
    request.notify('this line has no .loc.')
  elseif not source.uri then
    request.notify(('there is no file %s.'):format(source.path))
  else
    local at = { line = source.line, character = 0 }
    vim.lsp.util.show_document({ uri = source.uri, range = { start = at, ['end'] = at } }, 'utf-8', { focus = true })
  end
end

--- Shows the function under the cursor.
function M.read()
  local bufnr = vim.api.nvim_get_current_buf()
  local window = vim.api.nvim_get_current_win()
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/reading', params, function(found)
    local reading = found[1]
    if not reading then
      request.notify('put the cursor into a function with a body.')
      return
    end
    local lines, places, sources = draw(reading)
    local shown = beside.scratch(lines, 'ptxreading', 'ptx-reading://' .. reading['function'])
    vim.wo[0].foldmethod = 'indent'
    vim.wo[0].foldlevel = 99
    vim.bo[shown].shiftwidth = LEVEL
    vim.keymap.set('n', 'gs', function()
      go_to(sources[vim.api.nvim_win_get_cursor(0)[1]])
    end, { buffer = shown, desc = 'Go to the line of the source' })
    beside.connect(bufnr, shown, places, { stale = 'reading of the text before the last edits; :PtxRead again' })
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  end)
end

return M

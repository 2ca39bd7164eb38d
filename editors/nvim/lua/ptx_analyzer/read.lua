--- `:PtxRead`: the function under the cursor as pseudocode beside it, each highlighting the other.
local beside = require('ptx_analyzer.beside')
local request = require('ptx_analyzer.request')
local M = {}

-- The column of further lines and of the source, how many of them are listed, and the spaces of a level; deeper levels
-- have the indentation of the last one.
local COLUMN, MAX_RUNS, LEVEL, MAX_LEVELS = 84, 4, 4, 24

--- Lines as numbers that count from one.
---@param run integer[]?
---@return string
local function words(run)
  if not run then
    return ''
  end
  return run[1] == run[2] and tostring(run[1] + 1) or ('%d-%d'):format(run[1] + 1, run[2] + 1)
end

--- The index of the lines with the statement by which a line has its place.
---@param runs integer[][]
---@param lead table?
---@return integer?
local function own_run(runs, lead)
  for index, run in ipairs(runs) do
    if lead and run[1] <= lead.start.line and lead.start.line <= run[2] then
      return index
    end
  end
end

--- The lines of a reading, with the lines of the PTX on the left, and further ones and the source on the right.
---@param reading table
---@return string[] lines
---@return table<integer, integer[][]> places Lines of the file, from zero, by lines of the text.
---@return table<integer, table> sources Places in source files, by lines of the text.
---@return string[] folds What 'foldexpr' gives for each line.
local function draw(reading)
  local lines = { '// For reading: this does not compile. Lines of the PTX are on the left.', reading.heading }
  local places, sources, folds = {}, {}, { '0', '0' }
  local owns, width = {}, 0
  for row, it in ipairs(reading.lines) do
    local runs = beside.runs(it.ranges)
    -- A table of Lua has no nil.
    owns[row] = own_run(runs, it.lead) or 0
    width = math.max(width, #words(runs[owns[row]]))
    places[row + 2] = runs
  end
  local file
  for row, it in ipairs(reading.lines) do
    local runs, own = places[row + 2], owns[row]
    local numbers = words(runs[own])
    local indent = (' '):rep(2 + LEVEL * math.min(it.indent, MAX_LEVELS))
    local text = (' '):rep(width - #numbers) .. numbers .. indent .. it.text
    local others, right = {}, {}
    for index, run in ipairs(runs) do
      if index ~= own then
        table.insert(others, words(run))
      end
    end
    local more = #others - MAX_RUNS
    if more > 1 then
      others = vim.list_slice(others, 1, MAX_RUNS)
      table.insert(others, ('… %d more'):format(more))
    end
    if #others > 0 then
      table.insert(right, 'also ' .. table.concat(others, ', '))
    end
    if it.source then
      local name = it.source.path == file and '' or it.source.path:match('[^/\\]*$')
      file = it.source.path
      table.insert(right, ('%s:%d'):format(name, it.source.line + 1))
    end
    if #right > 0 then
      text = text .. (' '):rep(COLUMN - vim.api.nvim_strwidth(text)) .. '  // ' .. table.concat(right, '  ')
    end
    table.insert(lines, text)
    sources[#lines] = it.source
    local following = reading.lines[row + 1]
    local opens = following and following.indent > it.indent
    table.insert(folds, opens and ('>%d'):format(it.indent + 1) or tostring(it.indent))
  end
  return lines, places, sources, folds
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
    local lines, places, sources, folds = draw(reading)
    local shown = beside.scratch(lines, 'ptxreading', 'ptx-reading://' .. reading['function'])
    vim.b[shown].ptx_folds = folds
    vim.wo[0].foldmethod = 'expr'
    vim.wo[0].foldexpr = "get(b:ptx_folds, v:lnum - 1, '0')"
    vim.wo[0].foldlevel = 99
    vim.keymap.set('n', 'gs', function()
      go_to(sources[vim.api.nvim_win_get_cursor(0)[1]])
    end, { buffer = shown, desc = 'Go to the line of the source' })
    beside.connect(bufnr, shown, places, { stale = 'reading of the text before the last edits; :PtxRead again' })
    vim.api.nvim_set_current_win(window)
    vim.api.nvim_exec_autocmds('CursorMoved', { buffer = bufnr })
  end)
end

return M

--- `:PtxSass`: the machine code of the kernel under the cursor beside it, each highlighting the other; and
--- `:PtxExtract`: the PTX texts of a binary.
local beside = require('ptx_analyzer.beside')
local request = require('ptx_analyzer.request')
local M = {}

-- Bars beside the lines, which stay when the cursor moves.
local bars = vim.api.nvim_create_namespace('ptx_analyzer_sass_bars')
-- So many hues can be told from each other; neighbouring lines get hues far from each other.
local HUES, STEP = 12, 5

--- The highlight group for the hue of a line of the file, from zero.
---@param line integer
---@return string
local function hue_of(line)
  local hue = line * STEP % HUES
  local name = 'PtxSassHue' .. hue
  local function channel(shift)
    -- Of the colour circle at medium saturation and lightness.
    local k = (shift + hue * 12 / HUES) % 12
    local part = 0.55 - 0.27 * math.max(-1, math.min(k - 3, 9 - k, 1))
    return math.floor(part * 255 + 0.5)
  end
  vim.api.nvim_set_hl(0, name, {
    default = true,
    fg = ('#%02x%02x%02x'):format(channel(0), channel(8), channel(4)),
    ctermfg = hue + 1,
  })
  return name
end

--- Puts a bar beside lines, from one, each in the hue of a line of the file.
---@param bufnr integer
---@param hues table<integer, integer>
local function mark(bufnr, hues)
  vim.api.nvim_buf_clear_namespace(bufnr, bars, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for line, of in pairs(hues) do
    if line <= count then
      local opts = { sign_text = '▎', sign_hl_group = hue_of(of), priority = 5 }
      vim.api.nvim_buf_set_extmark(bufnr, bars, line - 1, 0, opts)
    end
  end
end

--- The addresses of the instructions that one waits for.
---@param row table
---@return string
local function waits_of(row)
  return vim
    .iter(row.waitsFor)
    :map(function(address)
      return ('%04x'):format(address)
    end)
    :join(',')
end

--- The columns after the instruction: what they are called, what a row has there, and whether it is a number.
local COLUMNS = {
  {
    name = 'source',
    text = function(row, file)
      local source = row.source or ''
      -- Most lines are of one file, which the first line of the window names.
      return file and vim.startswith(source, file .. ':') and source:sub(#file + 1) or source
    end,
  },
  {
    name = 'live',
    number = true,
    text = function(row)
      return tostring(row.live or '')
    end,
  },
  {
    name = 'stall',
    number = true,
    text = function(row)
      return tostring(row.stall or '')
    end,
  },
  { name = 'waits', text = waits_of },
}

--- The columns that are shown, by |g:ptx_analyzer_sass_columns|; all without it.
---@return table[]
local function wanted_columns()
  local names = vim.g.ptx_analyzer_sass_columns
  return vim.tbl_filter(function(column)
    return type(names) ~= 'table' or vim.list_contains(names, column.name)
  end, COLUMNS)
end

--- The source file of most rows; nil if rows have none.
---@param rows table[]
---@return string?
local function source_of(rows)
  local counts, best = {}, nil
  for _, row in ipairs(rows) do
    local file = row.source and row.source:match('^(.*):%d+$')
    if file then
      counts[file] = (counts[file] or 0) + 1
      if not best or counts[file] > counts[best] then
        best = file
      end
    end
  end
  return best
end

--- The rows in the order of a column: figures from the largest, lines of the source from the smallest.
---@param rows table[]
---@param order string? The name of a column.
---@return integer[] indices
local function sorted(rows, order)
  local indices, keys = {}, {}
  for index, row in ipairs(rows) do
    indices[index] = index
    local key = nil
    if order == 'source' then
      key = row.source and -tonumber(row.source:match('(%d+)$'))
    elseif order == 'waits' then
      key = #row.waitsFor > 0 and #row.waitsFor or nil
    elseif order then
      key = row[order]
    end
    -- What has no figure comes last.
    keys[index] = key or -math.huge
  end
  if order then
    table.sort(indices, function(one, other)
      return keys[one] > keys[other] or keys[one] == keys[other] and one < other
    end)
  end
  return indices
end

---@class ptx_analyzer.Sass What a window shows.
---@field lines string[]
---@field places table<integer, integer[]> First and last line of the file, from zero, by lines of the window.
---@field locals integer[] Lines of the window that access local memory, from one.
---@field texts table<integer, string> The instructions, by lines of the window.
---@field width integer How wide address and instruction are.
---@field peaks integer[][] Where the most registers are live: line, column and width, from one.

--- What a window shows of an answer. The instruction is right after its address, so that it is seen whole in the
--- narrowest window.
---@param code table
---@param order string? The name of the column to sort by; nil for the order of the code.
---@return ptx_analyzer.Sass
local function draw(code, order)
  local peak = code.peak and ('%d registers live at most'):format(code.peak[1]) or 'live registers need nvdisasm'
  local file = source_of(code.rows)
  local text_width, columns = #'instruction', {}
  for _, row in ipairs(code.rows) do
    text_width = math.max(text_width, #row.text)
  end
  for _, column in ipairs(wanted_columns()) do
    local width, is_there = #column.name, false
    for _, row in ipairs(code.rows) do
      local text = column.text(row, file)
      width, is_there = math.max(width, vim.api.nvim_strwidth(text)), is_there or text ~= ''
    end
    if is_there then
      table.insert(columns, { column = column, width = width })
    end
  end
  local function line_of(address, text, cell)
    local cells = { address .. (' '):rep(4 - #address), text .. (' '):rep(text_width - #text) }
    for _, it in ipairs(columns) do
      local shown = cell(it.column)
      local space = (' '):rep(it.width - vim.api.nvim_strwidth(shown))
      table.insert(cells, it.column.number and space .. shown or shown .. space)
    end
    return (table.concat(cells, '  '):gsub(' +$', ''))
  end
  local of = file and (', lines of ' .. file) or ''
  local lines = {
    ('%s for %s: %d instructions, %s%s'):format(code.entry, code.target, code.total, peak, of),
    line_of('addr', 'instruction', function(column)
      return column.name
    end),
  }
  local found = { lines = lines, places = {}, locals = {}, texts = {}, peaks = {}, width = 6 + text_width }
  local blocks = {}
  for _, block in ipairs(code.blocks) do
    blocks[block.first + 1] = block.summary
  end
  local routine
  for _, index in ipairs(sorted(code.rows, order)) do
    local row = code.rows[index]
    -- Headings and labels say nothing about rows in another order.
    if not order then
      if row.routine ~= routine then
        routine = row.routine
        if routine then
          table.insert(lines, (row.ofPtxas and 'routine of ptxas: %s' or 'function: %s'):format(routine))
        end
      end
      if blocks[index] then
        table.insert(lines, '-- ' .. blocks[index])
      end
      if row.label then
        table.insert(lines, row.label .. ':')
      end
    end
    table.insert(
      lines,
      line_of(('%04x'):format(row.address), row.text, function(column)
        return column.text(row, file)
      end)
    )
    found.places[#lines] = row.lines
    found.texts[#lines] = row.text
    if row['local'] then
      table.insert(found.locals, #lines)
    end
    if code.peak and row.live == code.peak[1] then
      local from = 4 + 2 + text_width + 2 + 1
      for _, it in ipairs(columns) do
        if it.column.name == 'live' then
          table.insert(found.peaks, { #lines, from, it.width })
        end
        from = from + it.width + 2
      end
    end
  end
  return found
end

--- Shows what the opcode of the line under the cursor does.
---@param opcodes table<string, string>
---@param texts table<integer, string>
local function explain(opcodes, texts)
  local text = texts[vim.api.nvim_win_get_cursor(0)[1]] or ''
  -- A guard may precede it.
  local opcode = text:gsub('^@%S+%s+', ''):match('^[A-Z0-9_]+')
  local page = opcode and opcodes[opcode]
  if page then
    require('ptx_analyzer.float').open(vim.split(page, '\n'), 'markdown', ' ' .. opcode .. ' ')
  else
    request.notify('there is no opcode with a page in this line')
  end
end

--- Columns that the text beside the machine code keeps at least.
local LEAST = 30

--- Makes the window so wide that instructions are seen whole, as far as the screen is.
---@param drawn ptx_analyzer.Sass
local function fit(drawn)
  local width = vim.api.nvim_win_get_width(0)
  -- The bars are in the column of signs.
  local needed = drawn.width + 2
  if needed > width then
    vim.api.nvim_win_set_width(0, math.max(width, math.min(needed, vim.o.columns - LEAST)))
  end
end

---@param code table
---@param source integer
local function show(code, source)
  local window = vim.api.nvim_get_current_win()
  local drawn = draw(code)
  local shown = beside.scratch(drawn.lines, 'sass', ('sass://%s/%s'):format(code.target, code.entry))
  local texts = {}
  local function refresh(order)
    drawn = draw(code, order)
    vim.bo[shown].modifiable = true
    vim.api.nvim_buf_set_lines(shown, 0, -1, false, drawn.lines)
    vim.bo[shown].modifiable = false
    vim.fn.clearmatches()
    for _, line in ipairs(drawn.locals) do
      vim.fn.matchaddpos('WarningMsg', { line })
    end
    for _, place in ipairs(drawn.peaks) do
      vim.fn.matchaddpos('Underlined', { place })
    end
    texts = drawn.texts
    local of_rows, of_lines, places = {}, {}, {}
    for row, place in pairs(drawn.places) do
      places[row] = { place }
      of_rows[row] = place[1]
      of_lines[place[1] + 1] = place[1]
    end
    mark(shown, of_rows)
    mark(source, of_lines)
    beside.connect(source, shown, places, {
      stale = 'machine code of the text before the last edits; :PtxSass again',
      closed = function()
        vim.api.nvim_buf_clear_namespace(source, bars, 0, -1)
      end,
    })
  end
  refresh()
  fit(drawn)
  vim.keymap.set('n', 'K', function()
    explain(code.opcodes, texts)
  end, { buffer = shown, desc = 'What the opcode does' })
  vim.keymap.set('n', 's', function()
    local names = { 'address' }
    for _, column in ipairs(wanted_columns()) do
      table.insert(names, column.name)
    end
    vim.ui.select(names, { prompt = 'Sort by' }, function(name)
      if name then
        refresh(name ~= 'address' and name or nil)
      end
    end)
  end, { buffer = shown, nowait = true, desc = 'Sort by a column' })
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = source })
end

--- Runs `ptxas` on the current buffer and shows the machine code of the kernel under the cursor.
---@param target string? Instead of that of the file.
function M.sass(target)
  local bufnr = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local params = request.document(bufnr)
  local run = vim.tbl_extend('force', params, { target = target })
  require('ptx_analyzer.ptxas').ask(bufnr, run, function(result)
    local wanted = { line = line, target = target and result.target }
    request.send(bufnr, 'ptx/machineCode', vim.tbl_extend('force', params, wanted), function(code)
      if code then
        show(code, bufnr)
      else
        request.notify('ptxas made no machine code of this file; its messages say why.')
      end
    end)
  end)
end

--- Lists the PTX texts of a binary and opens the one that is chosen, read-only.
---@param path string
function M.extract(path)
  local command = require('ptx_analyzer').program() or 'ptx-analyzer'
  local folder = vim.fn.tempname()
  local done = vim
    .system({ command, 'extract', '--output-dir', folder, vim.fn.fnamemodify(path, ':p') }, { text = true })
    :wait()
  local files = vim.fn.glob(folder .. '/*.ptx', true, true)
  if #files == 0 then
    request.notify(vim.trim(done.stderr) ~= '' and vim.trim(done.stderr) or 'there is no PTX in ' .. path)
    return
  end
  vim.ui.select(files, {
    prompt = 'PTX of ' .. vim.fn.fnamemodify(path, ':t'),
    format_item = function(file)
      return vim.fn.fnamemodify(file, ':t')
    end,
  }, function(file)
    if file then
      vim.cmd.view(vim.fn.fnameescape(file))
    end
  end)
end

return M

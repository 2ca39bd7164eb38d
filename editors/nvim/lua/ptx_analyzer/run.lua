--- `:PtxRun` and `:PtxTest`: kernels run as the comments `// run:` above them say, and the findings as diagnostics.
local request = require('ptx_analyzer.request')
local M = {}

--- The namespace of the findings.
M.namespace = vim.api.nvim_create_namespace('ptx_analyzer_run')

--- Runs of more seconds are stopped.
local TIMEOUT = '600'

--- The row, from zero, of the comment that describes a run: the one with its name, or the one above its entry.
---@param lines string[]
---@param run table
---@return integer
local function row_of(lines, run)
  local name = run.name or run.entry
  local last = 0
  for index, line in ipairs(lines) do
    if line:find('^%s*//%s*run:') then
      last = index - 1
    end
    local own = line:find('^%s*//') and line:match('[%s:]name%s*=%s*["\'](.-)["\']')
    if own == name or line:match('%.entry%s+([%w_$.%%]+)') == name then
      return last
    end
  end
  return last
end

--- Lanes that ascend, those in a row as a range.
---@param lanes integer[]
---@return string
local function ranges(lanes)
  local parts = {}
  for _, lane in ipairs(lanes) do
    local last = parts[#parts]
    if last and last[2] + 1 == lane then
      last[2] = lane
    else
      table.insert(parts, { lane, lane })
    end
  end
  return table.concat(
    vim.tbl_map(function(part)
      return part[1] == part[2] and tostring(part[1]) or ('%d-%d'):format(part[1], part[2])
    end, parts),
    ', '
  )
end

--- The findings, stops and failed expectations of a run, as diagnostics of Neovim.
---@param lines string[]
---@param run table
---@return vim.Diagnostic[]
local function problems(lines, run)
  local found = {}
  local function add(row, code, message, severity)
    row = math.max(math.min(row, #lines - 1), 0)
    local text = lines[row + 1] or ''
    table.insert(found, {
      lnum = row,
      col = #text:match('^%s*'),
      end_lnum = row,
      end_col = #text:gsub('%s+$', ''),
      severity = severity or vim.diagnostic.severity.ERROR,
      source = 'run',
      code = code,
      message = message,
    })
  end
  for _, it in ipairs(run.findings) do
    local lanes = #it.lanes > 0 and ', lanes ' .. ranges(it.lanes) or ''
    local message = ('%s (block %s, warp %d%s)'):format(it.message, table.concat(it.block, ','), it.warp, lanes)
    for _, other in ipairs(it.related) do
      message = ('%s\nline %d: %s'):format(message, other.line, other.message)
    end
    add(it.line - 1, it.code, message, it.severity == 'warning' and vim.diagnostic.severity.WARN or nil)
  end
  for _, it in ipairs(run.not_run) do
    add(it.line - 1, 'not-run', 'not run yet: ' .. it.what)
  end
  for _, it in ipairs(run.expectations) do
    local first = it.first_difference
    if not it.holds and type(first) == 'table' then
      local message = ('%s: %d of %d elements differ, first at [%s]: got %s, want %s'):format(
        it.name,
        it.different,
        it.of,
        table.concat(first.index, ', '),
        first.got,
        first.want
      )
      add(row_of(lines, run), 'expectation', message)
    end
  end
  return found
end

---@param count integer
---@param noun string
local function counted(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

--- A run in one line.
---@param run table
---@return string
local function summary(run)
  local parts = { 'ran ' .. counted(run.steps, 'step') .. ' of warps' }
  if run.outcome ~= 'finished' then
    table.insert(parts, 1, run.outcome)
  end
  table.insert(parts, #run.findings == 0 and 'no findings' or counted(#run.findings, 'finding'))
  local failed = #vim.tbl_filter(function(it)
    return not it.holds
  end, run.expectations)
  if failed > 0 then
    table.insert(parts, ('%d of %s failed'):format(failed, counted(#run.expectations, 'expectation')))
  end
  return ('%s: %s'):format(run.name or run.entry, table.concat(parts, ', '))
end

--- Shows diagnostics until the next edit.
---@param bufnr integer
---@param found vim.Diagnostic[]
local function show(bufnr, found)
  vim.diagnostic.set(M.namespace, bufnr, found)
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(bufnr) then
          vim.diagnostic.reset(M.namespace, bufnr)
        end
      end)
      -- Once is enough.
      return true
    end,
  })
end

--- The objects of an output with one for each line.
---@param output string
---@return table[]
local function records(output)
  return vim
    .iter(vim.split(output, '\n', { trimempty = true }))
    :map(function(line)
      return vim.json.decode(line, { luanil = { object = true, array = true } })
    end)
    :totable()
end

--- Starts the program; `on_done` is called with its result.
---@param args string[]
---@param options table
---@param on_done fun(done: vim.SystemCompleted)
local function start(args, options, on_done)
  local program = require('ptx_analyzer').program() or 'ptx-analyzer'
  local command = vim.list_extend({ program }, args)
  local ok, problem = pcall(vim.system, command, options, vim.schedule_wrap(on_done))
  if not ok then
    request.notify(tostring(problem), vim.log.levels.ERROR)
  end
end

--- The folder in which the files of launches are.
---@param path string
local function folder(path)
  return path ~= '' and vim.fn.isdirectory(vim.fs.dirname(path)) == 1 and vim.fs.dirname(path) or nil
end

--- Runs the entries of the current buffer as it is, or one of them.
---@param entry string?
---@param bufnr integer?
function M.run(entry, bufnr)
  bufnr = bufnr or vim.api.nvim_get_current_buf()
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local args = { 'run', '--format', 'json', '--timeout', TIMEOUT }
  if entry and entry ~= '' then
    vim.list_extend(args, { '--entry', entry })
  end
  table.insert(args, '-')
  local options = { text = true, stdin = table.concat(lines, '\n') .. '\n', cwd = folder(path) }
  start(args, options, function(done)
    if done.code == 2 or done.stdout == '' then
      local said = vim.trim(done.stderr):gsub('<stdin>', vim.fs.basename(path))
      request.notify(said, vim.log.levels.ERROR)
      return
    end
    local found, said = {}, {}
    for _, run in ipairs(records(done.stdout)) do
      vim.list_extend(found, problems(lines, run))
      if run.printed then
        table.insert(said, vim.trim(run.printed))
      end
      table.insert(said, summary(run))
    end
    -- The text may have changed meanwhile.
    if vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      show(bufnr, found)
    end
    request.notify(table.concat(said, '\n'), done.code == 0 and vim.log.levels.INFO or vim.log.levels.WARN)
  end)
end

--- Tests the runs of the current file, under several schedules; what fails is listed.
function M.test()
  local bufnr = vim.api.nvim_get_current_buf()
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == '' or vim.bo.modified then
    request.notify('save the file first: what is on disk is tested.')
    return
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local args = { 'test', '--format', 'json', '--timeout', TIMEOUT, path }
  start(args, { text = true, cwd = folder(path) }, function(done)
    local tests = records(done.stdout or '')
    if #tests == 0 then
      local said = vim.trim(done.stderr)
      request.notify(said ~= '' and said or 'no runs found')
      return
    end
    local found, items, failed, seen = {}, {}, 0, {}
    for _, test in ipairs(tests) do
      failed = failed + (test.passed and 0 or 1)
      for _, run in ipairs(test.passed and {} or test.runs) do
        for _, it in ipairs(problems(lines, run)) do
          -- Most schedules find the same.
          local key = ('%d %s'):format(it.lnum, it.code)
          if not seen[key] then
            seen[key] = true
            table.insert(found, it)
          end
        end
      end
      for _, message in ipairs(test.messages) do
        local row = tonumber(test.test:sub(#test.file + 1):match('^:(%d+)')) or 1
        local text = ('%s: %s'):format(test.name, message)
        table.insert(items, { filename = test.file, lnum = row, type = 'E', text = text })
      end
    end
    if vim.api.nvim_buf_is_valid(bufnr) then
      show(bufnr, found)
    end
    vim.fn.setqflist({}, ' ', { title = 'PtxTest', items = items })
    if #items > 0 then
      vim.cmd('botright copen | wincmd p')
    end
    local level = failed == 0 and vim.log.levels.INFO or vim.log.levels.WARN
    request.notify(('%d passed, %d failed'):format(#tests - failed, failed), level)
  end)
end

--- The command of a code lens: runs the entry below it.
---@param command lsp.Command Its arguments are a URI and the name of the entry.
function M.of_lens(command)
  local uri, entry = unpack(command.arguments or {})
  if uri then
    M.run(entry, vim.uri_to_bufnr(uri))
  end
end

--- The command of a code lens: writes a comment above the entry.
---@param command lsp.Command Its arguments are a URI and a text edit.
---@param context { client_id: integer }
function M.add(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local uri, edit = unpack(command.arguments or {})
  if client and edit then
    vim.lsp.util.apply_text_edits({ edit }, vim.uri_to_bufnr(uri), client.offset_encoding)
  end
end

return M

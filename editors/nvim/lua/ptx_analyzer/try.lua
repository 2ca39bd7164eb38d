--- `:PtxTry`: runs the statements under the cursor, or those that are selected, on values of their operands.
local beside = require('ptx_analyzer.beside')
local request = require('ptx_analyzer.request')
local M = {}

--- The values that were given last, by the text of the statements.
local given = {} ---@type table<string, string[]>

--- The server of a buffer, also that of PTX in other languages.
---@param bufnr integer
---@return vim.lsp.Client?
local function client_of(bufnr)
  local embedded = vim.lsp.get_clients({ name = require('ptx_analyzer').embedded, bufnr = bufnr })[1]
  return embedded or request.client(bufnr)
end

--- Shows results next to the file, in the window of earlier results if that is open.
---@param text string
local function show(text)
  local name = 'ptx-trial://results'
  local old = vim.fn.bufnr('^' .. name .. '$')
  if old ~= -1 then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  local window = vim.api.nvim_get_current_win()
  beside.scratch(vim.split(text, '\n', { trimempty = true }), 'ptxtrial', name)
  vim.api.nvim_set_current_win(window)
end

--- Asks for the values, one operand at a time, and shows what the statements make of them.
---@param client vim.lsp.Client
---@param bufnr integer
---@param params table
local function try(client, bufnr, params)
  local function ask(values, run, on_answer)
    local all = vim.tbl_extend('force', params, { values = values, run = run })
    request.call(client, 'ptx/tryStatements', all, bufnr, function(err, trial)
      if err then
        request.notify(err.message, vim.log.levels.ERROR)
      elseif not trial then
        request.notify('put the cursor into an asm string or on a statement of PTX, or select some.')
      else
        on_answer(trial)
      end
    end)
  end
  local function run(values, statements)
    given[statements] = values
    ask(values, true, function(trial)
      if trial.shown then
        show(trial.shown)
      else
        request.notify('this PTX did not run: ' .. (trial.problem or 'the file has changed'))
      end
    end)
  end
  local function next_value(trial, values, default)
    local input = trial.inputs[#values + 1]
    if not input then
      run(values, trial.statements)
      return
    end
    local expression = input.expression and (' (%s)'):format(input.expression) or ''
    local last = given[trial.statements] or {}
    vim.ui.input({
      prompt = ('.%s %s%s = '):format(input.type, input.name, expression),
      default = default or last[#values + 1] or input.sample,
    }, function(value)
      if not value then
        return
      end
      local more = vim.list_extend({}, values)
      table.insert(more, value)
      ask(more, false, function(checked)
        local problem = (checked.inputs[#more] or {}).problem
        if problem then
          request.notify(problem)
          next_value(trial, values, value)
        else
          next_value(trial, more)
        end
      end)
    end)
  end
  ask({}, false, function(trial)
    if trial.problem then
      request.notify('this PTX cannot be tried: ' .. trial.problem)
    else
      next_value(trial, {})
    end
  end)
end

--- Tries the statement under the cursor, or lines of statements.
---@param lines [integer, integer]? First and last line, counted from one.
function M.try(lines)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.range = { start = params.position, ['end'] = params.position }
  params.position = nil
  if lines then
    params.range = {
      start = { line = lines[1] - 1, character = 0 },
      ['end'] = { line = lines[2], character = 0 },
    }
  end
  try(client, bufnr, params)
end

--- Tries the statements at a place: the command of a code action.
---@param command lsp.Command Its arguments are a URI and a range.
---@param context { client_id: integer }
function M.of_action(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local uri, range = unpack(command.arguments or {})
  if client and range then
    try(client, vim.uri_to_bufnr(uri), { textDocument = { uri = uri }, range = range })
  end
end

return M

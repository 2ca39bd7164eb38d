--- Asks the server what LSP has no words for, and tells the user when there is no answer.
local M = {}

local has_methods = vim.fn.has('nvim-0.11') == 1

---@param message string
---@param level integer?
function M.notify(message, level)
  vim.notify('ptx-analyzer: ' .. message, level or vim.log.levels.WARN)
end

--- The server of a buffer; tells where to look when there is none.
---@param bufnr integer
---@return vim.lsp.Client?
function M.client(bufnr)
  local client = require('ptx_analyzer').clients(bufnr)[1]
  if not client then
    M.notify('no server is attached to this buffer; :checkhealth ptx_analyzer tells why.')
  end
  return client
end

--- The value with nil in the place of null, also inside: Neovim 0.12 leaves `vim.NIL`, which counts as true.
---@param value any
---@return any
local function without_null(value)
  if value == vim.NIL then
    return nil
  elseif type(value) == 'table' then
    for key, inner in pairs(value) do
      value[key] = without_null(inner)
    end
  end
  return value
end

--- Sends a request to a client; the handler is given nil in the place of null.
---@param client vim.lsp.Client
---@param method string
---@param params table?
---@param bufnr integer
---@param handler fun(err: lsp.ResponseError?, result: any)? Nil: Neovim's own.
function M.call(client, method, params, bufnr, handler)
  local handle = handler
    and function(err, result)
      handler(err, without_null(result))
    end
  if has_methods then
    client:request(method, params, handle, bufnr)
  else
    client.request(method, params, handle, bufnr)
  end
end

--- How long |M.wait()| waits.
local PATIENCE_MS = 2000

--- Sends a request to a client and waits for the result; nil when there is none in time.
---@param client vim.lsp.Client
---@param method string
---@param params table?
---@param bufnr integer
---@return any
function M.wait(client, method, params, bufnr)
  local answer
  if has_methods then
    answer = client:request_sync(method, params, PATIENCE_MS, bufnr)
  else
    answer = client.request_sync(method, params, PATIENCE_MS, bufnr)
  end
  return answer and without_null(answer.result)
end

--- Sends a notification to a client.
---@param client vim.lsp.Client
---@param method string
---@param params table?
function M.tell(client, method, params)
  if has_methods then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Sends a request; `on_answer` is called with its result, which may be nil.
---@param bufnr integer
---@param method string
---@param params table
---@param on_answer fun(result: any, client: vim.lsp.Client)
function M.send(bufnr, method, params, on_answer)
  local client = M.client(bufnr)
  if not client then
    return
  end
  local function handle(err, result)
    if err then
      M.notify(err.message, vim.log.levels.ERROR)
    else
      on_answer(result, client)
    end
  end
  M.call(client, method, params, bufnr, handle)
end

--- Parameters about a buffer.
---@param bufnr integer
---@return table
function M.document(bufnr)
  return { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
end

--- Parameters about the cursor of the current window; nil without a server.
---@param bufnr integer
---@return table?
function M.position(bufnr)
  local client = M.client(bufnr)
  return client and vim.lsp.util.make_position_params(0, client.offset_encoding)
end

--- A range of the protocol as rows and byte columns, from zero.
---@param bufnr integer
---@param range lsp.Range
---@param client vim.lsp.Client
---@return integer, integer, integer, integer
function M.place(bufnr, range, client)
  local function column(position)
    local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
    if client.offset_encoding == 'utf-8' then
      return math.min(position.character, #line)
    end
    return vim.lsp.util._get_line_byte_from_position(bufnr, position, client.offset_encoding)
  end
  return range.start.line, column(range.start), range['end'].line, column(range['end'])
end

return M

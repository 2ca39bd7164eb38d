--- Small test harness: named tests, files in a fresh folder, and the waiting that an editor needs.
local M = { passed = 0, failed = 0, filter = vim.env.PTX_TEST_FILTER or '' }

--- Generous, because the machine may be busy; a passing test never waits this long.
M.WAIT_MS = 20000

--- Whether this Neovim has `vim.lsp.config`, clients with methods, positions in UTF-8 and folding by servers.
M.NEW = vim.fn.has('nvim-0.11') == 1

local folder = vim.fn.tempname()
local opened = 0

---@param name string
---@param body fun()
function M.test(name, body)
  if not name:find(M.filter, 1, true) then
    return
  end
  local ok, message = pcall(body)
  -- Between tests no buffer and no server is left over.
  local closed, left = pcall(M.close_all)
  if ok and not closed then
    ok, message = closed, left
  end
  if ok then
    M.passed = M.passed + 1
    io.stdout:write('ok   ', name, '\n')
  else
    M.failed = M.failed + 1
    io.stdout:write('FAIL ', name, '\n     ', (tostring(message):gsub('\n', '\n     ')), '\n')
  end
  io.stdout:flush()
end

---@param actual any
---@param expected any
function M.eq(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error(('expected %s\n     got %s'):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

---@param value any
---@param what string
function M.ok(value, what)
  if not value then
    error(what, 2)
  end
  return value
end

---@param text string
---@param needle string
function M.contains(text, needle)
  if not text:find(needle, 1, true) then
    error(('`%s` is not in:\n%s'):format(needle, text), 2)
  end
end

--- Waits until `condition` gives something, and gives that.
---@generic T
---@param what string
---@param condition fun(): T?
---@return T
function M.wait(what, condition)
  local result
  local reached = vim.wait(M.WAIT_MS, function()
    result = condition()
    return result
  end, 10)
  if not reached then
    error('waited in vain for ' .. what, 2)
  end
  return result
end

--- Removes the indentation that the fixtures have in the test files.
---@param text string
local function dedent(text)
  local lines = vim.split(text, '\n')
  local indent = lines[1]:match('^ *')
  return vim.tbl_map(function(line)
    return vim.startswith(line, indent) and line:sub(#indent + 1) or line
  end, lines)
end

---@param text string
---@return string[] lines without the indentation and without blank lines at the ends
function M.lines(text)
  return dedent((text:gsub('^\n', ''):gsub('\n *$', '')))
end

--- A fresh folder with files in it; it looks like a repository, so that it becomes the root.
---@param files table<string, string>
---@return string
function M.workspace(files)
  opened = opened + 1
  local root = vim.fs.joinpath(folder, tostring(opened))
  vim.fn.mkdir(vim.fs.joinpath(root, '.git'), 'p')
  for name, text in pairs(files) do
    local path = vim.fs.joinpath(root, name)
    vim.fn.mkdir(vim.fs.dirname(path), 'p')
    vim.fn.writefile(M.lines(text), path)
  end
  return root
end

---@param bufnr integer?
---@return vim.lsp.Client
function M.client(bufnr)
  return M.wait('a server', function()
    local client = vim.lsp.get_clients({ name = 'ptx_analyzer', bufnr = bufnr or 0 })[1]
    return client and client.initialized and client
  end)
end

--- Opens a file with this text and waits for the server.
---@param text string
---@return vim.lsp.Client
function M.open(text)
  local root = M.workspace({ ['main.ptx'] = text })
  vim.cmd.edit(vim.fs.joinpath(root, 'main.ptx'))
  return M.client()
end

--- Puts the cursor on the n-th occurrence of a text.
---@param needle string
---@param nth integer?
function M.go_to(needle, nth)
  local left = nth or 1
  for row, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from = 1
    while true do
      local first = line:find(needle, from, true)
      if not first then
        break
      end
      left = left - 1
      if left == 0 then
        vim.api.nvim_win_set_cursor(0, { row, first - 1 })
        return
      end
      from = first + 1
    end
  end
  error('not in the buffer: ' .. needle, 2)
end

--- The line of the cursor and the text from the cursor to the end of that line.
---@return integer, string
function M.cursor()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return row, vim.api.nvim_get_current_line():sub(column + 1)
end

--- The whole answer of a server about the current buffer, whose number is said, for with 0 Neovim 0.11 does not
--- send what has been typed before the question.
---@param client vim.lsp.Client
---@param method string
---@param params table?
---@return { err: lsp.ResponseError?, result: any }
function M.respond(client, method, params)
  local bufnr = vim.api.nvim_get_current_buf()
  if M.NEW then
    return assert(client:request_sync(method, params, M.WAIT_MS, bufnr))
  end
  return assert(client.request_sync(method, params, M.WAIT_MS, bufnr))
end

--- The result of a question about the current buffer; without parameters, about the cursor.
---@param method string
---@param params table?
function M.request(method, params)
  local client = M.client()
  params = params or vim.lsp.util.make_position_params(0, client.offset_encoding)
  local response = M.respond(client, method, params)
  assert(not response.err, vim.inspect(response.err))
  return response.result
end

--- Changes the configuration of the plugin as a user of this Neovim would.
---@param opts table<string, any>
function M.configure(opts)
  if M.NEW then
    vim.lsp.config('ptx_analyzer', opts)
  else
    require('ptx_analyzer').setup(opts)
  end
end

--- The problems of the current buffer, in order, as `line:column-column severity code: message`, from one.
---@return string[]
function M.problems()
  local severities = { 'error', 'warning', 'information', 'hint' }
  local found = vim.diagnostic.get(0)
  table.sort(found, function(a, b)
    return a.lnum < b.lnum or a.lnum == b.lnum and a.col < b.col
  end)
  return vim.tbl_map(function(d)
    return ('%d:%d-%d %s %s'):format(d.lnum + 1, d.col + 1, d.end_col + 1, severities[d.severity], d.code)
  end, found)
end

function M.close_all()
  -- The buffers go last: a client that is starting or ending looks at its buffers, and Neovim's own runtime raises
  -- `Invalid buffer id` for those that are gone by then.
  local function clients()
    return vim.lsp.get_clients({ _uninitialized = true })
  end
  vim.wait(5000, function()
    return vim.iter(clients()):all(function(client)
      return client.initialized
    end)
  end, 10)
  for _, client in ipairs(clients()) do
    client:stop(true)
  end
  local ended = vim.wait(5000, function()
    return #clients() == 0
  end, 10)
  assert(ended, 'a server does not end')
  vim.cmd('silent! only!')
  vim.cmd('silent! %bwipeout!')
  vim.fn.setqflist({}, 'r')
end

return M

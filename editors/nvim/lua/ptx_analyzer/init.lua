--- Neovim side of ptx-analyzer: starts the server and offers what LSP has no standard request for.
local M = {}

--- Name of the configuration and of its clients.
M.name = 'ptx_analyzer'

--- Name of the configuration for PTX inside other languages; Neovim 0.11 and newer.
M.embedded = 'ptx_analyzer_embedded'

--- What the plugin adds to the configuration: what it can do besides Neovim itself.
---@return table<string, any>
function M.additions()
  local refresh = require('ptx_analyzer.refresh')
  -- The commands of code lenses, which `plugin/ptx_analyzer.lua` defines. Clients that do not name them, such
  -- as a configuration without this plugin, get lenses with commands of the server, which show a message.
  local commands = {
    commands = {
      'ptx-analyzer.showReferences',
      'ptx-analyzer.showRegisters',
      'ptx-analyzer.showKernel',
      'ptx-analyzer.run',
      'ptx-analyzer.addRun',
      'ptx-analyzer.renameFamily',
      'ptx-analyzer.tryStatements',
    },
  }
  return {
    capabilities = vim.tbl_deep_extend('error', { experimental = { commands = commands } }, refresh.capabilities),
    handlers = refresh.handlers,
  }
end

--- What the plugin adds to the configuration for PTX in other languages.
---@return table<string, any>
function M.additions_embedded()
  return { capabilities = { experimental = { commands = { commands = { 'ptx-analyzer.tryStatements' } } } } }
end

--- Settings given to |ptx_analyzer.setup()|; only read where |vim.lsp.config()| does not exist.
local overrides = {} ---@type table<string, any>

local has_lsp_config = vim.fn.has('nvim-0.11') == 1

--- The configuration in use: the one of `lsp/ptx_analyzer.lua` with the changes of the user.
---@return table<string, any>
function M.config()
  if has_lsp_config then
    return vim.lsp.config[M.name]
  end
  local file = vim.api.nvim_get_runtime_file('lsp/ptx_analyzer.lua', false)[1]
  local standard = { name = M.name, capabilities = vim.lsp.protocol.make_client_capabilities() }
  return vim.tbl_deep_extend('force', standard, M.additions(), dofile(file), overrides)
end

--- Running clients of the server.
---@param bufnr integer? Only those attached to this buffer.
---@return vim.lsp.Client[]
function M.clients(bufnr)
  return vim.lsp.get_clients({ name = M.name, bufnr = bufnr })
end

--- The program that the configuration starts; nil when `cmd` is a function.
---@return string?
function M.program()
  local cmd = M.config().cmd
  return type(cmd) == 'table' and cmd[1] or nil
end

--- Changes the configuration and enables the server.
--- Calling it is never necessary; it exists for plugin managers, for Neovim 0.10, and for `display`.
---@param opts table<string, any>? Fields of |vim.lsp.Config|; `display` says what is shown beside the text.
function M.setup(opts)
  opts = vim.tbl_extend('force', {}, opts or {})
  local display = opts.display
  opts.display = nil
  if display then
    require('ptx_analyzer.display').enable(display)
  end
  if has_lsp_config then
    vim.lsp.config(M.name, opts)
  else
    overrides = vim.tbl_deep_extend('force', overrides, opts)
  end
  M.enable()
end

--- Attaches the server to one buffer, for Neovim 0.10.
---@param bufnr integer
local function start(bufnr)
  local config = M.config()
  if vim.bo[bufnr].buftype ~= '' or vim.fn.executable(config.cmd[1]) == 0 then
    return
  end
  config.root_dir = config.root_dir or vim.fs.root(bufnr, config.root_markers)
  vim.lsp.start(config, { bufnr = bufnr })
end

--- Loaded buffers that the server is for.
---@return integer[]
local function buffers()
  return vim.tbl_filter(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype == 'ptx'
  end, vim.api.nvim_list_bufs())
end

--- Attaches the server to every PTX buffer, now and later. Calling it again does no harm.
function M.enable()
  if has_lsp_config then
    vim.lsp.enable(M.name)
    if vim.g.ptx_analyzer_embedded ~= false then
      vim.lsp.enable(M.embedded)
    end
    return
  end
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('ptx_analyzer_start', {}),
    pattern = 'ptx',
    callback = function(args)
      start(args.buf)
    end,
  })
  vim.tbl_map(start, buffers())
end

--- Tells the user, once, when the program cannot be found.
function M.warn_if_missing()
  local program = M.program()
  if program and vim.fn.executable(program) == 0 then
    vim.notify_once(
      ('ptx-analyzer: there is no program `%s`. Install it, or name it in the configuration; :help ptx-analyzer-install tells how.'):format(
        program
      ),
      vim.log.levels.WARN
    )
  end
end

---@param client vim.lsp.Client
---@param force boolean
local function stop(client, force)
  if has_lsp_config then
    client:stop(force)
  else
    vim.lsp.stop_client(client.id, force)
  end
end

--- How often and how many times a restart looks whether the old server has ended.
local POLL_MS, POLLS_UNTIL_FORCE, POLLS_UNTIL_ERROR = 50, 40, 100

--- Stops the server and starts it again for every PTX buffer; also starts one that has died.
function M.restart()
  for _, client in ipairs(M.clients()) do
    stop(client, false)
  end
  local polls = 0
  local function start_when_stopped()
    local running = M.clients()
    if #running == 0 then
      M.enable()
      return
    end
    polls = polls + 1
    if polls == POLLS_UNTIL_FORCE then
      for _, client in ipairs(running) do
        stop(client, true)
      end
    elseif polls == POLLS_UNTIL_ERROR then
      vim.notify('ptx-analyzer: the server does not stop.', vim.log.levels.ERROR)
      return
    end
    vim.defer_fn(start_when_stopped, POLL_MS)
  end
  start_when_stopped()
end

--- Shows text in a window beside the current one, reusing the window of an earlier call.
--- The cursor stays where it is, since the text arrives while the user may be typing.
---@param name string
---@param text string
local function show_scratch(name, text)
  local bufnr = vim.fn.bufnr(name)
  local window = bufnr >= 0 and vim.fn.bufwinid(bufnr) or -1
  if window < 0 then
    bufnr = bufnr >= 0 and bufnr or vim.api.nvim_create_buf(false, true)
    window = vim.api.nvim_open_win(bufnr, false, { split = 'right' })
    vim.api.nvim_buf_set_name(bufnr, name)
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.wo[window][0].wrap = false
    vim.wo[window][0].foldmethod = 'indent'
    vim.wo[window][0].foldlevel = 99
    vim.bo[bufnr].shiftwidth = 2
    vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = bufnr, desc = 'Close' })
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(text, '\n', { trimempty = true }))
  vim.bo[bufnr].modifiable = false
end

--- Shows the syntax tree of the current buffer in a split.
---@param lines [integer, integer]? First and last line, counted from one; nil for the whole file.
function M.syntax_tree(lines)
  local request = require('ptx_analyzer.request')
  local bufnr = vim.api.nvim_get_current_buf()
  local client = request.client(bufnr)
  if not client then
    return
  end
  local params = request.document(bufnr)
  if lines then
    local last = vim.api.nvim_buf_get_lines(bufnr, lines[2] - 1, lines[2], true)[1]
    params.range = vim.lsp.util.make_given_range_params(
      { lines[1], 0 },
      { lines[2], math.max(#last - 1, 0) },
      bufnr,
      client.offset_encoding
    ).range
  end
  local name = 'ptx-syntax-tree://' .. vim.api.nvim_buf_get_name(bufnr)
  request.send(bufnr, 'ptx/viewSyntaxTree', params, function(tree)
    if tree then
      show_scratch(name, tree)
    else
      request.notify('the server does not know this file.')
    end
  end)
end

--- Puts the uses of a name into the quickfix list: the command of a code lens.
---@param command lsp.Command Its arguments are a URI, a position and a list of locations.
---@param context { client_id: integer }
function M.show_references(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local locations = command.arguments and command.arguments[3] or {}
  if not client or #locations == 0 then
    return
  end
  local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  vim.cmd.copen()
end

--- Asks for a new name of all registers of a numbered declaration: the command of a code action.
---@param command lsp.Command Its arguments are a URI and the position of the declaration.
---@param context { client_id: integer }
function M.rename_family(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local uri, at = unpack(command.arguments or {})
  if not client or not at then
    return
  end
  local place = { uri = uri, range = { start = at, ['end'] = at } }
  if vim.lsp.util.show_document(place, client.offset_encoding, { focus = true }) then
    vim.lsp.buf.rename()
  end
end

return M

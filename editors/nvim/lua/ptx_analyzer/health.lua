--- `:checkhealth ptx_analyzer`.
local M = {}

local INSTALL_ADVICE = {
  'Install it: `cargo install --locked --path server` in a clone of the project.',
  "Or name it: `vim.lsp.config('ptx_analyzer', { cmd = { '/path/to/ptx-analyzer', 'lsp', '--stdio' } })`.",
}

local function check_editor()
  vim.health.start('ptx-analyzer: Neovim')
  local v = vim.version()
  local version = ('%d.%d.%d'):format(v.major, v.minor, v.patch)
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. version)
  elseif vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. version .. ' (without `vim.lsp.enable`; the plugin starts the server itself)')
  else
    vim.health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.10 or newer.')
  end
  local filetype = vim.filetype.match({ filename = 'module.ptx' })
  if filetype == 'ptx' then
    vim.health.ok('`*.ptx` has the filetype `ptx`')
  else
    vim.health.warn(
      ('`*.ptx` has the filetype `%s`, so the server is not started for it'):format(filetype or 'none'),
      "Call `vim.filetype.add({ extension = { ptx = 'ptx' } })`."
    )
  end
end

local function check_program()
  vim.health.start('ptx-analyzer: server program')
  local program = require('ptx_analyzer').program()
  if not program then
    vim.health.info('`cmd` is a function; the program is not checked')
    return
  end
  local path = vim.fn.exepath(program)
  if path == '' then
    vim.health.error(('There is no program `%s`'):format(program), INSTALL_ADVICE)
    return
  end
  vim.health.ok('Found `' .. path .. '`')
  local started, process = pcall(vim.system, { path, '--version' }, { text = true, timeout = 5000 })
  local result = started and process:wait() or { code = -1, stderr = process }
  if result.code == 0 then
    vim.health.ok('Version: ' .. vim.trim(result.stdout))
  else
    vim.health.error(
      ('`%s --version` failed: %s'):format(path, vim.trim(result.stderr or '')),
      'Is the program built for this machine?'
    )
  end
end

--- Which `ptxas` the server runs, or why none.
---@param client vim.lsp.Client
local function check_ptxas(client)
  local bufnr = next(client.attached_buffers)
  local status = bufnr and require('ptx_analyzer.request').wait(client, 'ptx/serverStatus', nil, bufnr)
  local ptxas = status and status.ptxas
  if not ptxas then
    return
  end
  if ptxas.state == 'ready' then
    vim.health.ok('ptxas: `' .. ptxas.path .. '`')
  else
    vim.health.info(('ptxas is not run: %s (:help ptx-analyzer-ptxas)'):format(ptxas.reason))
  end
end

local function check_clients()
  vim.health.start('ptx-analyzer: running servers')
  local clients = require('ptx_analyzer').clients()
  if #clients == 0 then
    vim.health.info('No server is running; one starts when a PTX file is opened')
  end
  for _, client in ipairs(clients) do
    local info = client.server_info or {}
    vim.health.ok(('%s %s is attached'):format(info.name or client.name, info.version or ''))
    vim.health.info('Buffers: ' .. vim.tbl_count(client.attached_buffers))
    vim.health.info('Root: ' .. (client.root_dir or client.config.root_dir or 'none (single files)'))
    vim.health.info('Position encoding: ' .. client.offset_encoding)
    check_ptxas(client)
  end
  vim.health.info('Log: `' .. vim.lsp.log.get_filename() .. '`')
end

function M.check()
  check_editor()
  check_program()
  check_clients()
end

return M

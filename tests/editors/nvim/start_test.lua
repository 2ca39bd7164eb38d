--- Ways to start: as an installed package, lazily, without `vim.lsp.enable`. Each in a Neovim of its own.
local h = require('harness')

local plugin = vim.fs.dirname(vim.fs.dirname(vim.api.nvim_get_runtime_file('lsp/ptx_analyzer.lua', false)[1]))

--- Runs Lua in a fresh Neovim that has a PTX file open; `init` is its init.lua. Gives what the Lua prints.
---@param init string
---@param script string
local function in_fresh_neovim(init, script)
  -- After the start of the editor, as a person would.
  script = ('vim.schedule(function()\n%s\nvim.cmd("qall!")\nend)'):format(script)
  local root = h.workspace({
    ['main.ptx'] = [[
      .version 8.0
      .target sm_80
      .address_size 64
      .entry k() { .reg .b32 %r<3>; mov.u32 %r1, 1; ret; }
    ]],
    ['init.lua'] = init,
    ['script.lua'] = script,
  })
  local result = vim
    .system({
      vim.v.progpath,
      '--headless',
      '--clean',
      '-u',
      vim.fs.joinpath(root, 'init.lua'),
      vim.fs.joinpath(root, 'main.ptx'),
      '-c',
      'luafile ' .. vim.fs.joinpath(root, 'script.lua'),
    }, { text = true, timeout = 30000 })
    :wait()
  return vim.trim(result.stdout .. result.stderr)
end

local PRINT_HOVER = [[
  local function client() return vim.lsp.get_clients({ name = 'ptx_analyzer', bufnr = 0 })[1] end
  vim.wait(20000, function() return client() and client().initialized end, 20)
  assert(client(), 'no server')
  vim.api.nvim_win_set_cursor(0, { 4, vim.api.nvim_buf_get_lines(0, 3, 4, true)[1]:find('%%r1') - 1 })
  local params = vim.lsp.util.make_position_params(0, client().offset_encoding)
  local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 20000)
  io.stdout:write(vim.inspect(answers[client().id].result.contents), '\n')
]]

h.test('as a package, with no configuration at all', function()
  local packages = vim.fn.tempname()
  vim.fn.mkdir(vim.fs.joinpath(packages, 'pack/any/start'), 'p')
  assert(vim.uv.fs_symlink(plugin, vim.fs.joinpath(packages, 'pack/any/start/ptx-analyzer'), { dir = true }))
  h.contains(in_fresh_neovim(('vim.opt.packpath:prepend(%q)'):format(packages), PRINT_HOVER), '%r<3>')
end)

h.test('on the runtime path, with vim.lsp.enable where it exists', function()
  local init = ('vim.opt.runtimepath:prepend(%q)\nif vim.lsp.enable then vim.lsp.enable("ptx_analyzer") end'):format(plugin)
  h.contains(in_fresh_neovim(init, PRINT_HOVER), '%r<3>')
end)

h.test('loaded late, when a PTX file is already open', function()
  local load = ('vim.opt.runtimepath:prepend(%q)\nvim.cmd("runtime! ftdetect/ptx.lua plugin/ptx_analyzer.lua")\n'):format(plugin)
  if not h.NEW then
    -- The file was opened before *.ptx had a file type.
    load = load .. 'vim.cmd.edit()\n'
  end
  h.contains(in_fresh_neovim('', load .. PRINT_HOVER), '%r<3>')
end)

h.test('switched off, it does not start', function()
  local init = ('vim.g.ptx_analyzer_enable = false\nvim.opt.runtimepath:prepend(%q)'):format(plugin)
  local script = [[
    vim.wait(500)
    print(vim.bo.filetype, #vim.lsp.get_clients(), vim.fn.exists(':PtxRestart'))
  ]]
  h.eq(in_fresh_neovim(init, script), 'ptx 0 2')
end)

h.test('setup() changes the configuration', function()
  local init = ([[
    vim.g.ptx_analyzer_enable = false
    vim.opt.runtimepath:prepend(%q)
    require('ptx_analyzer').setup({ root_markers = { 'init.lua' } })
  ]]):format(plugin)
  h.contains(
    in_fresh_neovim(init, PRINT_HOVER .. '\nprint(vim.inspect(require("ptx_analyzer").config().root_markers))'),
    'init.lua'
  )
end)

h.test('a Neovim without vim.lsp.enable and vim.lsp.config', function()
  local init = ([[
    local has = vim.fn.has
    vim.fn.has = function(what) return what == 'nvim-0.11' and 0 or has(what) end
    vim.lsp.enable, vim.lsp.config = nil, nil
    vim.opt.runtimepath:prepend(%q)
  ]]):format(plugin)
  local restart = [[
    local old = client().id
    vim.cmd('PtxRestart')
    vim.wait(20000, function() return client() and client().id ~= old and client().initialized end, 20)
    print('restarted ' .. tostring(client().id ~= old))
    vim.cmd('PtxSyntaxTree')
    vim.wait(20000, function() return #vim.api.nvim_list_wins() == 2 end, 20)
    print('windows ' .. #vim.api.nvim_list_wins())
  ]]
  local output = in_fresh_neovim(init, PRINT_HOVER .. restart)
  h.contains(output, '%r<3>')
  h.contains(output, 'restarted true')
  h.contains(output, 'windows 2')
end)

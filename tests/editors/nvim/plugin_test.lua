--- The plugin itself: commands, health, restarts, filetype and the colours before the server answers.
local h = require('harness')

local SMALL = [[
    .version 8.0
    .target sm_80
    .address_size 64
    .entry k()
    {
        .reg .b32 %r<3>;
        mov.u32 %r1, 1;
        ret;
    }
]]

--- Text of the current buffer.
local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

--- Messages that the plugin shows while `body` runs.
local function notifications(body)
  local messages, original = {}, vim.notify
  vim.notify = function(message)
    table.insert(messages, message)
  end
  local ok, err = pcall(body)
  vim.notify = original
  assert(ok, err)
  return messages
end

h.test(':PtxSyntaxTree shows the tree of the whole file in a split', function()
  h.open(SMALL)
  vim.cmd('PtxSyntaxTree')
  h.wait('the split', function()
    return #vim.api.nvim_list_wins() == 2
  end)
  h.eq(vim.bo.filetype, 'ptx')
  vim.cmd.wincmd('l')
  h.ok(vim.startswith(vim.api.nvim_buf_get_name(0), 'ptx-syntax-tree://'), vim.api.nvim_buf_get_name(0))
  h.eq(vim.bo.modifiable, false)
  h.contains(text(), '.version')
  h.contains(text(), '%r1')
  local whole = vim.api.nvim_buf_line_count(0)

  -- A range shows less, in the same window.
  vim.cmd.wincmd('h')
  vim.cmd('7PtxSyntaxTree')
  vim.cmd.wincmd('l')
  h.wait('the shorter tree', function()
    return vim.api.nvim_buf_line_count(0) < whole
  end)
  h.eq(#vim.api.nvim_list_wins(), 2)
  h.contains(text(), '%r1')
  h.ok(not text():find('.address_size', 1, true), text())
end)

h.test(':PtxSyntaxTree without a server says where to look', function()
  vim.cmd.enew()
  h.contains(
    notifications(function()
      vim.cmd('PtxSyntaxTree')
    end)[1],
    ':checkhealth ptx_analyzer'
  )
end)

h.test(':PtxRestart replaces the server, and the file is known to the new one', function()
  local old = h.open(SMALL).id
  vim.cmd('PtxRestart')
  local new = h.wait('another server', function()
    local client = vim.lsp.get_clients({ name = 'ptx_analyzer', bufnr = 0 })[1]
    return client and client.initialized and client.id ~= old and client
  end)
  h.eq(#vim.lsp.get_clients({ name = 'ptx_analyzer' }), 1)
  h.ok(new.attached_buffers[vim.api.nvim_get_current_buf()], 'not attached')
  h.go_to('%r1')
  h.contains(vim.inspect(h.request('textDocument/hover')), '%r<3>')
end)

h.test(':PtxRestart brings back a server that was killed', function()
  local client = h.open(SMALL)
  local children = vim.api.nvim_get_proc_children(vim.uv.os_getpid())
  local killed = 0
  for _, pid in ipairs(children) do
    local process = vim.api.nvim_get_proc(pid)
    if process and process.name:find('ptx%-analyzer') then
      vim.uv.kill(pid, 'sigkill')
      killed = killed + 1
    end
  end
  h.eq(killed, 1)
  h.wait('the end of the client', function()
    return client:is_stopped() and #vim.lsp.get_clients({ name = 'ptx_analyzer' }) == 0
  end)
  vim.cmd('PtxRestart')
  h.client()
  h.go_to('%r1')
  h.contains(vim.inspect(h.request('textDocument/hover')), '%r<3>')
end)

h.test('one server serves all files of a folder, and another one another folder', function()
  local client = h.open(SMALL)
  vim.cmd.edit(vim.fs.joinpath(client.root_dir, 'new.ptx'))
  h.eq(h.client().id, client.id)
  h.ok(h.open(SMALL).id ~= client.id, 'the same server')
end)

h.test('the server ends with Neovim’s request to stop', function()
  local client = h.open(SMALL)
  client:stop()
  h.wait('the end', function()
    return client:is_stopped() and #vim.lsp.get_clients({ name = client.name }) == 0
  end)
end)

h.test(':checkhealth ptx_analyzer tells program, version, server and encoding', function()
  h.open(SMALL)
  vim.cmd('checkhealth ptx_analyzer')
  local report = text()
  h.contains(report, 'OK Neovim ')
  h.contains(report, 'has the filetype `ptx`')
  h.contains(report, vim.fn.exepath('ptx-analyzer'))
  h.contains(report, 'Version: ptx-analyzer ')
  h.contains(report, 'is attached')
  h.contains(report, 'Position encoding: ' .. (h.NEW and 'utf-8' or 'utf-16'))
  h.ok(not report:find('ERROR') and not report:find('WARNING'), report)
end)

h.test(':checkhealth and the first PTX file say how to install a missing program', function()
  local cmd = require('ptx_analyzer').config().cmd
  h.configure({ cmd = { 'no-such-program' } })
  local messages = notifications(function()
    vim.cmd.edit(vim.fs.joinpath(h.workspace({ ['main.ptx'] = SMALL }), 'main.ptx'))
  end)
  vim.cmd('checkhealth ptx_analyzer')
  local report = text()
  h.configure({ cmd = cmd })
  h.eq(#messages, 1)
  h.contains(messages[1], '`no-such-program`')
  h.contains(messages[1], ':help ptx-analyzer-install')
  h.contains(report, 'ERROR There is no program `no-such-program`')
  h.contains(report, 'cargo install')
end)

h.test('the configuration of the user wins', function()
  h.configure({ settings = { ['ptx-analyzer'] = { target = 'sm_90' } }, root_markers = { 'here' } })
  h.eq(require('ptx_analyzer').config().root_markers, { 'here' })
  h.eq(require('ptx_analyzer').program(), 'ptx-analyzer')
  h.configure({ settings = { ['ptx-analyzer'] = { target = '' } }, root_markers = { '.git' } })
end)

h.test('a filetype that the user gave to *.ptx stays', function()
  vim.filetype.add({ extension = { ptx = 'protools' } })
  dofile(vim.api.nvim_get_runtime_file('ftdetect/ptx.lua', true)[1])
  h.eq(vim.filetype.match({ filename = 'a.ptx' }), 'protools')
  vim.filetype.add({ extension = { ptx = 'ptx' } })
end)

h.test('the ftplugin: comments and words', function()
  h.open(SMALL)
  h.eq(vim.bo.commentstring, '// %s')
  h.go_to('%r1')
  h.eq(vim.fn.expand('<cword>'), '%r1')
  h.go_to('mov')
  vim.cmd.normal({ 'gcc' })
  h.eq(vim.api.nvim_get_current_line(), '    // mov.u32 %r1, 1;')
  vim.bo.filetype = 'text'
  h.ok(not vim.bo.iskeyword:find('%%'), vim.bo.iskeyword)
end)

h.test('colours without a server', function()
  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, {
    '.version 8.0 // text mov.u32',
    '.visible .entry kernel(.param .u64 out)',
    '{',
    '    .reg .pred %p<2>;',
    '$loop: mov.u32 %r1, %tid.x;',
    '    @!%p1 bra $loop;',
    '    ld.global.v4.f32 {%f1, _, _, %f4}, [%rd1+0x10];',
    '    mov.f32 %f1, 0f3F800000; /* two',
    '    lines */ ret;',
    '# 12 "file.cu"',
    '    .shared .align 4 .b8 buffer[16];',
  })
  vim.bo.filetype = 'ptx'
  local function group(row, needle)
    local column = assert(vim.api.nvim_buf_get_lines(0, row - 1, row, true)[1]:find(needle, 1, true), needle)
    return vim.fn.synIDattr(vim.fn.synID(row, column, 1), 'name')
  end
  h.eq(group(1, '.version'), 'ptxDirective')
  h.eq(group(1, '8.0'), 'ptxFloat')
  h.eq(group(1, 'mov'), 'ptxComment')
  h.eq(group(2, '.visible'), 'ptxLinkage')
  h.eq(group(2, '.entry'), 'ptxFunction')
  h.eq(group(2, 'kernel'), '')
  h.eq(group(2, '.param'), 'ptxStorage')
  h.eq(group(2, '.u64'), 'ptxType')
  h.eq(group(4, '.reg'), 'ptxStorage')
  h.eq(group(4, '.pred'), 'ptxType')
  h.eq(group(4, '%p'), 'ptxRegister')
  h.eq(group(5, '$loop'), 'ptxLabel')
  h.eq(group(5, 'mov'), 'ptxOpcode')
  h.eq(group(5, '.u32'), 'ptxType')
  h.eq(group(5, '%r1'), 'ptxRegister')
  h.eq(group(5, '%tid'), 'ptxSpecialRegister')
  h.eq(group(6, 'bra'), 'ptxOpcode')
  h.eq(group(6, '@!'), 'ptxGuard')
  h.eq(group(7, '.global'), 'ptxStorage')
  h.eq(group(7, '.v4'), 'ptxType')
  h.eq(group(7, '0x10'), 'ptxNumber')
  h.eq(group(8, '0f3F'), 'ptxFloat')
  h.eq(group(9, 'lines'), 'ptxComment')
  h.eq(group(10, '# 12'), 'ptxPreProc')
  h.eq(group(11, '.shared'), 'ptxStorage')
  h.eq(group(11, 'buffer'), '')
end)

h.test('the help is found by its tags', function()
  local plugin = vim.fs.dirname(vim.fs.dirname(vim.api.nvim_get_runtime_file('lsp/ptx_analyzer.lua', false)[1]))
  vim.cmd('silent helptags ' .. vim.fn.fnameescape(vim.fs.joinpath(plugin, 'doc')))
  for _, tag in ipairs({ 'ptx-analyzer', 'ptx-analyzer-install', ':PtxSyntaxTree', ':PtxRestart' }) do
    vim.cmd.help(tag)
    h.eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'ptx-analyzer.txt')
    vim.cmd.helpclose()
  end
end)

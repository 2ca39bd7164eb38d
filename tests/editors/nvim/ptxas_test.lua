--- NVIDIA's assembler, the real one, whose path is in $PTXAS; `tests/editors/run-nvim.sh` fetches it.
local h = require('harness')

if not vim.env.PTXAS then
  io.stdout:write('skipped: the tests with ptxas, which is not there for this system\n')
  return
end

local KERNEL = [[
    .version 8.5
    .target sm_80
    .address_size 64
    .visible .entry scale(.param .u64 data, .param .f32 factor)
    .maxntid 128, 1, 1
    {
        .reg .b32 %r<5>;
        .reg .f32 %f<4>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [data];
        ld.param.f32 %f1, [factor];
        cvta.to.global.u64 %rd2, %rd1;
        mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4;
        add.s64 %rd2, %rd2, %rd3;
        ld.global.f32 %f2, [%rd2];
        mul.f32 %f3, %f2, %f1;
        st.global.f32 [%rd2], %f3;
        ret;
    }
]]

--- What only ptxas finds: a call of a function that it does not have for this target.
local UNSUPPORTED = KERNEL:gsub('sm_80', 'sm_90')
  :gsub('%.visible', '.extern .func (.param .b32 status) cudaDeviceSynchronize;\n    .visible', 1)
  :gsub('ret;', '.param .b32 status;\n        call (status), cudaDeviceSynchronize;\n        ret;')

local path = vim.env.PATH

--- A test with ptxas on the PATH of the server, or without.
local function test(name, with_ptxas, body)
  h.test(name, function()
    vim.env.PATH = with_ptxas and vim.fs.dirname(vim.env.PTXAS) .. ':' .. path or path
    local ok, message = pcall(body)
    vim.env.PATH = path
    assert(ok, message)
  end)
end

--- The texts of messages that are shown while `body` runs, until there is one that fits.
local function message(body, wanted)
  local shown, original = {}, vim.notify
  vim.notify = function(text)
    table.insert(shown, text)
  end
  local ok, result = pcall(function()
    body()
    return h.wait('a message with ' .. wanted, function()
      return vim.iter(shown):find(function(text)
        return text:find(wanted, 1, true)
      end)
    end)
  end)
  vim.notify = original
  assert(ok, tostring(result) .. '\nshown: ' .. vim.inspect(shown))
  return result
end

local function of_ptxas()
  return vim.tbl_filter(function(it)
    return it.source == 'ptxas'
  end, vim.diagnostic.get(0))
end

--- Changes settings of the running server only, and waits until it has read them.
local function set(client, ptxas)
  client.settings = { ['ptx-analyzer'] = { ptxas = ptxas } }
  require('ptx_analyzer.request').tell(client, 'workspace/didChangeConfiguration', { settings = client.settings })
  h.wait('the settings', function()
    local status = h.respond(client, 'ptx/serverStatus').result.ptxas
    -- Neovim 0.12 has a value of its own for the null of JSON.
    local text = type(status.path) == 'string' and status.path or status.reason
    return type(text) == 'string' and text:find(ptxas.path, 1, true)
  end)
end

test('without trust :PtxRunPtxas runs nothing and says what to do', true, function()
  h.open(KERNEL)
  local said = message(function()
    vim.cmd('PtxRunPtxas')
  end, 'ptxas was not run')
  h.contains(said, 'trusted')
  h.contains(said, ':PtxTrust')
end)

test(':checkhealth tells which ptxas is run', true, function()
  h.open(KERNEL)
  local function health()
    vim.cmd('silent checkhealth ptx_analyzer')
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    vim.cmd('bwipeout!')
    return text
  end
  h.contains(health(), 'ptxas is not run: the editor does not say')
  vim.cmd('PtxTrust')
  h.contains(health(), 'ptxas: `' .. vim.env.PTXAS)
end)

test(':PtxTrust lets it run; the exact figures take the place of estimates', true, function()
  h.open(KERNEL)
  vim.cmd('PtxTrust')
  local said = message(function()
    vim.cmd('PtxRunPtxas')
  end, 'ptxas 13.5.37 for sm_80')
  local registers = h.ok(said:match('scale (%d+) registers'), said)
  vim.cmd('PtxRegisters')
  local listed = h.wait('the list', function()
    return vim.fn.getqflist()[1]
  end)
  h.contains(listed.text, ('scale: %s registers (ptxas)'):format(registers))
  vim.cmd.cclose()
  local lens = h.request('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params(0) })[1]
  h.contains(h.request('codeLens/resolve', lens).command.title, ('✓ %s regs'):format(registers))
end)

test('init_options say so for good: then a saved file is judged by ptxas', true, function()
  h.configure({ init_options = { trusted = true } })
  h.open(UNSUPPORTED)
  vim.cmd.write({ mods = { silent = true } })
  local problem = h.wait('what ptxas says', function()
    return of_ptxas()[1]
  end)
  h.configure({ init_options = { trusted = vim.NIL } })
  h.contains(problem.message, 'Unsupported Function')
  h.contains(vim.api.nvim_buf_get_lines(0, problem.lnum, problem.lnum + 1, true)[1], 'call (status)')
  -- The edit that mends it takes the message away, and saving asks again.
  vim.cmd('silent global/call (status)/delete')
  h.wait('no message', function()
    return #of_ptxas() == 0
  end)
end)

test('a ptxas that is not there is named', false, function()
  local client = h.open(KERNEL)
  vim.cmd('PtxTrust')
  h.contains(
    message(function()
      vim.cmd('PtxRunPtxas')
    end, 'ptxas was not run'),
    'there is no ptxas on the PATH'
  )
  for _, command in ipairs({ 'PtxRunPtxas', 'PtxSass' }) do
    h.contains(
      message(function()
        vim.cmd(command)
      end, 'ptxas was not run'),
      'pip install nvidia-cuda-nvcc'
    )
  end
  set(client, { path = '/no/such/ptxas' })
  h.contains(
    message(function()
      vim.cmd('PtxRunPtxas')
    end, '/no/such/ptxas'),
    'there is no such program'
  )
end)

test('a ptxas that hangs is ended, and editing continues meanwhile', false, function()
  local client = h.open(KERNEL)
  vim.cmd('PtxTrust')
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder)
  local program = vim.fs.joinpath(folder, 'ptxas-that-hangs')
  vim.fn.writefile({ '#!/bin/sh', 'case $1 in --version) echo "release 13.5, V13.5.37"; exit;; esac', 'sleep 60' }, program)
  vim.fn.setfperm(program, 'rwxr-xr-x')
  set(client, { path = program, timeout = 2 })
  h.contains(
    message(function()
      vim.cmd('PtxRunPtxas')
      vim.cmd('silent %substitute/%f3;/%f9;/')
      h.wait('the error of an edit', function()
        return vim.iter(vim.diagnostic.get(0)):any(function(it)
          return it.message:find('%f9', 1, true)
        end)
      end)
    end, 'took longer'),
    'ptxas took longer than 2 s and was ended.'
  )
end)

test(':PtxSass shows the machine code, and each cursor highlights the other window', true, function()
  h.open(KERNEL)
  local bufnr = vim.api.nvim_get_current_buf()
  vim.cmd('PtxTrust')
  h.go_to('mul.f32')
  vim.cmd('PtxSass')
  local shown = h.wait('the machine code', function()
    return vim.iter(vim.api.nvim_list_bufs()):find(function(it)
      return vim.bo[it].filetype == 'sass'
    end)
  end)
  local lines = vim.api.nvim_buf_get_lines(shown, 0, -1, false)
  h.contains(lines[1], 'scale for sm_80')
  -- The instruction is next to its address, and the window is wide enough for it.
  h.ok(lines[2]:find('^addr  instruction +live  stall'), lines[2])
  local widest = 0
  for _, line in ipairs(lines) do
    local text = line:match('^%x%x%x%x  (.-)  +%d') or ''
    widest = math.max(widest, 6 + #text)
  end
  local room = vim.fn.getwininfo(vim.fn.bufwinid(shown))[1]
  h.ok(widest > 20 and widest <= room.width - room.textoff, ('%d columns in %d'):format(widest, room.width))
  local namespace = vim.api.nvim_get_namespaces().ptx_analyzer_beside
  local marks = vim.api.nvim_buf_get_extmarks(shown, namespace, 0, -1, {})
  h.eq(#marks, 1)
  h.contains(lines[marks[1][2] + 1], 'FMUL')
  -- And back: the load of the file for that of the machine.
  local window = vim.fn.bufwinid(shown)
  local load = vim.iter(ipairs(lines)):find(function(_, line)
    return line:find('LDG', 1, true) ~= nil
  end)
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_cursor(window, { load, 0 })
  h.eq(vim.fn.maparg('K', 'n', false, true).desc, 'What the opcode does')
  vim.api.nvim_feedkeys('K', 'x', false)
  local float = vim.iter(vim.api.nvim_list_wins()):find(function(it)
    return vim.api.nvim_win_get_config(it).relative ~= ''
  end)
  h.contains(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float), 0, 1, false)[1], 'global memory')
  vim.api.nvim_win_close(float, true)
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = shown })
  local back = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {})
  h.eq(#back, 1)
  h.contains(vim.api.nvim_buf_get_lines(bufnr, back[1][2], back[1][2] + 1, false)[1], 'ld.global')
  -- Sorted, the row that stalls most is the first, and it is still that of its line.
  vim.api.nvim_set_current_win(window)
  local original = vim.ui.select
  vim.ui.select = function(names, _, on_choice)
    h.eq(names, { 'address', 'source', 'live', 'stall', 'waits' })
    on_choice('stall')
  end
  vim.api.nvim_feedkeys('s', 'x', false)
  vim.ui.select = original
  local stalls = {}
  for _, line in ipairs(vim.api.nvim_buf_get_lines(shown, 2, -1, false)) do
    table.insert(stalls, tonumber(line:match('^%x%x%x%x  .-  +%d+ +(%d+)')))
  end
  h.ok(#stalls > 5, 'no stalls')
  for index = 2, #stalls do
    h.ok(stalls[index] <= stalls[index - 1], vim.inspect(stalls))
  end
  vim.api.nvim_win_close(window, true)
  h.eq(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}), {})
end)

test(':PtxSass at 100 columns shows whole instructions, and the columns that are wanted', true, function()
  local columns = vim.o.columns
  vim.o.columns = 100
  vim.g.ptx_analyzer_sass_columns = { 'live' }
  h.open(KERNEL)
  vim.cmd('PtxTrust')
  h.go_to('mul.f32')
  vim.cmd('PtxSass')
  local shown = h.wait('the machine code', function()
    return vim.iter(vim.api.nvim_list_bufs()):find(function(it)
      return vim.bo[it].filetype == 'sass'
    end)
  end)
  local lines = vim.api.nvim_buf_get_lines(shown, 1, -1, false)
  local room = vim.fn.getwininfo(vim.fn.bufwinid(shown))[1]
  vim.g.ptx_analyzer_sass_columns = nil
  vim.o.columns = columns
  h.ok(lines[1]:find('^addr  instruction +live$'), lines[1])
  for _, line in ipairs(lines) do
    local text = line:match('^%x%x%x%x  (.-) +%d*$')
    h.ok(not text or 6 + #text <= room.width - room.textoff, line)
  end
end)

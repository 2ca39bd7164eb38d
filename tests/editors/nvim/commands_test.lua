--- The commands for which LSP has no request, and what is shown beside the text.
local h = require('harness')

local SUM = [[
    .version 8.0
    .target sm_80
    .address_size 64
    .file 1 "sum.cu"
    .visible .entry sum(.param .u64 out, .param .u32 count)
    .maxntid 256, 1, 1
    {
        .reg .pred %p<2>;
        .reg .b32 %total, %i, %n, %one;
        .reg .b64 %rd<2>;
        .loc 1 2 1
        ld.param.u64 %rd1, [out];
        ld.param.u32 %n, [count];
        mov.u32 %total, 0;
        mov.u32 %i, 0;
    $loop:
        .loc 1 3 5
        redux.sync.add.s32 %one, %i, -1;
        add.s32 %total, %total, %one;
        .loc 1 2 9
        add.s32 %i, %i, 1;
        setp.lt.u32 %p1, %i, %n;
        @%p1 bra $loop;
        st.global.u32 [%rd1], %total;
        ret;
    }
]]

--- The floating window and its lines.
local function float()
  return h.wait('the window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        return window
      end
    end
  end)
end
local function lines_of(window)
  return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
end

--- The items of the quickfix list, as `line text`.
local function quickfix()
  local items = h.wait('the list', function()
    local list = vim.fn.getqflist()
    return #list > 0 and list
  end)
  return vim.tbl_map(function(item)
    return item.lnum .. ' ' .. item.text
  end, items)
end

--- Messages that are shown while `body` runs, until there is one.
local function message(body)
  local messages, original = {}, vim.notify
  vim.notify = function(text)
    table.insert(messages, text)
  end
  local ok, err = pcall(function()
    body()
    h.wait('a message', function()
      return #messages > 0
    end)
  end)
  vim.notify = original
  assert(ok, err)
  return messages[1]
end

--- Rows, from one, of the marks with a field.
local function marked(field)
  local rows = {}
  local namespace = require('ptx_analyzer.marks').namespace
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
    if mark[4][field] then
      rows[mark[2] + 1] = mark[4]
    end
  end
  return rows
end

h.test(':PtxExplain explains the word under the cursor', function()
  h.open(SUM)
  h.go_to('redux')
  vim.cmd('PtxExplain')
  h.contains(lines_of(float()), '# redux')
end)

h.test(':PtxExplain explains a word that is named, in all its meanings', function()
  h.open(SUM)
  vim.cmd('PtxExplain tid')
  local text = lines_of(float())
  h.contains(text, '# %tid (special register)')
  h.contains(
    message(function()
      vim.cmd('PtxExplain nosuchword')
    end),
    'nothing is known of `nosuchword`'
  )
end)

h.test(':PtxExplain completes words', function()
  h.open(SUM)
  local found = vim.fn.getcompletion('PtxExplain cp.async.bulk.t', 'cmdline')
  h.ok(vim.list_contains(found, 'cp.async.bulk.tensor'), vim.inspect(found))
  h.ok(vim.list_contains(vim.fn.getcompletion('PtxExplain ctaid', 'cmdline'), '%ctaid'), 'the sign may be left out')
end)

h.test(':PtxRegisters lists the kernels at their peaks', function()
  h.open(SUM)
  vim.cmd('PtxRegisters')
  local list = quickfix()
  h.eq(#list, 1)
  h.contains(list[1], 'sum: about ')
  h.contains(list[1], 'warps on sm_80')
  h.eq(vim.fn.getqflist({ title = 1 }).title, 'Registers')
end)

h.test(':PtxRegisters! shows the kernel under the cursor, and counts at its lines until the text changes', function()
  h.open(SUM)
  h.go_to('redux')
  vim.cmd('PtxRegisters!')
  local text = lines_of(float())
  h.contains(text, '# sum')
  h.contains(text, '256 threads per block')
  local rows = marked('virt_text')
  h.contains(rows[18].virt_text[1][1], 'live as written')
  local peaks = 0
  for _, mark in pairs(rows) do
    peaks = peaks + (mark.virt_text[1][1]:find('the peak', 1, true) and 1 or 0)
  end
  h.eq(peaks, 1)
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// new' })
  vim.cmd.doautocmd('TextChanged')
  h.eq(marked('virt_text'), {})
end)

h.test('the lens above a kernel shows its registers', function()
  h.open(SUM)
  vim.lsp.codelens.refresh({ bufnr = 0 })
  local lens = h.wait('the lens', function()
    for _, it in ipairs(h.request('textDocument/codeLens', { textDocument = vim.lsp.util.make_text_document_params(0) })) do
      it = it.command and it or h.request('codeLens/resolve', it)
      if it.command.command == 'ptx-analyzer.showRegisters' then
        return it
      end
    end
  end)
  h.contains(lens.command.title, 'regs')
  vim.lsp.commands[lens.command.command](lens.command, { client_id = h.client().id })
  h.contains(lines_of(float()), '# sum')
end)

h.test(':PtxRegisters! outside a kernel says what to do', function()
  h.open(SUM)
  h.contains(
    message(function()
      vim.cmd('PtxRegisters!')
    end),
    'put the cursor into a kernel'
  )
end)

h.test(':PtxFlow shows the blocks, and <CR> goes to one', function()
  h.open(SUM)
  h.go_to('redux')
  vim.cmd('PtxFlow')
  local window = float()
  local text = lines_of(window)
  h.contains(text, '$loop')
  h.contains(text, '↑ $loop')
  h.eq(vim.api.nvim_get_current_win(), window)
  -- The cursor is on the block that it was in.
  h.contains(vim.api.nvim_get_current_line(), '■ $loop')
  h.contains(vim.api.nvim_get_current_line(), 'live as written')
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
  h.eq((h.cursor()), 18)
  h.eq(vim.bo.filetype, 'ptx')
end)

h.test(':PtxFlow! shows the graph for Mermaid', function()
  h.open(SUM)
  h.go_to('redux')
  vim.cmd('PtxFlow!')
  h.contains(lines_of(float()), 'flowchart')
end)

h.test(':PtxTargets shows what is wrong for which targets, and leads to it', function()
  h.open(SUM)
  local window = vim.api.nvim_get_current_win()
  vim.cmd('PtxTargets sm_75 sm_80 sm_90')
  h.wait('the table', function()
    return vim.bo.filetype == 'ptx-targets'
  end)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  h.eq(lines[1], 'A  sm_75         1 error')
  h.eq(lines[2], 'B  sm_80, sm_90  no errors (sm_80 is the target of the file)')
  h.eq(lines[4], 'A B')
  h.contains(lines[5], '✗ ·  `redux.sync')
  h.contains(lines[5], 'needs target `sm_80` or later: line 18')
  vim.api.nvim_win_set_cursor(0, { 5, 0 })
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
  h.eq(vim.api.nvim_get_current_win(), window)
  h.eq(vim.api.nvim_win_get_cursor(0)[1], 18)
  vim.cmd.only()
  h.contains(
    message(function()
      vim.cmd('PtxTargets sm_1')
    end),
    'there is no target sm_1'
  )
end)

h.test(':PtxLiveRange marks where a register is needed', function()
  h.open(SUM)
  h.go_to('%total, %total')
  vim.cmd('PtxLiveRange')
  h.wait('the marks', function()
    return next(marked('line_hl_group'))
  end)
  local live = marked('line_hl_group')
  h.ok(live[18] and live[23], 'live in the loop')
  h.ok(not live[12], 'not live before it is written')
  h.eq(marked('hl_group')[24].hl_group, 'PtxRead')
  vim.cmd('PtxLiveRange!')
  h.eq(marked('line_hl_group'), {})
end)

h.test(':PtxLiveRange elsewhere says what to do', function()
  h.open(SUM)
  h.contains(
    message(function()
      vim.cmd('PtxLiveRange')
    end),
    'put the cursor on a register'
  )
end)

h.test(':PtxSlice marks what a value was computed from', function()
  h.open(SUM)
  h.go_to('%total, %total')
  vim.cmd('PtxSlice')
  h.wait('the marks', function()
    return next(marked('line_hl_group'))
  end)
  local backward = marked('line_hl_group')
  vim.cmd('PtxSlice forward')
  h.wait('other marks', function()
    local forward = marked('line_hl_group')
    return next(forward) and not vim.deep_equal(forward, backward)
  end)
  vim.cmd('PtxSlice!')
  h.eq(marked('line_hl_group'), {})
  h.contains(
    message(function()
      vim.cmd('PtxSlice sideways')
    end),
    'backward or forward'
  )
end)

--- The window beside the file, and its lines.
local function beside()
  return h.wait('the window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if window ~= vim.api.nvim_get_current_win() then
        return window
      end
    end
  end)
end

--- The lines of a window that are highlighted, from one.
local function highlighted(bufnr)
  local namespace = vim.api.nvim_get_namespaces().ptx_analyzer_beside
  return vim.tbl_map(function(mark)
    return mark[2] + 1
  end, vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}))
end

h.test(':PtxRead shows pseudocode, and each side highlights the other', function()
  h.open(SUM)
  local bufnr = vim.api.nvim_get_current_buf()
  h.go_to('st.global')
  vim.cmd('PtxRead')
  local window = beside()
  local text = lines_of(window)
  for _, part in ipairs({ 'sum(out, count):', 'while', 'sum.cu:2', '// :3' }) do
    h.contains(text, part)
  end
  local shown = vim.api.nvim_win_get_buf(window)
  local row = highlighted(shown)[1]
  h.contains(vim.api.nvim_buf_get_lines(shown, row - 1, row, false)[1], '= total')
  h.eq(vim.api.nvim_win_get_cursor(window)[1], row)
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_cursor(window, { row, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = shown })
  h.ok(vim.tbl_contains(highlighted(bufnr), 24), 'the store is highlighted')
  h.contains(
    message(function()
      vim.cmd('normal gs')
    end),
    'there is no file'
  )
  vim.cmd('normal q')
  h.eq(#vim.api.nvim_list_wins(), 1)
  h.eq(highlighted(bufnr), {})
end)

--- Answers questions of `vim.ui.input`, and gives the prompts with their defaults.
---@param answers string[] Empty: the default.
---@param act fun()
---@return string[]
local function with_answers(answers, act)
  local asked, input = {}, vim.ui.input
  vim.ui.input = function(options, on_confirm)
    table.insert(asked, options.prompt .. options.default)
    local answer = answers[#asked]
    on_confirm(answer ~= '' and answer or options.default)
  end
  local ok, message = pcall(act)
  vim.ui.input = input
  h.ok(ok, tostring(message))
  return asked
end

h.test(':PtxTry runs the statement under the cursor on values', function()
  h.open(SUM)
  h.go_to('add.s32 %total')
  local wrong
  local asked = with_answers({ 'x', '2', '' }, function()
    wrong = message(function()
      vim.cmd('PtxTry')
    end)
    h.contains(lines_of(beside()), ' = 3')
  end)
  h.eq(#asked, 3)
  h.contains(asked[1], '.s32 ')
  h.contains(wrong, 'expected a `.s32`')
  h.eq(#vim.api.nvim_list_wins(), 2)
end)

h.test(':PtxTry outside statements says what to do', function()
  h.open(SUM)
  h.go_to('.version')
  h.contains(
    message(function()
      vim.cmd('PtxTry')
    end),
    'put the cursor into an asm string'
  )
end)

h.test(':PtxRead outside functions says what to do', function()
  h.open(SUM)
  h.go_to('.version')
  h.contains(
    message(function()
      vim.cmd('PtxRead')
    end),
    'put the cursor into a function'
  )
end)

h.test(':PtxKernel shows the map of the kernel', function()
  h.open(SUM)
  h.go_to('redux')
  vim.cmd('PtxKernel')
  local window = beside()
  local text = lines_of(window)
  for _, part in ipairs({ 'sum, at most 256 threads', '  loops', 'count iterations' }) do
    h.contains(text, part)
  end
  local shown = vim.api.nvim_win_get_buf(window)
  local row = highlighted(shown)[1]
  h.contains(vim.api.nvim_buf_get_lines(shown, row - 1, row, false)[1], 'lines 18-23')
  vim.api.nvim_set_current_win(window)
  vim.cmd('normal q')
end)

h.test(':PtxAccesses lists reads and writes', function()
  h.open(SUM)
  h.go_to('%total, %total')
  vim.cmd('PtxAccesses')
  h.wait('the list', function()
    return #vim.fn.getqflist() > 2
  end)
  local words = table.concat(
    vim.tbl_map(function(it)
      return it.text
    end, vim.fn.getqflist()),
    '\n'
  )
  for _, word in ipairs({ 'declaration', 'write', 'read' }) do
    h.contains(words, word)
  end
  vim.cmd.cclose()
end)

h.test(':PtxAccesses of a declaration of many registers lists one if it is named', function()
  h.open(SUM)
  h.go_to('%rd<2>')
  vim.cmd('PtxAccesses')
  local all = h.wait('the list', function()
    local list = vim.fn.getqflist()
    return #list > 1 and list
  end)
  h.contains(all[1].text, 'declaration')
  vim.cmd.cclose()
  vim.cmd('PtxAccesses %rd1')
  h.wait('the list of one', function()
    return vim.fn.getqflist({ title = 1 }).title == 'Reads and writes of %rd1'
  end)
  h.ok(#vim.fn.getqflist() > 0 and #vim.fn.getqflist() < #all, 'fewer')
  vim.cmd.cclose()
  h.contains(
    message(function()
      vim.cmd('PtxAccesses %rd7')
    end),
    '%rd7 is not among the references'
  )
end)

h.test(':PtxSource lists what came from the same source line, also from the source', function()
  local root = h.workspace({ ['sum.ptx'] = SUM, ['sum.cu'] = '__global__ void sum() {\n  for (;;)\n    x();\n}\n' })
  vim.cmd.edit(vim.fs.joinpath(root, 'sum.ptx'))
  h.client()
  h.go_to('setp')
  vim.cmd('PtxSource')
  local rows = vim.tbl_map(function(item)
    return item:match('^%d+')
  end, quickfix())
  h.eq(rows, { '12', '21' })
  vim.cmd.cclose()
  vim.fn.setqflist({}, 'r')
  vim.cmd.edit(vim.fs.joinpath(root, 'sum.cu'))
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd('PtxSource')
  h.contains(quickfix()[1], '18 ')
end)

h.test('display = true shows hints, lenses and the text of problems', function()
  local plugin = require('ptx_analyzer')
  h.configure({ settings = { ['ptx-analyzer'] = { codeLens = { references = true } } } })
  plugin.setup({ display = true })
  h.open(SUM:gsub('mov.u32 %%i, 0;', 'mov.b32 %%i, 0f3F800000;'))
  h.ok(vim.lsp.inlay_hint.is_enabled({ bufnr = 0 }), 'hints')
  h.wait('a hint', function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  h.wait('a lens', function()
    return #vim.lsp.codelens.get(vim.api.nvim_get_current_buf()) > 0
  end)
  h.contains(vim.wo.foldexpr, h.NEW and 'vim.lsp.foldexpr' or '0')
  local shown = false
  for _, it in pairs(vim.diagnostic.get_namespaces()) do
    shown = shown or it.name:find('ptx_analyzer', 1, true) and it.opts.virtual_text == true
  end
  h.ok(shown, 'the text of problems')
  vim.api.nvim_clear_autocmds({ group = 'ptx_analyzer_display' })
  h.configure({ settings = { ['ptx-analyzer'] = { codeLens = { references = false } } } })
end)

h.test('display may leave something out', function()
  require('ptx_analyzer').setup({ display = { inlay_hints = false, code_lens = false } })
  h.open(SUM)
  h.ok(not vim.lsp.inlay_hint.is_enabled({ bufnr = 0 }), 'hints')
  h.contains(vim.wo.foldexpr, h.NEW and 'vim.lsp.foldexpr' or '0')
  vim.api.nvim_clear_autocmds({ group = 'ptx_analyzer_display' })
end)

h.test(':PtxDiff shows what differs apart from names, and goes there', function()
  h.open(SUM)
  local path = vim.api.nvim_buf_get_name(0)
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local old = vim.fn.tempname() .. '.ptx'
  local row = vim.iter(ipairs(lines)):find(function(_, line)
    return line:find('add%.s32') ~= nil
  end)
  local changed = vim.deepcopy(lines)
  changed[row] = changed[row]:gsub('add%.s32', 'sub.s32')
  vim.fn.writefile(changed, old)
  vim.cmd('PtxDiff ' .. old)
  local shown = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  h.contains(shown[1], '1 changed')
  local added = vim.iter(ipairs(shown)):find(function(_, line)
    return vim.startswith(line, '  +')
  end)
  vim.api.nvim_win_set_cursor(0, { added, 0 })
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'x', false)
  h.eq(vim.api.nvim_buf_get_name(0), path)
  h.eq(vim.api.nvim_win_get_cursor(0)[1], row)
  vim.cmd('only')
  -- New names do not count as a difference.
  vim.fn.writefile(
    vim.iter(lines):map(function(line)
      return (line:gsub('%%total', '%%sum_of_all'))
    end):totable(),
    old
  )
  vim.cmd('PtxDiff ' .. old)
  h.contains(vim.api.nvim_buf_get_lines(0, 0, 1, false)[1], 'the same, apart from names')
  vim.cmd('close')
  h.contains(
    message(function()
      vim.cmd('PtxDiff /no/such/file.ptx')
    end),
    'no/such/file.ptx'
  )
end)

h.test(':PtxExtract opens a PTX text of a binary', function()
  local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
  local binary = vim.fs.joinpath(here, '../../../server/machine/src/data/two.fatbin')
  local original, offered = vim.ui.select, nil
  vim.ui.select = function(items, options, choose)
    offered = vim.iter(items):map(options.format_item):totable()
    choose(items[2])
  end
  local ok, problem = pcall(vim.cmd, 'PtxExtract ' .. binary)
  vim.ui.select = original
  assert(ok, problem)
  h.eq(#offered, 2)
  h.eq(vim.bo.readonly, true)
  h.contains(vim.api.nvim_buf_get_lines(0, 1, 2, false)[1], '.target sm_')
  vim.cmd('bwipeout!')
  h.contains(
    message(function()
      vim.cmd('PtxExtract ' .. vim.fs.joinpath(here, 'run.lua'))
    end),
    'no PTX'
  )
end)

local DOUBLE = [[
    .version 8.0
    .target sm_80
    .address_size 64
    // run: block = 4 args.values = { ramp = [4], type = "u32" }
    //   expect.values = { value = [0, 2, 4, 6] }
    .visible .entry double(.param .u64 values)
    {
        .reg .b32 %r<3>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [values];
        mov.u32 %r1, %tid.x;
        mad.wide.u32 %rd2, %r1, 4, %rd1;
        ld.global.u32 %r2, [%rd2];
        add.u32 %r2, %r2, %r2;
        st.global.u32 [%rd2], %r2;
        ret;
    }
]]

--- The diagnostics of runs, as `line code`.
local function found()
  return vim.tbl_map(function(it)
    return ('%d %s'):format(it.lnum + 1, it.code)
  end, vim.diagnostic.get(0, { namespace = require('ptx_analyzer.run').namespace }))
end

h.test(':PtxRun runs kernels, and shows what it finds until the next edit', function()
  h.open(DOUBLE)
  local function run(argument)
    return message(function()
      vim.cmd('PtxRun ' .. (argument or ''))
    end)
  end
  h.contains(run(), 'double: ran 7 steps of warps, no findings')
  h.eq(found(), {})
  -- The text in the buffer is run, not the one on disk.
  vim.cmd('%s/block = 4/block = 5/')
  h.contains(run('double'), '2 findings')
  h.eq(found(), { '13 out-of-bounds', '15 out-of-bounds' })
  h.eq(vim.diagnostic.get(0, { namespace = require('ptx_analyzer.run').namespace })[1].source, 'run')
  vim.cmd('%s/block = 5/block = 4/')
  h.wait('the end of what was found', function()
    return #found() == 0
  end)
  vim.cmd('%s/\\[0, 2/[0, 3/')
  h.contains(run(), '1 of 1 expectation failed')
  h.eq(found(), { '4 expectation' })
  h.contains(run('nothing'), 'there is no entry `nothing`')
end)

h.test(':PtxTest lists what fails', function()
  h.open(DOUBLE)
  local function test()
    return message(function()
      vim.cmd('PtxTest')
    end)
  end
  h.contains(test(), '1 passed, 0 failed')
  vim.cmd('%s/block = 4/block = 5/')
  h.contains(test(), 'save the file first')
  vim.cmd('silent write')
  h.contains(test(), '0 passed, 1 failed')
  h.eq(found(), { '13 out-of-bounds', '15 out-of-bounds' })
  h.contains(quickfix()[1], '4 double: ')
  vim.cmd('cclose')
end)

--- What a person does with a PTX file, through Neovim's own LSP client.
local h = require('harness')

local KERNEL = [[
    .version 8.0
    .target sm_80
    .address_size 64

    .visible .entry first(.param .u64 first_out)
    {
        .reg .b32 %r<4>;
        .reg .b64 %rd<3>;
        .reg .f32 %sum;
        .reg .pred %p<2>;

        ld.param.u64 %rd1, [first_out];
        mov.u32 %r1, %tid.x;
        mov.f32 %sum, 0f3F800000;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 bra DONE;
        add.f32 %sum, %sum, %sum;
        st.global.f32 [%rd1], %sum;
    DONE:
        ret;
    }

    .visible .entry second()
    {
        .reg .b32 %r<4>;
        .reg .f32 %sum;
        mov.u32 %r1, 7;
        mov.f32 %sum, 0f00000000;
        bar.sync %r1;
        cvt.rzi.u32.f32 %r2, %sum;
        bar.sync %r2;
        ret;
    }
]]

h.test('the server attaches to a PTX file, with the folder of the repository as its root', function()
  local client = h.open(KERNEL)
  h.eq(vim.bo.filetype, 'ptx')
  h.eq(client.root_dir, vim.uv.fs_realpath(client.root_dir))
  h.eq(vim.fs.basename(vim.api.nvim_buf_get_name(0)), 'main.ptx')
  h.eq(client.root_dir, vim.fs.dirname(vim.api.nvim_buf_get_name(0)))
  h.eq((client.server_info or { name = 'ptx-analyzer' }).name, 'ptx-analyzer')
end)

h.test('positions are exchanged in UTF-8, if Neovim can', function()
  h.eq(h.open(KERNEL).offset_encoding, h.NEW and 'utf-8' or 'utf-16')
end)

h.test('a correct file has no problems', function()
  h.open(KERNEL)
  local changes = 0
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    buffer = 0,
    callback = function()
      changes = changes + 1
    end,
  })
  -- A problem that comes and goes proves that the empty list is an answer.
  h.go_to('mov.u32 %r1, 7')
  vim.cmd.normal({ 'cwwrong', bang = true })
  vim.api.nvim_buf_set_lines(0, 3, 3, false, { '}' })
  h.wait('a problem', function()
    return #vim.diagnostic.get(0) > 0
  end)
  vim.cmd('silent undo 0')
  h.wait('no problem', function()
    return #vim.diagnostic.get(0) == 0
  end)
  h.ok(changes >= 2, 'no answers')
end)

h.test('an undefined register is reported at its name', function()
  h.open([[
    .version 8.0
    .target sm_80
    .address_size 64
    .entry k()
    {
        .reg .b32 %r<3>;
        add.u32 %r1, %missing, 2; // é %r9
        ret;
    }
  ]])
  h.wait('the problem', function()
    return #vim.diagnostic.get(0) > 0
  end)
  h.eq(h.problems(), { '7:18-26 error undefined-name' })
  local problem = vim.diagnostic.get(0)[1]
  h.contains(problem.message, '%missing')
  h.eq(problem.source, 'ptx-analyzer')
end)

h.test('a name after a comment that is not ASCII is found at its place', function()
  h.open([[
    .version 8.0
    .target sm_80
    .address_size 64
    .entry k()
    {
        .reg .b32 %r<3>;
        /* größe 🙂 */ add.u32 %r1, %missing, %r2;
        ret;
    }
  ]])
  h.wait('the problem', function()
    return #vim.diagnostic.get(0) > 0
  end)
  local problem = vim.diagnostic.get(0)[1]
  local line = vim.api.nvim_buf_get_lines(0, problem.lnum, problem.lnum + 1, true)[1]
  h.eq(line:sub(problem.col + 1, problem.end_col), '%missing')
end)

h.test('a mistake disappears with its correction, and comes back with undo', function()
  h.open(KERNEL)
  h.go_to('%sum, %sum;')
  vim.cmd.normal({ 'cE%nosum,', bang = true })
  h.wait('the problem', function()
    return #vim.diagnostic.get(0) == 1
  end)
  h.eq(h.problems(), { '17:19-25 error undefined-name' })
  vim.cmd('silent undo 0')
  h.wait('no problem', function()
    return #vim.diagnostic.get(0) == 0
  end)
  vim.cmd('silent redo')
  h.wait('the problem again', function()
    return #vim.diagnostic.get(0) == 1
  end)
end)

--- The text of the window that K opens.
---@return string
local function hover()
  vim.lsp.buf.hover()
  return h.wait('the window', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
      end
    end
  end)
end

h.test('K on a register shows its declaration', function()
  h.open(KERNEL)
  h.go_to('%r1, 0;')
  local text = hover()
  h.contains(text, '.reg .b32 %r<4>')
  h.contains(text, 'first')
end)

h.test('going to the definition of a register lands on its declaration in the same function', function()
  h.open(KERNEL)
  h.go_to('%r1, 7')
  vim.lsp.buf.definition()
  local place = h.wait('the jump', function()
    local row, rest = h.cursor()
    return row ~= 27 and { row, rest }
  end)
  h.eq(place, { 25, '%r<4>;' })
end)

h.test('going to the definition of a label', function()
  h.open(KERNEL)
  h.go_to('DONE')
  vim.lsp.buf.definition()
  h.wait('the jump', function()
    return h.cursor() == 19
  end)
  local _, rest = h.cursor()
  h.eq(rest, 'DONE:')
end)

h.test('the references of a register are those of its function', function()
  h.open(KERNEL)
  h.go_to('%sum;')
  vim.lsp.buf.references()
  local found = h.wait('the list', function()
    local list = vim.fn.getqflist()
    return #list > 0 and list
  end)
  local places = vim.tbl_map(function(item)
    return item.lnum .. ':' .. item.col
  end, found)
  table.sort(places)
  h.eq(places, { '14:13', '17:13', '17:19', '17:25', '18:27', '9:15' })
end)

h.test('renaming a register changes its function and nothing else', function()
  h.open(KERNEL)
  local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  h.go_to('%sum, 0f3F')
  vim.lsp.buf.rename('%total')
  h.wait('the change', function()
    return vim.bo.modified
  end)
  local after = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local expected = vim.deepcopy(before)
  for row = 1, 21 do
    expected[row] = expected[row]:gsub('%%sum', '%%total')
  end
  h.eq(after, expected)
  h.eq(h.problems(), {})
end)

h.test('renaming a label changes the branch too', function()
  h.open(KERNEL)
  h.go_to('DONE:')
  vim.lsp.buf.rename('$end')
  h.wait('the change', function()
    return vim.bo.modified
  end)
  h.eq(vim.api.nvim_buf_get_lines(0, 15, 16, true), { '    @%p1 bra $end;' })
  h.eq(vim.api.nvim_buf_get_lines(0, 18, 19, true), { '$end:' })
end)

h.test('a special register cannot be renamed', function()
  h.open(KERNEL)
  local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  h.go_to('%tid')
  local params = vim.lsp.util.make_position_params(0, h.client().offset_encoding)
  local response = h.respond(h.client(), 'textDocument/prepareRename', params)
  h.ok(response.err or response.result == nil or response.result == vim.NIL, vim.inspect(response))
  h.go_to('DONE:')
  h.ok(h.request('textDocument/prepareRename'), 'a label can be renamed')
  h.eq(vim.api.nvim_buf_get_lines(0, 0, -1, false), before)
end)

h.test('the outline is a tree of kernels and what they declare', function()
  h.open(KERNEL)
  local outline = {}
  local function walk(symbols, indent)
    for _, symbol in ipairs(symbols) do
      table.insert(outline, indent .. symbol.name)
      walk(symbol.children or {}, indent .. '  ')
    end
  end
  walk(h.request('textDocument/documentSymbol', { textDocument = vim.lsp.util.make_text_document_params(0) }), '')
  local text = table.concat(outline, '\n')
  h.contains(text, 'first\n  first_out')
  h.contains(text, '\n  %sum')
  h.contains(text, '\n  DONE')
  h.contains(text, '\nsecond\n')
end)

h.test('the outline fills the location list, or the quickfix list of Neovim 0.10', function()
  h.open(KERNEL)
  vim.lsp.buf.document_symbol()
  local list = h.wait('the list', function()
    local list = h.NEW and vim.fn.getloclist(0) or vim.fn.getqflist()
    return #list > 0 and list
  end)
  h.contains(
    table.concat(
      vim.tbl_map(function(item)
        return item.text
      end, list),
      '\n'
    ),
    'second'
  )
end)

h.test('a symbol of the workspace is found in a file that is not open', function()
  local root = h.workspace({
    ['main.ptx'] = KERNEL,
    ['lib/other.ptx'] = [[
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .func far_away() { ret; }
    ]],
  })
  vim.cmd.edit(vim.fs.joinpath(root, 'main.ptx'))
  h.client()
  local found = h.wait('the symbol', function()
    local symbols = h.request('workspace/symbol', { query = 'far_away' })
    return symbols and symbols[1]
  end)
  h.eq(found.name, 'far_away')
  h.contains(found.location.uri, 'lib/other.ptx')
end)

h.test('an external function is found in another file of the workspace', function()
  local root = h.workspace({
    ['main.ptx'] = [[
      .version 8.0
      .target sm_80
      .address_size 64
      .extern .func helper();
      .visible .entry k() { call helper; ret; }
    ]],
    ['lib/other.ptx'] = [[
      .version 8.0
      .target sm_80
      .address_size 64
      .visible .func helper() { ret; }
    ]],
  })
  vim.cmd.edit(vim.fs.joinpath(root, 'main.ptx'))
  h.client()
  h.go_to('helper; ret')
  h.wait('the place', function()
    local answer = h.request('textDocument/definition')
    return answer and vim.inspect(answer):find('lib/other.ptx', 1, true)
  end)
end)

h.test('semantic tokens tell an opcode, a register and a special register apart', function()
  h.open(KERNEL)
  local function token(needle)
    h.go_to(needle)
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    return h.wait('the token of ' .. needle, function()
      local tokens = vim.lsp.semantic_tokens.get_at_pos(0, row - 1, column)
      return tokens and tokens[1]
    end)
  end
  h.eq(token('mov.u32').type, 'keyword')
  h.eq(token('u32 %r1').type, 'type')
  h.eq(token('%r1, %tid').type, 'variable')
  h.eq(token('%r1, %tid').modifiers.modification, true)
  h.eq(token('%tid').type, 'variable')
  h.eq(token('%tid').modifiers.defaultLibrary, true)
  h.eq(token('DONE:').type, 'label')
  h.eq(token('first(').type, 'function')
end)

h.test('a kernel folds', function()
  h.open(KERNEL)
  local folds = h.request('textDocument/foldingRange', { textDocument = vim.lsp.util.make_text_document_params(0) })
  local seen = vim.tbl_map(function(fold)
    return fold.startLine + 1 .. '-' .. fold.endLine + 1
  end, folds)
  h.ok(vim.iter(seen):any(function(range)
    return range:find('^[56]%-2[01]$') ~= nil
  end), vim.inspect(seen))
end)

h.test('the selection grows from a register to the statement to the kernel', function()
  h.open(KERNEL)
  h.go_to('%r1, 0;')
  local position = vim.lsp.util.make_position_params(0, 'utf-8')
  local range = h.request('textDocument/selectionRange', {
    textDocument = position.textDocument,
    positions = { position.position },
  })[1]
  local texts = {}
  while range do
    local first, last = range.range.start, range.range['end']
    -- The file ends on the line after the last line of the buffer.
    if last.line == vim.api.nvim_buf_line_count(0) then
      last = { line = last.line - 1, character = -1 }
    end
    local lines = vim.api.nvim_buf_get_text(0, first.line, first.character, last.line, last.character, {})
    table.insert(texts, table.concat(lines, '\n'))
    range = range.parent
  end
  h.eq(texts[1], '%r1')
  h.ok(vim.list_contains(texts, 'setp.eq.u32 %p1, %r1, 0;'), vim.inspect(texts))
  h.ok(vim.startswith(texts[#texts], '.version'), vim.inspect(texts))
end)

h.test('all uses of the register under the cursor are highlighted', function()
  h.open(KERNEL)
  h.go_to('%p1 bra')
  local found = h.request('textDocument/documentHighlight')
  h.eq(
    vim.tbl_map(function(item)
      return item.range.start.line + 1
    end, found),
    { 10, 15, 16 }
  )
end)

h.test('K on an opcode explains the instruction', function()
  h.open(KERNEL)
  h.go_to('setp.eq')
  local text = hover()
  h.contains(text, 'setp.')
  h.contains(text, 'docs.nvidia.com')
end)

--- What omni completion offers at the cursor.
local function completions()
  local client = h.client()
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = h.respond(client, 'textDocument/completion', params)
  assert(answer and answer.result, vim.inspect(answer))
  return vim.tbl_map(function(item)
    return item.label
  end, answer.result.items)
end

h.test('completion offers the modifiers that can follow', function()
  h.open(KERNEL)
  h.go_to('add.f32 %sum')
  vim.api.nvim_set_current_line('    ld.global.')
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_win_get_cursor(0)[1], 14 })
  h.wait('the change', function()
    local labels = completions()
    return vim.tbl_contains(labels, '.f32') and not vim.tbl_contains(labels, '.lo')
  end)
end)

h.test('completion offers registers of the right class first', function()
  h.open(KERNEL)
  h.go_to('add.f32 %sum')
  vim.api.nvim_set_current_line('    add.f32 %sum, ')
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_win_get_cursor(0)[1], 18 })
  h.wait('the register', function()
    return completions()[1] == '%sum'
  end)
end)

h.test('signature help shows the operands', function()
  local client = h.open(KERNEL)
  h.go_to('%r1, 0;')
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local answer = h.respond(client, 'textDocument/signatureHelp', params)
  h.contains(answer.result.signatures[1].label, 'setp.eq.u32 p')
  h.eq(answer.result.activeParameter, 1)
end)

h.test('formatting lays out a file and changes no token', function()
  h.open([[
    .version 8.0
    .target sm_80
    .entry k() { .reg .b32 %r<4>; mov.u32 %r1,1;
    add.s32 %r2 , %r1,%r1; // sum
    ret; }
  ]])
  vim.bo.expandtab = true
  vim.bo.shiftwidth = 4
  vim.lsp.buf.format({ timeout_ms = h.WAIT_MS })
  h.eq(vim.api.nvim_buf_get_lines(0, 2, -1, false), {
    '.entry k()',
    '{',
    '    .reg .b32 %r<4>;',
    '    mov.u32 %r1, 1;',
    '    add.s32 %r2, %r1, %r1;  // sum',
    '    ret;',
    '}',
  })
end)

--- PTX in a CUDA file, beside the language's own server: clangd if it is there, and a server that answers everything.
local h = require('harness')

if not h.NEW then
  io.stdout:write('skip PTX in other languages: two clients for a buffer are those of Neovim 0.11 and newer\n')
  return
end

local SOURCE = [[
    __device__ unsigned next(unsigned x) {
        unsigned lane;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane));
        asm volatile("add.z32 %0, %0, %1;\n\t"
                     "bar.sync 0;" : "+r"(lane) : "r"(x + 1));
        return lane;
    }
]]

--- A server that has hovers and formats everywhere, as one for C++ does.
local function other(dispatchers)
  local closing = false
  return {
    request = function(method, params, callback)
      local answers = {
        initialize = {
          capabilities = {
            hoverProvider = true,
            documentFormattingProvider = true,
            documentRangeFormattingProvider = true,
            documentSymbolProvider = true,
            positionEncoding = 'utf-16',
          },
        },
        ['textDocument/hover'] = { contents = 'a name of C++' },
        ['textDocument/documentSymbol'] = {},
      }
      callback(nil, answers[method])
      return true, 1
    end,
    notify = function(method)
      if method == 'exit' then
        dispatchers.on_exit(0, 15)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
      dispatchers.on_exit(0, 15)
    end,
  }
end

--- Opens the file with both servers.
---@return vim.lsp.Client
local function open()
  local root = h.workspace({ ['main.cu'] = SOURCE })
  vim.cmd.edit(vim.fs.joinpath(root, 'main.cu'))
  vim.lsp.start({ name = 'other', cmd = other })
  return h.wait('both servers', function()
    local client = vim.lsp.get_clients({ name = 'ptx_analyzer_embedded', bufnr = 0 })[1]
    local others = vim.lsp.get_clients({ name = 'other', bufnr = 0 })
    return #others == 1 and client and client.initialized and client
  end)
end

h.test('a CUDA file has problems of its strings', function()
  open()
  h.eq(vim.bo.filetype, 'cuda')
  local problems = h.wait('a problem', function()
    local found = vim.diagnostic.get(0)
    return #found > 0 and found
  end)
  h.eq(#problems, 1)
  h.eq({ problems[1].lnum, problems[1].col, problems[1].code }, { 3, 21, 'modifier-not-allowed' })
end)

h.test('hovers of both servers are there, and ours only in strings', function()
  local client = open()
  h.go_to('%1;')
  local answer = h.respond(client, 'textDocument/hover', vim.lsp.util.make_position_params(0, client.offset_encoding))
  h.contains(answer.result.contents.value, 'x + 1')
  h.go_to('unsigned lane')
  answer = h.respond(client, 'textDocument/hover', vim.lsp.util.make_position_params(0, client.offset_encoding))
  h.ok(answer.result == nil or answer.result == vim.NIL, 'a hover outside strings')
end)

h.test('what the other server has is left to it', function()
  local client = open()
  for _, method in ipairs({
    'textDocument/formatting',
    'textDocument/rangeFormatting',
    'textDocument/documentSymbol',
    'textDocument/foldingRange',
    'textDocument/codeLens',
  }) do
    h.ok(not client:supports_method(method), method)
  end
  h.eq(client.offset_encoding, 'utf-16')
end)

h.test('clangd and we share a CUDA file', function()
  if vim.fn.executable('clangd') == 0 then
    return
  end
  open()
  vim.lsp.start({ name = 'clangd', cmd = { 'clangd' } })
  h.wait('clangd', function()
    local client = vim.lsp.get_clients({ name = 'clangd', bufnr = 0 })[1]
    return client and client.initialized
  end)
  local ours = h.wait('our problem', function()
    return vim.tbl_filter(function(it)
      return it.code == 'modifier-not-allowed'
    end, vim.diagnostic.get(0))[1]
  end)
  h.eq(ours.source, 'ptx-analyzer')
end)

h.test(':PtxTry runs the string under the cursor on values', function()
  local root = h.workspace({ ['main.cu'] = '    void f(unsigned x) { asm("add.u32 %0, %0, %1;" : "+r"(x) : "r"(5u)); }' })
  vim.cmd.edit(vim.fs.joinpath(root, 'main.cu'))
  h.wait('the server', function()
    local client = vim.lsp.get_clients({ name = 'ptx_analyzer_embedded', bufnr = 0 })[1]
    return client and client.initialized and client
  end)
  h.go_to('add.u32')
  local asked, input = {}, vim.ui.input
  vim.ui.input = function(options, on_confirm)
    table.insert(asked, options.prompt .. options.default)
    on_confirm(options.default)
  end
  vim.cmd('PtxTry')
  local text = h.wait('the results', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local bufnr = vim.api.nvim_win_get_buf(window)
      if vim.bo[bufnr].filetype == 'ptxtrial' then
        return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
      end
    end
  end)
  vim.ui.input = input
  h.eq(asked, { '.u32 %0 (x) = 1', '.u32 %1 (5u) = 5' })
  h.contains(text, '%0 (.u32) = 6')
end)

h.test('a person sees problems, hovers and expressions in a CUDA file', function()
  local Screen = require('screen')
  local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
  local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here)))
  local folder = h.workspace({ ['main.cu'] = SOURCE })
  local screen = Screen.open({
    vim.v.progpath,
    '--clean',
    '-u',
    vim.fs.joinpath(root, 'editors/tour/init.lua'),
    '--',
    vim.fs.joinpath(folder, 'main.cu'),
  }, { columns = 100, lines = 24 })
  local ok, message = pcall(function()
    screen:wait_for('is not allowed')
    screen:type('/%1;<CR>K')
    screen:wait_for('Operand 1')
    local path = vim.fs.joinpath(vim.env.PTX_EDITOR_SCREENS, 'nvim-embedded')
    vim.fn.mkdir(vim.fs.dirname(path), 'p')
    vim.fn.writefile(screen:text(), path .. '.txt')
    vim.fn.writefile(vim.split(screen:html(), '\n'), path .. '.html')
    h.contains(table.concat(screen:text(), '\n'), 'x + 1')
  end)
  screen:close()
  h.ok(ok, tostring(message))
end)

--- What the server can show beside the text, switched on by `display` in |ptx_analyzer.setup()|.
local M = {}

---@class ptx_analyzer.Display
---@field inlay_hints boolean Values of constants, names of parameters and so on.
---@field code_lens boolean Lines above functions and labels.
---@field folds boolean Folding by the server.
---@field virtual_text boolean The text of problems at the end of their lines.

---@type ptx_analyzer.Display
local ALL = { inlay_hints = true, code_lens = true, folds = true, virtual_text = true }

local has = function(version)
  return vim.fn.has('nvim-' .. version) == 1
end

---@param bufnr integer
---@param group integer
local function code_lens(bufnr, group)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = bufnr })
    return
  end
  local function refresh()
    vim.lsp.codelens.refresh({ bufnr = bufnr })
  end
  refresh()
  require('ptx_analyzer.refresh').lenses[bufnr] = true
  vim.api.nvim_create_autocmd({ 'BufEnter', 'CursorHold', 'InsertLeave', 'BufWritePost', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    desc = 'Bring the code lenses of ptx-analyzer up to date',
    callback = refresh,
  })
end

--- Switches on what the options ask for, in one buffer.
---@param client vim.lsp.Client
---@param bufnr integer
---@param options ptx_analyzer.Display
local function attach(client, bufnr, options)
  local group = vim.api.nvim_create_augroup('ptx_analyzer_display_' .. bufnr, {})
  if options.inlay_hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if options.code_lens then
    code_lens(bufnr, group)
  end
  if options.folds and has('0.11') then
    for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
      vim.wo[window][0].foldmethod = 'expr'
      vim.wo[window][0].foldexpr = 'v:lua.vim.lsp.foldexpr()'
      vim.wo[window][0].foldlevel = 99
    end
  end
  if options.virtual_text then
    -- Pulled and pushed diagnostics have namespaces of their own.
    for _, pulled in ipairs({ true, false }) do
      local namespace = vim.lsp.diagnostic.get_namespace(client.id, pulled)
      vim.diagnostic.config({ virtual_text = true }, namespace)
    end
  end
end

--- Switches display on for buffers of now and later.
---@param wanted true|table<string, boolean> True: everything.
function M.enable(wanted)
  local options = wanted == true and ALL or vim.tbl_extend('force', ALL, wanted)
  local name = require('ptx_analyzer').name
  vim.api.nvim_create_autocmd('LspAttach', {
    group = vim.api.nvim_create_augroup('ptx_analyzer_display', {}),
    callback = function(args)
      local client = vim.lsp.get_client_by_id(args.data.client_id)
      if client and client.name == name then
        attach(client, args.buf, options)
      end
    end,
  })
  for _, client in ipairs(require('ptx_analyzer').clients()) do
    for bufnr in pairs(client.attached_buffers) do
      attach(client, bufnr, options)
    end
  end
end

return M

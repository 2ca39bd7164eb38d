---@brief
---
--- PTX inside CUDA C++, C++, Python, Rust and LLVM IR, beside the language's own server.
---
--- This is a client of its own: it says nothing outside `asm` strings, and it leaves formatting, symbols, folds,
--- code lenses and links to the other server.

--- What the other server has; Neovim would ask this one, too, or take it for the only one.
local THEIRS = {
  'codeLensProvider',
  'documentFormattingProvider',
  'documentLinkProvider',
  'documentOnTypeFormattingProvider',
  'documentRangeFormattingProvider',
  'documentSymbolProvider',
  'foldingRangeProvider',
  'selectionRangeProvider',
  'workspaceSymbolProvider',
}

---@type vim.lsp.Config
return {
  cmd = { 'ptx-analyzer', 'lsp', '--stdio' },
  filetypes = { 'cuda', 'cpp', 'c', 'python', 'rust', 'llvm' },
  root_markers = { 'compile_commands.json', '.git', '.jj', '.hg' },
  -- The PTX files of the workspace are those of the other client. Columns are those of clangd and pyright.
  settings = { ['ptx-analyzer'] = { workspace = { index = false } } },
  capabilities = { general = { positionEncodings = { 'utf-16' } } },
  on_init = function(client)
    for _, name in ipairs(THEIRS) do
      client.server_capabilities[name] = nil
    end
  end,
}

---@brief
---
--- https://github.com/ptx-analyzer/ptx-analyzer
---
--- Language server for PTX, the assembly language of NVIDIA GPUs.
---
--- The `ptx-analyzer` program must be on `$PATH`; from a clone of the project:
---
--- ```sh
--- cargo install --locked --path server
--- ```
---
--- The server starts without a root; with one it also knows the other PTX files below it.

---@type vim.lsp.Config
return {
  cmd = { 'ptx-analyzer', 'lsp', '--stdio' },
  filetypes = { 'ptx' },
  root_markers = { '.git', '.jj', '.hg' },
}

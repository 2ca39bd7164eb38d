-- Configuration of the Neovim that `editors/try` opens: everything that ptx-analyzer offers, switched on.
local here = vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))
vim.opt.runtimepath:prepend(vim.fs.joinpath(vim.fs.dirname(here), 'nvim'))

vim.o.background = 'dark'
vim.cmd.colorscheme('retrobox')
for group, link in pairs({
  NormalFloat = 'Normal',
  FloatBorder = 'Comment',
  ['@markup.raw'] = 'Special',
  ['@markup.raw.block'] = 'Special',
}) do
  vim.api.nvim_set_hl(0, group, { link = link })
end
vim.o.number = true
vim.o.signcolumn = 'yes'
vim.o.termguicolors = true
vim.o.updatetime = 300
vim.o.swapfile = false
vim.o.foldlevel = 99
vim.o.winborder = 'rounded'
vim.o.statusline = ' %f %m%=%{v:lua.ptx_status()}   %l:%c '
vim.diagnostic.config({ virtual_text = true, severity_sort = true })

vim.api.nvim_create_autocmd('FileType', {
  pattern = 'ptx',
  callback = function()
    vim.wo[0][0].winbar =
      ' K explain   gd definition   grr references   grn rename   gO outline   ]d next error   :qa quit%<'
  end,
})

-- What the server knows of the current file, for the status line.
local checked = {} ---@type table<integer, true>
function _G.ptx_status()
  if vim.bo.filetype ~= 'ptx' then
    return ''
  elseif #vim.lsp.get_clients({ bufnr = 0 }) == 0 then
    return 'ptx-analyzer does not run; :checkhealth ptx_analyzer'
  elseif not checked[vim.api.nvim_get_current_buf()] then
    return 'ptx-analyzer: checking'
  end
  local problems = #vim.diagnostic.get(0)
  return 'ptx-analyzer ready: ' .. (problems == 0 and 'no problems' or problems == 1 and '1 problem' or problems .. ' problems')
end
vim.api.nvim_create_autocmd('DiagnosticChanged', {
  callback = function(args)
    checked[args.buf] = true
    vim.cmd.redrawstatus()
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(args)
    vim.keymap.set('n', 'gd', vim.lsp.buf.definition, { buffer = args.buf, desc = 'Go to definition' })
    vim.wo.foldmethod = 'expr'
    vim.wo.foldexpr = 'v:lua.vim.lsp.foldexpr()'
    local client = assert(vim.lsp.get_client_by_id(args.data.client_id))
    if client:supports_method('textDocument/documentHighlight') then
      vim.api.nvim_create_autocmd('CursorHold', { buffer = args.buf, callback = vim.lsp.buf.document_highlight })
      vim.api.nvim_create_autocmd('CursorMoved', { buffer = args.buf, callback = vim.lsp.buf.clear_references })
    end
  end,
})

if vim.env.PTX_ANALYZER_SERVER then
  vim.lsp.config('ptx_analyzer', { cmd = { vim.env.PTX_ANALYZER_SERVER, 'lsp', '--stdio' } })
end

-- Neovim knows `*.ptx` since 0.11. Whatever already has an opinion, Neovim or the user, keeps it.
if not vim.filetype.match({ filename = 'module.ptx' }) then
  vim.filetype.add({ extension = { ptx = 'ptx' } })
end

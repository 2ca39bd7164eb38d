--- `:PtxSource`: from an instruction to those of the same line of CUDA, and from CUDA to its instructions.
local request = require('ptx_analyzer.request')
local M = {}

--- Lists in the quickfix window what was made from the source line of the instruction under the cursor; in
--- another file than PTX, from the line of the cursor.
function M.source()
  local bufnr = vim.api.nvim_get_current_buf()
  if vim.bo[bufnr].filetype ~= 'ptx' then
    M.from_source(bufnr)
    return
  end
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/sameSourceLine', params, function(found, client)
    if not found then
      request.notify('put the cursor on the name of an instruction that has a .loc.')
      return
    end
    local uri = vim.uri_from_bufnr(bufnr)
    local locations = vim.tbl_map(function(range)
      return { uri = uri, range = range }
    end, found.ranges)
    M.list(locations, client, ('%s:%d'):format(found.path, found.line + 1))
  end)
end

---@param bufnr integer
function M.from_source(bufnr)
  local client = require('ptx_analyzer').clients()[1]
  if not client then
    request.notify('no server is running; it starts with the first PTX file.')
    return
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local params = { uri = vim.uri_from_bufnr(bufnr), line = line }
  local attached = next(client.attached_buffers) or bufnr
  request.send(attached, 'ptx/fromSourceLine', params, function(locations)
    if not locations or #locations == 0 then
      request.notify('no PTX file that is known has instructions of this line.')
      return
    end
    M.list(locations, client, ('PTX of line %d'):format(line + 1))
  end)
end

---@param locations lsp.Location[]
---@param client vim.lsp.Client
---@param title string
function M.list(locations, client, title)
  local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd.copen()
end

return M

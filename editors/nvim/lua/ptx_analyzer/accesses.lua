--- The references of a name in the quickfix list, with what each does: LSP's own references do not say it.
local request = require('ptx_analyzer.request')
local M = {}

--- Lists the reads and writes of the name under the cursor.
function M.accesses()
  local bufnr = vim.api.nvim_get_current_buf()
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/accesses', params, function(found, client)
    if #found == 0 then
      request.notify('put the cursor on a name.')
      return
    end
    local locations, words = {}, {}
    for _, it in ipairs(found) do
      local start = it.location.range.start
      table.insert(locations, it.location)
      words[('%s:%d:%d'):format(it.location.uri, start.line, start.character)] =
        ('%-11s%s'):format(it.access, it.otherValue and '(another value) ' or '')
    end
    local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
    for _, item in ipairs(items) do
      local location = item.user_data
      local start = location.range.start
      item.text = words[('%s:%d:%d'):format(location.uri, start.line, start.character)] .. vim.trim(item.text)
    end
    vim.fn.setqflist({}, ' ', { title = 'Reads and writes', items = items })
    vim.cmd('botright copen')
  end)
end

return M

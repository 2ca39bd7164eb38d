--- The references of a name in the quickfix list, with what each does: LSP's own references do not say it.
local request = require('ptx_analyzer.request')
local M = {}

--- Lists the reads and writes of the name under the cursor; of many registers, such as those of `%r<400>`, those of one
--- if that is named.
---@param wanted string? Such as `%r12`.
function M.accesses(wanted)
  local bufnr = vim.api.nvim_get_current_buf()
  local params = request.position(bufnr)
  if not params then
    return
  end
  request.send(bufnr, 'ptx/registerAccesses', params, function(found, client)
    if #found == 0 then
      request.notify('put the cursor on a name.')
      return
    end
    local locations, words, names = {}, {}, {}
    for _, it in ipairs(found) do
      local start = it.location.range.start
      table.insert(locations, it.location)
      words[('%s:%d:%d'):format(it.location.uri, start.line, start.character)] =
        ('%-12s%s'):format(it.access, it.otherValue and '(another value) ' or '')
    end
    local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
    for _, item in ipairs(items) do
      local location = item.user_data
      local start = location.range.start
      local word = words[('%s:%d:%d'):format(location.uri, start.line, start.character)]
      names[item] = item.text:sub(item.col, item.end_col - 1)
      item.text = ('%s%-8s %s'):format(word, names[item], vim.trim(item.text))
    end
    if wanted then
      items = vim.tbl_filter(function(item)
        return names[item] == wanted
      end, items)
      if #items == 0 then
        request.notify(('%s is not among the references of the name under the cursor.'):format(wanted))
        return
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Reads and writes' .. (wanted and ' of ' .. wanted or ''), items = items })
    vim.cmd('botright copen')
  end)
end

return M

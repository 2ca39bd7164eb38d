--- `:PtxExplain`: the documentation of any word of PTX.
local float = require('ptx_analyzer.float')
local request = require('ptx_analyzer.request')
local M = {}

--- Words of the server by the id of its client, for completion on the command line.
local words = {} ---@type table<integer, string[]>

--- Explains a word in a floating window; an empty one is the word under the cursor.
---@param name string
function M.explain(name)
  if name == '' then
    -- The dots of an opcode separate words, so that `.rn` of `fma.rn` is asked for alone.
    name = vim.fn.expand('<cword>')
  end
  request.send(0, 'ptx/explain', { name = name }, function(found)
    if not found or #found == 0 then
      request.notify(('nothing is known of `%s`.'):format(name))
      return
    end
    local lines = {}
    for index, it in ipairs(found) do
      if index > 1 then
        vim.list_extend(lines, { '', '---', '' })
      end
      vim.list_extend(lines, { ('# %s (%s)'):format(it.name, it.kind), '' })
      vim.list_extend(lines, vim.split(it.text, '\n', { trimempty = true }))
    end
    float.open(lines, 'markdown', ' ' .. name .. ' ')
  end)
end

--- Words that begin with what has been typed, with or without their period or per cent sign.
---@param typed string
---@return string[]
function M.complete(typed)
  local client = require('ptx_analyzer').clients(0)[1]
  if not client then
    return {}
  end
  if not words[client.id] then
    local names = {}
    for _, it in ipairs(request.wait(client, 'ptx/words', vim.empty_dict(), 0) or {}) do
      names[it.name] = true
    end
    words[client.id] = vim.tbl_keys(names)
    table.sort(words[client.id])
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, typed) or vim.startswith(name:gsub('^[.%%]', ''), typed)
  end, words[client.id])
end

return M

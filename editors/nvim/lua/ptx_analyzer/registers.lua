--- `:PtxRegisters`: how many registers kernels need, how many warps fit, and where the peak is.
local float = require('ptx_analyzer.float')
local marks = require('ptx_analyzer.marks')
local request = require('ptx_analyzer.request')
local M = {}

--- What is known of an entry, in one line.
---@param entry table
---@return string
local function summary(entry)
  local occupancy = entry.occupancy
  local words = {}
  if entry.exact then
    table.insert(words, ('%d registers (ptxas)'):format(entry.exact.registers))
    local spilled = entry.exact.spillStores + entry.exact.spillLoads
    if spilled > 0 then
      table.insert(words, ('%d bytes spilled'):format(spilled))
    end
  else
    local more = entry.mayNeed and (', perhaps %d'):format(entry.mayNeed) or ''
    table.insert(words, ('about %d registers (%d to %d%s)'):format(entry.estimate, entry.low, entry.high, more))
  end
  local warps = ('%d/%d warps on %s'):format(occupancy.warps, occupancy.of, entry.target)
  table.insert(words, warps .. (occupancy.limiter and (', limited by ' .. occupancy.limiter) or ''))
  local counted = entry.counted == 'ptxas' and 'live by ptxas' or 'live as written'
  table.insert(words, ('at most %d %s'):format(entry.maxLive, counted))
  return table.concat(words, '; ')
end

--- Details of one entry, as Markdown.
---@param entry table
---@return string[]
local function details(entry)
  local occupancy = entry.occupancy
  local lines = { ('# %s'):format(entry.name), '', summary(entry) .. '.', '' }
  local assumed = occupancy.threadsAssumed and ', which is assumed' or ''
  table.insert(lines, ('- %d threads per block%s'):format(occupancy.threads, assumed))
  if entry.cap then
    local by = entry.capDirective
    table.insert(lines, ('- At most %d registers are allowed%s'):format(entry.cap, by and (' by `' .. by .. '`') or ''))
  end
  if occupancy.next then
    table.insert(lines, ('- With %d registers: %d warps'):format(occupancy.next.registers, occupancy.next.warps))
  end
  return lines
end

--- Lists the entries in the quickfix window, each at its peak; with a bang, shows the entry under the cursor
--- in a floating window and what is live at the end of its lines.
---@param here boolean
function M.registers(here)
  local bufnr = vim.api.nvim_get_current_buf()
  local params = here and request.position(bufnr) or request.document(bufnr)
  if params then
    M.show(bufnr, params, here)
  end
end

--- The command of a code lens: the kernel that it is above.
---@param command lsp.Command Its arguments are a URI and a position.
function M.of_lens(command)
  local uri, position = unpack(command.arguments or {})
  if uri and position then
    M.show(vim.uri_to_bufnr(uri), { textDocument = { uri = uri }, position = position }, true)
  end
end

---@param bufnr integer
---@param params table
---@param here boolean
function M.show(bufnr, params, here)
  request.send(bufnr, 'ptx/registers', params, function(found)
    local entries = found and found.entries or {}
    if #entries == 0 then
      request.notify(here and 'put the cursor into a kernel.' or 'there is no kernel in this file.')
      return
    end
    if here then
      marks.pressure(bufnr, entries)
      float.open(details(entries[1]), 'markdown', ' Registers ')
      return
    end
    local items = vim.tbl_map(function(entry)
      local line = entry.peakLine or entry.selectionRange.start.line
      return { bufnr = bufnr, lnum = line + 1, col = 1, text = ('%s: %s'):format(entry.name, summary(entry)) }
    end, entries)
    vim.fn.setqflist({}, ' ', { title = 'Registers', items = items })
    vim.cmd.copen()
  end)
end

return M

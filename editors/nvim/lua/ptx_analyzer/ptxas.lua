--- `:PtxRunPtxas` and `:PtxTrust`: NVIDIA's assembler, run by the server.
local request = require('ptx_analyzer.request')
local M = {}

---@param count integer
---@param noun string
local function counted(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

--- What a run led to, in one line.
---@param run table
---@return string
local function summary(run)
  local parts = {}
  if run.errors > 0 then
    table.insert(parts, counted(run.errors, 'error'))
  end
  if run.warnings > 0 then
    table.insert(parts, counted(run.warnings, 'warning'))
  end
  for _, entry in ipairs(run.entries) do
    local spilled = entry.spillStores + entry.spillLoads
    local spills = spilled > 0 and (' and %d bytes spilled'):format(spilled) or ''
    table.insert(parts, ('%s %s%s'):format(entry.name, counted(entry.registers, 'register'), spills))
  end
  local said = #parts > 0 and table.concat(parts, ', ') or 'no errors'
  return ('ptxas %s for %s: %s'):format(run.release, run.target, said)
end

--- Runs `ptxas` on the text of the current buffer, saved or not; its messages become diagnostics.
function M.run()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = request.client(bufnr)
  if not client then
    return
  end
  request.call(client, 'ptx/runPtxas', request.document(bufnr), bufnr, function(err, run)
    if not err then
      request.notify(summary(run), run.errors > 0 and vim.log.levels.ERROR or vim.log.levels.INFO)
      return
    end
    -- The server does not know the commands of editors.
    request.call(client, 'ptx/serverStatus', nil, bufnr, function(_, status)
      local state = status and status.ptxas and status.ptxas.state or 'ready'
      -- It was run if it could be, and the words begin with it.
      local start = state == 'ready' and '' or 'ptxas was not run: '
      local advice = state == 'untrusted' and ' :PtxTrust lets it run in this session.' or ''
      request.notify(('%s%s.%s'):format(start, err.message, advice))
    end)
  end)
end

--- Tells every running server that the user trusts the open folders.
function M.trust()
  local clients = require('ptx_analyzer').clients()
  if #clients == 0 then
    request.notify('no server is running; it starts with the first PTX file.')
  end
  for _, client in ipairs(clients) do
    request.tell(client, 'ptx/didGrantTrust')
  end
end

return M

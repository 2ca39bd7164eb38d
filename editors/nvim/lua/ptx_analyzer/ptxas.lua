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

--- What helps, by the state of `ptxas`.
local ADVICE = {
  untrusted = ':PtxTrust lets it run in this session.',
  missing = 'It comes with the CUDA Toolkit, and with `pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm`; :help ptx-analyzer-ptxas tells how to name its path.',
}

--- Has `ptxas` run on a buffer; `on_result` is called with what it says. If it cannot run, the user is told what helps.
---@param bufnr integer
---@param params table
---@param on_result fun(run: table)
function M.ask(bufnr, params, on_result)
  local client = request.client(bufnr)
  if not client then
    return
  end
  request.call(client, 'ptx/runPtxas', params, bufnr, function(err, run)
    if not err then
      on_result(run)
      return
    end
    -- The server does not know the commands of editors.
    request.call(client, 'ptx/serverStatus', nil, bufnr, function(_, status)
      local state = status and status.ptxas and status.ptxas.state or 'ready'
      -- It was run if it could be, and the words begin with it.
      local start = state == 'ready' and '' or 'ptxas was not run: '
      local advice = ADVICE[state] and ' ' .. ADVICE[state] or ''
      request.notify(('%s%s.%s'):format(start, err.message, advice))
    end)
  end)
end

--- Runs `ptxas` on the text of the current buffer, saved or not; its messages become diagnostics.
function M.run()
  local bufnr = vim.api.nvim_get_current_buf()
  M.ask(bufnr, request.document(bufnr), function(run)
    request.notify(summary(run), run.errors > 0 and vim.log.levels.ERROR or vim.log.levels.INFO)
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

--- `:PtxTargets`: what would be wrong with the file if it were for other GPUs.
local request = require('ptx_analyzer.request')
local M = {}

--- Lists errors by target in the quickfix window.
---@param targets string[] Such as `sm_90`; empty: those of hardware of today.
function M.targets(targets)
  local bufnr = vim.api.nvim_get_current_buf()
  local params = request.document(bufnr)
  -- An empty table of Lua would be sent as an object.
  params.targets = #targets > 0 and targets or nil
  request.send(bufnr, 'ptx/compareTargets', params, function(verdicts, client)
    local items = {}
    for _, verdict in ipairs(verdicts or {}) do
      local count = #verdict.errors
      table.insert(items, {
        text = ('%s (PTX ISA %s or later): %s'):format(verdict.target, verdict.version, count == 0 and 'no errors' or count == 1 and '1 error' or count .. ' errors'),
      })
      for _, problem in ipairs(verdict.errors) do
        local row, column = request.place(bufnr, problem.range, client)
        table.insert(items, {
          bufnr = bufnr,
          lnum = row + 1,
          col = column + 1,
          type = 'E',
          text = ('%s: %s'):format(verdict.target, vim.split(problem.message, '\n')[1]),
        })
      end
    end
    vim.fn.setqflist({}, ' ', { title = 'Targets', items = items })
    vim.cmd.copen()
  end)
end

return M

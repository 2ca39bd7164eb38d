--- For Neovim before 0.12, which a server cannot tell that problems and lines of code lens are out of date: they
--- would only be asked for again at the next edit, too late for changed settings and for what ptxas says.
local request = require('ptx_analyzer.request')
local M = {}

--- Whether this Neovim needs it.
M.needed = vim.fn.has('nvim-0.12') == 0

--- Says to the server that it may tell us.
M.capabilities = M.needed
    and {
      workspace = { diagnostics = { refreshSupport = true }, codeLens = { refreshSupport = true } },
    }
  or {}

--- Buffers whose lenses are shown.
M.lenses = {} ---@type table<integer, true>

--- Loaded buffers of the client that has been told.
---@param context { client_id: integer }
---@return vim.lsp.Client?, integer[]
local function attached(context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local buffers = client and vim.tbl_keys(client.attached_buffers) or {}
  return client, vim.tbl_filter(vim.api.nvim_buf_is_loaded, buffers)
end

M.handlers = M.needed
    and {
      ['workspace/diagnostic/refresh'] = function(_, _, context)
        local client, buffers = attached(context)
        for _, bufnr in ipairs(buffers) do
          -- Neovim's own handler takes the answer.
          request.call(client, 'textDocument/diagnostic', request.document(bufnr), bufnr, nil)
        end
        return vim.NIL
      end,
      ['workspace/codeLens/refresh'] = function(_, _, context)
        local _, buffers = attached(context)
        for _, bufnr in ipairs(buffers) do
          if M.lenses[bufnr] then
            vim.lsp.codelens.refresh({ bufnr = bufnr })
          end
        end
        return vim.NIL
      end,
    }
  or {}

return M

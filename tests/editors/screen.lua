--- A terminal for a Neovim under test: the outer Neovim plays the terminal, so that nothing else is needed to see
--- what a person would see, with its colours, on a machine without a terminal.
local Screen = {}
Screen.__index = Screen

local WAIT_MS = 20000
local LOOK_EVERY_MS = 20

--- Starts a program in a terminal that fills the screen of this Neovim.
---@param command string[]
---@param options { columns: integer, lines: integer, env: table<string, string>? }
function Screen.open(command, options)
  vim.o.laststatus, vim.o.showtabline, vim.o.cmdheight = 0, 0, 0
  vim.o.ruler, vim.o.showcmd = false, false
  vim.o.columns, vim.o.lines = options.columns, options.lines
  vim.cmd.enew()
  local self = setmetatable({ buffer = vim.api.nvim_get_current_buf() }, Screen)
  self.job = vim.fn.jobstart(command, {
    term = true,
    env = vim.tbl_extend('force', { TERM = 'xterm-256color', COLORTERM = 'truecolor' }, options.env or {}),
    on_exit = function(_, code)
      self.exit_code = code
    end,
  })
  assert(self.job > 0, 'cannot start ' .. command[1])
  self.rows = vim.api.nvim_win_get_height(0)
  self.columns = options.columns
  return self
end

--- What is on the screen, without blanks at the ends of lines.
---@return string[]
function Screen:text()
  local lines = vim.api.nvim_buf_get_lines(self.buffer, -self.rows - 1, -1, false)
  return vim.tbl_map(function(line)
    return (line:gsub('%s+$', ''))
  end, lines)
end

--- Sends keys as a terminal does; `<CR>`, `<Esc>` and so on are understood.
---@param keys string
function Screen:type(keys)
  vim.api.nvim_chan_send(self.job, vim.api.nvim_replace_termcodes(keys, true, true, true))
end

--- Waits until every text is on the screen, and no longer changes; raises an error with the screen otherwise.
---@param ... string
function Screen:wait_for(...)
  local wanted = { ... }
  local function all_seen()
    local text = table.concat(self:text(), '\n')
    return vim.iter(wanted):all(function(needle)
      return text:find(needle, 1, true) ~= nil
    end)
  end
  if not vim.wait(WAIT_MS, all_seen, LOOK_EVERY_MS) then
    error(('never on the screen: %s\n%s'):format(table.concat(wanted, ' | '), table.concat(self:text(), '\n')), 2)
  end
  local before
  vim.wait(2000, function()
    local now = table.concat(self:text(), '\n')
    local same = now == before
    before = now
    return same
  end, 150)
end

--- Waits until a text is no longer on the screen; raises an error with the screen otherwise.
---@param unwanted string
function Screen:wait_gone(unwanted)
  local function gone()
    return not table.concat(self:text(), '\n'):find(unwanted, 1, true)
  end
  if not vim.wait(WAIT_MS, gone, LOOK_EVERY_MS) then
    error(('still on the screen: %s\n%s'):format(unwanted, table.concat(self:text(), '\n')), 2)
  end
end

local function escape(text)
  return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }))
end

--- The screen as a page, with its colours.
---@return string
function Screen:html()
  -- The first look at a cell only makes Neovim remember the colours of what it draws from then on.
  vim.api.nvim__inspect_cell(1, 0, 0)
  vim.cmd('redraw!')
  local rows = {}
  for row = 0, self.rows - 1 do
    local spans, style = {}, nil
    for column = 0, self.columns - 1 do
      local cell = vim.api.nvim__inspect_cell(1, row, column)
      local text, attributes = cell[1], cell[2] or {}
      local foreground = attributes.foreground and ('#%06x'):format(attributes.foreground) or '#e0e2ea'
      local background = attributes.background and ('#%06x'):format(attributes.background) or '#14161b'
      if attributes.reverse then
        foreground, background = background, foreground
      end
      local now = ('color:%s;background:%s'):format(foreground, background)
        .. (attributes.bold and ';font-weight:bold' or '')
        .. (attributes.italic and ';font-style:italic' or '')
        .. ((attributes.underline or attributes.undercurl) and ';text-decoration:underline' or '')
      if now ~= style then
        table.insert(spans, (style and '</span>' or '') .. ('<span style="%s">'):format(now))
        style = now
      end
      table.insert(spans, escape(text or ''))
    end
    table.insert(rows, table.concat(spans) .. '</span>')
  end
  return '<!doctype html><meta charset="utf-8"><body style="margin:0;background:#14161b">'
    .. '<pre style="font:16px/1.2 \'DejaVu Sans Mono\',monospace;margin:8px">'
    .. table.concat(rows, '\n')
    .. '</pre>'
end

--- Ends the program.
function Screen:close()
  vim.fn.jobstop(self.job)
  vim.fn.jobwait({ self.job }, 5000)
  vim.api.nvim_buf_delete(self.buffer, { force = true })
end

return Screen

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

--- Waits until what is on the screen satisfies a condition and no longer changes.
--- Raises an error with the screen otherwise.
---@param what string
---@param condition fun(text: string): any
---@return any what the condition gave
function Screen:wait(what, condition)
  local result
  local reached = vim.wait(WAIT_MS, function()
    result = condition(table.concat(self:text(), '\n'))
    return result
  end, LOOK_EVERY_MS)
  if not reached then
    error(('waited in vain for %s\n%s'):format(what, table.concat(self:text(), '\n')), 3)
  end
  local before
  vim.wait(2000, function()
    local now = table.concat(self:text(), '\n')
    local same = now == before
    before = now
    return same
  end, 150)
  return result
end

--- Waits until every text is on the screen.
---@param ... string
function Screen:wait_for(...)
  local wanted = { ... }
  self:wait(table.concat(wanted, ' and '), function(text)
    return vim.iter(wanted):all(function(needle)
      return text:find(needle, 1, true) ~= nil
    end)
  end)
end

--- Waits until one of two texts is on the screen, and tells whether it is the first one.
---@param wanted string
---@param other string
---@return boolean
function Screen:wait_for_either(wanted, other)
  local function seen(text)
    return text:find(wanted, 1, true) and 'wanted' or text:find(other, 1, true) and 'other'
  end
  return self:wait(wanted .. ' or ' .. other, seen) == 'wanted'
end

--- Waits until a text is no longer on the screen.
---@param unwanted string
function Screen:wait_gone(unwanted)
  self:wait('the end of ' .. unwanted, function(text)
    return not text:find(unwanted, 1, true)
  end)
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

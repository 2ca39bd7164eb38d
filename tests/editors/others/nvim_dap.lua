--- Runs the example of the guide for nvim-dap in a real Neovim with the real plugin; see `tests/editors/run-others.sh`.
---
--- NVIM_DAP: the folder of the plugin; PTX_CONFIGURATION: the example; PTX_KERNEL: a kernel with a run and a race.
vim.opt.runtimepath:prepend(vim.env.NVIM_DAP)
vim.opt.swapfile = false
vim.filetype.add({ extension = { ptx = 'ptx' } })

local function check(what, value)
  if not value then
    error(what, 2)
  end
  io.stdout:write('ok   ', what, '\n')
end

local function main()
  dofile(vim.env.PTX_CONFIGURATION)
  local dap = require('dap')
  vim.cmd.edit(vim.env.PTX_KERNEL)
  local stopped
  dap.listeners.after.event_stopped.tests = function(_, body)
    stopped = body
  end
  --- Does something that ends in a stop, and waits for its frame.
  local function go(what, act)
    stopped = nil
    act()
    local session
    local reached = vim.wait(20000, function()
      session = dap.session()
      return stopped ~= nil and session ~= nil and session.current_frame ~= nil
    end, 10)
    check(what, reached)
    -- The frames arrive after the event.
    vim.wait(200)
    return stopped, dap.session().current_frame
  end
  local function evaluate(expression)
    local answer
    dap.session():request('evaluate', { expression = expression, frameId = dap.session().current_frame.id }, function(_, it)
      answer = it or {}
    end)
    vim.wait(20000, function()
      return answer ~= nil
    end, 10)
    return answer.result
  end

  local _, frame = go('the kernel stops at its first instruction', function()
    dap.run(dap.configurations.ptx[1])
  end)
  local first = frame.line
  _, frame = go('a step goes to the next instruction', dap.step_over)
  check('that is the next line', frame.line == first + 1)
  _, frame = go('a step back undoes it', dap.step_back)
  check('that is the first line again', frame.line == first)
  local stop
  stop, frame = go('the run stops at a finding', dap.continue)
  check('it is a race', stop.reason == 'exception' and stop.text:find('race', 1, true))
  check('values are evaluated', evaluate('%r1[5]') == '5')
  local ended = false
  dap.listeners.after.event_terminated.tests = function()
    ended = true
  end
  dap.terminate()
  check('the session ends', vim.wait(20000, function()
    return ended or dap.session() == nil
  end, 10))
end

vim.schedule(function()
  local ok, message = xpcall(main, debug.traceback)
  if not ok then
    io.stdout:write('FAIL ', message, '\n')
  end
  io.stdout:flush()
  vim.cmd(ok and 'qall!' or 'cquit 1')
end)

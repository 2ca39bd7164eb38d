--- What a person sees: Neovim in a terminal, opened as `editors/try` opens it. Every screen is kept as a capture.
local h = require('harness')
local Screen = require('screen')

if not h.NEW then
  io.stdout:write('skip the screens: the keys that they press are those of Neovim 0.11 and newer\n')
  return
end

local root = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fn.fnamemodify(
  debug.getinfo(1, 'S').source:sub(2),
  ':p'
)))))

---@param file string A file of the tour, or a whole path.
---@param env table<string, string>?
local function open(file, env)
  local screen = Screen.open({
    vim.v.progpath,
    '--clean',
    '-u',
    vim.fs.joinpath(root, 'editors/tour/init.lua'),
    '--',
    vim.startswith(file, '/') and file or vim.fs.joinpath(root, 'editors/tour', file),
  }, { columns = 100, lines = 30, env = env })
  screen:wait_for('ptx-analyzer ready')
  return screen
end

--- Keeps a screen as text and as a page with colours, and gives its text.
---@param screen table
---@param name string
local function capture(screen, name)
  local path = vim.fs.joinpath(vim.env.PTX_EDITOR_SCREENS, 'nvim-' .. name)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  vim.fn.writefile(screen:text(), path .. '.txt')
  vim.fn.writefile(vim.split(screen:html(), '\n'), path .. '.html')
  return table.concat(screen:text(), '\n')
end

---@param name string
---@param file string
---@param body fun(screen: table)
---@param env table<string, string>?
local function screen_test(name, file, body, env)
  h.test(name, function()
    local screen = open(file, env)
    local ok, message = pcall(body, screen)
    screen:close()
    if not ok then
      error(message, 0)
    end
  end)
end

screen_test('the mistakes of the tour are shown where they are', 'tour-mistakes.ptx', function(screen)
  screen:wait_for('ready: 6 problems')
  local text = capture(screen, 'syntax-error')
  h.contains(text, 'mov.u32 %r4, %tid.x;     ■ `%r4` is not declared')
  h.contains(text, 'mov.u32 %r1, 1     ■ expected `,` or `;`')
  h.contains(text, 'bra $nowhere;     ■ label `$nowhere` is not declared')
end)

screen_test('the tour has no mistakes', 'tour.ptx', function(screen)
  h.contains(capture(screen, 'tour'), 'ptx-analyzer ready: no problems')
end)

screen_test('K explains a register', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>f%K')
  screen:wait_for('╭', '.reg .b32 %r<8>')
  h.contains(capture(screen, 'hover'), '%r')
end)

screen_test('gd goes to the declaration of a register', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>f%gd')
  screen:wait_for('   44:15')
  h.contains(capture(screen, 'definition'), '.reg .b32 %r<8>;')
end)

screen_test('grn renames a label with its branch', 'tour.ptx', function(screen)
  screen:type('/out_of_range;<CR>grn')
  screen:wait_for('New Name: $out_of_range')
  screen:type('<C-u>$exit<CR>')
  screen:wait_for('bra $exit;')
  screen:type('/exit:<CR>')
  screen:wait_for('$exit:')
  h.contains(capture(screen, 'rename'), '$exit:')
end)

screen_test('gO lists the kernels', 'tour.ptx', function(screen)
  screen:type('gO')
  screen:wait_for('Symbols in')
  screen:type('/sum256<CR>')
  screen:wait_for('[Function] sum256')
  capture(screen, 'outline')
end)

screen_test('deleting a semicolon is reported while typing', 'tour.ptx', function(screen)
  screen:type('/mul.rn<CR>$x')
  screen:wait_for('■')
  capture(screen, 'typing')
  screen:type('u')
  screen:wait_for('ready: no problems')
end)

if vim.env.PTXAS then
  -- A copy elsewhere: programs inside the folder of a file are never run, and a fetched ptxas is inside this one.
  local copy = vim.fs.joinpath(vim.fn.tempname(), 'tour.ptx')
  vim.fn.mkdir(vim.fs.dirname(copy), 'p')
  vim.fn.writefile(vim.fn.readfile(vim.fs.joinpath(root, 'editors/tour/tour.ptx')), copy)
  screen_test('the machine code is beside its statement', copy, function(screen)
    screen:type(':PtxTrust<CR>/mad.lo<CR>:PtxSass<CR>')
    screen:wait_for('for sm_', 'IMAD')
    h.contains(capture(screen, 'machine-code'), 'IMAD')
  end, { PATH = vim.fs.dirname(vim.env.PTXAS) .. ':' .. vim.env.PATH })
end

screen_test('what differs from another build is listed', 'tour.ptx', function(screen)
  local old = vim.fn.tempname() .. '.ptx'
  local lines = vim.fn.readfile(vim.fs.joinpath(root, 'editors/tour/tour.ptx'))
  local text = table.concat(lines, '\n'):gsub('mul%.rn', 'add.rn'):gsub('%%rd', '%%long')
  vim.fn.writefile(vim.split(text, '\n'), old)
  screen:type(':PtxDiff ' .. old .. '<CR>')
  screen:wait_for('1 changed')
  h.contains(capture(screen, 'differences'), 'mul.rn')
end)

screen_test('K explains an instruction', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>K')
  screen:wait_for('╭', 'mad')
  capture(screen, 'hover-instruction')
end)

screen_test('completion follows the words of an instruction', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>Ocp.async.<C-x><C-o>')
  screen:wait_for('.commit_group', '.ca')
  capture(screen, 'completion')
  screen:type('<C-e><Esc>u')
end)

screen_test('signature help while the operands are written', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>f,a')
  screen:wait_for('-- INSERT --')
  screen:type('<C-s>')
  screen:wait_for('mad.lo.s32 d, a, b, c')
  capture(screen, 'signature')
end)

screen_test(':PtxFlow shows the blocks of a kernel', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>:PtxFlow<CR>')
  screen:wait_for('Control flow of', '→')
  capture(screen, 'flow')
end)

screen_test(':PtxRegisters! shows what a kernel needs', 'tour.ptx', function(screen)
  screen:type('/mad.lo<CR>:PtxRegisters!<CR>')
  screen:wait_for('warps on', 'live')
  capture(screen, 'registers')
end)

screen_test(':PtxTargets lists what other GPUs lack', 'tour.ptx', function(screen)
  screen:type(':PtxTargets sm_75 sm_90 sm_120<CR>')
  screen:wait_for('no errors', 'za opens')
  capture(screen, 'targets')
end)

h.test('editors/try --print shows the tour without a terminal', function()
  local result = vim
    .system({ 'bash', vim.fs.joinpath(root, 'editors/try'), '--print' }, {
      text = true,
      timeout = 120000,
      env = { PTX_NVIM = vim.v.progpath },
    })
    :wait()
  h.eq(result.stderr, '')
  h.eq(result.code, 0)
  h.contains(result.stdout, 'ptx-analyzer ready: no problems')
  h.contains(result.stdout, '│Register, type .f32, 32 bits (4 bytes) in scale: %f1')
  h.contains(result.stdout, '   23:15')
  h.contains(result.stdout, '[Function] scale')
  h.contains(result.stdout, 'ptx-analyzer ready: 6 problems')
end)

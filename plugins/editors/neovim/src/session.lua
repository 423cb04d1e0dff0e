-- Runs inside an attached Neovim: functions that the session calls by name, and autocommands that send events. Loaded
-- once per channel; `package.loaded['marquetry.sessions']` holds the attached sessions. Lines and columns are
-- zero-based as in the plugin API; columns are in UTF-16 code units.

local channel, options = ...
local api, fn, uv = vim.api, vim.fn, vim.uv or vim.loop
local S = { diffs = {} }
local group = api.nvim_create_augroup('marquetry.' .. channel, { clear = true })
local sessions = package.loaded['marquetry.sessions'] or {}
package.loaded['marquetry.sessions'] = sessions

-- Maximum size of a selection in bytes.
local MOST_TEXT = 256 * 1024
-- Cursor movements within this time in milliseconds are coalesced.
local PAUSE = 30

-- Commands that decide on a proposed diff.
local ADVICE = ':write accepts, :MarqReject rejects'

local timers = {}

local function uninstall()
  pcall(api.nvim_del_augroup_by_id, group)
  sessions[channel] = nil
  for _, timer in pairs(timers) do timer:close() end
  timers = {}
  for id in pairs(S.diffs) do pcall(S.close_diff, id) end
end

-- Sends an event. If the channel is closed, removes everything of the session from Neovim.
local function send_event(what, value)
  if not pcall(vim.rpcnotify, channel, 'marquetry', what, value == nil and vim.NIL or value) then uninstall() end
end

local function fail(kind, message, hint) error({ failure = { kind = kind, message = message, hint = hint } }, 0) end

-- Converts columns: Neovim counts bytes, the plugin API UTF-16 code units.
local function units(line, bytes)
  local count, at = 0, 1
  while at <= #line and at <= bytes do
    local byte = line:byte(at)
    local length = byte < 0x80 and 1 or byte < 0xC0 and 1 or byte < 0xE0 and 2 or byte < 0xF0 and 3 or 4
    count = count + (length == 4 and 2 or 1)
    at = at + length
  end
  return count
end

local function bytes(line, column)
  local count, at = 0, 1
  while at <= #line and count < column do
    local byte = line:byte(at)
    local length = byte < 0x80 and 1 or byte < 0xC0 and 1 or byte < 0xE0 and 2 or byte < 0xF0 and 3 or 4
    count = count + (length == 4 and 2 or 1)
    at = at + length
  end
  return math.min(at - 1, #line)
end

local function line_of(buffer, line) return api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or '' end

-- Converts a position to row and byte. A position past the end of the text means its end.
local function place(buffer, line, column)
  local count = api.nvim_buf_line_count(buffer)
  if line >= count then return count - 1, #line_of(buffer, count - 1) end
  return line, bytes(line_of(buffer, line), column)
end

local function real(path) return path ~= '' and (uv.fs_realpath(path) or path) or path end

-- A name with a URI scheme is not a file.
local function path_of(buffer)
  local name = api.nvim_buf_get_name(buffer)
  if name == '' or vim.bo[buffer].buftype ~= '' or name:match('^%a[%w+.-]+://') then return nil end
  return real(name)
end

local function is_text(buffer)
  return api.nvim_buf_is_valid(buffer) and vim.bo[buffer].buflisted and vim.bo[buffer].buftype == ''
end

local function buffer_of(path)
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buffer) and path_of(buffer) == path then return buffer end
  end
end

local function text_of(buffer)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local text = table.concat(lines, '\n')
  -- Like Neovim on write: a missing final line break is added, unless the options say otherwise.
  local ends = vim.bo[buffer].endofline or (vim.bo[buffer].fixendofline and vim.bo[buffer].buftype == '')
  if #lines == 1 and lines[1] == '' and not vim.bo[buffer].endofline then return '' end
  return ends and text .. '\n' or text
end

local function set_text(buffer, text)
  local ends = text:sub(-1) == '\n'
  local lines = vim.split(ends and text:sub(1, -2) or text, '\n', { plain = true })
  local levels = vim.bo[buffer].undolevels
  vim.bo[buffer].undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].undolevels = levels
  vim.bo[buffer].endofline, vim.bo[buffer].fixendofline = ends, false
end

-- Returns to normal mode from any mode.
local function calm()
  if api.nvim_get_mode().mode ~= 'n' then
    api.nvim_feedkeys(api.nvim_replace_termcodes('<C-\\><C-n>', true, false, true), 'nx', false)
  end
end

-- Loads a file into a buffer, without a prompt about swap files.
local function load(path)
  local buffer = buffer_of(path)
  if buffer then return buffer end
  if not uv.fs_stat(path) then
    fail('file-not-found', 'there is no file ' .. path)
  end
  local short = vim.o.shortmess
  vim.opt.shortmess:append('A')
  buffer = fn.bufadd(path)
  local ok, why = pcall(fn.bufload, buffer)
  vim.o.shortmess = short
  if not ok then error(why, 0) end
  vim.bo[buffer].buflisted = true
  return buffer
end

-- Returns a window that may show a file: not a terminal, a list, a preview or one of our diffs.
local function window_for(buffer)
  local current = api.nvim_get_current_win()
  local windows = api.nvim_tabpage_list_wins(0)
  for _, window in ipairs(windows) do
    if api.nvim_win_get_buf(window) == buffer and not vim.wo[window].diff then return window end
  end
  local function fits(window)
    local shown = api.nvim_win_get_buf(window)
    return api.nvim_win_get_config(window).relative == '' and vim.bo[shown].buftype == '' and not vim.wo[window].diff
      and not vim.wo[window].previewwindow
  end
  if fits(current) then return current end
  for _, window in ipairs(windows) do
    if fits(window) then return window end
  end
  vim.cmd('topleft vsplit')
  return api.nvim_get_current_win()
end

-- Returns the range from the first occurrence of `start` to the end of the next occurrence of `stop`.
local function region_of(buffer, start, stop, to_line_end)
  local lines = api.nvim_buf_get_lines(buffer, 0, -1, false)
  local text = table.concat(lines, '\n')
  local from, to = text:find(start, 1, true)
  if not from then return nil, 'nothing' end
  local revealed = 'all'
  if stop and stop ~= '' then
    local _, last = text:find(stop, to + 1, true)
    if last then to = last else revealed = 'start' end
  end
  if to_line_end then to = (text:find('\n', to + 1, true) or #text + 1) - 1 end
  local function at(offset)
    local before = text:sub(1, offset)
    local _, line = before:gsub('\n', '')
    return line, #before:match('[^\n]*$')
  end
  local first, left = at(from - 1)
  local last, right = at(to)
  return { first, left, last, right }, revealed
end

-- Selects a range. Positions are zero-based; the end is exclusive.
local function select(window, buffer, first, left, last, right)
  calm()
  if first == last and left == right then
    api.nvim_win_set_cursor(window, { first + 1, left })
  else
    local linewise = left == 0 and right == 0 and last > first
    if right == 0 and last > first then
      last = last - 1
      right = #line_of(buffer, last)
    end
    api.nvim_win_set_cursor(window, { first + 1, left })
    vim.cmd('normal! ' .. (linewise and 'V' or 'v'))
    api.nvim_win_set_cursor(window, { last + 1, math.max(right - 1, 0) })
  end
  vim.cmd('normal! zz')
end

function S.open(file)
  local buffer = load(file.path)
  local region, revealed = nil, 'all'
  if file.region then
    local first, left = place(buffer, file.region[1], file.region[2])
    local last, right = place(buffer, file.region[3], file.region[4])
    region = { first, left, last, right }
  elseif file.start then
    region, revealed = region_of(buffer, file.start, file.stop, file.to_line_end)
  end
  if file.focus then
    calm()
    local window = window_for(buffer)
    api.nvim_set_current_win(window)
    if api.nvim_win_get_buf(window) ~= buffer then
      vim.cmd("normal! m'")
      vim.cmd('hide buffer ' .. buffer)
    end
    if region then select(window, buffer, unpack(region)) end
  elseif region then
    -- If another window already shows the file, scroll there without moving the focus.
    for _, window in ipairs(api.nvim_list_wins()) do
      if api.nvim_win_get_buf(window) == buffer and window ~= api.nvim_get_current_win() then
        api.nvim_win_set_cursor(window, { region[1] + 1, region[2] })
      end
    end
  end
  if vim.bo[buffer].filetype == '' then
    local found = vim.filetype and vim.filetype.match({ buf = buffer })
    if found then vim.bo[buffer].filetype = found end
  end
  return { language = vim.bo[buffer].filetype, lines = api.nvim_buf_line_count(buffer), revealed = revealed }
end

local function decided(id, what, text)
  local diff = S.diffs[id]
  if not diff or diff.decided then return end
  diff.decided = true
  send_event('decided', { id = id, what = what, text = text })
end

-- Sets the bar above a window of a diff. Names come from a project, so `%` in them is escaped: it would start an item
-- of the bar.
local function set_bar(window, name, advice)
  local function plain(text) return (fn.strtrans(text):gsub('%%', '%%%%')) end
  local bar = ' ' .. plain(name) .. (advice and '%=' .. plain(advice) .. ' ' or '')
  pcall(api.nvim_set_option_value, 'winbar', bar, { scope = 'local', win = window })
end

local function label_of(diff, side)
  return side.label ~= '' and side.label or side.path or diff.title
end

-- Names a buffer of a diff. The tab line shortens everything before the last `/`.
local function name_buffer(diff, buffer, name)
  local last = fn.strtrans(name):gsub('/', ' ')
  api.nvim_buf_set_name(buffer, ('marquetry://%d/%d/%s'):format(diff.id, #diff.buffers, last))
end

-- Shows one side of a diff in the current window.
local function show_side(diff, side, is_proposal, is_right)
  local window = api.nvim_get_current_win()
  if not side.text and side.path and not is_proposal then
    if uv.fs_stat(side.path) or buffer_of(side.path) then
      api.nvim_win_set_buf(window, load(side.path))
      return window
    end
  end
  local buffer = api.nvim_create_buf(false, true)
  diff.buffers[#diff.buffers + 1] = buffer
  local label = label_of(diff, side)
  name_buffer(diff, buffer, is_right and diff.title ~= '' and diff.title or fn.fnamemodify(label, ':t'))
  set_text(buffer, side.text or '')
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].buftype = is_proposal and 'acwrite' or 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  api.nvim_win_set_buf(window, buffer)
  local language = side.path and vim.filetype and vim.filetype.match({ filename = side.path, buf = buffer })
  if language then vim.bo[buffer].filetype = language end
  vim.bo[buffer].modifiable = is_proposal
  vim.bo[buffer].modified = false
  return window, buffer
end

local function watch(diff, buffer)
  local was_empty = text_of(buffer) == ''
  api.nvim_create_autocmd('BufWriteCmd', {
    group = group,
    buffer = buffer,
    callback = function()
      local text = text_of(buffer)
      if was_empty and text ~= '' and text:sub(-1) ~= '\n' then text = text .. '\n' end
      vim.bo[buffer].modified, vim.bo[buffer].modifiable = false, false
      decided(diff.id, 'accepted', text)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = buffer,
    callback = function()
      if diff.decided then return end
      decided(diff.id, 'closed')
      -- When one side of a diff is closed, close the other side as well.
      vim.schedule(function() S.close_diff(diff.id) end)
    end,
  })
  local function command(name, run) api.nvim_buf_create_user_command(buffer, name, run, {}) end
  command('MarqAccept', function() vim.cmd('write') end)
  command('MarqReject', function()
    decided(diff.id, 'rejected')
    vim.schedule(function() S.close_diff(diff.id) end)
  end)
end

function S.show_diff(shown)
  S.close_diff(shown.id)
  calm()
  local before = api.nvim_get_current_tabpage()
  local diff = { id = shown.id, title = shown.title, buffers = {}, decided = not shown.decide }
  vim.cmd('tabnew')
  diff.tab = api.nvim_get_current_tabpage()
  local empty = api.nvim_get_current_buf()
  S.diffs[shown.id] = diff
  local ok, why = pcall(function()
    local left = show_side(diff, shown.left, false)
    vim.cmd('rightbelow vsplit')
    local right, buffer = show_side(diff, shown.right, shown.decide, true)
    local proposed = label_of(diff, shown.right) .. (shown.decide and ' (proposed)' or '')
    set_bar(left, label_of(diff, shown.left))
    set_bar(right, proposed, shown.decide and ADVICE or nil)
    for _, window in ipairs({ left, right }) do
      api.nvim_win_call(window, function() vim.cmd('diffthis') end)
    end
    if shown.decide then watch(diff, buffer) end
    api.nvim_set_current_win(right)
  end)
  if api.nvim_buf_is_valid(empty) and #fn.win_findbuf(empty) == 0 and api.nvim_buf_get_name(empty) == '' then
    pcall(api.nvim_buf_delete, empty, { force = true })
  end
  if not ok then
    S.close_diff(shown.id)
    error(why, 0)
  end
  if not shown.focus and api.nvim_tabpage_is_valid(before) then api.nvim_set_current_tabpage(before) end
  if shown.decide then
    local name = fn.strtrans(diff.title ~= '' and diff.title or label_of(diff, shown.right))
    local text = ('%s (tab %d): %s'):format(ADVICE, api.nvim_tabpage_get_number(diff.tab), name)
    -- A message that is wider than the screen would wait for a key.
    text = fn.strcharpart(text, 0, math.max(vim.o.columns - 15, 20))
    vim.notify(text, vim.log.levels.INFO, { title = 'marq' })
  end
end

function S.close_diff(id)
  local diff = S.diffs[id]
  if not diff then return end
  diff.decided = true
  S.diffs[id] = nil
  -- Closes the tab with the windows of the diff. The user's files stay open in other windows.
  if api.nvim_tabpage_is_valid(diff.tab) then
    for _, window in ipairs(api.nvim_tabpage_list_wins(diff.tab)) do
      pcall(api.nvim_win_call, window, function() vim.cmd('diffoff') end)
    end
    if #api.nvim_list_tabpages() > 1 then
      pcall(vim.cmd, 'tabclose! ' .. api.nvim_tabpage_get_number(diff.tab))
    end
  end
  for _, buffer in ipairs(diff.buffers) do
    if api.nvim_buf_is_valid(buffer) then pcall(api.nvim_buf_delete, buffer, { force = true }) end
  end
  -- The client may have written the accepted text by now.
  vim.schedule(function() pcall(vim.cmd, 'checktime') end)
end

function S.close_tab(path)
  local closed, unsaved = 0, 0
  local buffer = buffer_of(path)
  if buffer and vim.bo[buffer].modified then
    unsaved = 1
  elseif buffer then
    api.nvim_buf_delete(buffer, {})
    closed = 1
  end
  return { closed = closed, unsaved = unsaved }
end

function S.tabs()
  local tabs, current = {}, api.nvim_get_current_buf()
  for _, buffer in ipairs(api.nvim_list_bufs()) do
    local path = is_text(buffer) and path_of(buffer) or nil
    local modified = is_text(buffer) and vim.bo[buffer].modified
    if is_text(buffer) and (path or modified) then
      local name = api.nvim_buf_get_name(buffer)
      tabs[#tabs + 1] = {
        path = path,
        label = name ~= '' and fn.fnamemodify(name, ':t') or '[No Name]',
        language = vim.bo[buffer].filetype,
        active = buffer == current,
        dirty = modified,
        untitled = path == nil,
        lines = api.nvim_buf_is_loaded(buffer) and api.nvim_buf_line_count(buffer) or nil,
      }
    end
  end
  return tabs
end

local MODES = {
  n = 'normal', i = 'insert', v = 'visual', V = 'visual-line', ['\22'] = 'visual-block', R = 'replace', s = 'select',
  S = 'select-line', c = 'command', t = 'terminal',
}

-- Returns the selected text up to the size limit, and whether it was truncated.
local function selected_text(buffer, first, left, last, right)
  local parts, size = {}, 0
  for line = first, last do
    local text = line_of(buffer, line)
    local from, to = line == first and left + 1 or 1, line == last and right or #text
    parts[#parts + 1] = text:sub(from, to)
    size = size + #parts[#parts] + 1
    if size > MOST_TEXT then break end
  end
  local text = table.concat(parts, '\n')
  if #text <= MOST_TEXT and #parts == last - first + 1 then return text, false end
  local stop = math.min(MOST_TEXT, #text)
  while stop > 0 and stop < #text and text:byte(stop + 1) >= 0x80 and text:byte(stop + 1) < 0xC0 do stop = stop - 1 end
  return text:sub(1, stop), true
end

function S.selection()
  local buffer = api.nvim_get_current_buf()
  local path = path_of(buffer)
  if not path then return nil end
  local mode = api.nvim_get_mode().mode:sub(1, 1)
  local from, to = fn.getpos('v'), fn.getpos('.')
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then from, to = to, from end
  local first, left, last, right = from[2] - 1, from[3] - 1, to[2] - 1, to[3] - 1
  local line = line_of(buffer, last)
  if mode == 'V' or mode == 'S' then
    left, right = 0, #line
    -- Linewise selections include the last line break, if there is one.
    if last + 1 < api.nvim_buf_line_count(buffer) then last, right = last + 1, 0 end
  elseif mode == 'v' or mode == '\22' or mode == 's' then
    if vim.o.selection ~= 'exclusive' then right = bytes(line, units(line, math.min(right + 1, #line))) end
    right = math.min(right, #line)
  else
    first, left = last, math.min(right, #line)
    right = left
  end
  left = math.min(left, #line_of(buffer, first))
  local text, truncated = selected_text(buffer, first, left, last, right)
  return {
    path = path,
    region = {
      first, units(line_of(buffer, first), left), last, units(line_of(buffer, last), right),
    },
    text = text,
    truncated = truncated,
    language = vim.bo[buffer].filetype,
    mode = MODES[mode] or '',
  }
end

function S.dirty(path)
  local buffer = buffer_of(path)
  return buffer and { dirty = vim.bo[buffer].modified, untitled = uv.fs_stat(path) == nil } or nil
end

function S.text(path)
  local buffer = buffer_of(path)
  return buffer and text_of(buffer) or nil
end

function S.save(path)
  local buffer = buffer_of(path)
  if not buffer then return false end
  if vim.bo[buffer].modified then api.nvim_buf_call(buffer, function() vim.cmd('silent write') end) end
  return not vim.bo[buffer].modified
end

function S.folders()
  local path = real(fn.getcwd(-1, -1))
  return { { name = fn.fnamemodify(path, ':t'), path = path } }
end

function S.diagnostics(path)
  local buffer = path and buffer_of(path) or nil
  if path and not buffer then return {} end
  local by_buffer, order = {}, {}
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    local file = api.nvim_buf_is_valid(found.bufnr) and path_of(found.bufnr)
    if file then
      if not by_buffer[found.bufnr] then
        by_buffer[found.bufnr] = { path = file, diagnostics = {} }
        order[#order + 1] = by_buffer[found.bufnr]
      end
      local first, last = line_of(found.bufnr, found.lnum), line_of(found.bufnr, found.end_lnum or found.lnum)
      local diagnostics = by_buffer[found.bufnr].diagnostics
      diagnostics[#diagnostics + 1] = {
        region = {
          found.lnum, units(first, found.col), found.end_lnum or found.lnum, units(last, found.end_col or found.col),
        },
        severity = found.severity,
        message = found.message,
        source = found.source,
        code = found.code and tostring(found.code) or nil,
      }
    end
  end
  return order
end

function S.apply(files)
  local planned = {}
  for _, file in ipairs(files) do
    local buffer = buffer_of(file.path)
    if not buffer then fail('invalid-argument', file.path .. ' is not open') end
    if not vim.bo[buffer].modifiable or vim.bo[buffer].readonly then
      fail('invalid-argument', file.path .. ' cannot be changed in Neovim')
    end
    for _, edit in ipairs(file.edits) do
      -- A buffer has no position after its last line break.
      if edit.region[3] >= api.nvim_buf_line_count(buffer) then
        fail('invalid-argument', 'the last line break of ' .. file.path .. ' cannot be edited in Neovim')
      end
      local first, left = place(buffer, edit.region[1], edit.region[2])
      local last, right = place(buffer, edit.region[3], edit.region[4])
      local there = table.concat(api.nvim_buf_get_text(buffer, first, left, last, right, {}), '\n')
      if there ~= edit.old then
        fail('invalid-argument', file.path .. ' has changed: nothing was edited', 'read it again')
      end
      planned[#planned + 1] = { buffer, first, left, last, right, vim.split(edit.new, '\n', { plain = true }) }
    end
  end
  -- Apply from the end, so that earlier positions stay valid.
  for index = #planned, 1, -1 do api.nvim_buf_set_text(unpack(planned[index])) end
  for _, file in ipairs(files) do
    if file.save and not S.save(file.path) then fail('editor-failed', file.path .. ' was edited, and could not be saved') end
  end
end

function S.show(level, text) vim.notify(text, vim.log.levels[level], { title = 'marq' }) end

-- Runs `run` after a pause. Calls in the meantime are coalesced.
local function soon(name, pause, run)
  if timers[name] then return end
  local timer = uv.new_timer()
  timers[name] = timer
  timer:start(pause, 0, vim.schedule_wrap(function()
    if timers[name] ~= timer then return end
    timers[name] = nil
    timer:close()
    run()
  end))
end

local last_selection
local function tell_selection()
  local selection = S.selection()
  if not selection and vim.bo.buftype ~= '' then return end
  if not vim.deep_equal(selection, last_selection) then
    last_selection = selection
    send_event('selection', selection)
  end
end

local function send_tabs() send_event('tabs', S.tabs()) end

local function on(events, run) api.nvim_create_autocmd(events, { group = group, callback = run }) end

if options.share_selection then
  on({ 'CursorMoved', 'CursorMovedI', 'ModeChanged', 'BufEnter', 'WinEnter' }, function()
    soon('selection', PAUSE, tell_selection)
  end)
end
on({ 'BufAdd', 'BufEnter', 'BufDelete', 'BufWipeout', 'BufFilePost', 'FileType', 'TabEnter' }, function()
  soon('tabs', PAUSE, send_tabs)
end)
-- Unsaved files are reported at once, because programs that write to them have to know.
on({ 'BufModifiedSet' }, function() soon('tabs', 0, send_tabs) end)
on({ 'BufWritePost' }, function(event)
  local path = path_of(event.buf)
  if path then
    send_event('saved', path)
    soon('tabs', 0, send_tabs)
  end
end)
on({ 'TextChanged', 'TextChangedI', 'TextChangedP' }, function(event)
  local path = path_of(event.buf)
  if path then soon('changed ' .. event.buf, 100, function() send_event('changed', path) end) end
end)
on({ 'FocusGained', 'VimResume', 'UIEnter' }, function() send_event('focused', true) end)
on({ 'FocusLost', 'VimSuspend' }, function() send_event('focused', false) end)
on({ 'DirChanged' }, function() send_event('folders', S.folders()) end)

function S.mention(path, first, last) send_event('mentioned', { path = path, first = first, last = last }) end

api.nvim_create_user_command('MarqMention', function(given)
  local path = path_of(api.nvim_get_current_buf())
  if not path then return vim.notify('this buffer is not a file', vim.log.levels.WARN, { title = 'marq' }) end
  for _, session in pairs(package.loaded['marquetry.sessions'] or {}) do
    if given.range > 0 then
      session.mention(path, given.line1 - 1, given.line2 - 1)
    else
      session.mention(path)
    end
  end
end, { range = true, desc = 'Mention this file, or these lines of it, to the connected agents' })

-- Entry point of the session: calls a function by name. Expected failures are returned as values.
function S.call(name, ...)
  local answer = { pcall(S[name], ...) }
  if answer[1] then return { value = answer[2] } end
  local why = answer[2]
  if type(why) == 'table' and why.failure then return why end
  error(why, 0)
end

sessions[channel] = S
send_tabs()
if options.share_selection then tell_selection() end

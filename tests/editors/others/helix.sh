#!/usr/bin/env bash
# helix.sh README WORKSPACE: drives Helix in a terminal, with the configuration that README has for it.
# PTX_HELIX names the program when it is not `hx`. Needs tmux, which plays the terminal.
set -euo pipefail
readme=$1
workspace=$2

config=$(mktemp -d)
socket=ptx-analyzer-$$
terminal() { tmux -L "$socket" "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$config"' EXIT
mkdir "$config/helix"
helix=${PTX_HELIX:-hx}
blocks=2
if XDG_CONFIG_HOME=$config "$helix" --health ptx | grep -q 'Configured language servers'; then
    blocks=1
fi
echo "$("$helix" --version); the language $([ "$blocks" -eq 1 ] && echo "is built in" || echo "comes from the second example")"
awk -v blocks="$blocks" '
    /^## / { on = $2 == "Helix" }
    /^```$/ { code = 0 }
    on && code && seen <= blocks
    /^```toml$/ { code = 1; seen += on }
' "$readme" >"$config/helix/languages.toml"
printf '[editor.lsp]\ndisplay-inlay-hints = true\n[editor.inline-diagnostics]\ncursor-line = "hint"\n' >"$config/helix/config.toml"

passed=0
failed=0
# sees NAME TEXT: waits until the screen has the text.
sees() {
    for _ in $(seq 150); do
        if terminal capture-pane -p | grep -qF -- "$2"; then
            echo "ok $1"
            passed=$((passed + 1))
            return
        fi
        sleep 0.1
    done
    echo "not ok $1: the screen never shows: $2"
    terminal capture-pane -p
    failed=$((failed + 1))
}
keys() { terminal send-keys "$@"; }
# Alone and with a pause: what follows at once would be read as a key with Alt.
escape() {
    keys Escape
    sleep 0.5
}
# search TEXT: to the first place of a text, when what is open has been closed.
search() {
    sleep 0.3
    keys g g
    sleep 0.2
    keys "/$1" Enter
    sleep 0.3
}

terminal -f /dev/null new-session -d -x 120 -y 40 \
    "env XDG_CONFIG_HOME=$config XDG_CACHE_HOME=$config/cache TERM=tmux-256color COLORTERM=truecolor $helix $workspace/broken.ptx"
sees 'the mistakes are shown' '●'
keys 1 6 G
sees 'a mistake is told at the line of the cursor' '%count'
keys Space d
sees 'the picker of problems lists both' '2/2'
escape
keys 1 4 G g l
sleep 0.3
keys Space a
sees 'a fix is offered' 'Insert `;`'
keys Enter
sees 'the fix is applied' 'mov.u32 %r1, %tid.x;'
keys ':open saxpy.ptx' Enter
sees 'another file opens' 'mad.lo.s32'
keys ':open sum.ptx' Enter
sees 'the third file opens' '$L_loop'
# Hints are asked for when the editor is idle after a key.
keys '/0f3F80' Enter h l
sees 'hints show the values of constants' '= 1.0'
search '%total'
keys Space k
sees 'hover tells the declaration' '.reg .b32 %total'
escape
escape
search 'scale,'
# The cursor is after the name.
keys h g d
sees 'going to a definition opens the other file' 'Doubles a value'
keys ':open saxpy.ptx' Enter
sees 'back in the second file' 'saxpy_x'
keys Space s
sees 'symbols are listed' '$L_done'
escape
escape
search '%index'
keys Space r
sleep 0.5
keys C-u '%element' Enter
sees 'a register is renamed' 'mad.lo.s32 %element'
keys u
search 'mad'
keys i '      '
escape
sees 'a statement is out of order' '            mad.lo.s32 %index'
keys ':format' Enter
sees 'formatting lays the file out' '   28      mad.lo.s32'
search 'fma'
keys o 'ld.global.'
sees 'completion offers what can follow' '.f32'
escape
keys u
search 'fma'
keys o 'bar.sy'
sees 'completion offers the rest of a word' 'sync'
keys Tab Enter
sees 'what is offered is taken' 'bar.sync'
escape
keys ':quit-all!' Enter
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# Runs the configurations of `editors/others` in the real editors, with the real server.
#
# usage: tests/editors/run-others.sh [EDITOR]...
#
# EDITOR: eglot, lsp-mode, ale, nvim-dap, helix, kate or sublime; without any, all. What is not installed is skipped, with a word.
# Of Kate and of Sublime Text only the colours are looked at, by programs that read the same files as they do.
# On Debian and Ubuntu: apt-get install emacs-nox elpa-eglot elpa-lsp-mode vim vim-ale tmux \
# libkf5syntaxhighlighting-tools bat; Debian 13 also has hx.
# PTX_ANALYZER_SERVER names the server program; without it the debug build is used, and made when it is missing.
# PTX_ALE names the folder of ALE when it is not where Debian has it, PTX_HELIX the program of Helix when it is
# not `hx`, PTX_NVIM_DAP the folder of the plugin nvim-dap when it is not in a package of Neovim.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ -z "${PTX_ANALYZER_SERVER:-}" ]; then
    cargo build --manifest-path "$root/Cargo.toml" --locked --package ptx-analyzer --bin ptx-analyzer
    PTX_ANALYZER_SERVER=${CARGO_TARGET_DIR:-$root/target}/debug/ptx-analyzer
fi

user=${HOME:-}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/bin"
ln -s "$(cd "$(dirname "$PTX_ANALYZER_SERVER")" && pwd)/$(basename "$PTX_ANALYZER_SERVER")" "$home/bin/ptx-analyzer"
# The examples call the program by its name. A home of its own: the user's settings take no part.
export HOME=$home PATH=$home/bin:$PATH
export PTX_README=$root/editors/others/README.md

# A fresh copy of the files for each editor, with a mark of a root.
workspace() {
    rm -rf "$home/workspace"
    cp -r "$here/vscode/workspace" "$home/workspace"
    mkdir "$home/workspace/.git"
    cd "$home/workspace"
}

has_emacs_library() {
    command -v emacs >/dev/null &&
        emacs --batch --eval "(kill-emacs (if (locate-library \"$1\") 0 1))" >/dev/null 2>&1
}

run_emacs() {
    workspace
    # -q and not -Q: Debian's packages are found by the site files.
    timeout 300 emacs -q --batch --directory "$root/editors/others" --load "$here/others/$1.el"
}

obstacle_eglot() { has_emacs_library eglot || echo "there is no Emacs with Eglot"; }
obstacle_lsp-mode() { has_emacs_library lsp-mode || echo "there is no Emacs with lsp-mode"; }
run_eglot() {
    # The mode compiles without a warning, too.
    cp "$root/editors/others/ptx-mode.el" "$home/"
    emacs -Q --batch --eval "(setq byte-compile-error-on-warn t)" --funcall batch-byte-compile "$home/ptx-mode.el"
    run_emacs eglot
}
run_lsp-mode() { run_emacs lsp-mode; }

find_ale() {
    local folder
    for folder in "${PTX_ALE:-}" /usr/share/vim/vimfiles/pack/dist-bundle/opt/ale /usr/share/vim-ale; do
        if [ -n "$folder" ] && [ -e "$folder/autoload/ale.vim" ]; then
            echo "$folder"
            return
        fi
    done
}
obstacle_ale() {
    if ! command -v vim >/dev/null || ! vim --version | grep -q '+channel'; then
        echo "there is no Vim with channels"
    elif [ -z "$(find_ale)" ]; then
        echo "there is no ALE"
    fi
}
run_ale() {
    workspace
    awk '/^### /{ on = $2 == "ALE" } /^```$/{ code = 0 } on && code; /^```vim$/{ code = 1 }' "$PTX_README" >"$home/ale.vim"
    local status=0
    PTX_ALE=$(find_ale) PTX_CONFIGURATION=$home/ale.vim PTX_RESULTS=$home/results \
        timeout 300 vim -N -u "$here/others/ale.vim" -i NONE --not-a-term -T dumb </dev/null >"$home/screen" 2>&1 || status=$?
    cat "$home/results" || cat "$home/screen"
    return "$status"
}

find_nvim_dap() {
    local folder
    for folder in "${PTX_NVIM_DAP:-}" "$user"/.local/share/nvim/site/pack/*/*/nvim-dap "$user"/.local/share/nvim/lazy/nvim-dap; do
        if [ -n "$folder" ] && [ -e "$folder/lua/dap.lua" ]; then
            echo "$folder"
            return
        fi
    done
}
obstacle_nvim-dap() { [ -n "$(find_nvim_dap)" ] || echo "there is no nvim-dap: PTX_NVIM_DAP names its folder"; }
run_nvim-dap() {
    local nvim
    nvim=$("$here/setup-nvim.sh")
    workspace
    awk '/nvim-dap/{ on = 1 } on && code && /^```$/{ exit } code; on && /^```lua$/{ code = 1 }' \
        "$root/editors/guide/debugging.md" >"$home/dap.lua"
    NVIM_DAP=$(find_nvim_dap) PTX_CONFIGURATION=$home/dap.lua PTX_KERNEL=$home/workspace/reverse.ptx \
        timeout 300 "$nvim" --headless --clean -u NONE -S "$here/others/nvim_dap.lua"
}

obstacle_helix() {
    if ! command -v tmux >/dev/null; then
        echo "there is no tmux"
    elif ! "${PTX_HELIX:-hx}" --version >/dev/null 2>&1; then
        echo "there is no Helix"
    fi
}
run_helix() {
    workspace
    "$here/others/helix.sh" "$PTX_README" "$home/workspace"
}

# colours FILE PATTERN...: each pattern must be found in the coloured text.
colours() {
    local file=$1 passed=0 failed=0 pattern
    shift
    for pattern in "$@"; do
        if grep -qF -- "$pattern" "$file"; then
            echo "ok     $pattern"
            passed=$((passed + 1))
        else
            echo "not ok $pattern"
            failed=$((failed + 1))
        fi
    done
    [ "$failed" -eq 0 ] || cat "$file"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

kate_highlighter() {
    command -v ksyntaxhighlighter6 || command -v kate-syntax-highlighter || true
}
obstacle_kate() { [ -n "$(kate_highlighter)" ] || echo "there is no kate-syntax-highlighter"; }
run_kate() {
    local folder=$home/.local/share/org.kde.syntax-highlighting/syntax
    mkdir -p "$folder"
    cp "$root/editors/others/ptx.xml" "$folder/"
    workspace
    # The classes of Breeze Light: bold are opcodes, and each other colour is one kind of word.
    XDG_DATA_HOME=$home/.local/share "$(kate_highlighter)" --theme "Breeze Light" --output-format html saxpy.ptx |
        sed 's/<span style="/</g; s/;">/:/g; s/<\/span>/>/g' >"$home/kate"
    colours "$home/kate" '<color:#898887:// y = a * x' '<color:#006e28:.version> <color:#b08000:8.0>' \
        '<font-weight:bold:.entry> <color:#644a9b:saxpy>(' '<color:#644a9b:.reg> <color:#0057ae:.b32>' \
        '<font-weight:bold:mad><color:#644a9b:.lo><color:#0057ae:.s32> <color:#0057ae:%index>,' \
        '<font-weight:bold:@%p1> <font-weight:bold:bra> $L_done;' '<color:#006e28:$L_done:>'
}

# A pager that reads the colours of Sublime Text; Debian calls it batcat.
find_bat() {
    command -v batcat || command -v bat || true
}
obstacle_sublime() { [ -n "$(find_bat)" ] || echo "there is no bat, which reads the colours of Sublime Text"; }
run_sublime() {
    local bat
    bat=$(find_bat)
    mkdir -p "$home/bat/syntaxes"
    cp "$root/editors/others/PTX.sublime-syntax" "$home/bat/syntaxes/"
    "$bat" cache --build --source "$home/bat" --target "$home/bat/cache" >/dev/null
    workspace
    # The colours of a terminal, by their numbers.
    BAT_CACHE_PATH=$home/bat/cache "$bat" --language PTX --theme ansi --color always --plain --paging never saxpy.ptx |
        sed 's/\x1b\[0m/>/g; s/\x1b\[\([0-9]*\)m/<\1:/g' >"$home/sublime"
    colours "$home/sublime" '<32:// y = a * x' '<35:.version> <33:8.0>' '<35:.entry> <34:saxpy>(' \
        '<36:mad><35:.lo>.s32 %index,' '<35:@>%p1 <36:bra> $L_done;' '<36:$L_done>:' '%p<<33:2>>'
}

editors=${*:-eglot lsp-mode ale nvim-dap helix kate sublime}
status=0
for editor in $editors; do
    echo "==== $editor"
    declare -F "run_$editor" >/dev/null || {
        echo "error: there is no test of $editor" >&2
        exit 2
    }
    reason=$("obstacle_$editor")
    if [ -n "$reason" ]; then
        echo "skipped: $reason"
        continue
    fi
    # A shell of its own: the tests change the folder, and a failure ends one of them only.
    set +e
    (
        set -euo pipefail
        "run_$editor"
    )
    [ $? -eq 0 ] || status=1
    set -e
done
exit "$status"

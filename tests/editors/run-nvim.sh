#!/usr/bin/env bash
# Runs the editor tests in a real, headless Neovim with the real server.
#
# usage: tests/editors/run-nvim.sh [TEXT]
#
# TEXT: only the tests whose name contains it.
# PTX_ANALYZER_SERVER names the server program; without it the debug build is used, and made when it is missing.
# PTXAS names a ptxas to use instead of the one that is fetched.
# Captures of the screen land in `target/editor-screens`, as text, and as pictures when Chromium is there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ -z "${PTX_ANALYZER_SERVER:-}" ]; then
    cargo build --manifest-path "$root/Cargo.toml" --locked --package ptx-analyzer --bin ptx-analyzer
    PTX_ANALYZER_SERVER=${CARGO_TARGET_DIR:-$root/target}/debug/ptx-analyzer
fi
export PTX_ANALYZER_SERVER

nvim=$("$root/tests/editors/setup-nvim.sh")
"$nvim" --version | head -n 1

# There is no ptxas for other systems; without it its tests are left out.
if [ "$(uname -s)" = Linux ]; then
    source "$root/tests/conformance/ptxas.sh"
    fetch PTXAS ptxas nvidia-cuda-nvcc
    # It shows the opcodes of machine code, and the server looks for it beside ptxas.
    fetch NVDISASM nvdisasm nvidia-cuda-nvdisasm
fi

screens=$root/target/editor-screens
rm -rf "$screens"/nvim-*
mkdir -p "$screens"
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

# A home of its own: neither the settings nor the files of the user take part.
HOME=$home XDG_CONFIG_HOME=$home/config XDG_DATA_HOME=$home/data XDG_STATE_HOME=$home/state XDG_CACHE_HOME=$home/cache \
    PTX_EDITOR_SCREENS=$screens PTX_TEST_FILTER=${1:-} \
    "$nvim" --headless --clean -u NONE -S "$root/tests/editors/nvim/run.lua"

chromium=${CHROMIUM:-$(command -v chromium || true)}
if [ -n "$chromium" ]; then
    for page in "$screens"/nvim-*.html; do
        "$chromium" --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
            --user-data-dir="$home/chromium" --hide-scrollbars --window-size=1000,620 \
            --screenshot="${page%.html}.png" "file://$page" >/dev/null 2>&1 || true
    done
fi

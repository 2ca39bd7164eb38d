#!/usr/bin/env bash
# Tests the VS Code extension: its parts, then the packaged extension with the real server in the real editor.
#
# usage: tests/editors/run-vscode.sh [host|window|exact|web]
#
# host: the extension host only; window: what a person sees; exact: with the real ptxas; web: VS Code for the Web, with the
# server that server/wasm/build has made.
# PTXAS names a ptxas to use instead of the one that is fetched.
# PTX_ANALYZER_SERVER names the server program; without it the debug build is used, and made when it is missing.
# PTX_EDITOR_VERBOSE=1 prints what the editor itself has to say.
# Pictures of the window land in `target/editor-screens/vscode-*.png`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
editors=$root/.cache/editors
screens=$root/target/editor-screens

if [ "${1:-}" = web ] && ! [ -d "$root/target/web/npm" ]; then
  "$root/server/wasm/build"
fi
if [ -z "${PTX_ANALYZER_SERVER:-}" ] && [ "${1:-}" != web ]; then
  cargo build --manifest-path "$root/Cargo.toml" --locked --package ptx-analyzer --bin ptx-analyzer
  PTX_ANALYZER_SERVER=${CARGO_TARGET_DIR:-$root/target}/debug/ptx-analyzer
fi

packages=()
if [ "${1:-}" != web ]; then
  packages+=(--vsix "$("$here/package-vscode.sh" "$PTX_ANALYZER_SERVER")")
  (cd "$root/editors/vscode" && npm run --silent check)
fi
if [ -d "$root/target/web/npm" ]; then
  packages+=(--web "$("$here/package-vscode.sh" --web)")
else
  echo "skipped: VS Code for the Web, for server/wasm/build has not made its server"
fi

"$here/setup-vscode.sh" "$editors" --browser
CHROMIUM=${CHROMIUM:-$(command -v chromium)}
export CHROMIUM
mkdir -p "$screens"
if [ "${1:-}" = web ]; then
  exec node "$here/vscode/run.mjs" --editors "$editors" "${packages[@]}" --screens "$screens" --only web
fi
source "$root/tests/ptxas.sh"
fetch PTXAS ptxas nvidia-cuda-nvcc
# It shows the opcodes of machine code, and the server looks for it beside ptxas.
fetch NVDISASM nvdisasm nvidia-cuda-nvdisasm
rm -f "$screens"/vscode-*.png
node "$here/vscode/run.mjs" --editors "$editors" "${packages[@]}" --screens "$screens" ${1:+--only "$1"}

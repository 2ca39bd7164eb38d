#!/usr/bin/env bash
# Tests the VS Code extension: its parts, then the packaged extension with the real server in the real editor.
#
# usage: tests/editors/run-vscode.sh [host|window|exact|web]
#
# host: the extension host only; window: what a person sees; exact: with the real ptxas; web: VS Code for the Web, with the
# server that server/wasm/build has made, alone.
# PTXAS names a ptxas to use instead of the one that is fetched.
# PTX_ANALYZER_SERVER names the server program; without it the debug build is used, and made when it is missing.
# PTX_EDITOR_VERBOSE=1 prints what the editor itself has to say.
# Pictures of the window land in `target/editor-screens/vscode-*.png`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
editors=$root/.cache/editors
screens=$root/target/editor-screens

if [ "${1:-}" = web ]; then
  [ -d "$root/target/web/npm" ] || "$root/server/wasm/build"
  vsix=$("$here/package-vscode.sh" --web)
  "$here/setup-vscode.sh" "$editors" --browser
  exec node "$here/vscode/run.mjs" --editors "$editors" --web "$vsix" --screens "$screens"
fi

if [ -z "${PTX_ANALYZER_SERVER:-}" ]; then
  cargo build --manifest-path "$root/Cargo.toml" --locked --package ptx-analyzer --bin ptx-analyzer
  PTX_ANALYZER_SERVER=${CARGO_TARGET_DIR:-$root/target}/debug/ptx-analyzer
fi

vsix=$("$here/package-vscode.sh" "$PTX_ANALYZER_SERVER")
(cd "$root/editors/vscode" && npm run --silent check)

"$here/setup-vscode.sh" "$editors" --browser
CHROMIUM=${CHROMIUM:-$(command -v chromium)}
export CHROMIUM
source "$root/tests/conformance/ptxas.sh"
fetch PTXAS ptxas nvidia-cuda-nvcc
# It shows the opcodes of machine code, and the server looks for it beside ptxas.
fetch NVDISASM nvdisasm nvidia-cuda-nvdisasm
rm -f "$screens"/vscode-*.png
node "$here/vscode/run.mjs" --editors "$editors" --vsix "$vsix" --screens "$screens" ${1:+--only "$1"}

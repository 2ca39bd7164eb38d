#!/usr/bin/env bash
# open-vscode.sh FILE: opens FILE in VS Code in the browser, with the extension and the server of this checkout.
#
# PTX_ANALYZER_SERVER names the server program. Ends with Ctrl+C.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: open-vscode.sh FILE" >&2; exit 2; }
: "${PTX_ANALYZER_SERVER:?names the server program}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
editors=$(cd "$here/../.." && pwd)/.cache/editors

"$here/setup-vscode.sh" "$editors"
vsix=$("$here/package-vscode.sh" "$PTX_ANALYZER_SERVER")
exec node "$here/vscode/open.mjs" --editors "$editors" --vsix "$vsix" --file "$1"

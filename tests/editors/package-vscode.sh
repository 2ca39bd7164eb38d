#!/usr/bin/env bash
# package-vscode.sh SERVER: packs the VS Code extension for this machine with the program SERVER inside.
# Prints the path of the package, which is in .cache/editors.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: package-vscode.sh SERVER" >&2; exit 2; }
[ -x "$1" ] || { echo "package-vscode: there is no server program $1" >&2; exit 1; }
server=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
extension=$root/editors/vscode

command -v npm >/dev/null || { echo "package-vscode: npm was not found; install Node.js 20 or newer." >&2; exit 1; }
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || {
  echo "package-vscode: Node.js $(node --version) is too old; install version 20 or newer." >&2
  exit 1
}
# npm leaves a copy of the lock file that it has installed; ours is newer when something has changed.
if ! [ "$extension/node_modules/.package-lock.json" -nt "$extension/package-lock.json" ]; then
  (cd "$extension" && npm ci --loglevel=error --engine-strict=false >&2)
fi

target=$(node -p 'process.platform + "-" + process.arch')
out=$root/.cache/editors/ptx-analyzer-$target.vsix
mkdir -p "$(dirname "$out")"
(cd "$extension" && node scripts/package.mjs --target "$target" --server "$server" --out "$out" >&2)
echo "$out"

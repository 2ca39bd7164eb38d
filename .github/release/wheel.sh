#!/usr/bin/env bash
# Makes the package for pip with the program for a target, or the sources.
#
# usage: .github/release/wheel.sh TARGET FOLDER
#        .github/release/wheel.sh sdist FOLDER
#
# TARGET is a target of the compiler; FOLDER is where to write. MATURIN names the maturin to use.
# What `build.sh` has made is used again if it is there.
set -euo pipefail

[ $# -eq 2 ] || {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
target=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
maturin=${MATURIN:-maturin}
cd "$root/server/python"
# The licences must lie in the folder of the package.
cp "$root/LICENSE-MIT" "$root/LICENSE-APACHE" .

case "$target" in
    sdist)
        "$maturin" sdist --out "$out"
        # The lock file names the packages of the tests, too, which are not among the sources: without them it fits, and
        # who builds with --locked gets what was tested.
        archive=$(echo "$out"/ptx_analyzer-*.tar.gz)
        name=$(basename "$archive" .tar.gz)
        stage=$(mktemp -d)
        trap 'rm -rf "$stage"' EXIT
        tar -xzf "$archive" -C "$stage"
        (cd "$stage/$name" && cargo update --workspace --quiet)
        tar -C "$stage" -czf "$archive" "$name"
        exit
        ;;
    # A static program runs with every C library.
    *linux-musl) compatibility="--compatibility manylinux_2_17 musllinux_1_1" ;;
    *) compatibility= ;;
esac
profile=$(cd "$root" && { pwd -W 2>/dev/null || pwd; })/target/profile/merged.profdata
if [ -e "$root/target/profile/merged.profdata" ]; then
    export RUSTFLAGS="${RUSTFLAGS:-} -Cprofile-use=$profile"
fi
# shellcheck disable=SC2086 # These are several words.
"$maturin" build --release --locked --strip --target "$target" --target-dir "$root/target" --out "$out" $compatibility

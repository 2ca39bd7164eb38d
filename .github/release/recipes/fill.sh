#!/usr/bin/env bash
# Fills in the recipes for other package managers: the address, the version and the checksums of a release.
#
# usage: .github/release/recipes/fill.sh SHA256SUMS FOLDER
set -euo pipefail

[ $# -eq 2 ] || {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}
sums=$1
mkdir -p "$2"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cargo=$here/../../../Cargo.toml
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$cargo" | head -n 1)
address=$(sed -n 's/^repository = "\(.*\)"/\1/p' "$cargo" | head -n 1)

for recipe in ptx-analyzer.rb PKGBUILD package.nix recipe.yaml; do
    text=$(sed -e "s|@VERSION@|$version|g" -e "s|@ADDRESS@|$address|g" "$here/$recipe")
    while read -r sum file; do
        text=${text//@SHA256:$file@/$sum}
    done <"$sums"
    case "$text" in
        *@SHA256:*)
            echo "error: $recipe names a file that $sums does not have" >&2
            exit 1
            ;;
    esac
    printf '%s\n' "$text" >"$2/$recipe"
done

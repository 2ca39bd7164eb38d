# Fetches the pinned ptxas and nvdisasm, for scripts that read this file with `source`. They set `root`.
# PTXAS and NVDISASM name others.

release=13.5.37
cache=$root/.cache/ptxas

# fetch VARIABLE PROGRAM PACKAGE: makes a variable name a program of a package.
fetch() {
    if [ -z "${!1:-}" ]; then
        if ! [ -e "$cache/$2-$release" ]; then
            mkdir -p "$cache"
            [ -e "$cache/venv" ] || python3 -m venv "$cache/venv"
            "$cache/venv/bin/pip" install --quiet --disable-pip-version-check "$3==$release"
            touch "$cache/$2-$release"
        fi
        local program
        program=$(find "$cache/venv" -path "*/bin/$2" -type f | head -n 1)
        [ -n "$program" ] || { echo "error: $3 $release has no $2" >&2; exit 1; }
        chmod +x "$program"
        export "$1=$program"
    fi
}

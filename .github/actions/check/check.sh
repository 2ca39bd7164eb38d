#!/usr/bin/env bash
# The steps of the action: fetches the program of a release, checks its checksum and, where `gh` can, who built it, and
# runs it.
#
# The inputs come as PTX_*; see action.yml.
set -euo pipefail

fail() {
    echo "::error title=ptx-analyzer::$*"
    exit 2
}

# The name of the platform in the names of release files.
platform() {
    case "${RUNNER_OS:-}-${RUNNER_ARCH:-}" in
        Linux-X64) echo x86_64-unknown-linux-musl ;;
        Linux-ARM64) echo aarch64-unknown-linux-musl ;;
        macOS-X64) echo x86_64-apple-darwin ;;
        macOS-ARM64) echo aarch64-apple-darwin ;;
        Windows-X64) echo x86_64-pc-windows-msvc ;;
        Windows-ARM64) echo aarch64-pc-windows-msvc ;;
        *) return 1 ;;
    esac
}

fetch() {
    local target name folder url
    target=$(platform) || fail "there is no ptx-analyzer for ${RUNNER_OS:-this system} on ${RUNNER_ARCH:-this machine}"
    case "$target" in
        *windows*) name=ptx-analyzer-$target.zip ;;
        *) name=ptx-analyzer-$target.tar.gz ;;
    esac
    folder=${RUNNER_TEMP:?}/ptx-analyzer-$PTX_VERSION
    url=https://github.com/ptx-analyzer/ptx-analyzer/releases/download/v$PTX_VERSION
    mkdir -p "$folder"
    for file in "$name" "$name.sha256"; do
        curl --fail --silent --show-error --location --retry 3 --output "$folder/$file" "$url/$file" ||
            fail "$url/$file could not be fetched"
    done
    # macOS has no sha256sum.
    (cd "$folder" && { sha256sum --check --quiet "$name.sha256" || shasum -a 256 --check --quiet "$name.sha256"; }) >&2 ||
        fail "the checksum of $name is wrong"
    # The checksum comes from where the program comes from; the attestation says that the workflow of the release made it.
    if gh attestation verify --help >/dev/null 2>&1; then
        gh attestation verify "$folder/$name" --repo ptx-analyzer/ptx-analyzer \
            --signer-workflow ptx-analyzer/ptx-analyzer/.github/workflows/release.yml >&2 ||
            fail "the attestation of $name could not be verified"
    fi
    case "$name" in
        *.zip) unzip -q -o "$folder/$name" -d "$folder" ;;
        *) tar -xzf "$folder/$name" -C "$folder" ;;
    esac
    echo "$folder/ptx-analyzer-$target/ptx-analyzer"
}

server=$PTX_SERVER
if [ -z "$server" ]; then
    server=$(fetch) || {
        # What was said went into the variable; the log is to have it.
        echo "$server"
        exit 2
    }
fi

arguments=()
while IFS= read -r line; do
    if [ -n "$line" ]; then arguments+=("$line"); fi
done <<<"$PTX_ARGUMENTS"
paths=()
while IFS= read -r line; do
    if [ -n "$line" ]; then paths+=("$line"); fi
done <<<"$PTX_PATHS"
[ ${#paths[@]} -gt 0 ] || fail "there are no paths to check"

# The odd expansion is for Bash 3.2 of macOS, to which an empty list is an unset variable.
run() {
    "$server" check "--format=$PTX_FORMAT" ${arguments[@]+"${arguments[@]}"} -- "${paths[@]}"
}

case "$PTX_FORMAT" in
    github) run ;;
    sarif)
        echo "sarif-file=$PTX_SARIF_FILE" >>"$GITHUB_OUTPUT"
        run >"$PTX_SARIF_FILE"
        ;;
    *) fail "the format is github or sarif, not $PTX_FORMAT" ;;
esac

#!/usr/bin/env bash
# Builds the server for browsers and the playground, and tries both.
#
# usage: tests/editors/run-web.sh [--no-build]
#
# The npm package is in target/web/npm, the playground in target/web/playground; pictures of it go to
# target/editor-screens. --no-build tries those that are there. CHROMIUM names a Chromium.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
[ "${1:-}" = --no-build ] || server/wasm/build
# The answers of the module are compared with those of the program.
[ -n "${PTX_ANALYZER_SERVER:-}" ] || cargo build --package ptx-analyzer --locked
node --test --test-reporter=tap server/wasm/tests/*.test.mjs | tee target/web/node.tap
cd editors/playground
npm ci --silent --no-audit --no-fund
npm run --silent check
npm run --silent build -- "$root/target/web/playground"
node --test --test-concurrency=1 --test-reporter=tap test/*.test.mjs | tee "$root/target/web/page.tap"
# The count of all, as the other harnesses say it.
cat "$root"/target/web/*.tap | awk '
    /^# pass / { passed += $3 }
    /^# fail / { failed += $3 }
    END { printf "%d passed, %d failed\n", passed, failed }
'

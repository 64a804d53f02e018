#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares decoded answers with those of the providers' client libraries. Usage: run.sh COMPARE CACHE_DIR COUNT [SEED]
# Exit 77 (skipped): no npm, or the libraries could not be installed and SESSIONKIT_INTEROP is not "required".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
compare=$(realpath "$1") cache=$2 count=$3 seed=${4:-1}

skip() {
  echo "answers of client libraries skipped: $1" >&2
  [ "${SESSIONKIT_INTEROP:-}" = required ] && exit 1
  exit 77
}

command -v npm >/dev/null || skip "npm is not installed"
mkdir -p "$cache"
cp "$here/package.json" "$here/package-lock.json" "$here/answers.mjs" "$cache/"
cd "$cache"
if ! cmp -s package-lock.json installed.lock; then
  rm -f installed.lock
  npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error || skip "npm could not install them"
  cp package-lock.json installed.lock
fi
node answers.mjs "$seed" "$count" >answers.jsonl
exec "$compare" <answers.jsonl

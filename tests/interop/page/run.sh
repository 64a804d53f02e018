#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the tests of the page; without names, all but the long ones. Usage: run.sh CHAT_HOST CACHE_DIR [NAME...]
# Exit 77 (skipped): no Chromium or npm, or the packages could not be installed, and SESSIONKIT_INTEROP is not "required".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
CHAT_HOST=$(realpath "$1")
README_PICTURE="$here/../../../docs/images/chat_host.png"
export CHAT_HOST README_PICTURE

skip() {
  echo "page test skipped: $1" >&2
  [ "${SESSIONKIT_INTEROP:-}" = required ] && exit 1
  exit 77
}

CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || skip "Chromium is not installed"
export CHROMIUM
command -v npm >/dev/null || skip "npm is not installed"
mkdir -p "$2"
cache=$(realpath "$2")
cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$here/screen_reader.txt" "$cache/"
cd "$cache"
if ! cmp -s package-lock.json installed.lock; then
  rm -f installed.lock
  npm ci --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error || skip "npm could not install the packages"
  cp package-lock.json installed.lock
fi
shift 2
[ $# -gt 0 ] || set -- page markdown branches finding access keyboard screen_reader trouble
for script in "$@"; do
  node "$script.mjs"
done

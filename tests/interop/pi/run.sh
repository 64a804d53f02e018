#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs interop.mjs against the real pi. Usage: run.sh SESSIONKIT CHAT CACHE_DIR
# Exit 77 (skipped): no npm, or pi could not be installed and SESSIONKIT_INTEROP is not "required".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
SESSIONKIT=$(realpath "$1") CHAT=$(realpath "$2")
cache=$3
export SESSIONKIT CHAT

skip() {
  echo "pi interop skipped: $1" >&2
  [ "${SESSIONKIT_INTEROP:-}" = required ] && exit 1
  exit 77
}

# pi needs node 20.6; an older system's node still runs npm, which brings a newer one.
new_enough() { "$1" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 6) ? 0 : 1)'; }

command -v npm >/dev/null || skip "npm is not installed"
mkdir -p "$cache"
cache=$(realpath "$cache")
cp "$here/package.json" "$here/package-lock.json" "$here/interop.mjs" "$cache/"
cd "$cache"
quiet="--no-audit --no-fund --loglevel=error"
if ! cmp -s package-lock.json installed.lock; then
  rm -f installed.lock
  npm ci --omit=optional --ignore-scripts $quiet || skip "npm could not install pi"
  cp package-lock.json installed.lock
fi

node=${PI_NODE:-$(command -v node)}
if ! new_enough "$node"; then
  node=$cache/node/node_modules/node/bin/node
  # Its install script places the binary, so scripts must run here.
  [ -x "$node" ] || npm install --prefix "$cache/node" $quiet node@22 || skip "npm could not install node 22"
  [ -x "$node" ] && new_enough "$node" || skip "the installed node does not run"
fi

exec "$node" interop.mjs

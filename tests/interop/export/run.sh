#!/bin/sh
# SPDX-License-Identifier: MIT
# Resumes exported sessions with the real program. Usage: run.sh PROGRAM EXPORT_SESSIONS CACHE_DIR [COUNT [SESSIONKIT]]
# Exit 77 (not tried): no npm, or the program could not be installed and SESSIONKIT_INTEROP is not "required".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$3"
program=$1 generate=$(realpath "$2") cache=$(realpath "$3") count=${4:-0} sessionkit=${5:-} packages=$here/$1
[ -z "$sessionkit" ] || sessionkit=$(realpath "$sessionkit")

skip() {
  echo "$program: not tried: $1" >&2
  [ "${SESSIONKIT_INTEROP:-}" = required ] && exit 1
  exit 77
}

EXPORT_TO=$program EXPORT_DIR=$cache/sessions EXPORT_CWD=$cache/work
export EXPORT_TO EXPORT_DIR EXPORT_CWD

if [ "$program" = atif ]; then # no program resumes it, but its schema is published
  python=$cache/python/bin/python
  [ -x "$python" ] || python3 -m venv "$cache/python" || skip "python has no venv"
  "$python" -c "import nat.atif" 2>/dev/null ||
    "$python" -m pip install -q --disable-pip-version-check nvidia-nat-atif==1.9.0 pydantic==2.14.4 ||
    skip "pip could not install the schema"
  rm -rf "$EXPORT_DIR"
  "$generate"
  exec "$python" -B "$here/check_atif.py" "$EXPORT_DIR"
fi

case $program in
  claude-code) executable=node_modules/@anthropic-ai/claude-code-linux-x64/claude ;;
  codex) executable=node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex ;;
  opencode) executable=node_modules/opencode-linux-x64/bin/opencode ;;
  pi) executable=node_modules/@mariozechner/pi-coding-agent/dist/cli.js packages=$here/../pi ;;
  *) echo "unknown program $program" >&2; exit 2 ;;
esac

command -v npm >/dev/null || skip "npm is not installed"
cp "$packages/package.json" "$packages/package-lock.json" "$cache/"
cd "$cache"
if ! cmp -s package-lock.json installed.lock; then
  rm -f installed.lock
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || skip "npm could not install it"
  cp package-lock.json installed.lock
fi
[ -f "$executable" ] || skip "it is not installed for this machine"

rm -rf "$EXPORT_DIR"
"$generate"
if [ -n "$sessionkit" ]; then
  exec python3 -B "$here/go_on.py" "$program" "$cache/$executable" "$EXPORT_DIR" "$count" "$sessionkit"
fi
exec python3 -B "$here/resume.py" "$program" "$cache/$executable" "$EXPORT_DIR" "$count"

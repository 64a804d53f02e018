# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Sourced by the scripts beside it: works from any folder, in the root of the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# A compiler cache finds objects of one clone of this tree in the next.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
jobs="${JOBS:-$(getconf _NPROCESSORS_ONLN)}"

# step <name> <command>...: runs it and prints the wall time; a failure names the step and ends the script.
step() {
  local name="$1" begin=$SECONDS status=0
  shift
  printf '== %s\n' "$name" >&2
  "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    printf '== %s: FAILED with status %s after %s s\n' "$name" "$status" $((SECONDS - begin)) >&2
    exit "$status"
  fi
  printf '== %s: %s s\n' "$name" $((SECONDS - begin)) >&2
}

# beside <name> <command>...: runs a step in the background, as many at once as there are processors. What it prints appears
# when it has ended. `wait_for_all` waits for all of them, and fails if one failed.
started=()
beside() {
  trap 'kill 0' INT # commands in the background ignore Ctrl-C
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
  (
    status=0
    said="$(step "$@" 2>&1)" || status=$?
    printf '%s\n' "$said"
    exit "$status"
  ) &
  started+=($!)
}
wait_for_all() {
  local one status=0
  for one in "${started[@]}"; do wait "$one" || status=$?; done
  started=()
  return "$status"
}

# configure <preset> [<argument>...]: quietly, unless it fails.
configure() {
  local log status=0
  log="$(mktemp)"
  cmake --preset "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then cat "$log" >&2; fi
  rm -f "$log"
  return "$status"
}

# The first of the named commands that exists.
first_command() {
  local name
  for name in "$@"; do
    if command -v "$name"; then return 0; fi
  done
  printf 'none of these commands was found: %s\n' "$*" >&2
  return 1
}

# leave_out_disk <folder>: takes out of stores what differs between disks
leave_out_disk() {
  find "$1" -name .lock -delete
  # A row has the version of its file on this disk at this time, and the checksum of the rows has it too.
  find "$1" -name sessions.json -exec sed -E -i 's/,"fileVersion":"[0-9a-f]{16}"//g; s/"sessionkitCrc":"[0-9a-f]{8}"/"sessionkitCrc":""/' {} +
}

# talk <folder> <writer> <other>: the writer makes stores, the other continues them, and then the writer again. The caller's
# session_step <writer or other> <argument>... runs tests/format/sessions.cpp.
talk() {
  rm -rf "$1"
  mkdir -p "$1"
  session_step "$2" write "$1" && session_step "$3" continue "$1" 1 && session_step "$2" continue "$1" 2 || return 1
  leave_out_disk "$1"
}

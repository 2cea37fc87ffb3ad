#!/bin/bash
# Runs a backend on its node, as the batch script of a job that session.sh submitted. usage: wrapper JOB. JOB, on a home that node and login host share: cwd, seconds,
# env and command (NUL after each word), wanted. It leaves: claim/ (the command never runs twice), begun (node, socket, end in seconds of the epoch),
# listening (the socket is there), end (exit code and limit, cancelled or ended).
set -um
umask 077
job=$1 why='' code=0
cd "$job" || exit 125
[[ -e wanted ]] && mkdir claim 2>/dev/null || exit 0
read -r seconds <seconds
mapfile -d '' environment <env
mapfile -d '' command <command
folder=$(cat cwd; printf .)
# Secrets of the person may be in it.
rm -f env
socket=$(mktemp -d /tmp/svc-XXXXXXXXXX)/app.sock || exit 125
ends=$(($(date +%s) + seconds))

# Nobody wants the backend any more. A file that can't be read now, as on a network disk, may be there.
is_unwanted() { [[ ! -e wanted && $(LC_ALL=C stat -L wanted 2>&1) == *': No such file or directory' ]]; }

keep() { printf '%s\n' "$2" >"$job/$1.part" && mv -f "$job/$1.part" "$job/$1"; }
keep begun "${SLURMD_NODENAME:-$(hostname)} $socket $ends"

(
  cd "${folder%.}" || exit 125
  for each in "${environment[@]}"; do export "$each"; done
  export SVC_APP_SOCKET=$socket
  exec "${command[@]}"
) </dev/null >>"${job%/job/*}/run.log" 2>&1 &
pid=$!
exec 8<> <(:)
# WHY: the app gets ten seconds to end well.
finish() {
  local n
  [[ -z $why ]] || return 0
  why=$1
  kill -TERM -- "-$pid" 2>/dev/null
  for ((n = 0; n < 20; n++)); do
    kill -0 "$pid" 2>/dev/null || return 0
    read -rt 0.5 -u 8
  done
  kill -KILL -- "-$pid" 2>/dev/null
}
trap 'finish cancelled' TERM
while kill -0 "$pid" 2>/dev/null; do
  [[ ! -S $socket || -e listening ]] || keep listening ''
  ! is_unwanted || finish cancelled
  (($(date +%s) < ends)) || finish limit
  read -rt 1 -u 8
done
wait "$pid"
code=$?
rm -rf -- "${socket%/*}"
[[ ! -d $job ]] || keep end "$code ${why:-ended}"

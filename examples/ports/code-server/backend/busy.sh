#!/bin/sh
# 0 while a program runs in a terminal of this editor: a process there that is not the terminal's shell. The socket tells it from another copy of the app
# that runs as the same account: of `svc dev`, or of somebody else on a local server.
for file in $(grep -lzx 'TERM_PROGRAM=vscode' /dev/null $(grep -lzxF "SVC_APP_SOCKET=$SVC_APP_SOCKET" /proc/[0-9]*/environ)); do
  pid=${file#/proc/}
  pid=${pid%/environ}
  session=$(sed 's/.*) . [0-9]* [0-9]* \([0-9]*\) .*/\1/' "/proc/$pid/stat")
  [ "${session:-$pid}" = "$pid" ] || exit 0
done 2>/dev/null
exit 1

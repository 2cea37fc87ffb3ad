#!/bin/sh
# 0 while a program runs in a terminal of the editor: a process there that is not the terminal's shell.
for file in $(grep -lzx 'TERM_PROGRAM=vscode' /dev/null $(grep -lzx "SVC_APP_ID=$SVC_APP_ID" /proc/[0-9]*/environ)); do
  pid=${file#/proc/}
  pid=${pid%/environ}
  session=$(sed 's/.*) . [0-9]* [0-9]* \([0-9]*\) .*/\1/' "/proc/$pid/stat")
  [ "${session:-$pid}" = "$pid" ] || exit 0
done 2>/dev/null
exit 1

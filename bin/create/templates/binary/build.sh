#!/bin/sh
# Static, so that it runs on servers with another C library; where that can't be, for machines like this one.
# The program is there whole or as it was: it may be running, and `svc dev` starts it as soon as it changes.
cd "$(dirname "$0")" || exit 1
command -v cc >/dev/null || { echo 'no C compiler here (cc); on Debian: sudo apt install gcc libc6-dev' >&2; exit 1; }
novo=backend/.app.$$
trap 'rm -f "$novo"' EXIT
cc='cc -std=c11 -O2 -Wall -Wextra -pthread'
$cc -static -o "$novo" backend/src/*.c 2>/dev/null || $cc -o "$novo" backend/src/*.c || exit 1
mv -f "$novo" backend/app

#!/bin/sh
# Static, so that it runs on servers with another C library; where that can't be, for machines like this one.
cd "$(dirname "$0")" || exit 1
cc='cc -std=c11 -O2 -Wall -Wextra -pthread'
$cc -static -o backend/app backend/src/*.c 2>/dev/null || exec $cc -o backend/app backend/src/*.c

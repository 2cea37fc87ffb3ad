#!/bin/sh
# Makes one static program for machines like this one; for another processor: GOARCH=arm64 sh build.sh.
# The program is there whole or as it was: it may be running, and `svc dev` starts it as soon as it changes.
cd "$(dirname "$0")" || exit 1
command -v go >/dev/null || { echo 'no Go here; on Debian: sudo apt install golang-go' >&2; exit 1; }
novo=backend/.programa.$$
trap 'rm -f "$novo"' EXIT
CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$novo" backend/src/*.go || exit 1
mv -f "$novo" backend/programa

#!/bin/sh
# Makes one jar, for any processor. It is there whole or as it was: it may be running, and `svc dev` starts it as soon as it changes.
cd "$(dirname "$0")" || exit 1
command -v javac >/dev/null || { echo 'no Java compiler here (javac); on Debian: sudo apt install default-jdk-headless' >&2; exit 1; }
novo=$(mktemp -d backend/.jar.XXXXXX) || exit 1
trap 'rm -rf "$novo"' EXIT
javac --release 17 -d "$novo/classes" backend/src/*.java || exit 1
jar --create --file "$novo/app.jar" --main-class App -C "$novo/classes" . || exit 1
mv -f "$novo/app.jar" backend/app.jar

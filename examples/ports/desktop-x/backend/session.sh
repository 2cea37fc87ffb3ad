#!/bin/sh
# usage: session.sh PORT FOLDER. An X server, a window manager, a terminal, and the page that shows them (noVNC).
set -eu
port=$1 folder=$2
cd "$HOME"
mkfifo "$folder/display.$$"
Xtigervnc -displayfd 3 -rfbport -1 -rfbunixpath "$folder/vnc" -SecurityTypes None -nolisten tcp -nolisten unix -listen local \
  -geometry 1000x650 -desktop svc 3>"$folder/display.$$" &
read -r number <"$folder/display.$$"
rm "$folder/display.$$"
export DISPLAY=":$number"
jwm &
stterm &
mkdir -p "$folder/web"
for part in app core vendor vnc.html; do ln -sfn "/usr/share/novnc/$part" "$folder/web/$part"; done
cp "$(dirname "$0")/index.html" "$folder/web/index.html"
exec websockify --web "$folder/web" --unix-target "$folder/vnc" "127.0.0.1:$port"

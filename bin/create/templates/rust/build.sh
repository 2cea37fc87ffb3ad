#!/bin/sh
# Makes one program without crates, for machines like this one. With crates: cargo build --release, and copy the program to backend/programa.
# The program is there whole or as it was: it may be running, and `svc dev` starts it as soon as it changes.
cd "$(dirname "$0")" || exit 1
command -v rustc >/dev/null || { echo 'no Rust here (rustc); on Debian: sudo apt install rustc' >&2; exit 1; }
novo=backend/.programa.$$
trap 'rm -f "$novo"' EXIT
rustc --edition 2021 -O -C strip=symbols -o "$novo" backend/src/main.rs || exit 1
mv -f "$novo" backend/programa

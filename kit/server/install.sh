# Puts an uploaded kit in place: /opt/svc/ID, with `current` and `previous` pointing to versions. Whatever happens at whatever moment, `current`
# is a whole kit. After own.sh. Run as the administrator:  sh -s -- PREFIX ID SHA256       the tarball is PREFIX/opt/svc/.in/SHA256.tgz
# Prints `step NAME`; exit 10 other bytes, 11 it does not run here (`lacks NAME`), 12 no space, 16 its place is taken (`taken PATH`), 75 another
# one is at work.
set -eu
umask 022
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} id=$2 sum=$3
base=$p/opt/svc
cd "$base"
exec 9>>.lock
flock -w 60 9 || exit 75
# Tests end the script at a named step.
step() {
  printf 'step %s\n' "$1"
  if [ "${SVC_KIT_DIE-}" = "$1" ]; then kill -9 $$; fi
}
link() { ln -sfn "$1" "$2.tmp" && mv -fT "$2.tmp" "$2"; }

for name in current previous bin sdk; do
  if ! is_free "$name" && ! is_link "$name"; then printf 'taken %s\n' "$base/$name"; exit 16; fi
done
if ! is_free "$id" && ! is_version "$id"; then printf 'taken %s\n' "$base/$id"; exit 16; fi
# Missing or changed parts of the version are installed again.
if is_free "$id" || [ -n "$(lacking "$id" yes)" ] || [ "$(cat "$id/.sum" 2>/dev/null)" != "$sum" ]; then
  step check
  printf '%s  .in/%s.tgz\n' "$sum" "$sum" | sha256sum -c --status - || exit 10
  step unpack
  rm -rf ".in/$id"
  mkdir ".in/$id"
  tar -xzf ".in/$sum.tgz" -C ".in/$id" --strip-components=1 --no-same-owner --no-same-permissions || { rm -rf ".in/$id"; exit 12; }
  step try
  # Every command runs, in this very system, before anything points to it.
  lacks=$(lacking ".in/$id" yes)
  if [ -n "$lacks" ] || ! is_version ".in/$id"; then
    for name in ${lacks:-kit.json}; do printf 'lacks %s\n' "$name"; done
    exit 11
  fi
  printf '%s\n' "$sum" >".in/$id/.sum"
  sync -f ".in/$id"
  step place
  rm -rf "$id"
  mv ".in/$id" "$id"
fi
rm -f ".in/$sum.tgz"
step switch
old=$(readlink current || true)
if [ "$old" != "$id" ]; then
  if [ -n "$old" ] && [ -d "$old" ]; then link "$old" previous; fi
  link "$id" current
fi
step links
link current/bin bin
link current/sdk sdk
shims=$p/usr/local/bin
mkdir -p "$shims"
for command in "$id"/bin/svc-*; do
  name=${command##*/}
  case "$name" in svc-app-serve) continue ;; esac
  # A command of that name that somebody else put there stays.
  case "$(readlink "$shims/$name" || true)" in "$base/bin/$name") continue ;; esac
  if is_free "$shims/$name"; then ln -s "$base/bin/$name" "$shims/$name"; else echo "step links, but $shims/$name is not the kit's and stays"; fi
done
sync -f "$base"
step clean
previous=$(readlink previous || true)
for folder in *; do
  case "$folder" in "$id" | "$previous") continue ;; esac
  is_version "$folder" || continue
  # A version that somebody still runs from stays for them.
  if ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qF " $base/$folder/"; then continue; fi
  rm -rf "$folder"
done
leftovers -mmin +60
step done

# Puts an uploaded kit in place: /opt/svc/ID, with `current` and `previous` pointing to versions. Whatever happens at whatever moment, `current`
# is a whole kit. Run as the administrator:  sh -s -- PREFIX ID SHA256       the tarball is PREFIX/opt/svc/.in/SHA256.tgz
# Prints `step NAME`; exit 10 other bytes, 11 it does not run here, 12 no space, 75 another one is at work.
set -eu
umask 022
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} id=$2 sum=$3
base=$p/opt/svc
cd "$base"
exec 9>.lock
flock -w 60 9 || exit 75
# Tests end the script at a named step.
step() {
  printf 'step %s\n' "$1"
  if [ "${SVC_KIT_DIE-}" = "$1" ]; then kill -9 $$; fi
}
# Commands of the kit in that folder, by its own list, that can't be run.
lacking() {
  for command in $(sed -n 's/.*"commands":\["\([^]]*\)"\].*/\1/p' "$1/kit.json" 2>/dev/null | sed 's/","/ /g'); do
    [ -x "$1/bin/$command" ] || printf '%s\n' "$command"
  done
}
link() { ln -sfn "$1" "$2.tmp" && mv -fT "$2.tmp" "$2"; }

# What somebody took away of it is brought back.
if [ ! -x "$id/node/bin/node" ] || [ -n "$(lacking "$id")" ] || [ "$(cat "$id/.sum" 2>/dev/null)" != "$sum" ]; then
  step check
  printf '%s  .in/%s.tgz\n' "$sum" "$sum" | sha256sum -c --status - || exit 10
  step unpack
  rm -rf ".in/$id"
  mkdir ".in/$id"
  tar -xzf ".in/$sum.tgz" -C ".in/$id" --strip-components=1 --no-same-owner --no-same-permissions || { rm -rf ".in/$id"; exit 12; }
  step try
  # Both commands run, in this very system, before anything points to them: usage is exit code 2.
  ".in/$id/node/bin/node" -e 0 </dev/null || exit 11
  code=0
  HOME=/ ".in/$id/bin/svc-app-install" </dev/null >/dev/null 2>&1 || code=$?
  [ "$code" = 2 ] || exit 11
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
mkdir -p "$p/usr/local/bin" "$p/etc/svc"
for command in "$id"/bin/svc-*; do
  name=${command##*/}
  case "$name" in svc-app-serve) ;; *) ln -sfn "$base/bin/$name" "$p/usr/local/bin/$name" ;; esac
done
sync -f "$base"
step clean
previous=$(readlink previous || true)
for folder in */; do
  folder=${folder%/}
  case "$folder" in "$id" | "$previous" | bin | sdk | current | previous) continue ;; esac
  # A version that somebody still runs from stays for them.
  if ls -l /proc/[0-9]*/exe 2>/dev/null | grep -qF " $base/$folder/"; then continue; fi
  rm -rf "$folder"
done
step done

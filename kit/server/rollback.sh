# The kit before is current again. After own.sh. Run as the administrator:  sh -s -- PREFIX [FROM]         exit 13: there is none
# FROM: the kit to go back from. Where another one is current the switch is done already, by a run whose end was not told.
set -eu
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/}
cd "$p/opt/svc" || exit 13
exec 9>>.lock
flock -w 60 9 || exit 75
link() { ln -sfn "$1" "$2.tmp" && mv -fT "$2.tmp" "$2"; }
old=$(readlink previous || true)
now=$(readlink current || true)
if [ -n "${2-}" ] && [ "$now" != "$2" ] && is_version "$now"; then
  printf 'kit %s\n' "$now"
  exit 0
fi
if [ -z "$old" ] || ! is_link previous || ! is_link current || ! is_version "$old" || [ -n "$(lacking "$old" yes)" ]; then exit 13; fi
link "$old" current
link "$now" previous
sync -f .
printf 'kit %s\n' "$old"

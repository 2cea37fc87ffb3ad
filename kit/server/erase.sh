# Lists or removes the folders that svc made in the home of an account. Runs as that account. The person's own files and the account stay.
#   sh -s -- look|remove [home]     with HOME set; `home`: svc made that folder, too, and it goes when it is empty
# `made KILOBYTES NAME` for each that is there now (or still there, after a removal), KILOBYTES - where that takes longer than nine seconds. Exit 15: HOME is no folder
# of its own. A link is removed as a link; other file systems below are not entered. Decision: docs/decisions/0416-erasing-a-person.md
set -u
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
act=$1
case "$HOME" in /?*) ;; *) exit 15 ;; esac
cd "$HOME" 2>/dev/null && [ "$(pwd -P)" != / ] || exit 15
there() { [ -e "$1" ] || [ -L "$1" ]; }
names='.svc-apps .local/share/svc-apps .svc-jobs .cache/svc'
if [ "$act" = remove ]; then
  for name in $names; do
    # A folder above it that is a link leads to somebody else's place.
    case "$name" in */*) if [ -L "${name%%/*}" ] || [ -L "${name%/*}" ]; then continue; fi ;; esac
    if there "$name"; then
      [ -L "$name" ] || chmod -R u+rwX -- "$name" 2>/dev/null
      rm -rf --one-file-system -- "$name" 2>/dev/null
    fi
  done
fi
if [ "$act ${2-}" = 'remove home' ]; then
  rmdir .local/share .local .cache 2>/dev/null
  cd / && rmdir -- "$HOME" 2>/dev/null && exit 0
  cd "$HOME" || exit 15
fi
for name in $names; do
  there "$name" || continue
  kb=$(timeout 9 du -sxk -- "$name" 2>/dev/null | cut -f1)
  case "$kb" in '' | *[!0-9]*) kb=- ;; esac
  printf 'made %s %s\n' "$kb" "$name"
done

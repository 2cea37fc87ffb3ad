# Lists or removes the things that the kit keeps of one account outside of its home: the portal's key, and lingering where the kit turned it on. After own.sh.
# Run as the administrator:
#   sh -s -- PREFIX look|remove ACCOUNT
# `made NAME` for each that is there now, or still there. Decision: docs/decisions/0416-erasing-a-person.md
set -u
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} act=$2 account=$3
etc=$p/etc/svc-kit
name=$(getent passwd "$account" | cut -d: -f1)
# The account may be gone.
[ -n "$name" ] || name=$account
case "$name" in .* | *[/[:space:]]*) exit 0 ;; esac
if [ "$act" = remove ]; then
  if is_kit_file "$etc/lingered/$name"; then
    if [ -z "$p" ] && [ -d /run/systemd/system ] && [ -e "/var/lib/systemd/linger/$name" ]; then loginctl disable-linger "$name" || true; fi
    if [ -n "$p" ] || [ ! -e "/var/lib/systemd/linger/$name" ]; then rm -f "$etc/lingered/$name"; fi
  fi
  if is_key_file "$etc/authorized_keys/$name"; then rm -f "$etc/authorized_keys/$name"; fi
fi
if is_kit_file "$etc/lingered/$name"; then printf 'made %s\n' "lingering of $name"; fi
if is_key_file "$etc/authorized_keys/$name"; then printf 'made %s\n' "the portal's key for $name"; fi
exit 0

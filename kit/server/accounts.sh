# Makes accounts ready for the portal: its key opens them, and their service manager outlives their logins (spec 3.3, supervisor rule 5).
# Run as the administrator:  sh -s -- PREFIX ORIGINS KEYTYPE KEY ACCOUNT…
# KEYTYPE - : the portal signs in with another key. Idempotent; accounts that are named no longer lose the key.
# After reload.sh. The keys are outside of the homes, so no files of people are touched. Decision: docs/decisions/0065-server-kit.md
set -eu
umask 022
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} origins=$2 type=$3 key=$4
shift 4
etc=$p/etc/svc
mkdir -p "$etc/authorized_keys" "$etc/lingered"
put() {
  cat >"$1.tmp"
  if cmp -s "$1.tmp" "$1"; then rm "$1.tmp"; else mv -f "$1.tmp" "$1"; fi
}
printf '%s\n' "$origins" | put "$etc/origins"
if [ "$type" = - ]; then rm -f "$etc/portal-key"; else printf '%s %s\n' "$type" "$key" | put "$etc/portal-key"; fi
for account in "$@"; do
  if ! getent passwd "$account" >/dev/null; then printf 'missing %s\n' "$account"; continue; fi
  # No terminal, no agent, no X11: commands and sockets are all that the portal needs.
  if [ "$type" != - ]; then printf 'restrict,port-forwarding,pty %s %s svc-portal\n' "$type" "$key" | put "$etc/authorized_keys/$account"; fi
  if [ -z "$p" ] && [ ! -e "/var/lib/systemd/linger/$account" ]; then
    if loginctl enable-linger "$account" 2>/dev/null; then
      : >"$etc/lingered/$account"
    else
      printf 'no-linger %s\n' "$account"
    fi
  fi
  # Lingering is said and the manager is gone all the same: a fault of systemd 255 (decision 0068).
  uid=$(id -u "$account")
  if [ -z "$p" ] && ! systemctl is-active --quiet "user@$uid.service"; then
    systemctl start "user@$uid.service" 2>/dev/null || printf 'no-manager %s\n' "$account"
  fi
done
for file in "$etc"/authorized_keys/*; do
  name=${file##*/}
  case " $* " in *" $name "*) if [ "$type" != - ]; then continue; fi ;; esac
  rm -f "$file"
done
if [ -n "$p" ] || [ "$type" = - ]; then exit 0; fi
# sshd takes the first value it reads: ours repeats the one in force and adds the folder.
conf=/etc/ssh/sshd_config.d/00-svc.conf mark=$etc/sshd-reads
in_force() { sshd -T 2>/dev/null | sed -n 's/^authorizedkeysfile //p'; }
now=$(in_force)
case " $now " in
  *' /etc/svc/authorized_keys/%u '*) ;;
  *)
    case "$now" in '') now='.ssh/authorized_keys' ;; none) now='' ;; esac
    rm -f "$mark"
    printf '# By svc: the key of the portal.\nAuthorizedKeysFile %s /etc/svc/authorized_keys/%%u\n' "$now" >"$conf.tmp"
    mv -f "$conf.tmp" "$conf"
    if ! sshd -t 2>/dev/null || ! in_force | grep -qF '/etc/svc/authorized_keys/%u'; then
      rm -f "$conf"
      echo 'error sshd does not read /etc/ssh/sshd_config.d/*.conf'
      exit 14
    fi
    now=$(in_force)
    ;;
esac
# The mark says what a reload that went well made sshd read: without it, or with another value, it is told (again).
if [ "$(cat "$mark" 2>/dev/null)" != "$now" ] && reload_sshd; then printf '%s\n' "$now" | put "$mark"; fi

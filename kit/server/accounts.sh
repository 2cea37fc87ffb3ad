# Makes accounts ready for the portal: its key opens them, and their service manager outlives their logins (rules 3.3, supervisor rule 5).
# Run as the administrator:  sh -s -- PREFIX ORIGINS KEYTYPE KEY NEXTTYPE NEXTKEY ACCOUNT…
# KEYTYPE - : the portal signs in with another key. NEXTTYPE is - unless the key is being changed: both open then. Idempotent; accounts that are named no longer lose the key. Exit 14: sshd can't be told.
# After own.sh and reload.sh. The keys are outside of the homes, so no files of people are touched. Decision: docs/decisions/0065-server-kit.md
set -eu
umask 022
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} origins=$2 type=$3 key=$4 nexttype=$5 next=$6
shift 6
etc=$p/etc/svc-kit before=$p/etc/svc
mkdir -p "$etc/authorized_keys" "$etc/lingered"
put() {
  # Not beside it: an account may be named `ana.tmp`.
  cat >"$etc/.new"
  if cmp -s "$etc/.new" "$1"; then rm "$etc/.new"; else mv -f "$etc/.new" "$1"; fi
}
# The unit of a server-scope app reads the file at its new place: $1 is the id.
mend_unit() {
  unit=/etc/systemd/system/svc-app-$1.service line="EnvironmentFile=-/etc/svc-kit/portal/$1.env"
  if [ -n "$p" ] || ! grep -q '^ExecStart=/opt/svc/bin/svc-app-serve ' "$unit" 2>/dev/null; then return 0; fi
  if grep -qxF "$line" "$unit"; then new=; else new=$line; fi
  sed "s|^EnvironmentFile=-/etc/svc/portal/$1\.env\$|$new|" "$unit" >"$unit.tmp"
  mv -f "$unit.tmp" "$unit"
  systemctl daemon-reload || true
}
# Files that a kit before 0.2.5 kept in /etc/svc are moved, one by one; keys and settings are written anew below.
kit_files "$before" | while read -r file; do
  new=$etc/${file#"$before"/}
  case "$file" in
    */lingered/*) : >>"$new" ;;
    */portal/*.env)
      install -d -m 700 "$etc/portal"
      if is_free "$new"; then cp -p "$file" "$new.tmp" && mv -f "$new.tmp" "$new"; fi
      name=${file##*/}
      mend_unit "${name%.env}"
      ;;
  esac
done
if [ -n "$(kit_files "$before")" ] && [ -f "$before/gpu.json" ] && is_free "$etc/gpu.json"; then mv "$before/gpu.json" "$etc/gpu.json"; fi
printf '%s\n' "$origins" | put "$etc/origins"
if [ "$type" = - ]; then rm -f "$etc/portal-key"; else printf '%s %s\n' "$type" "$key" | put "$etc/portal-key"; fi
# Whether file $1 has the lines $2 and no others.
says() {
  [ -f "$1" ] || return 1
  seen=
  while IFS= read -r line; do seen=$seen$line$nl; done <"$1"
  [ "$seen" = "$2$nl" ]
}
# No terminal, no agent, no X11: commands and sockets are all that the portal needs.
options=restrict,port-forwarding,pty
lines="$options $type $key svc-portal"
[ "$nexttype" = - ] || lines=$lines$nl"$options $nexttype $next svc-portal"
accounts=$(printf '%s\n' "$@")
[ $# -gt 0 ] || accounts=
entries=$(entries_of "$@")
managers=
if [ -z "$p" ] && [ -d /run/systemd/system ]; then managers=$nl$(managers_now)$nl; fi
names=
while IFS= read -r account <&3; do
  [ -n "$account" ] || continue
  # As sshd and logind call it: a directory may have another spelling than the document (`ana` for `Ana` or `ana@dom`).
  IFS=: read -r name _ uid _ <&4 || name=
  case "$name" in
    '')
      printf 'missing %s\n' "$account"
      # A directory that does not answer now says the same: a key that is there stays as long as the account is named.
      names="$names $account ${account%%@*} $(printf '%s' "$account" | tr '[:upper:]' '[:lower:]')"
      continue
      ;;
    .* | *[/[:space:]]*) continue ;;
  esac
  names="$names $name"
  if [ "$type" != - ] && ! says "$etc/authorized_keys/$name" "$lines"; then printf '%s\n' "$lines" | put "$etc/authorized_keys/$name"; fi
  # Without systemd neither can be had, which the doctor says.
  if [ -n "$p" ] || [ ! -d /run/systemd/system ]; then continue; fi
  if [ ! -e "/var/lib/systemd/linger/$name" ]; then
    if loginctl enable-linger "$name" 2>/dev/null; then
      : >"$etc/lingered/$name"
    else
      printf 'no-linger %s\n' "$account"
    fi
  fi
  # Lingering is said and the manager is gone all the same: a fault of systemd 255 (decision 0068).
  case "$managers" in
    *"${nl}user@$uid.service$nl"*) ;;
    *) systemctl start "user@$uid.service" 2>/dev/null || printf 'no-manager %s\n' "$account" ;;
  esac
done 3<<ACCOUNTS 4<<ENTRIES
$accounts
ACCOUNTS
$entries
ENTRIES
for file in "$etc"/authorized_keys/*; do
  name=${file##*/}
  case "$names " in *" $name "*) if [ "$type" != - ]; then continue; fi ;; esac
  if is_key_file "$file"; then rm -f "$file"; fi
done
if [ -n "$p" ] || [ "$type" = - ]; then
  remove_kit_files "$before"
  exit 0
fi
# sshd takes the first value it reads: ours repeats the one in force and adds the folder.
folder=/etc/svc-kit/authorized_keys/%u mark=$etc/sshd-reads
in_force() { sshd -T 2>/dev/null | sed -n 's/^authorizedkeysfile //p'; }
now=$(in_force)
case " $now " in
  *" $folder "*) ;;
  *)
    if ! is_free "$dropin" && ! is_dropin; then echo "error $dropin is not svc's: give it another name"; exit 14; fi
    now=$(printf ' %s ' "$now" | sed 's| /etc/svc/authorized_keys/%u | |; s/^ *//; s/ *$//')
    case "$now" in '') now='.ssh/authorized_keys' ;; none) now='' ;; esac
    rm -f "$mark"
    if is_dropin; then cp "$dropin" "$dropin.before"; fi
    printf '# By svc: the key of the portal.\nAuthorizedKeysFile %s %s\n' "$now" "$folder" >"$dropin.tmp"
    mv -f "$dropin.tmp" "$dropin"
    if ! sshd -t 2>/dev/null || ! in_force | grep -qF "$folder"; then
      if [ -e "$dropin.before" ]; then mv -f "$dropin.before" "$dropin"; else rm -f "$dropin"; fi
      echo 'error sshd does not read /etc/ssh/sshd_config.d/*.conf'
      exit 14
    fi
    rm -f "$dropin.before"
    now=$(in_force)
    ;;
esac
# The mark holds the setting that the last successful reload made sshd read: without it, or with another value, sshd is reloaded (again).
if [ "$(cat "$mark" 2>/dev/null)" != "$now" ] && reload_sshd; then printf '%s\n' "$now" | put "$mark"; fi
# Until sshd reads the new folder it reads the one before.
if [ "$(cat "$mark" 2>/dev/null)" = "$now" ]; then remove_kit_files "$before"; fi

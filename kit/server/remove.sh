# Takes the kit off a server: what runs from it, the commands, the key of the portal. Packages and people's data stay, and so does all that the kit
# did not make: `left FOLDER` says where there is some. After own.sh and reload.sh. Run as the administrator:
#   sh -s -- PREFIX FORCE      FORCE is yes or no; without it exit 15 names what still runs.
set -eu
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} force=$2
base=$p/opt/svc
# When it began, in ticks: by the time that a number is used it may be somebody else's. The name of a process may hold anything, also `) `.
began() { tr '\n' ' ' <"/proc/$1/stat" 2>/dev/null | sed 's/^.*) //' | cut -d' ' -f20; }
# Whether that program is in a version of the kit, or in one that is gone.
is_of_kit() {
  case "$1" in "$base"/*/*) ;; *) return 1 ;; esac
  version=${1#"$base"/}
  version=${version%%/*}
  is_id "$version" && { is_free "$base/$version" || is_version "$base/$version"; }
}
# Processes whose program is the kit's runtime, and apps that its launcher started, each as PID:BEGAN. Two programs look at all processes of the
# machine at once: one for each process would take longer than the caller waits.
running() {
  {
    ls -lq /proc/[0-9]*/exe 2>/dev/null | grep -F " $base/" | while read -r line; do
      pid=${line#* /proc/}
      pid=${pid%%/*}
      if is_of_kit "$(readlink "/proc/$pid/exe" 2>/dev/null)"; then echo "$pid"; fi
    done
    if [ -z "$p" ]; then
      grep -lzx 'NODE_PATH=/opt/svc/sdk/node' /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        if grep -qz '^SVC_APP_ID=' "$file" 2>/dev/null; then echo "$file" | cut -d/ -f3; fi
      done
    fi
  } | sort -un | while read -r pid; do
    began=$(began "$pid")
    if [ -n "$began" ]; then echo "$pid:$began"; fi
  done
}
# end SIGNAL PID:BEGAN
end() { if [ "$(began "${2%%:*}")" = "${2#*:}" ]; then kill "-$1" "${2%%:*}" 2>/dev/null || true; fi; }
units() {
  if [ -n "$p" ]; then return; fi
  grep -l '^ExecStart=/opt/svc/bin/svc-app-serve ' /etc/systemd/system/svc-app-*.service 2>/dev/null | sed 's|.*/||'
}
# Its words are the person's: on one line, and nothing in them speaks to a terminal.
words() { tr '\0' ' ' <"/proc/${1%%:*}/cmdline" 2>/dev/null | tr -c '[:print:]' '?'; }
supervisor() { words "$1" | grep -q svc-app-supervisor; }
# A supervisor without apps holds no work: it is ended without asking.
others() { for pid in $(running); do supervisor "$pid" || echo "$pid"; done; }
apps=$(units)
left=$(others)
if [ "$force" != yes ] && { [ -n "$apps" ] || [ -n "$left" ]; }; then
  for unit in $apps; do printf 'unit %s\n' "$unit"; done
  for pid in $left; do printf 'process %s %s\n' "${pid%%:*}" "$(words "$pid" | cut -c1-120)"; done
  exit 15
fi
echo 'step end'
for unit in $apps; do systemctl disable --now --quiet "$unit" || true; done
left=$(running)
if [ -n "$left" ]; then
  # Supervisors first, or they would start the apps again.
  for pid in $left; do if supervisor "$pid"; then end TERM "$pid"; fi; done
  for pid in $left; do end TERM "$pid"; done
  # At most ten seconds, however long each look takes.
  until=$(($(date +%s) + 10))
  while [ -n "$(running)" ] && [ "$(date +%s)" -lt $until ]; do sleep 0.1; done
  for pid in $(running); do end KILL "$pid"; done
fi
echo 'step key'
if [ -z "$p" ] && is_dropin; then
  rm -f "$dropin"
  # The configuration that sshd still reads then is an absent folder.
  reload_sshd || true
fi
# The second one is of kits of before 0.2.5.
for etc in "$p/etc/svc-kit" "$p/etc/svc"; do
  kit_files "$etc" | while read -r file; do
    case "$file" in */lingered/*) if [ -z "$p" ]; then loginctl disable-linger "${file##*/}" || true; fi ;; esac
  done
done
echo 'step files'
for command in "$p"/usr/local/bin/svc-*; do
  case "$(readlink "$command" 2>/dev/null || true)" in "$base"/bin/svc-*) rm -f "$command" ;; esac
done
if cd "$base" 2>/dev/null; then
  for folder in *; do if is_version "$folder"; then rm -rf "$folder"; fi; done
  for name in current previous bin sdk; do if is_link "$name"; then rm -f "$name"; fi; done
  leftovers
  rmdir .in 2>/dev/null || true
  if [ -f .lock ] && [ ! -s .lock ]; then rm -f .lock; fi
  cd /
  rmdir "$base" 2>/dev/null || echo "left $base"
fi
remove_kit_files "$p/etc/svc-kit"
remove_kit_files "$p/etc/svc"
case "${HOME-}" in /*) remove_compiled "$p$HOME" ;; esac
if [ -d "$p/etc/svc-kit" ]; then echo "left $p/etc/svc-kit"; fi
echo 'step done'

# Takes the kit off a server: what runs from it, the commands, the key of the portal. Packages and people's data stay.
# After reload.sh. Run as the administrator:  sh -s -- PREFIX FORCE      FORCE is yes or no; without it exit 15 names what still runs.
set -eu
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} force=$2
base=$p/opt/svc
# When it began, in ticks: by the time that a number is used it may be somebody else's. The name of a process may hold anything, also `) `.
began() { tr '\n' ' ' <"/proc/$1/stat" 2>/dev/null | sed 's/^.*) //' | cut -d' ' -f20; }
# Processes whose program is the kit's runtime, or that carry the mark of an app that its supervisor started, each as PID:BEGAN.
running() {
  for proc in /proc/[0-9]*; do
    pid=${proc#/proc/}
    began=$(began "$pid")
    exe=$(readlink "$proc/exe" 2>/dev/null) || continue
    case "$exe" in "$base"/*) echo "$pid:$began"; continue ;; esac
    if [ -z "$p" ] && tr '\0' '\n' <"$proc/environ" 2>/dev/null | grep -q '^NODE_PATH=/opt/svc/sdk/node$'; then echo "$pid:$began"; fi
  done
}
# end SIGNAL PID:BEGAN
end() { if [ "$(began "${2%%:*}")" = "${2#*:}" ]; then kill "-$1" "${2%%:*}" 2>/dev/null || true; fi; }
units() { if [ -z "$p" ]; then ls /etc/systemd/system/svc-app-*.service 2>/dev/null | sed 's|.*/||' || true; fi; }
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
  n=0
  while [ -n "$(running)" ] && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
  for pid in $(running); do end KILL "$pid"; done
fi
echo 'step key'
if [ -z "$p" ] && [ -e /etc/ssh/sshd_config.d/00-svc.conf ]; then
  rm -f /etc/ssh/sshd_config.d/00-svc.conf
  # What it still reads then is a folder that is gone.
  reload_sshd || true
fi
for file in "$p"/etc/svc/lingered/*; do
  if [ -z "$p" ] && [ -e "$file" ]; then loginctl disable-linger "${file##*/}" || true; fi
done
echo 'step files'
for command in "$p"/usr/local/bin/svc-*; do
  case "$(readlink "$command" 2>/dev/null)" in "$base"/*) rm -f "$command" ;; esac
done
rm -rf "$base" "$p/etc/svc"
echo 'step done'

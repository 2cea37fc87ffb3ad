# Facts of a server and of svc on it, one `name value` a line. Reads only. After own.sh. Run as the administrator:
#   sh -s -- PREFIX ACCOUNT…        PREFIX is / on a server; tests give a folder.
set -u
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/}
shift
etc=$p/etc/svc-kit
tell() { printf '%s %s\n' "$1" "${2:--}"; }

tell arch "$(uname -m)"
tell uid "$(id -u)"
tell os "$(. /etc/os-release 2>/dev/null; echo "${ID:-unknown} ${VERSION_ID:-?}")"
tell clock_s "$(date +%s)"
tell systemd "$([ -d /run/systemd/system ] && systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p')"
tell cgroup "$(stat -fc %T /sys/fs/cgroup 2>/dev/null)"
tell controllers "$(cat /sys/fs/cgroup/cgroup.controllers 2>/dev/null)"
at=$p/opt
while [ ! -d "$at" ]; do at=${at%/*}; [ -n "$at" ] || at=/; done
tell opt_free_kb "$(df -Pk "$at" 2>/dev/null | sed -n '2p' | awk '{print $4}')"
for command in flock setpriv setsid tar gzip sha256sum; do
  command -v "$command" >/dev/null 2>&1 || tell missing "$command"
done
tell python3 "$(command -v python3)"
tell kit "$(readlink "$p/opt/svc/current" 2>/dev/null)"
tell kit_previous "$(readlink "$p/opt/svc/previous" 2>/dev/null)"
# A kit whose runtime went away (a half deleted folder, another processor) is none.
if [ -L "$p/opt/svc/current" ]; then
  env -i "$p/opt/svc/current/node/bin/node" -e 0 </dev/null >/dev/null 2>&1 && tell kit_runs yes || tell kit_runs no
  for name in $(lacking "$p/opt/svc/current" no); do tell kit_lacks "$name"; done
fi
tell origins "$(cat "$etc/origins" 2>/dev/null)"
tell key "$(cat "$etc/portal-key" 2>/dev/null)"
tell gpu "$(ls -d /sys/class/drm/renderD* 2>/dev/null | wc -l)"
sshd=$(sshd -T 2>/dev/null | tr '[:upper:]' '[:lower:]')
tell sshd_streamlocal "$(printf '%s\n' "$sshd" | sed -n 's/^allowstreamlocalforwarding //p')"
tell sshd_disabled "$(printf '%s\n' "$sshd" | sed -n 's/^disableforwarding //p')"
tell sshd_pubkey "$(printf '%s\n' "$sshd" | sed -n 's/^pubkeyauthentication //p')"
# Whether a person may sign in by a password. With Match blocks that is another question for each.
case "$sshd" in
  *'passwordauthentication yes'* | *'kbdinteractiveauthentication yes'*) tell sshd_password yes ;;
  *'passwordauthentication no'*) grep -qis '^[[:space:]]*match[[:space:]]' /etc/ssh/sshd_config /etc/ssh/sshd_config.d/* || tell sshd_password no ;;
esac
# `sshd -T` reads the files; the mark shows the setting of the running sshd (accounts.sh).
reads=no
[ -n "$p" ] || [ "$(cat "$etc/sshd-reads" 2>/dev/null)" = "$(sshd -T 2>/dev/null | sed -n 's/^authorizedkeysfile //p')" ] && reads=yes
tell sshd_reads $reads
tell kill_user_processes "$(busctl get-property org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager KillUserProcesses 2>/dev/null | cut -d' ' -f2)"
for account in "$@"; do
  entry=$(getent passwd "$account") || { tell account "$account missing"; continue; }
  # As sshd and logind call it.
  name=$(printf '%s' "$entry" | cut -d: -f1)
  uid=$(printf '%s' "$entry" | cut -d: -f3)
  home=$(printf '%s' "$entry" | cut -d: -f6)
  linger=no
  [ -e "/var/lib/systemd/linger/$name" ] && linger=yes
  manager=no
  # Its socket may outlive it for as long as somebody is signed in.
  systemctl is-active --quiet "user@$uid.service" 2>/dev/null && manager=yes
  delegated=$( { tr ' ' , <"/sys/fs/cgroup/user.slice/user-$uid.slice/user@$uid.service/cgroup.controllers"; } 2>/dev/null)
  key=no
  [ -s "$etc/authorized_keys/$name" ] && [ $reads = yes ] && key=yes
  own=no
  # Homes on the network that root may not look into count as right.
  case "$(stat -L -c '%F %u' "$home" 2>&1)" in "directory $uid" | *"ermission denied"*) own=yes ;; esac
  shell=$(printf '%s' "$entry" | cut -d: -f7)
  lets=no
  case "$shell" in */nologin | */false) ;; *) [ -x "${shell:-/bin/sh}" ] && lets=yes ;; esac
  free=$(df -Pk "$home" 2>/dev/null | sed -n '2p' | awk '{print $4}')
  tell account "$account found uid=$uid linger=$linger manager=$manager delegated=${delegated:--} key=$key home=$own shell=$lets free_kb=${free:--}"
done

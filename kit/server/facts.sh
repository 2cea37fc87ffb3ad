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
accounts=$(printf '%s\n' "$@")
[ $# -gt 0 ] || accounts=
entries=$(entries_of "$@")
managers=$nl$(managers_now)$nl
set --
while IFS=: read -r name _ uid _ _ home shell; do
  [ -z "$name" ] || set -- "$@" "$home"
done <<END
$entries
END
owners=$nl space=$nl
if [ $# -gt 0 ]; then
  owners=$nl$(stat -L -c '%F %u %n' -- "$@" 2>/dev/null)$nl
  space=$nl$(df -k --output=avail,file -- "$@" 2>/dev/null)$nl
fi
while IFS= read -r account <&3; do
  [ -n "$account" ] || continue
  IFS=: read -r name _ uid _ _ home shell <&4 || name=
  if [ -z "$name" ]; then
    tell account "$account missing"
    continue
  fi
  # By the name that sshd and logind have for it.
  linger=no
  [ -e "/var/lib/systemd/linger/$name" ] && linger=yes
  # Its socket may outlive it for as long as somebody is signed in.
  case "$managers" in *"${nl}user@$uid.service$nl"*) manager=yes ;; *) manager=no ;; esac
  delegated= at=/sys/fs/cgroup/user.slice/user-$uid.slice/user@$uid.service/cgroup.controllers
  if [ -r "$at" ]; then { IFS= read -r delegated <"$at"; } 2>/dev/null; fi
  while :; do
    case "$delegated" in *' '*) delegated=${delegated%% *},${delegated#* } ;; *) break ;; esac
  done
  key=no
  [ -s "$etc/authorized_keys/$name" ] && [ $reads = yes ] && key=yes
  own=no
  case "$owners" in
    *"${nl}directory $uid $home$nl"*) own=yes ;;
    # Homes on the network that root may not look into count as right.
    *) case "$(stat -L -c '%F %u' "$home" 2>&1)" in "directory $uid" | *"ermission denied"*) own=yes ;; esac ;;
  esac
  lets=no
  case "$shell" in */nologin | */false) ;; *) [ -x "${shell:-/bin/sh}" ] && lets=yes ;; esac
  free=
  case "$space" in *" $home$nl"*) free=${space%%" $home$nl"*} free=${free##*[!0-9]} ;; esac
  tell account "$account found uid=$uid linger=$linger manager=$manager delegated=${delegated:--} key=$key home=$own shell=$lets free_kb=${free:--}"
done 3<<ACCOUNTS 4<<ENTRIES
$accounts
ACCOUNTS
$entries
ENTRIES

# Goes before the scripts that change what sshd reads. Prints `no-reload` where sshd could not be told; connections that stand stay.
# `sshd -T` reads the files and not the running sshd: only a successful reload proves that it reads them.
reload_sshd() {
  systemctl reload ssh 2>/dev/null || systemctl reload sshd 2>/dev/null || hang_up || { echo no-reload; return 1; }
}
# Without systemd: the one that this very connection came in by, else the one of the pid file.
hang_up() {
  pid=$$
  while [ "${pid:-0}" -gt 1 ]; do
    if is_listener "$pid"; then kill -HUP "$pid" 2>/dev/null; return; fi
    pid=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status" 2>/dev/null) || return 1
  done
  file=$(sshd -T 2>/dev/null | sed -n 's/^pidfile //p')
  pid=$(cat "${file:-/run/sshd.pid}" 2>/dev/null) || return 1
  case "$pid" in '' | *[!0-9]*) return 1 ;; esac
  is_listener "$pid" && kill -HUP "$pid" 2>/dev/null
}
# A process that serves a connection is named `sshd: WHO`; a HUP would end it.
is_listener() {
  [ "$(cat "/proc/$1/comm" 2>/dev/null)" = sshd ] || return 1
  case "$(tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null)" in *'[listener]'*) return 0 ;; 'sshd: '*) return 1 ;; */sshd*) return 0 ;; esac
  return 1
}

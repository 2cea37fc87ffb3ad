# Goes before the scripts that look at the kit, change it or take it off: what of a server is the kit's. Whatever else stands beside it is
# somebody's, and is neither changed nor removed. Decision: docs/decisions/0315-only-what-the-kit-made.md

# Prints a text field of kit.json of the version in folder $1.
told() { sed -n 's/.*"'"$2"'":"\([^"]*\)".*/\1/p' "$1/kit.json" 2>/dev/null; }
# Prints a list field of it, a word a line.
listed() { sed -n 's/.*"'"$2"'":\["\([^]]*\)"\].*/\1/p' "$1/kit.json" 2>/dev/null | sed 's/","/\n/g'; }

# A version of the kit: a folder whose kit.json says its name.
is_version() { [ -d "$1" ] && [ ! -L "$1" ] && [ "$(told "$1" id)" = "${1##*/}" ]; }
is_id() { case "$1" in *[!0-9A-Za-z.-]* | [.-]*) return 1 ;; *-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]) return 0 ;; esac; return 1; }
# A link of the kit's folder: NAME, in the folder that we stand in.
is_link() {
  [ -L "$1" ] || return 1
  to=$(readlink "$1")
  case "$1" in bin | sdk) [ "$to" = "current/$1" ] ;; *) is_id "$to" ;; esac
}
is_free() { [ ! -e "$1" ] && [ ! -L "$1" ]; }

nl='
'
# Questions about accounts are asked for all of them at once: processes for each of 500 accounts would keep a server busy for minutes.
# Entries of the accounts in the directory, a line each in their order; an empty line where there is none.
entries_of() {
  [ $# -gt 0 ] || return 0
  found=$(getent passwd "$@") || true
  if [ "$(printf '%s\n' "$found" | wc -l)" -eq $# ]; then
    printf '%s\n' "$found"
  else
    for account in "$@"; do getent passwd "$account" || echo; done
  fi
}
# Service managers of people that run: `user@UID.service`, a line each.
managers_now() {
  systemctl list-units --plain --no-legend --no-pager --full --state=active,reloading 'user@*.service' 2>/dev/null | while read -r unit _; do
    printf '%s\n' "$unit"
  done
}

# Removes the leftovers of interrupted uploads and attempts in .in, named as the kit names them. $1: further words of find.
leftovers() {
  [ -d .in ] && [ ! -L .in ] || return 0
  find .in -mindepth 1 -maxdepth 1 "$@" | while read -r at; do
    name=${at##*/}
    case "$name" in
      *.tgz) if [ ${#name} = 68 ] && [ -f "$at" ]; then rm -f "$at"; fi ;;
      *) if is_id "$name" && [ -d "$at" ] && [ ! -L "$at" ]; then rm -rf "$at"; fi ;;
    esac
  done
}

# Parts of the version in folder $1 that are missing or can't be run. $2 yes: each command is started, and loads all of its program.
lacking() {
  [ -x "$1/node/bin/node" ] || echo node
  try=$(told "$1" try)
  for command in $(listed "$1" commands); do
    if [ ! -x "$1/bin/$command" ]; then
      echo "$command"
    elif [ -z "$try" ]; then
      # A kit of before 0.2.5: its commands can't be tried.
      [ -n "$(find "$1/build/kit" -name "$command.[cm]js" -size +0 2>/dev/null)" ] || echo "$command"
    elif [ "$2" = yes ]; then
      said=$(env -i HOME=/ "PATH=$PATH" timeout 60 "$1/bin/$command" "$try" </dev/null 2>/dev/null | head -c 200)
      [ "$said" = "$(told "$1" version)" ] || echo "$command"
    fi
  done
  for program in $(listed "$1" programs); do [ -s "$1/$program" ] || echo "$program"; done
}

# Configuration of the kit below /etc/svc-kit. Kits of before 0.2.5 had it in /etc/svc, where an administrator may have other things.
dropin=/etc/ssh/sshd_config.d/00-svc.conf
is_dropin() { [ -f "$dropin" ] && [ ! -L "$dropin" ] && [ "$(head -n 1 "$dropin")" = '# By svc: the key of the portal.' ]; }
is_key_file() { [ -f "$1" ] && [ ! -L "$1" ] && grep -q '^restrict,port-forwarding,pty .* svc-portal$' "$1"; }
is_kit_file() {
  [ -f "$1" ] && [ ! -L "$1" ] || return 1
  case "$1" in
    */authorized_keys/*) is_key_file "$1" ;;
    */lingered/*) [ ! -s "$1" ] ;;
    */portal/*.env) head -n 1 "$1" | grep -q '^# [0-9a-f]*$' && grep -q '^SVC_PORTAL_' "$1" ;;
    */origins) grep -qx 'path\|subdomain' "$1" ;;
    */portal-key) grep -q '^\(ssh\|ecdsa\|sk\)-[^ ]* AAAA' "$1" ;;
    */sshd-reads) grep -q '/authorized_keys/%u' "$1" ;;
    *) false ;;
  esac
}
# Every such file below folder $1. The folder before holds the two folders that every kit made there.
kit_files() {
  case "$1" in */etc/svc) [ -d "$1/authorized_keys" ] && [ -d "$1/lingered" ] || return 0 ;; esac
  for file in "$1"/origins "$1"/portal-key "$1"/sshd-reads "$1"/authorized_keys/* "$1"/lingered/* "$1"/portal/*.env; do
    if is_kit_file "$file"; then printf '%s\n' "$file"; fi
  done
}
remove_kit_files() {
  case "$1" in */etc/svc) [ -n "$(kit_files "$1")" ] || return 0 ;; esac
  kit_files "$1" | while read -r file; do rm -f "$file"; done
  rmdir "$1/authorized_keys" "$1/lingered" "$1/portal" "$1" 2>/dev/null || true
}

# Removes the code that Node compiled for commands of the administrator with home $1: files named by eight digits, one that was cut off with
# six letters more, in a folder for each build of Node. A portal of the same account shares it, and compiles anew.
remove_compiled() {
  digit='[0-9a-f]'
  name=$digit$digit$digit$digit$digit$digit$digit$digit
  for folder in "$1"/.cache/svc/compile/v[0-9]*-*-$name-*; do
    if [ ! -d "$folder" ] || [ -L "$folder" ]; then continue; fi
    find "$folder" -mindepth 1 -maxdepth 1 -type f \( -name "$name" -o -name "$name.??????" \) -exec rm -f {} + 2>/dev/null || true
    rmdir "$folder" 2>/dev/null || true
  done
  rmdir "$1/.cache/svc/compile" "$1/.cache/svc" 2>/dev/null || true
}

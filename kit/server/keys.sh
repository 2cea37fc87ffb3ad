# Changes the portal's key for the account that administers the server: the new line beside the old one, or the old one off. The accounts of people have
# theirs from accounts.sh. Run as the administrator:
#   sh -s -- PREFIX add|drop ACCOUNT OLDTYPE OLDKEY NEWTYPE NEWKEY
# `at FILE` for each file that was looked through and has the key now (add), or had it (drop). A new line has the options of the old one. Idempotent; each
# file is exchanged by one rename. Decision: docs/decisions/0415-keys-are-changed-beside.md
set -eu
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
p=${1%/} act=$2 account=$3 oldtype=$4 old=$5 newtype=$6 new=$7
entry=$(getent passwd "$account") || { echo "error there is no account $account"; exit 14; }
name=$(printf '%s' "$entry" | cut -d: -f1)
home=$(printf '%s' "$entry" | cut -d: -f6)
patterns=
if [ -z "$p" ]; then patterns=$(sshd -T -C "user=$name,host=portal,addr=127.0.0.1" 2>/dev/null | sed -n 's/^authorizedkeysfile //p'); fi
case "$patterns" in none) patterns= ;; '') patterns='.ssh/authorized_keys .ssh/authorized_keys2' ;; esac
# $1 is one of the patterns of sshd.
file_of() {
  at=$(printf '%s' "$1" | awk -v home="$home" -v user="$name" '{
    out = ""
    for (i = 1; i <= length($0); i++) {
      two = substr($0, i, 2)
      if (two == "%h") { out = out home; i++ } else if (two == "%u") { out = out user; i++ } else if (two == "%%") { out = out "%"; i++ } else out = out substr($0, i, 1)
    }
    print out
  }')
  case "$at" in /*) printf '%s\n' "$p$at" ;; *) printf '%s\n' "$p$home/$at" ;; esac
}
# Lines of $1 with what is to be there.
changed() {
  awk -v act="$act" -v oldtype="$oldtype" -v old="$old" -v newtype="$newtype" -v new="$new" '
    function has(line, key) { return line !~ /^[ \t]*#/ && index(line, key) > 0 }
    { lines[NR] = $0; if (has($0, new)) there = 1 }
    END {
      for (i = 1; i <= NR; i++) {
        line = lines[i]
        if (!has(line, old)) { print line; continue }
        if (act == "drop") continue
        print line
        if (there) continue
        at = index(line, old)
        before = substr(line, 1, at - 1)
        sub(/[ \t]+$/, "", before)
        if (substr(before, length(before) - length(oldtype) + 1) != oldtype) continue
        print substr(before, 1, length(before) - length(oldtype)) newtype " " new substr(line, at + length(old))
        there = 1
      }
    }' "$1"
}
for pattern in $patterns; do
  at=$(file_of "$pattern")
  # A key file that is a link stays one: its target is replaced.
  file=$(readlink -f "$at" 2>/dev/null) || continue
  if [ ! -f "$file" ]; then continue; fi
  if [ "$act" = drop ] && ! grep -qF "$old" "$file"; then continue; fi
  # Keeps owner, mode and attributes of the file.
  cp -a "$file" "$file.svc-new"
  changed "$file" >"$file.svc-new"
  if cmp -s "$file.svc-new" "$file"; then rm -f "$file.svc-new"; else sync "$file.svc-new" 2>/dev/null || true; mv -f "$file.svc-new" "$file"; fi
  if [ "$act" = drop ] || grep -qF "$new" "$file"; then printf 'at %s\n' "$at"; fi
done

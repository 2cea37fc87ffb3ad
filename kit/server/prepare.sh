# Makes room for the tarball of a kit. After own.sh. Run as the administrator:  sh -s -- PREFIX
# Exit 16 its place is taken (`taken PATH`), 17 somebody else may put files there (`foreign PATH`).
set -eu
umask 022
p=${1%/}
mkdir -p "$p/opt/svc"
# Everybody's apps run what is here: it and the folder around it are root's or the administrator's, and not everybody may write there.
for at in "$p/opt" "$p/opt/svc"; do
  case "$(stat -c %u "$at")" in 0 | "$(id -u)") ;; *) printf 'foreign %s\n' "$at"; exit 17 ;; esac
  case "$(stat -c %a "$at")" in *[2367]) printf 'foreign %s\n' "$at"; exit 17 ;; esac
done
cd "$p/opt/svc"
if [ -L .in ] || ! mkdir -p .in 2>/dev/null; then printf 'taken %s\n' "$p/opt/svc/.in"; exit 16; fi
leftovers -mmin +60

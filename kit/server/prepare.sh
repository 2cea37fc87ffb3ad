# Makes room for the tarball of a kit. After own.sh. Run as the administrator:  sh -s -- PREFIX
set -eu
umask 022
p=${1%/}
mkdir -p "$p/opt/svc"
cd "$p/opt/svc"
if [ -L .in ] || ! mkdir -p .in 2>/dev/null; then printf 'taken %s\n' "$p/opt/svc/.in"; exit 16; fi
leftovers -mmin +60

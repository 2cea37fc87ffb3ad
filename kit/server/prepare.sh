# Makes room for the tarball of a kit. Run as the administrator:  sh -s -- PREFIX
set -eu
umask 022
p=${1%/}
mkdir -p "$p/opt/svc/.in" "$p/etc/svc"
# What an upload that was cut off left.
find "$p/opt/svc/.in" -mindepth 1 -maxdepth 1 -mmin +60 -exec rm -rf {} +

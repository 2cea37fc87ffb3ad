# Starts each command of the kit that is in place, which loads all of its program and does nothing. After own.sh. Run as the administrator:
#   sh -s -- PREFIX         prints `lacks NAME` for each part that is missing or does not run
set -u
LC_ALL=C
export LC_ALL PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for name in $(lacking "${1%/}/opt/svc/current" yes); do printf 'lacks %s\n' "$name"; done

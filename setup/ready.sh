#!/bin/sh
# Makes this clone ready for one npm script, on a fresh Debian 12 with any Node >= 20: installs the pinned npm packages (Node 24
# among them; npm puts node_modules/.bin first in PATH, so the `node` after this script is ours), the Debian packages that the script
# needs, and the bundles. Does nothing when all of it is there. A part that can't be had ends with the line that installs it.
# usage: sh setup/ready.sh start|test|long|check|bench|server|pack
set -eu
mode=${1:?usage: sh setup/ready.sh start|test|long|check|bench|server|pack}
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: %s\n' "$1" >&2; printf 'setup: install it with:  %s\n' "$2" >&2; exit 1; }

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64 | Linux-aarch64) ;;
  *) fail "svc runs on Linux x86_64 and aarch64; this is $(uname -s) $(uname -m)" "(another machine)" ;;
esac
command -v npm >/dev/null || fail "npm is missing" "apt-get install -y nodejs npm"

# The stamp is written last, so an interrupted install is done again.
stamp=node_modules/.svc-ready
want=$(cksum <package-lock.json)
if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$want" ]; then
  say "installing the npm packages (once; about half a minute)"
  install() { npm ci --ignore-scripts --no-fund --no-audit --loglevel=error >&2; }
  # Once more: a registry may be away for a moment.
  install || install || fail "npm ci failed" "npm ci --ignore-scripts"
  # npm 10 leaves this link out when two optional packages offer the same command.
  case "$(uname -m)" in aarch64) arch=arm64 ;; *) arch=x64 ;; esac
  [ -x node_modules/.bin/node ] || ln -sf "../node-linux-$arch/bin/node" node_modules/.bin/node
  printf '%s\n' "$want" >"$stamp"
fi
node_modules/.bin/node -e 'process.exit(+process.versions.node.split(".")[0] >= 24 ? 0 : 1)' 2>/dev/null ||
  fail "the pinned Node 24 does not run here" "npm ci --ignore-scripts --include=optional"

# command:package, one a line
slurm="sbatch:slurm-client slurmctld:slurmctld:slurm-wlm-basic-plugins slurmd:slurmd munged:munge"
browser="chromium:chromium fc-list:fontconfig:fonts-dejavu-core"
needs="flock:util-linux python3:python3"
# Compilers of svc-wrap (setup/wrap.ts); `start` does without them.
native="$(uname -m)-linux-gnu-gcc:gcc:libc6-dev"
case "$(uname -m)" in
  aarch64) cross=x86_64-linux-gnu-gcc:gcc-x86-64-linux-gnu:libc6-dev-amd64-cross ;;
  *) cross=aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu:libc6-dev-arm64-cross ;;
esac
# `long` is `test`, the programs of examples/ports whose packages are large, and the compilers of templates.
if [ "$mode" = long ]; then
  mode=test
  needs="$needs jupyter-notebook:jupyter-notebook Xtigervnc:tigervnc-standalone-server websockify:websockify:novnc jwm:jwm stterm:stterm go:golang-go rustc:rustc javac:default-jdk-headless"
fi
case "$mode" in test | bench) needs="$needs $native" ;; pack) needs="$needs $native $cross" ;; esac
case "$mode" in
  pack) needs="$needs dpkg-deb:dpkg" ;;
  test) needs="$needs sshd:openssh-server ssh:openssh-client useradd:passwd getent:libc-bin strace:strace faketime:faketime curl:curl bwrap:bubblewrap $slurm $browser chromium-headless-shell:chromium-headless-shell promtool:prometheus setfacl:acl setfattr:attr zsh:zsh fish:fish mypy:mypy pip3:python3-pip pg_ctlcluster:postgresql nginx:nginx-light caddy:caddy pebble:pebble haproxy:haproxy apache2:apache2-bin openssl:openssl ip:iproute2" ;;
  bench) needs="$needs sshd:openssh-server ssh:openssh-client useradd:passwd curl:curl wrk:wrk nginx:nginx supervisord:supervisor taskset:util-linux pg_ctlcluster:postgresql redis-server:redis-server bwrap:bubblewrap $slurm $browser" ;;
esac
# A server of its own: where KVM may run it (test), or told to (server; setup/test-server.ts says what is missing).
[ "$mode" != test ] || [ ! -e /dev/kvm ] || needs="$needs qemu-system-x86_64:qemu-system-x86 qemu-img:qemu-utils mmdebstrap:mmdebstrap mke2fs:e2fsprogs"
# Programs of examples/ports.
[ "$mode" != test ] || needs="$needs radicale:radicale gunicorn:gunicorn shellinaboxd:shellinabox tmux:tmux php:php-cli:php-sqlite3:adminer"
# A file system with a quota; another way to list a folder.
[ "$mode" != test ] || needs="$needs mkfs.btrfs:btrfs-progs"
[ "$mode" != bench ] || needs="$needs cockpit-bridge:cockpit-bridge"
missing=""
for need in $needs; do
  command=${need%%:*}
  packages=$(printf '%s' "${need#*:}" | tr ':' ' ')
  PATH="$PATH:/usr/sbin:/sbin" command -v "$command" >/dev/null || missing="$missing $packages"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ]; then as_root=""; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo"; else
    fail "these Debian packages are missing:$missing" "sudo apt-get install -y --no-install-recommends$missing"
  fi
  say "installing the Debian packages$missing"
  export DEBIAN_FRONTEND=noninteractive
  # $missing and $as_root are lists of our own words: splitting is meant.
  # Another apt-get may be at work: it is waited for.
  apt() { $as_root apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -qq "$@"; }
  apt update >&2 || say "apt-get update failed; trying with the lists that are here"
  # Some of them are servers, which their packages would start: the tests start their own. A policy that is there is not touched.
  policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then policy=""; else printf '#!/bin/sh\nexit 101\n' | $as_root tee "$policy" >/dev/null && $as_root chmod 755 "$policy"; fi
  undo_policy() { [ -z "$policy" ] || $as_root rm -f "$policy"; }
  trap undo_policy EXIT
  trap 'exit 130' INT TERM
  apt install -y --no-install-recommends $missing >/dev/null ||
    fail "apt-get could not install:$missing" "apt-get install -y --no-install-recommends$missing"
  undo_policy
  trap - EXIT INT TERM
fi

if [ "$mode" != check ]; then node_modules/.bin/node setup/build.ts >&2; fi

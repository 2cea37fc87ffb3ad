#!/bin/sh
# Starts the app on a bench (a free port of this machine, no portal and no token) and asks it. Needs curl, and svc-wrap of `svc env`.
set -eu
cd "$(dirname "$0")/.."
dados=$(mktemp -d)
: >"$dados/saida"
env -u SVC_APP_TOKEN -u SVC_APP_SOCKET -u SVC_APP_BASE_PATH SVC_APP_DATA_DIR="$dados" backend/app --tcp 127.0.0.1:0 >"$dados/saida" 2>&1 &
app=$!
trap 'kill "$app" 2>/dev/null || :; rm -rf "$dados"' EXIT
vezes=0
until grep -q 'o programa atende' "$dados/saida"; do
  vezes=$((vezes + 1))
  [ "$vezes" -lt 100 ] || { echo 'the app did not start' >&2; cat "$dados/saida" >&2; exit 1; }
  sleep 0.1
done
endereco=$(sed -n 's/.*escutando em //p' "$dados/saida")

espera() { # what, as it is, as it must be
  [ "$2" = "$3" ] || { echo "FAIL $1: $2, expected $3" >&2; exit 1; }
  echo "ok $1"
}
espera 'serves its page' "$(curl -sSL -o /dev/null -w '%{http_code}' "http://$endereco/")" 200
espera 'is healthy' "$(curl -fsS "http://$endereco/saude" | grep -c '"ok":true')" 1

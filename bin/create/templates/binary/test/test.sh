#!/bin/sh
# Builds the backend, starts it on a bench (a free port of this machine, no portal and no token) and asks it. Needs curl.
set -eu
cd "$(dirname "$0")/.."
sh build.sh
dados=$(mktemp -d)
: >"$dados/saida"
env -u SVC_APP_TOKEN -u SVC_APP_SOCKET -u SVC_APP_BASE_PATH SVC_APP_DATA_DIR="$dados" backend/app --tcp 127.0.0.1:0 >"$dados/saida" &
app=$!
trap 'kill "$app" 2>/dev/null || :; rm -rf "$dados"' EXIT
vezes=0
until endereco=$(sed -n 's/.*escutando em //p' "$dados/saida") && [ -n "$endereco" ]; do
  vezes=$((vezes + 1))
  [ "$vezes" -lt 100 ] || { echo 'the backend did not start' >&2; exit 1; }
  sleep 0.1
done

espera() { # what, as it is, as it must be
  [ "$2" = "$3" ] || { echo "FAIL $1: $2, expected $3" >&2; exit 1; }
  echo "ok $1"
}
espera 'begins at 0' "$(curl -fsS "http://$endereco/api/contagem")" '{"contagem":0}'
espera 'counts' "$(curl -fsS -X POST "http://$endereco/api/contagem")" '{"contagem":1}'
espera 'serves its page' "$(curl -fsS "http://$endereco/" | grep -c '_sdk/svc.js')" 1
espera 'knows nothing else' "$(curl -sS -o /dev/null -w '%{http_code}' "http://$endereco/api/nada")" 404

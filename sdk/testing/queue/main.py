"""Calls a verb of svc.fila, given as JSON in the first argument; prints the answer as JSON lines. main.cjs beside it is the same."""

import json
import sys

from svc import fila
from svc.erros import ErroSvc

verbo, argumentos, campos = json.loads(sys.argv[1])


def dizer(resposta):
    print(json.dumps(resposta, default=str), flush=True)


try:
    if verbo == 'acompanhar':
        for noticia in fila.acompanhar(*argumentos, **campos):
            dizer(noticia)
    elif verbo == 'submeter':
        dizer(fila.submeter(campos.pop('comando'), **campos))
    else:
        dizer(getattr(fila, verbo)(*argumentos, **campos))
except ErroSvc as erro:
    dizer({'erro': erro.codigo, 'status': erro.status})

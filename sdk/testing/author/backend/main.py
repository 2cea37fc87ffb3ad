"""The smallest Python backend, and each module of the runtime once, as an author writes them; only checked and run in an author's project."""

import pathlib
import sys
from typing import List

from svc import apps, fila, gpu, metricas, salas, servidor, web
from svc.erros import ErroSvc
from svc.tipos import Json, Sala, Trabalho

RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['extra.js'], ao_avisar=log)


class Pedido(servidor.Pedido):
    def atender(self, metodo: str) -> None:
        if metodo == 'GET' and self.path == '/api/ping':
            self.responder_json(200, {'pong': True})
        elif metodo == 'POST':
            corpo: Json = self.ler_json()
            self.responder_json(200, {'nome': corpo.get('nome') if isinstance(corpo, dict) else None})
        elif not pagina(self):  # True when it served the request
            self.responder_json(404, {'error': 'rota desconhecida'})


def usar() -> str:
    estado = salas.disponivel()
    if not estado:
        return estado['motivo'] or ''
    sala: Sala = salas.criar('Ata')
    trabalho: Trabalho = fila.submeter(['true'], limites={'cpus': 1})
    linhas: List[str] = []
    for noticia in fila.acompanhar(trabalho['id']):
        linhas += noticia['linhas']
    metricas.contar('feito', 1, formato='pdf')
    try:
        with apps.pedir('texto/v1', '/maiusculas', method='POST', body='a') as resposta:
            return f'{sala["id"]} {gpu.concedida()["motivo"]} {resposta.status}'
    except ErroSvc as erro:
        return f'{erro.codigo} {erro.status}'


def enganos() -> None:
    salas.dar_acesso('s', 'bia', 'dono')  # type: ignore[arg-type]
    print(salas.listar()[0]['titulo'])  # type: ignore[typeddict-item]
    servidor.criar_logs()  # type: ignore[attr-defined]


if __name__ == '__main__':
    sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

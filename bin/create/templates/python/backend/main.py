"""The backend: one process for each person, as their own account. `self.path`, `self.headers` and so on are those of http.server."""

import os
import pathlib
import sys
import threading

from svc import servidor, web

RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['app.js'], ao_avisar=log)
arquivo = servidor.pasta_de_dados() / 'contagem'
trava = threading.Lock()  # each connection has a thread


def ler() -> int:
    try:
        return int(arquivo.read_text())
    except FileNotFoundError:
        return 0


def contar() -> int:
    """A backend may be ended at any time: the file is written whole or not at all."""
    with trava:
        contagem = ler() + 1
        novo = arquivo.with_name('contagem.novo')
        with open(novo, 'w') as saida:
            saida.write(str(contagem))
            saida.flush()
            os.fsync(saida.fileno())
        novo.replace(arquivo)
    log('{{contou}}', contagem=contagem)
    return contagem


class Pedido(servidor.Pedido):
    def atender(self, metodo: str) -> None:
        if self.path == '/api/contagem' and metodo == 'GET':
            return self.responder_json(200, {'contagem': ler()})
        if self.path == '/api/contagem' and metodo == 'POST':
            return self.responder_json(200, {'contagem': contar()})
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

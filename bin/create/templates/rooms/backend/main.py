"""Serves the page in frontend/, which is where people meet; what every app must do is in the library."""

import pathlib
import sys

from svc import servidor, web

log = servidor.criar_log()
pagina = web.spa(pathlib.Path(__file__).resolve().parent.parent / 'frontend', ui=True, scripts=['app.mjs'], ao_avisar=log)


class Pedido(servidor.Pedido):
    def atender(self, metodo: str) -> None:
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

"""Traços: the page does everything; it reads and writes the files that the person gives it (svc.arquivos, svc.disco)."""

import pathlib
import sys

from svc import servidor, web

RAIZ = pathlib.Path(__file__).resolve().parent.parent
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['desenho.js', 'tracos.js'], ao_avisar=servidor.criar_log())


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

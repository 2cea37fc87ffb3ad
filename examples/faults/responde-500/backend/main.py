"""Answers 500 to everything, also to the health probe: not ready (rules 3.2)."""

import sys

from svc import servidor


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        self.responder_json(500, {'error': 'defeito de propósito'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

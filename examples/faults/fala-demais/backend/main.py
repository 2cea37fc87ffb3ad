"""Writes 1 GB to stdout, then serves: run.log must stay bounded and the app must not block (FALA_BYTES sets another amount)."""

import os
import sys

from svc import servidor

linha = b'fala-demais ' + b'x' * 1011 + b'\n'
resto = int(os.environ.get('FALA_BYTES', 1024**3))
bloco = linha * 64
while resto > 0:
    resto -= os.write(1, bloco[: min(len(bloco), resto)])


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        self.responder_json(200, {'falou': True})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

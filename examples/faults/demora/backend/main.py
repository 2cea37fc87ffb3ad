"""Takes 25 s to bind (DEMORA_S sets another time): longer than the 15 probes and than a held navigation, and yet it comes."""

import os
import sys
import time

from svc import servidor

print('demora: preparando', flush=True)
time.sleep(float(os.environ.get('DEMORA_S', '25')))


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        self.responder_json(200, {'demorou': True})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

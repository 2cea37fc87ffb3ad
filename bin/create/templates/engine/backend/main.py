"""An engine: other apps ask it, by the capability that svc-app.json offers; the portal starts it when somebody does. It has no window.

  GET  <rota>/pronto    { pronto }
  POST <rota>/palavras  { texto }: { palavras }, how many
"""

import re
import sys

from svc import servidor

ROTA = '/{{capacidade}}/v1'
log = servidor.criar_log()


class Pedido(servidor.Pedido):
    def atender(self, metodo: str) -> None:
        # The portal alone writes this header: the id of the app that asks.
        quem = self.headers.get('X-Svc-Chamador')
        if (metodo, self.path) == ('GET', f'{ROTA}/pronto'):
            return self.responder_json(200, {'pronto': True})
        if (metodo, self.path) == ('POST', f'{ROTA}/palavras'):
            pedido = self.ler_json()
            texto = pedido.get('texto') if isinstance(pedido, dict) else None
            if not isinstance(texto, str):
                return self.responder_json(400, {'error': 'falta o texto'})
            log('{{contou}}', de=quem)
            return self.responder_json(200, {'palavras': len(re.findall(r'\w+', texto))})
        self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

"""Dicionário: an engine that other apps ask for words (capability dicionario/v1). The portal starts it at the first question.

  GET  /palavras/<palavra>   { palavra, sentido }, or 404
  GET  /todas                one JSON line for each word, one every quarter of a second
  POST /contar               { bytes }: reads the body as it comes, and keeps none of it
"""

import json
import sys
import time
from urllib.parse import unquote

from svc import servidor

ROTA = '/dicionario/v1'
SENTIDOS = {
    'aurora': 'Claridade que antecede o nascer do sol.',
    'bruma': 'Nevoeiro pouco denso, sobretudo no mar.',
    'cais': 'Lugar da margem onde os barcos atracam.',
    'ermo': 'Lugar afastado, onde não vive ninguém.',
    'farol': 'Torre com luz que orienta os navios à noite.',
    'maré': 'Subida e descida das águas do mar.',
    'orvalho': 'Gotas que o ar úmido deixa à noite sobre as plantas.',
    'vereda': 'Caminho estreito; atalho.',
}
INTERVALO_S = 0.25
PEDACO_BYTES = 64 * 1024
log = servidor.criar_log()


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        if not caminho.startswith(f'{ROTA}/'):
            return self.responder_json(404, {'error': 'rota desconhecida'})
        rota = (metodo, *caminho.removeprefix(f'{ROTA}/').split('/'))
        match rota:
            case ('GET', 'pronto'):
                return self.responder_json(200, {'pronto': True})
            case ('GET', 'palavras', palavra):
                return self.definir(unquote(palavra).strip().lower())
            case ('GET', 'todas'):
                return self.ler_todas()
            case ('POST', 'contar'):
                return self.responder_json(200, {'bytes': self.contar()})
        return self.responder_json(404, {'error': 'rota desconhecida'})

    def definir(self, palavra):
        log('palavra', de=self.headers.get('X-Svc-Chamador'), palavra=palavra)
        if palavra not in SENTIDOS:
            return self.responder_json(404, {'error': 'palavra desconhecida', 'palavra': palavra})
        self.responder_json(200, {'palavra': palavra, 'sentido': SENTIDOS[palavra]})

    def ler_todas(self):
        """Without a length: the end of the connection is the end of the list. A caller that leaves ends it, too."""
        self.send_response(200)
        self.send_header('Content-Type', 'application/x-ndjson; charset=utf-8')
        self.end_headers()
        for palavra, sentido in SENTIDOS.items():
            linha = json.dumps({'palavra': palavra, 'sentido': sentido}, ensure_ascii=False)
            self.wfile.write(f'{linha}\n'.encode())
            time.sleep(INTERVALO_S)

    def contar(self):
        contados = 0
        while pedaco := self.rfile.read(PEDACO_BYTES):
            contados += len(pedaco)
        return contados


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

"""Assinador: signs a text with the person's own key and checks signatures. Shows how an app uses a secret: read from the environment,
never logged, never answered, and its absence told instead of failing at the start."""

import base64
import hashlib
import hmac
import os
import pathlib
import sys

from svc import servidor, web

log = servidor.criar_log()
pagina = web.spa(pathlib.Path(__file__).resolve().parent.parent / 'frontend', scripts=['assinador.js'], ao_avisar=log)

# A child of this process has no use for the keys, and does not get them.
CHAVE = os.environ.pop('ASSINADOR_CHAVE', '')
ANTERIOR = os.environ.pop('ASSINADOR_CHAVE_ANTERIOR', '')


def assinatura(chave: str, texto: str) -> str:
    return base64.urlsafe_b64encode(hmac.new(chave.encode(), texto.encode(), hashlib.sha256).digest()).decode().rstrip('=')


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        if metodo == 'GET' and caminho == '/api/estado':
            return self.responder_json(200, {'pronto': bool(CHAVE), 'falta': None if CHAVE else 'ASSINADOR_CHAVE'})
        if metodo == 'POST' and caminho in ('/api/assinar', '/api/conferir'):
            return self.usar_chave(caminho)
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})

    def usar_chave(self, caminho):
        pedido = self.ler_json(64 * 1024)
        texto = pedido.get('texto') if isinstance(pedido, dict) else None
        if not isinstance(texto, str) or texto == '':
            return self.responder_json(400, {'error': 'texto: esperava um texto'})
        if not CHAVE:
            return self.responder_json(409, {'error': 'falta o segredo ASSINADOR_CHAVE', 'falta': 'ASSINADOR_CHAVE'})
        if caminho == '/api/assinar':
            return self.responder_json(200, {'assinatura': assinatura(CHAVE, texto)})
        dada = pedido.get('assinatura')
        if not isinstance(dada, str):
            return self.responder_json(400, {'error': 'assinatura: esperava um texto'})
        chaves = [('atual', CHAVE), *([('anterior', ANTERIOR)] if ANTERIOR else [])]
        confere = [nome for nome, chave in chaves if hmac.compare_digest(assinatura(chave, texto).encode(), dada.encode())]
        return self.responder_json(200, {'vale': bool(confere), 'chave': confere[0] if confere else None})


log('assinador.inicio', pronto=bool(CHAVE))
sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

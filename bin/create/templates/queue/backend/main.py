"""The backend: hands heavy work to the queue of the portal and tells how far it is.

  POST /api/trabalhos       { texto }: submits a job, answers { id }
  GET  /api/trabalhos       { disponivel, motivo, trabalhos }, the newest first
  GET  /api/palavras/<id>   what the job with this id found
"""

import json
import pathlib
import re
import sys
import tempfile

from svc import fila, servidor, web
from svc.erros import ErroSvc

RAIZ = pathlib.Path(__file__).resolve().parent.parent
CAMPOS = ('id', 'nome', 'estado', 'lugar', 'progresso')
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['app.js'], ao_avisar=log)


def submeter(texto):
    entradas = {'entrada/contar.py': RAIZ / 'trabalho' / 'contar.py', 'entrada/texto.txt': texto.encode()}
    nome = ' '.join(re.findall(r'\w+', texto))[:40] or 'texto'
    return fila.submeter(['python3', 'entrada/contar.py'], entradas=entradas, nome=nome, limites={'segundos': 120})['id']


def listar():
    """`disponivel` says whether there is a queue here, and `motivo` why not: on a bench there is none."""
    ha = fila.disponivel()
    return {**ha, 'trabalhos': [{campo: trabalho[campo] for campo in CAMPOS} for trabalho in fila.listar()[:20]] if ha else []}


def palavras(trabalho):
    with tempfile.TemporaryDirectory() as pasta:
        [arquivo] = fila.baixar(trabalho, pasta, 'palavras.json')
        return json.loads(arquivo.read_text('utf-8'))


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        try:
            if (metodo, self.path) == ('POST', '/api/trabalhos'):
                pedido = self.ler_json()
                if not isinstance(pedido, dict) or not isinstance(pedido.get('texto'), str):
                    return self.responder_json(400, {'error': 'falta o texto'})
                return self.responder_json(202, {'id': submeter(pedido['texto'])})
            if (metodo, self.path) == ('GET', '/api/trabalhos'):
                return self.responder_json(200, listar())
            if metodo == 'GET' and (achado := re.fullmatch(r'/api/palavras/(j[0-9a-z]{20})', self.path)):
                return self.responder_json(200, palavras(achado[1]))
        except ErroSvc as erro:
            log.erro('fila', codigo=erro.codigo, mensagem=erro.mensagem)
            return self.responder_json(erro.status or 503, {'error': erro.mensagem, 'codigo': erro.codigo})
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

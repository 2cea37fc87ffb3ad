"""Moinho: hands heavy work to the queue. The text of a person goes to a job that counts its words; the page shows how far it is.

  POST /api/moer           { texto }: submits, answers { id }
  GET  /api/trabalhos      the jobs, the newest first
  GET  /api/trabalhos/<id> one job; with `palavras` once they are counted
"""

import json
import pathlib
import re
import sys
import tempfile

from svc import fila, servidor, web
from svc.erros import ErroSvc

RAIZ = pathlib.Path(__file__).resolve().parent.parent
TEXTO_BYTES_MAX = 1024 * 1024
CAMPOS = ('id', 'nome', 'estado', 'lugar', 'progresso', 'criadoEm')
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['moinho.js'], ao_avisar=log)


def moer(texto):
    entradas = {'entrada/moer.py': RAIZ / 'trabalho' / 'moer.py', 'entrada/texto.txt': texto.encode()}
    nome = ' '.join(re.sub(r'[^\w ]', ' ', texto).split())[:40] or 'texto'
    return fila.submeter(['python3', 'entrada/moer.py'], entradas=entradas, nome=nome, limites={'segundos': 120})


def ver(trabalho):
    visto = {campo: trabalho[campo] for campo in CAMPOS}
    # Jobs of this app that something else submitted have other outputs.
    if trabalho['estado'] != 'terminado' or not any(saida['caminho'] == 'palavras.json' for saida in fila.saidas(trabalho['id'])):
        return visto
    with tempfile.TemporaryDirectory() as pasta:
        [arquivo] = fila.baixar(trabalho['id'], pasta, 'palavras.json')
        return {**visto, 'palavras': json.loads(arquivo.read_text('utf-8'))}


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        try:
            if (metodo, caminho) == ('POST', '/api/moer'):
                texto = self.ler_json(TEXTO_BYTES_MAX).get('texto', '')
                return self.responder_json(202, {'id': moer(texto)['id']})
            if (metodo, caminho) == ('GET', '/api/trabalhos'):
                return self.responder_json(200, {**fila.disponivel(), 'trabalhos': [{c: t[c] for c in CAMPOS} for t in fila.listar()[:20]]})
            if metodo == 'GET' and (achado := re.fullmatch(r'/api/trabalhos/(j[0-9a-z]{20})', caminho)):
                for trabalho in fila.listar():
                    if trabalho['id'] == achado[1]:
                        return self.responder_json(200, ver(trabalho))
        except ErroSvc as erro:
            log.erro('fila', codigo=erro.codigo, mensagem=erro.mensagem)
            return self.responder_json(erro.status or 503, {'error': erro.mensagem, 'codigo': erro.codigo})
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

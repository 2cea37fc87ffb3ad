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
from typing import Dict, Union

from svc import fila, servidor, web
from svc.erros import ErroSvc
from svc.tipos import Trabalho

RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['app.js'], ao_avisar=log)


def submeter(texto: str) -> str:
    entradas: Dict[str, Union[pathlib.Path, bytes]] = {
        'entrada/contar.py': RAIZ / 'trabalho' / 'contar.py',
        'entrada/texto.txt': texto.encode(),
    }
    nome = ' '.join(re.findall(r'\w+', texto))[:40] or 'texto'
    return fila.submeter(['python3', 'entrada/contar.py'], entradas=entradas, nome=nome, limites={'segundos': 120})['id']


def listar() -> Dict[str, object]:
    """`disponivel` says whether there is a queue here, and `motivo` why not: on a bench there is none."""
    ha = fila.disponivel()
    trabalhos = [visto(trabalho) for trabalho in fila.listar()[:20]] if ha else []
    return {'disponivel': ha['disponivel'], 'motivo': ha['motivo'], 'trabalhos': trabalhos}


def visto(trabalho: Trabalho) -> Dict[str, object]:
    """Returns the fields of a job that the page shows."""
    return {
        'id': trabalho['id'],
        'nome': trabalho['nome'],
        'estado': trabalho['estado'],
        'lugar': trabalho['lugar'],
        'progresso': trabalho['progresso'],
    }


def palavras(trabalho: str) -> object:
    with tempfile.TemporaryDirectory() as pasta:
        [arquivo] = fila.baixar(trabalho, pasta, 'palavras.json')
        return json.loads(arquivo.read_text('utf-8'))


class Pedido(servidor.Pedido):
    def atender(self, metodo: str) -> None:
        try:
            if (metodo, self.path) == ('POST', '/api/trabalhos'):
                pedido = self.ler_json()
                texto = pedido.get('texto') if isinstance(pedido, dict) else None
                if not isinstance(texto, str):
                    return self.responder_json(400, {'error': 'falta o texto'})
                return self.responder_json(202, {'id': submeter(texto)})
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

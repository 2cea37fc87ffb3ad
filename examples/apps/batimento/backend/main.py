"""Batimento: a service that writes a beat every second to its data folder and tells the last one."""

import json
import os
import pathlib
import sys
import threading
import time

from svc import servidor, web

ARQUIVO = servidor.pasta_de_dados() / 'batimento.json'
log = servidor.criar_log()
pagina = web.spa(pathlib.Path(__file__).resolve().parent.parent / 'frontend', scripts=['batimento.js'], ao_avisar=log)
fim = threading.Event()
ultimo = {'batimento': 0, 'agora': 0, 'pid': os.getpid()}


def continuar_de() -> int:
    """A relaunched service goes on counting where the last one stopped."""
    try:
        anterior = json.loads(ARQUIVO.read_text('utf-8'))['batimento']
        return anterior if isinstance(anterior, int) and anterior >= 0 else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def gravar() -> None:
    provisorio = ARQUIVO.with_suffix('.tmp')
    provisorio.write_text(json.dumps(ultimo), 'utf-8')
    os.replace(provisorio, ARQUIVO)


def bater() -> None:
    numero = continuar_de()
    log('batimento.inicio', de=numero)
    while True:
        numero += 1
        ultimo.update(batimento=numero, agora=int(time.time() * 1000))
        try:
            gravar()
        except OSError as problema:
            log.erro('batimento.sem_disco', erro=problema)
        if fim.wait(1.0):
            return


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        if metodo in ('GET', 'HEAD') and caminho == '/api/batimento':
            return self.responder_json(200, ultimo)
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})


coracao = threading.Thread(target=bater)
codigo = servidor.escutar(Pedido, sys.argv[1:], ao_escutar=coracao.start)
# Also when the end came while the thread was being started.
fim.set()
if coracao.ident is not None:
    coracao.join()
    log('batimento.fim', batimento=ultimo['batimento'])
sys.exit(codigo)

"""Batimento: a service that writes a beat every second to its data folder and tells the last one."""

import html
import json
import os
import sys
import threading
import time

from svc import servidor

ARQUIVO = servidor.pasta_de_dados() / 'batimento.json'
log = servidor.criar_log()
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
        if metodo in ('GET', 'HEAD') and caminho == '/':
            texto = html.escape(f'Batimento {ultimo["batimento"]}')
            pagina = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>{texto}</title><h1>{texto}</h1>'
            return self.responder(200, pagina.encode('utf-8'), {'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store'})
        self.responder_json(404, {'error': 'rota desconhecida'})


coracao = threading.Thread(target=bater)
codigo = servidor.escutar(Pedido, sys.argv[1:], ao_escutar=coracao.start)
if coracao.is_alive():
    fim.set()
    coracao.join()
    log('batimento.fim', batimento=ultimo['batimento'])
sys.exit(codigo)

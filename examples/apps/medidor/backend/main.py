"""Medidor: draws numbers and counts what it does: a counter with a label, a duration, and errors by their stack."""

import pathlib
import random
import sys
import time

from svc import metricas, servidor, web

log = servidor.criar_log()
pagina = web.spa(pathlib.Path(__file__).resolve().parent.parent / 'frontend', scripts=['medidor.js'], ao_avisar=log)


def sortear(lados: int) -> int:
    if lados == 13:
        raise ValueError(f'ninguém joga um dado de {lados} lados')
    return random.randint(1, lados)


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        if metodo == 'POST' and self.path == '/api/sorteio':
            return self.sorteio()
        if metodo == 'GET' and self.path == '/api/metricas':
            return self.responder_json(200, metricas.disponivel())
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})

    def sorteio(self):
        inicio = time.perf_counter()
        lados = self.ler_json(1000).get('lados')
        if lados not in (6, 13, 20):
            metricas.contar('sorteio', 1, resultado='recusado')
            return self.responder_json(422, {'error': 'lados: 6, 13 ou 20'})
        try:
            numero = sortear(lados)
        except ValueError as erro:
            metricas.relatar_erro(erro)
            metricas.contar('sorteio', 1, resultado='erro')
            return self.responder_json(500, {'error': str(erro)})
        metricas.contar('sorteio', 1, resultado='ok', lados=lados)
        metricas.duracao('sortear', time.perf_counter() - inicio)
        self.responder_json(200, {'numero': numero})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

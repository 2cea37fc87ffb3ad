"""The app that the contract table drives, Python side. main.cjs beside it is the same app."""

import pathlib
import sys
import threading

from svc import fila, gpu, metricas, salas, servidor, web
from svc.erros import ErroSvc

RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()
pagina = web.spa(sys.argv.pop(1), ui=True, scripts=['extra.js', 'ausente.js'], ao_avisar=log)
vistos = []
fim = threading.Event()


def erro_de(verbo):
    try:
        verbo()
    except ErroSvc as erro:
        return {'codigo': erro.codigo}
    return None


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        if caminho == '/api/vistos':
            return self.responder_json(200, {'vistos': vistos})
        vistos.append(f'{metodo} {self.path}')
        if caminho == '/api/ping':
            return self.responder_json(200, {'pong': True, 'acentuação': 'ção'})
        if caminho == '/api/encerrar':
            servidor.encerrar()
            return self.responder_json(200, {'ok': True})
        if caminho == '/api/erro':
            raise RuntimeError('quebrou\nde propósito \x1b[31m')
        if caminho == '/api/eco':
            return self.responder_json(200, {'eco': self.ler_json(1000)})
        if caminho == '/api/tamanho':
            return self.responder_json(200, {'bytes': len(self.ler_corpo(64 * 1024 * 1024))})
        if caminho == '/api/recursos':
            return self.responder_json(
                200,
                {
                    'fila': fila.disponivel(),
                    'salas': salas.disponivel(),
                    'metricas': metricas.disponivel(),
                    'gpu': gpu.concedida(),
                    'estado': gpu.estado(),
                    'submeter': erro_de(lambda: fila.submeter(['true'], paciencia_s=0)),
                    'bilhete': erro_de(lambda: salas.bilhete('s0')),
                    'contar': erro_de(lambda: metricas.contar('x')),
                    'duracao': erro_de(lambda: metricas.duracao('x', 1.5)),
                    'relatar': erro_de(lambda: metricas.relatar_erro(ValueError('x'))),
                },
            )
        if caminho == '/api/corrente':
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'inicio ')
            fim.wait()
            self.wfile.write(b'fim')
            return None
        if caminho == '/api/log':
            log('tudo', **{'texto': 'a\nb\x1b[0m\x9b31m\u2028\u202e\x7f', 'ts': 'meu', 'n': 1, 'lista': [1, None, True], 'nada': None})
            log.info('info')
            log.erro('erro', erro=ValueError('ruim'))
            return self.responder_json(200, {'ok': True})
        if caminho == '/api/log-grande':
            for numero in range(1200):
                log('grande', numero=numero, texto='x' * 8000)
            return self.responder_json(200, {'ok': True})
        return pagina(self)


# The whole sys.argv, and no sys.exit: the runtime takes both, and ends with 2 by itself where it can't listen.
servidor.escutar(Pedido, sys.argv, ao_encerrar=fim.set)

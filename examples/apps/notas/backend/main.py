"""Notas: a single-page app and a JSON API that keeps notes on disk."""

import pathlib
import sys

from svc import servidor, web

from guarda import Conflito, Guarda, Invalida

RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['notas.js'], ao_avisar=log)
guarda = Guarda(servidor.pasta_de_dados() / 'notas', log.erro)


class Pedido(servidor.Pedido):
    def atender(self, metodo):
        caminho = self.path.split('?', 1)[0]
        if caminho == '/api/notas' or caminho.startswith('/api/notas/'):
            return self.notas(metodo, caminho.removeprefix('/api/notas').removeprefix('/'))
        if metodo == 'GET' and caminho == '/api/ping':
            return self.responder_json(200, {'pong': True})
        if not pagina(self):
            self.responder_json(404, {'error': 'rota desconhecida'})

    def notas(self, metodo, nota_id):
        try:
            if not nota_id and metodo == 'GET':
                return self.responder_json(200, {'revisao': guarda.revisao, 'notas': guarda.listar()})
            if not nota_id and metodo == 'POST':
                nota = guarda.criar(self.ler_json())
                log('nota.criada', id=nota['id'])
                return self.responder_json(201, nota)
            if nota_id and metodo == 'PUT':
                nota = guarda.mudar(nota_id, self.ler_json())
                return self.responder_json(404, {'error': 'nota desconhecida'}) if nota is None else self.responder_json(200, nota)
            if nota_id and metodo == 'DELETE':
                if not guarda.apagar(nota_id):
                    return self.responder_json(404, {'error': 'nota desconhecida'})
                log('nota.apagada', id=nota_id)
                return self.responder_json(200, {'ok': True})
            return self.responder_json(405, {'error': f'{metodo} não vale aqui'})
        except Conflito as conflito:
            return self.responder_json(409, {'error': str(conflito), 'nota': conflito.nota})
        except Invalida as problema:
            return self.responder_json(400, {'error': str(problema)})


sys.exit(servidor.escutar(Pedido, sys.argv[1:]))

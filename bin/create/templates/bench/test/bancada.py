"""Starts the backend on a bench: a free port of this machine, data in a folder of its own, no portal and no token."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

RAIZ = pathlib.Path(__file__).resolve().parent.parent
DO_PORTAL = ('SVC_APP_TOKEN', 'SVC_APP_SOCKET', 'SVC_APP_BASE_PATH', 'SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN')


class Bancada:
    def __enter__(self):
        self.pasta = tempfile.TemporaryDirectory()
        ambiente = {nome: valor for nome, valor in os.environ.items() if nome not in DO_PORTAL}
        ambiente['SVC_APP_DATA_DIR'] = self.pasta.name
        comando = [sys.executable, '-u', str(RAIZ / 'backend' / 'main.py'), '--tcp', '127.0.0.1:0']
        self.processo = subprocess.Popen(comando, env=ambiente, stdout=subprocess.PIPE, text=True)
        for linha in self.processo.stdout:
            if achado := re.search(r'escutando em (\S+)', linha):
                self.endereco = f'http://{achado[1]}'
                return self
        self.__exit__()
        raise RuntimeError('the backend did not start; does python3 find the library svc?  eval "$(svc env)"')

    def pedir(self, metodo, caminho, corpo=None, cabecalhos=None):
        """Status and body."""
        pedido = urllib.request.Request(self.endereco + caminho, corpo, cabecalhos or {}, method=metodo)
        try:
            with urllib.request.urlopen(pedido, timeout=10) as resposta:
                return resposta.status, resposta.read().decode()
        except urllib.error.HTTPError as erro:
            return erro.code, erro.read().decode()

    def __exit__(self, *_):
        self.processo.terminate()
        self.processo.wait(10)
        self.processo.stdout.close()
        self.pasta.cleanup()

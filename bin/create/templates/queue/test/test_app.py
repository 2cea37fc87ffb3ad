import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from bancada import RAIZ, Bancada


class Fila(unittest.TestCase):
    def test_says_that_a_bench_has_no_queue(self):
        with Bancada() as app:
            status, corpo = app.pedir('GET', '/api/trabalhos')
            self.assertEqual((status, json.loads(corpo)['disponivel']), (200, False))
            self.assertEqual(app.pedir('POST', '/api/trabalhos', b'{"texto":"x"}')[0], 503)
            self.assertEqual(app.pedir('POST', '/api/trabalhos', b'[]')[0], 400)

    def test_the_job_counts_words(self):
        with tempfile.TemporaryDirectory() as nome:
            pasta = pathlib.Path(nome)
            for parte in ('entrada', 'saida'):
                (pasta / parte).mkdir()
            (pasta / 'entrada' / 'texto.txt').write_text('mar e mar\ne céu')
            ambiente = {**os.environ, 'SVC_SAIDA': str(pasta / 'saida'), 'SVC_PROGRESSO': str(pasta / 'progresso')}
            subprocess.run([sys.executable, str(RAIZ / 'trabalho' / 'contar.py')], cwd=pasta, env=ambiente, check=True, capture_output=True)
            self.assertEqual(json.loads((pasta / 'saida' / 'palavras.json').read_text()), {'mar': 2, 'e': 2, 'céu': 1})


if __name__ == '__main__':
    unittest.main()

import json
import unittest

from bancada import RAIZ, Bancada

[CAPACIDADE] = json.loads((RAIZ / 'svc-app.json').read_text())['capacidades'].values()


class Palavras(unittest.TestCase):
    def test_answers_below_its_route(self):
        rota = CAPACIDADE['rota']
        with Bancada() as app:
            quem = {'X-Svc-Chamador': 'teste'}
            self.assertEqual(app.pedir('POST', f'{rota}/palavras', b'{"texto":"mar e mar"}', quem), (200, '{"palavras":3}'))
            self.assertEqual(app.pedir('POST', f'{rota}/palavras', b'{}', quem)[0], 400)
            self.assertEqual(app.pedir('GET', f'{rota}/nada', None, quem)[0], 404)


if __name__ == '__main__':
    unittest.main()

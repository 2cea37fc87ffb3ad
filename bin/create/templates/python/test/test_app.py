import unittest

from bancada import Bancada


class Contagem(unittest.TestCase):
    def test_counts_and_serves_its_page(self):
        with Bancada() as app:
            self.assertEqual(app.pedir('GET', '/api/contagem'), (200, '{"contagem":0}'))
            self.assertEqual(app.pedir('POST', '/api/contagem'), (200, '{"contagem":1}'))
            self.assertEqual(app.pedir('GET', '/api/contagem'), (200, '{"contagem":1}'))
            self.assertIn('_sdk/svc.js', app.pedir('GET', '/')[1])


if __name__ == '__main__':
    unittest.main()

import unittest

from bancada import Bancada


class Pagina(unittest.TestCase):
    def test_serves_its_page_and_nothing_else(self):
        with Bancada() as app:
            self.assertIn('_sdk/svc.js', app.pedir('GET', '/')[1])
            self.assertEqual(app.pedir('GET', '/app.css')[0], 200)
            self.assertEqual(app.pedir('GET', '/api/nada')[0], 404)


if __name__ == '__main__':
    unittest.main()

import unittest

from bancada import Bancada


class Pagina(unittest.TestCase):
    def test_serves_its_page_with_the_library_of_shared_documents(self):
        with Bancada() as app:
            self.assertIn('_sdk/svc.js', app.pedir('GET', '/')[1])
            status, biblioteca = app.pedir('GET', '/yjs.mjs')
            self.assertEqual(status, 200)
            self.assertIn('awarenessProtocol', biblioteca)


if __name__ == '__main__':
    unittest.main()

"""Porta errada: binds a TCP port, as a server written for anything else would (rules 2.1 `entrypoint`: not proxied, health 000)."""

import http.server


class Pedido(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '3')
        self.end_headers()
        self.wfile.write(b'ok\n')


servidor = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Pedido)
print(f'porta-errada: escutando em 127.0.0.1:{servidor.server_address[1]}', flush=True)
servidor.serve_forever()

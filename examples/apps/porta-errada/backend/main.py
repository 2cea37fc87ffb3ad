"""Porta errada: binds a TCP port, as a server written for anything else would (spec 2.1 `entrypoint`: not proxied, health 000)."""

import http.server

servidor = http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
print(f'porta-errada: escutando em 127.0.0.1:{servidor.server_address[1]}', flush=True)
servidor.serve_forever()

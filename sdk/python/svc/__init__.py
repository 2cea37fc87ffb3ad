"""Runtime library of a backend of svc (spec 4.4, 4.5, 5.1), Python 3.11 standard library only.

`from svc import servidor, web` is all that an app needs; `fila`, `gpu`, `metricas` and `salas` say what the system granted.
The Node library beside it (sdk/node/svc) keeps the same contract; sdk/contract.real.test.ts drives one table over both.

  servidor.py   Pedido, escutar, criar_log: what an app imports
  web.py        spa: serves the frontend
  _app.py       who this process is: id, version, package, data folder
  _http.py      strict HTTP/1.1 request heads and bodies
  _gate.py      the token gate
  _listen.py    the socket, the connections, the end
  _log.py       app.log
  _files.py     a file below a root: paths, ranges, validators
  _portal.py    what the queue, the metrics and the rooms share
"""

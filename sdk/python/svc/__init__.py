"""Runtime library of a backend of svc (rules 4.4, 4.5, 5), Python 3.9 or newer, standard library only.

`from svc import servidor, web` is all that an app needs; `fila`, `gpu`, `metricas` and `salas` say what the system granted;
`apps` asks other apps.
The Node library beside it (sdk/node/svc) keeps the same contract; sdk/contract.real.test.ts drives one table over both.

  servidor.py   Pedido, escutar, criar_log: what an app imports
  web.py        spa: serves the frontend
  tipos.py      types of what they answer, for annotations
  _app.py       who this process is: id, version, package, data folder
  _http.py      strict HTTP/1.1 request heads and bodies
  _gate.py      the token gate
  _listen.py    the socket, the connections, the end
  _log.py       app.log
  _files.py     a file below a root: paths, ranges, validators
  _fila.py      bytes of the queue, up and down
  _pessoa.py    for whom a server-scope app asks the portal
  _portal.py    what other apps, the queue, the metrics and the rooms share
"""

import os as _os
import sys as _sys

# The run of an app never writes into its package: bytecode beside the sources would change the hash by which the launcher knows the
# installed code (rules 2.6, 3.1 step 5). Bytecode of modules imported before `svc` is redirected by the launcher.
if _sys.pycache_prefix is None and _os.environ.get('SVC_APP_INSTALLED_HASH'):
    _sys.pycache_prefix = _os.path.join(_os.path.expanduser('~'), '.cache', 'svc', 'python')

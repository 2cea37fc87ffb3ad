"""Parts that a backend imports: `Pedido` (a handler behind the gate), `escutar`, `criar_log`. Source: rules 4.2, 4.4, 5."""

from __future__ import annotations

import http.server
import io
import json
import os
import pathlib
import socket
import sys
import threading
from typing import Callable, Mapping, Sequence

from . import _app, _gate, _http, _listen
from ._log import Log
from ._pessoa import em_nome_de as em_nome_de
from .tipos import Json

CORPO_BYTES_MAX = 1024 * 1024
# The portal's proxy keeps an idle connection for up to 10 minutes (rules 8); we never close first, or it would lose a request.
_IDLE_S = 11 * 60
_HEAD_S = 15
_STALLED_S = 10 * 60

_runtime_log: Log | None = None
_runtime_log_lock = threading.Lock()


def criar_log() -> Log:
    """`log('evento', chave=valor)`: one JSON line in $SVC_APP_DATA_DIR/app.log; also `log.info` and `log.erro`."""
    return Log()


def pasta_de_dados() -> pathlib.Path:
    """SVC_APP_DATA_DIR, or `~/.svc-apps/<id>/data`; exists on return."""
    return _app.data_dir()


def _own_log() -> Log:
    global _runtime_log
    with _runtime_log_lock:
        if _runtime_log is None:
            _runtime_log = Log()
        return _runtime_log


class _Out:
    """The answer's file; remembers whether a byte was sent."""

    closed = False

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.used = False

    def write(self, data: bytes) -> int:
        self.used = True
        self._connection.sendall(data)
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


class Pedido(http.server.BaseHTTPRequestHandler):
    """An http.server handler behind the gate. A subclass writes `atender(metodo)`; `self.path`, `self.headers`, `self.rfile` and
    `self.wfile` are those of http.server, but `rfile` ends where the body ends. `/saude` is answered before `atender`."""

    server: _listen.Server  # type: ignore[assignment]
    protocol_version = 'HTTP/1.1'
    error_content_type = 'application/json; charset=utf-8'

    def atender(self, metodo: str) -> object:
        raise NotImplementedError('a subclasse de servidor.Pedido escreve atender(metodo)')

    def responder_json(self, status: int, objeto: object, cabecalhos: Mapping[str, str] | None = None) -> None:
        """A whole JSON answer. HEAD gets the same headers and no body."""
        corpo = json.dumps(objeto, ensure_ascii=False, allow_nan=False, separators=(',', ':')).encode('utf-8', 'replace')
        self.responder(status, corpo, {'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', **(cabecalhos or {})})

    def responder(self, status: int, corpo: bytes, cabecalhos: Mapping[str, str]) -> None:
        """A whole answer in one write."""
        self.send_response(status)
        for nome, valor in cabecalhos.items():
            self.send_header(nome, valor)
        if status >= 200 and status not in (204, 304):
            self.send_header('Content-Length', str(len(corpo)))
        tail = b'' if self.command == 'HEAD' or status in (204, 304) else corpo
        self._end_head(tail)

    def ler_corpo(self, limite: int = CORPO_BYTES_MAX) -> bytes:
        """The whole body; one above `limite` bytes is answered with 413 and `atender` ends."""
        body = self.rfile.read(limite + 1)
        if len(body) > limite:
            raise _http.Refused(413, f'o corpo passa de {limite} bytes')
        return body

    def ler_json(self, limite: int = CORPO_BYTES_MAX) -> Json:
        """The body as JSON; anything else is answered with 400 and `atender` ends."""
        try:
            found: Json = json.loads(self.ler_corpo(limite).decode('utf-8'))
            return found
        except (ValueError, RecursionError):
            raise _http.Refused(400, 'o corpo não é JSON') from None

    # The rest is the runtime's part.

    def setup(self) -> None:
        super().setup()
        self._source: io.BufferedIOBase = self.rfile  # type: ignore[assignment]
        self.wfile = _Out(self.connection)  # type: ignore[assignment]

    def finish(self) -> None:
        self._source.close()

    def handle_one_request(self) -> None:
        self.close_connection = True
        self.command, self.requestline, self.request_version, self.path = '', '', 'HTTP/1.1', ''
        self.wfile = out = _Out(self.connection)  # type: ignore[assignment]
        try:
            self.connection.settimeout(_IDLE_S)
            head = _http.read_head(self._source, self._begin)
            if head is None:
                return
            self.connection.settimeout(_STALLED_S)
            self._take(head)
        except _http.Refused as refused:
            self.close_connection = True
            if not out.used:
                self._refuse(refused.status, str(refused))
        except (ConnectionError, TimeoutError):
            self.close_connection = True  # the peer left
        finally:
            self.server.mark(self.connection, False)

    def _begin(self) -> None:
        self.server.mark(self.connection, True)
        self.connection.settimeout(_HEAD_S)

    def _take(self, head: _http.Head) -> None:
        self.command, self.path = head.method, head.target
        self.request_version = f'HTTP/1.{head.minor}'
        self.requestline = f'{head.method} {head.target} {self.request_version}'
        self.headers = head.message()
        if not _gate.admits(head.fields):
            # Source: rules 5. The connection ends: nothing more of a refused peer is read.
            self._refuse(403, 'token do app recusado', {'X-Svc-Token': 'recusado'})
            return
        if not (head.target.startswith('/') or (head.target == '*' and head.method == 'OPTIONS')):
            raise _http.Refused(400, 'o alvo do pedido precisa ser um caminho')
        body = _http.Body(self._source, head, self._send_continue)
        self.rfile = body  # type: ignore[assignment]
        self.close_connection = not head.keep_alive or self.server.ending
        if head.method in ('GET', 'HEAD') and head.target.split('?', 1)[0] == '/saude':
            self.responder_json(200, {'ok': True, 'versao': _app.version(), 'pid': os.getpid()})
        else:
            self._run()
        if not self.close_connection and not body.drain():
            self.close_connection = True

    def _run(self) -> None:
        try:
            self.atender(self.command)
            if not self.wfile.used:  # type: ignore[attr-defined]
                if getattr(self, '_headers_buffer', None):
                    raise RuntimeError('atender começou uma resposta e não a terminou (falta end_headers)')
                # Source: rules 7, a route unknown to the app. `atender` that answers nothing served nothing: `return pagina(self)`.
                self.responder_json(404, {'error': 'rota desconhecida'})
        except (_http.Refused, ConnectionError, TimeoutError):
            raise
        except Exception as problem:  # noqa: BLE001  one request never ends the app
            self.close_connection = True
            _own_log().erro('pedido.erro', metodo=self.command, caminho=self.path.split('?', 1)[0], erro=problem)
            if not self.wfile.used:  # type: ignore[attr-defined]
                self._refuse(500, 'erro interno do app')

    def _refuse(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self.close_connection = True
        self._headers_buffer: list[bytes] = []
        self.responder_json(status, {'error': message}, {**(headers or {}), 'Connection': 'close'})

    def _send_continue(self) -> None:
        self.connection.sendall(b'HTTP/1.1 100 Continue\r\n\r\n')

    def send_response(self, code: int, message: str | None = None) -> None:
        self.send_response_only(code, message)
        self.send_header('Date', self.date_time_string())

    def send_header(self, keyword: str, value: str) -> None:
        if any(mark in f'{keyword}{value}' for mark in '\r\n\0'):
            raise ValueError('cabeçalho de resposta com quebra de linha')
        super().send_header(keyword, value)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        self._refuse(code, message or explain or self.responses.get(code, ('erro',))[0])

    def end_headers(self) -> None:
        self._end_head(b'')

    def _end_head(self, tail: bytes) -> None:
        lines = b''.join(self._headers_buffer)
        names = {line.split(b':', 1)[0].lower() for line in lines.split(b'\r\n')[1:]}
        bodiless = self.command == 'HEAD' or lines[9:12] in (b'204', b'304') or lines[9:10] == b'1'
        if not bodiless and not names & {b'content-length', b'transfer-encoding'}:
            self.close_connection = True  # the end of the connection is the end of the body
        if self.close_connection and b'connection' not in names and lines[9:10] != b'1':
            lines += b'Connection: close\r\n'
        if lines[9:12] == b'101':
            self.close_connection = True  # the handler that took the connection over keeps it until `atender` returns
        self._headers_buffer = []
        self.wfile.write(lines + b'\r\n' + tail)

    def address_string(self) -> str:
        return 'socket' if not self.client_address else str(self.client_address[0])

    def log_message(self, *_: object) -> None:
        """Requests are not printed: run.log belongs to the app."""


def _options(argv: Sequence[str]) -> list[str]:
    """Without the name of the program, which the whole `sys.argv` has in front."""
    return list(argv[1:] if sys.argv[:1] and list(argv[:1]) == sys.argv[:1] else argv)


def encerrar() -> None:
    """Ends the app from within, for a Quit in its menu: answers under way end as on SIGTERM, `escutar` returns 0, and the app stays stopped
    until somebody opens it. With `escopo: servidor` the server starts it again."""
    _listen.quit_app()


def escutar(
    pedido: type[Pedido],
    argv: Sequence[str] | None = None,
    ao_escutar: Callable[[], object] | None = None,
    ao_encerrar: Callable[[], object] | None = None,
) -> int:
    """Serves until SIGTERM and returns the exit code 0, also when another instance already serves. Ends the process with 2 where there
    is nowhere to listen (rules 7). `argv` takes `--tcp host:port` for a bench; the whole `sys.argv` may be given. `ao_escutar` is called once the socket is this process's own:
    what only one instance may do begins there. `ao_encerrar` is called on SIGTERM in a thread of its own, while answers under way
    end: streams that would go on are ended there. Both have five seconds."""
    name = _app.app_id()
    try:
        listener, place = _listen.open_socket(_options(argv or []))
    except _listen.Occupied as occupied:
        _listen.say(f'[{name}] outra instância já atende em {occupied}')
        return _listen.EXIT_OK
    except _listen.Nowhere as nowhere:
        _listen.say(f'[{name}] {nowhere}')
        # A returned code would be lost where the app does not pass it to sys.exit.
        raise SystemExit(_listen.EXIT_NOWHERE) from None
    server = _listen.Server(listener, pedido, ao_encerrar)
    server.heed_signals()
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # print() of the app reaches run.log at once
        print(f'[{name}] versão {_app.version()} escutando em {place}', flush=True)
    except (OSError, AttributeError, ValueError):
        pass
    if ao_escutar is not None:
        ao_escutar()
    server.run()
    return _listen.EXIT_OK

"""The socket of a backend: where it listens, its connections, its end. Source: rules 3.1 step 3, 4.4, 5, 7 (exit codes)."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import selectors
import signal
import socket
import stat
import sys
import threading
import time
import traceback
from collections.abc import Callable

from . import _app, _gate

EXIT_OK = 0
EXIT_NOWHERE = 2
SOCKET_PATH_BYTES_MAX = 107
CONNECTIONS_MAX = 512
END_GRACE_S = 5.0
_CONNECT_TEST_S = 5.0


class Nowhere(Exception):
    """There is nowhere to listen: the process ends with code 2."""


class Occupied(Exception):
    """Another instance already serves: the process ends with code 0."""


def say(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        pass


def where(argv: list[str]) -> tuple[str, object]:
    """('tcp', (host, port)) for `--tcp host:port`, else ('socket', path) from SVC_APP_SOCKET."""
    rest = list(argv)
    tcp = None
    while rest:
        word = rest.pop(0)
        if word == '--tcp':
            tcp = rest.pop(0) if rest else ''
        elif word.startswith('--tcp='):
            tcp = word[len('--tcp=') :]
        else:
            raise Nowhere(f'argumento desconhecido {word!r}; uso: [--tcp host:porta]')
    if tcp is not None:
        found = re.fullmatch(r'(\[[0-9A-Fa-f:.]+\]|[^\[\]:\s]+):([0-9]{1,5})', tcp)
        if found is None or int(found[2]) > 65535:
            raise Nowhere(f'--tcp espera host:porta, veio {tcp!r}')
        return 'tcp', (found[1].strip('[]'), int(found[2]))
    path = os.environ.get('SVC_APP_SOCKET')
    if not path:
        raise Nowhere('sem onde escutar: falta SVC_APP_SOCKET (ou --tcp host:porta na bancada)')
    if not os.path.isabs(path):
        raise Nowhere('SVC_APP_SOCKET precisa ser um caminho absoluto')
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
        raise Nowhere(f'SVC_APP_SOCKET passa de {SOCKET_PATH_BYTES_MAX} bytes')
    return 'socket', path


def _private_folder(folder: str) -> None:
    """The folder of the socket belongs to this account alone (rules 5). A shared one such as /tmp is refused, never changed."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    found = os.stat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX:
        raise Nowhere(f'a pasta do socket não é só desta conta: {folder}')
    if found.st_mode & 0o077:
        os.chmod(folder, 0o700)


def _clear_orphan(path: str) -> None:
    """A refused connect test tells an orphan from a live socket. Source: rules 3.1 step 3 (never a plain file-type test alone)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_TEST_S)
        try:
            probe.connect(path)
        except FileNotFoundError:
            return
        except ConnectionRefusedError:
            if not stat.S_ISSOCK(os.lstat(path).st_mode):  # connecting to a plain file is refused too: never delete one
                raise Nowhere(f'há algo que não é um socket em {path}') from None
            os.unlink(path)
            return
        except (BlockingIOError, TimeoutError):  # its queue is full: somebody does listen
            pass
    raise Occupied(path)


def open_socket(argv: list[str]) -> tuple[socket.socket, str]:
    """A listening socket and its name for people. Raises Nowhere or Occupied."""
    kind, target = where(argv)
    try:
        if kind == 'tcp':
            return _open_tcp(*target)  # type: ignore[misc]
        return _open_unix(str(target)), str(target)
    except OSError as problem:
        raise Nowhere(f'não foi possível escutar: {problem}') from problem


def _open_tcp(host: str, port: int) -> tuple[socket.socket, str]:
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(CONNECTIONS_MAX)
    name = listener.getsockname()
    if _gate.is_open() and not name[0].startswith('127.') and name[0] != '::1':
        say('svc: atenção: sem SVC_APP_TOKEN e fora de 127.0.0.1, qualquer um na rede alcança este app')
    return listener, f'[{name[0]}]:{name[1]}' if family == socket.AF_INET6 else f'{name[0]}:{name[1]}'


def _open_unix(path: str) -> socket.socket:
    shared = _app.server_scope()  # rules 5: a server-scope app accepts every account of the server
    if not shared:
        _private_folder(os.path.dirname(path))
    _clear_orphan(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o111 if shared else 0o177)  # before bind: the socket is never wider than 0600, not for an instant
    try:
        listener.bind(path)
    except OSError as problem:
        listener.close()
        if problem.errno == errno.EADDRINUSE:  # somebody was faster between the test and here
            raise Occupied(path) from None
        raise
    finally:
        os.umask(before)
    listener.listen(CONNECTIONS_MAX)
    return listener


_serving: Server | None = None


def quit_app() -> None:
    """As on SIGTERM, and the app stays stopped: without its env file nobody starts it again (rules 2.6). The other file says that it was the app itself."""
    server = _serving
    if server is None:
        raise RuntimeError('servidor.encerrar: só depois de escutar')
    if server.folder is not None:
        with contextlib.suppress(OSError):
            os.close(os.open(os.path.join(server.folder, 'encerrado'), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(server.folder, 'env'))
    server.end()


class Server:
    """Accepts in the calling thread, one thread per connection, until SIGTERM or SIGINT."""

    def __init__(self, listener: socket.socket, handler: type, at_end: Callable[[], object] | None = None) -> None:
        self._listener = listener
        #: Where the app's env file is; None on a bench, and for an app of everybody's, which the server keeps.
        self.folder = os.path.dirname(listener.getsockname()) if listener.family == socket.AF_UNIX and not _app.server_scope() else None
        self._handler = handler
        self._at_end = at_end
        self._changed = threading.Condition()
        self._connections: dict[socket.socket, bool] = {}  # True while a request is being answered
        self._wake_in, self._wake_out = socket.socketpair()
        self.ending = False

    def mark(self, connection: socket.socket, busy: bool) -> None:
        with self._changed:
            if connection in self._connections:
                self._connections[connection] = busy
                self._changed.notify_all()

    def end(self, *_: object) -> None:
        """Ask for the end; safe in a signal handler."""
        self.ending = True
        try:
            self._wake_out.send(b'.')
        except OSError:
            pass

    def heed_signals(self) -> None:
        """From here on SIGTERM and SIGINT end it in order; before that they end the process."""
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self.end)
            signal.signal(signal.SIGINT, self.end)

    def run(self) -> None:
        global _serving
        _serving = self
        self._listener.setblocking(False)
        with selectors.DefaultSelector() as ready:
            ready.register(self._listener, selectors.EVENT_READ)
            ready.register(self._wake_in, selectors.EVENT_READ)
            while not self.ending:
                for key, _ in ready.select():
                    if key.fileobj is self._listener:
                        self._accept()
        self._finish()

    def _accept(self) -> None:
        with self._changed:
            while len(self._connections) >= CONNECTIONS_MAX and not self.ending:
                self._changed.wait(0.5)
        try:
            connection, peer = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError, InterruptedError):
            return
        except OSError as problem:  # out of descriptors: those who wait in the queue are served as others leave
            say(f'svc: accept: {problem}')
            time.sleep(0.1)
            return
        connection.setblocking(True)
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._changed:
            self._connections[connection] = False
        threading.Thread(target=self._serve, args=(connection, peer), daemon=True).start()

    def _serve(self, connection: socket.socket, peer: object) -> None:
        try:
            self._handler(connection, peer, self)
        except OSError:
            pass  # the peer left
        finally:
            with self._changed:
                self._connections.pop(connection, None)
                self._changed.notify_all()
            try:
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            connection.close()

    def _finish(self) -> None:
        """No new connections, idle ones closed at once, answers under way get END_GRACE_S to end."""
        name = self._listener.getsockname()
        if self._listener.family == socket.AF_UNIX:
            try:
                os.unlink(name)
            except OSError:
                pass
        self._listener.close()
        # A signal from here on finds them closed, which `end` takes.
        self._wake_in.close()
        self._wake_out.close()
        deadline = time.monotonic() + END_GRACE_S
        cleaning = self._clean_up()
        with self._changed:
            for connection, busy in self._connections.items():
                if not busy:
                    try:
                        connection.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
            while any(self._connections.values()) and time.monotonic() < deadline:
                self._changed.wait(max(0.0, deadline - time.monotonic()))
        if cleaning is not None:
            cleaning.join(max(0.0, deadline - time.monotonic()))

    def _clean_up(self) -> threading.Thread | None:
        """Runs the app's own end, beside the answers under way, which it may be about to end."""
        if self._at_end is None:
            return None
        cleaning = threading.Thread(target=_tried, args=(self._at_end,), daemon=True)
        cleaning.start()
        return cleaning


def _tried(at_end: Callable[[], object]) -> None:
    try:
        at_end()
    except Exception:  # the app's own: said, and the end goes on
        traceback.print_exc()

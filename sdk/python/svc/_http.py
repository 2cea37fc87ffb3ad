"""Strict HTTP/1.1 request heads and bodies: what is ambiguous is refused, so that nothing can be smuggled past the gate.

http.server reads heads with an e-mail parser (folded lines, bare LF, spaces before the colon); this replaces that part.
"""

from __future__ import annotations

import http.client
import re
from io import BufferedIOBase
from typing import Callable, NamedTuple

HEAD_BYTES_MAX = 32 * 1024
HEADERS_MAX = 256
DRAIN_BYTES_MAX = 256 * 1024
_CHUNK_LINE_BYTES_MAX = 1024
_TRAILER_BYTES_MAX = 8 * 1024

_REQUEST_LINE = re.compile(rb'([A-Z][A-Z-]{0,31}) ([\x21-\x7e]+) HTTP/1\.([01])\r\n\Z')
# A single greedy run without a second choice: the space around a value is taken off afterwards. Two patterns that may both match a space
# made a line of them cubic, before the gate and with the interpreter held.
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)\r\n\Z")
_LENGTH = re.compile(r'[0-9]{1,15}\Z')
_CHUNK = re.compile(rb'([0-9A-Fa-f]{1,12})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n\Z')


class Refused(Exception):
    """A request that gets `status` and the end of its connection; no code of the app sees it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Head(NamedTuple):
    method: str
    target: str
    minor: int
    fields: list[tuple[str, str]]
    length: int | None
    chunked: bool
    keep_alive: bool
    expects_continue: bool

    def message(self) -> http.client.HTTPMessage:
        """The fields as http.server hands them to a handler."""
        headers = http.client.HTTPMessage()
        for name, value in self.fields:
            headers[name] = value  # appends: twins are kept
        return headers


def _line(source: BufferedIOBase, budget: int) -> bytes:
    line = source.readline(budget + 1)
    if len(line) > budget:
        raise Refused(431, 'cabeçalhos grandes demais')
    return line


def read_head(source: BufferedIOBase, first_byte: Callable[[], None]) -> Head | None:
    """The next request of the connection; None when the peer left. `first_byte` is called when a request begins."""
    budget = HEAD_BYTES_MAX
    line = _line(source, budget)
    if line == b'\r\n':  # RFC 9112 2.2: one empty line before a request is let through
        line = _line(source, budget)
    if line == b'':
        return None
    first_byte()
    budget -= len(line)
    start = _REQUEST_LINE.match(line)
    if start is None:
        raise Refused(400, 'linha de pedido inválida')
    fields: list[tuple[str, str]] = []
    while True:
        line = _line(source, budget)
        budget -= len(line)
        if line == b'\r\n':
            break
        if line == b'':
            raise Refused(400, 'pedido interrompido')
        field = _FIELD.match(line)
        if field is None or len(fields) >= HEADERS_MAX:
            raise Refused(400 if field is None else 431, 'cabeçalho inválido' if field is None else 'cabeçalhos demais')
        fields.append((field[1].decode('ascii'), field[2].strip(b' \t').decode('latin-1')))
    return _understand(start[1].decode('ascii'), start[2].decode('ascii'), int(start[3]), fields)


def _understand(method: str, target: str, minor: int, fields: list[tuple[str, str]]) -> Head:
    def every(wanted: str) -> list[str]:
        return [value for name, value in fields if name.lower() == wanted]

    lengths, codings = every('content-length'), every('transfer-encoding')
    if len(every('host')) > 1 or (minor == 1 and not every('host')):
        raise Refused(400, 'Host ausente ou repetido')
    if lengths and codings:
        raise Refused(400, 'Content-Length com Transfer-Encoding')
    if len(lengths) > 1 or (lengths and not _LENGTH.match(lengths[0])):
        raise Refused(400, 'Content-Length inválido')
    if codings and (minor == 0 or [coding.lower() for coding in codings] != ['chunked']):
        raise Refused(400, 'Transfer-Encoding inválido')
    options = {part.strip().lower() for value in every('connection') for part in value.split(',')}
    keep_alive = 'close' not in options and (minor == 1 or 'keep-alive' in options)
    expect = [value.lower() for value in every('expect')]
    if expect and expect != ['100-continue']:
        raise Refused(417, 'Expect desconhecido')
    return Head(method, target, minor, fields, int(lengths[0]) if lengths else None, bool(codings), keep_alive, bool(expect) and minor == 1)


class Body:
    """The body of one request as a readable file that ends where the body ends, also when it is chunked."""

    def __init__(self, source: BufferedIOBase, head: Head, send_continue: Callable[[], None]) -> None:
        self._source = source
        self._chunked = head.chunked
        self._left = 0 if head.chunked else (head.length or 0)
        self._done = not head.chunked and self._left == 0
        self._first_chunk = True
        self._send_continue = send_continue if head.expects_continue and not self._done else None

    @property
    def done(self) -> bool:
        return self._done

    @property
    def awaits_continue(self) -> bool:
        return self._send_continue is not None

    def read(self, size: int | None = -1) -> bytes:
        """Up to `size` bytes, all of the body for -1 or None; b'' at its end. Blocks like any file of http.server."""
        wanted = -1 if size is None else size
        parts: list[bytes] = []
        while wanted != 0 and not self._done:
            part = self._some(wanted)
            parts.append(part)
            if wanted > 0:
                wanted -= len(part)
        return b''.join(parts)

    def read1(self, size: int = -1) -> bytes:
        return b'' if self._done or size == 0 else self._some(size)

    def readline(self, size: int = -1) -> bytes:
        line = bytearray()
        while (size < 0 or len(line) < size) and not line.endswith(b'\n'):
            byte = self.read(1)
            if not byte:
                break
            line += byte
        return bytes(line)

    def drain(self) -> bool:
        """Reads what is left of a small body, so that the connection can be kept; False when it can't."""
        if self._done:
            return True
        if self.awaits_continue or (not self._chunked and self._left > DRAIN_BYTES_MAX):
            return False
        taken = 0
        while not self._done and taken <= DRAIN_BYTES_MAX:
            taken += len(self._some(64 * 1024))
        return self._done

    def _some(self, size: int) -> bytes:
        if self._send_continue is not None:
            send, self._send_continue = self._send_continue, None
            send()
        if self._chunked and self._left == 0 and not self._next_chunk():
            return b''
        data = self._source.read1(min(self._left, 64 * 1024 if size < 0 else size))
        if not data:
            raise ConnectionResetError('o corpo do pedido foi interrompido')
        self._left -= len(data)
        if self._left == 0:
            if not self._chunked:
                self._done = True
            elif self._source.readline(3) != b'\r\n':
                raise Refused(400, 'corpo em pedaços inválido')
        return data

    def _next_chunk(self) -> bool:
        line = _CHUNK.match(self._source.readline(_CHUNK_LINE_BYTES_MAX))
        if line is None:
            raise Refused(400, 'corpo em pedaços inválido')
        self._left = int(line[1], 16)
        if self._left > 0:
            return True
        budget = _TRAILER_BYTES_MAX
        while True:
            trailer = self._source.readline(budget + 1)
            budget -= len(trailer)
            if budget < 0 or not trailer.endswith(b'\r\n'):
                raise Refused(400, 'corpo em pedaços inválido')
            if trailer == b'\r\n':
                self._done = True
                return False

"""Serves the frontend of an app. Source: rules 4.5 and 4.2; which paths are navigations: docs/decisions/0016-what-the-spa-serves.md."""

from __future__ import annotations

import hashlib
import html
import os
import re
from email.message import Message
from http.server import BaseHTTPRequestHandler
from typing import Callable, Sequence

from . import _app, _files

# An unclosed tag or comment extends to the end of the page, so that each is found in one pass.
_ATTRIBUTES = rb'(?=[\s>])(?:[^>"\']|"[^"]*(?:"|\Z)|\'[^\']*(?:\'|\Z))*(?:>|\Z)'
_HEAD_TAG = re.compile(rb'<!--.*?(?:-->|\Z)|<head' + _ATTRIBUTES, re.IGNORECASE | re.DOTALL)
_OPENING_TAG = re.compile(rb'<!--.*?(?:-->|\Z)|<html' + _ATTRIBUTES + rb'|<!doctype[^>]*(?:>|\Z)', re.IGNORECASE | re.DOTALL)
_BASE_TAG = re.compile(rb'<base\s', re.IGNORECASE)
_NAVIGATION_DESTS = ('document', 'iframe', 'frame', 'embed', 'object')
_FOREVER = 'private, max-age=31536000, immutable'

Avisar = Callable[..., object]


class _Answer:
    """A body to send: bytes in memory, or an open file."""

    def __init__(self, size: int, etag: str, mtime_s: int, kind: str, cache: str, data: bytes | None, opened: _files.Opened | None) -> None:
        self.size, self.etag, self.mtime_s, self.kind, self.cache = size, etag, mtime_s, kind, cache
        self.data, self.opened = data, opened


def spa(root: str | os.PathLike[str], ui: bool = True, scripts: Sequence[str] = (), ao_avisar: Avisar | None = None) -> Callable[[BaseHTTPRequestHandler], bool]:
    """A callable that takes the request and returns True when it served it. `scripts` are paths below `root`, put into the head of
    the index with their content hash. `ao_avisar('evento', chave=valor)` hears what an author should mend."""
    site = _Site(os.fspath(root), ui, list(scripts), ao_avisar or (lambda *_args, **_fields: None))
    return site.serve


class _Site:
    def __init__(self, root: str, ui: bool, scripts: list[str], warn: Avisar) -> None:
        self._root, self._ui, self._scripts, self._warn = root, ui, scripts, warn
        self._warned: set[str] = set()

    def serve(self, request: BaseHTTPRequestHandler) -> bool:
        if request.command not in ('GET', 'HEAD'):
            return False
        parts = _files.segments(request.path)
        if parts is None or parts[:1] == ['_sdk']:  # `_sdk` belongs to the system: rules 4.2
            return False
        answer = self._index() if parts in ([], ['index.html']) else self._file(parts, request.path)
        if answer is None and _is_navigation(parts, request.headers):
            answer = self._index()
        if answer is None:
            return False
        try:
            _send(request, answer)
        finally:
            if answer.opened is not None:
                os.close(answer.opened.fd)
        return True

    def _file(self, parts: list[str], target: str) -> _Answer | None:
        if parts == [] or parts[-1] == '':
            return None
        opened = _files.open_below(self._root, parts)
        if opened is None:
            return None
        named = re.search(r'\?(?:[^?]*&)?v=([0-9a-f]{16})(?:&|\Z)', target)
        current = named is not None and _files.content_hash(opened) == named[1]
        return _Answer(
            opened.size, opened.etag, opened.mtime_ns // 10**9, _files.content_type(parts[-1]), _FOREVER if current else 'no-cache', None, opened
        )

    def _index(self) -> _Answer | None:
        opened = _files.open_below(self._root, ['index.html'])
        if opened is None:
            self._warn_once('spa.sem_index', raiz=self._root)
            return None
        try:
            page, newest = _files.read_all(opened), opened.mtime_ns
        finally:
            os.close(opened.fd)
        tags, scripts_newest = self._tags(page)
        body = _inject(page, tags)
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        return _Answer(len(body), etag, max(newest, scripts_newest) // 10**9, _files.TYPES['html'], 'no-cache', body, None)

    def _tags(self, page: bytes) -> tuple[bytes, int]:
        """URLs are relative to the base, so that the page works at / and under /proxy/app/<id>/, also on a deep route."""
        tags, newest = [], 0
        if not _BASE_TAG.search(page):
            tags.append(f'<base href="{html.escape(_app.base_path())}">')
        if b'_sdk/svc.js' not in page:
            tags.append('<script src="_sdk/svc.js"></script>')
        if self._ui and b'_sdk/ui/' not in page:
            tags.append('<link rel="stylesheet" href="_sdk/ui/svc-ui.css"><script src="_sdk/ui/svc-ui.js" defer></script>')
        for name in self._scripts:
            parts = _files.segments('/' + name)
            opened = _files.open_below(self._root, parts) if parts else None
            digest = None
            if opened is not None:
                digest, newest = _files.content_hash(opened), max(newest, opened.mtime_ns)
                os.close(opened.fd)
            if digest is None:
                self._warn_once('spa.script_ausente', arquivo=name)
                continue
            kind = 'type="module"' if name.endswith('.mjs') else 'defer'
            tags.append(f'<script src="{html.escape(name)}?v={digest}" {kind}></script>')
        return ''.join(tags).encode('utf-8'), newest

    def _warn_once(self, event: str, **fields: str) -> None:
        key = f'{event} {fields}'
        if key not in self._warned:
            self._warned.add(key)
            self._warn(event, **fields)


def _inject(page: bytes, tags: bytes) -> bytes:
    """Right after <head>; without one after <html> or the doctype; else in front."""
    for pattern in (_HEAD_TAG, _OPENING_TAG):
        places = [found.end() for found in pattern.finditer(page) if not found[0].startswith(b'<!--')]
        if places:
            at = places[0] if pattern is _HEAD_TAG else places[-1]
            return page[:at] + tags + page[at:]
    return tags + page


def _is_navigation(parts: list[str], headers: Message) -> bool:
    """A route of the page: no extension, not below `api`, asked for as a document."""
    if parts[:1] == ['api'] or '.' in ([part for part in parts if part] or [''])[-1]:
        return False
    dest = headers.get('Sec-Fetch-Dest')
    if dest is not None and dest not in _NAVIGATION_DESTS:
        return False
    return 'text/html' in (headers.get('Accept') or '').lower()


def _send(request: BaseHTTPRequestHandler, answer: _Answer) -> None:
    headers, last = request.headers, answer.size - 1
    first, status = 0, 200
    if _files.not_modified(headers, answer.etag, answer.mtime_s):
        status = 304
    elif request.command == 'GET':
        asked = _files.asked_range(headers, answer.size, answer.etag, answer.mtime_s)
        if asked == 'unsatisfiable':
            status = 416
        elif isinstance(asked, tuple):
            status, (first, last) = 206, asked
    request.send_response(status)
    request.send_header('ETag', answer.etag)
    request.send_header('Last-Modified', _files.date_text(answer.mtime_s))
    request.send_header('Cache-Control', answer.cache)
    request.send_header('Accept-Ranges', 'bytes')
    request.send_header('X-Content-Type-Options', 'nosniff')
    if status == 304:
        request.end_headers()
        return
    if status == 416:
        request.send_header('Content-Range', f'bytes */{answer.size}')
        request.send_header('Content-Length', '0')
        request.end_headers()
        return
    if status == 206:
        request.send_header('Content-Range', f'bytes {first}-{last}/{answer.size}')
    request.send_header('Content-Type', answer.kind)
    request.send_header('Content-Length', str(last - first + 1))
    request.end_headers()
    if request.command == 'HEAD' or last < first:
        return
    if answer.data is not None:
        request.wfile.write(answer.data[first : last + 1])
    elif answer.opened is not None:
        _send_file(request, answer.opened.fd, first, last - first + 1)


def _send_file(request: BaseHTTPRequestHandler, fd: int, first: int, count: int) -> None:
    """pread in pieces: the kernel's sendfile gains nothing below a proxy, and a file that shrank ends the connection."""
    at, left = first, count
    while left > 0:
        part = os.pread(fd, min(left, 256 * 1024), at)
        if not part:
            request.close_connection = True
            raise ConnectionAbortedError('o arquivo encolheu enquanto era enviado')
        request.wfile.write(part)
        at += len(part)
        left -= len(part)

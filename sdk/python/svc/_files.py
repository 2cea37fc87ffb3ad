"""A file below a root, and how HTTP reads it: path grammar, validators, ranges. Same rules in sdk/node/svc/lib/files.js."""

from __future__ import annotations

import email.utils
import errno
import hashlib
import os
import re
import stat
from email.message import Message
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

HASHED_BYTES_MAX = 8 * 1024 * 1024
_HASH_CACHE_MAX = 1024
_TARGET = re.compile(r'/[!$&\'()*+,;=:@A-Za-z0-9._~/%-]*\Z')
_ESCAPE = re.compile(r'%(?![0-9A-Fa-f]{2})')
_RANGE = re.compile(r'bytes=(?:([0-9]{1,15})-([0-9]{0,15})|-([0-9]{1,15}))\Z')

TYPES = {
    'html': 'text/html; charset=utf-8', 'htm': 'text/html; charset=utf-8', 'css': 'text/css; charset=utf-8',
    'js': 'text/javascript; charset=utf-8', 'mjs': 'text/javascript; charset=utf-8', 'json': 'application/json; charset=utf-8',
    'map': 'application/json; charset=utf-8', 'webmanifest': 'application/manifest+json; charset=utf-8',
    'txt': 'text/plain; charset=utf-8', 'md': 'text/markdown; charset=utf-8', 'csv': 'text/csv; charset=utf-8',
    'xml': 'application/xml; charset=utf-8', 'svg': 'image/svg+xml', 'png': 'image/png', 'jpg': 'image/jpeg', 'jpeg': 'image/jpeg',
    'gif': 'image/gif', 'webp': 'image/webp', 'avif': 'image/avif', 'ico': 'image/x-icon', 'woff': 'font/woff', 'woff2': 'font/woff2',
    'ttf': 'font/ttf', 'otf': 'font/otf', 'wasm': 'application/wasm', 'pdf': 'application/pdf', 'mp3': 'audio/mpeg', 'ogg': 'audio/ogg',
    'wav': 'audio/wav', 'mp4': 'video/mp4', 'webm': 'video/webm', 'zip': 'application/zip', 'gz': 'application/gzip',
}


def content_type(name: str) -> str:
    return TYPES.get(name.rsplit('.', 1)[-1].lower(), 'application/octet-stream') if '.' in name else 'application/octet-stream'


def segments(target: str) -> list[str] | None:
    """The decoded segments of a request target, [] for the root, a last '' for a closing slash. None for everything that is not
    plainly a place below the root: an encoded slash, backslash or NUL, empty, `.` and `..` segments, hidden files, bad UTF-8."""
    path = target.split('?', 1)[0]
    if len(path) > 4096 or not _TARGET.match(path) or _ESCAPE.search(path):
        return None
    if path == '/':
        return []
    found: list[str] = []
    raw_segments = path[1:].split('/')
    for position, raw in enumerate(raw_segments):
        try:
            segment = unquote_to_bytes(raw).decode('utf-8')
        except UnicodeDecodeError:
            return None
        if segment == '' and position == len(raw_segments) - 1:
            found.append('')
        elif segment == '' or segment.startswith('.') or any(mark in '/\\' or ord(mark) < 32 or ord(mark) == 127 for mark in segment):
            return None
        else:
            found.append(segment)
    return found


# Errors of the system by which there is no such file for this account.
_NOT_FOR_US = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EACCES, errno.EPERM, errno.ENXIO}


class Opened(NamedTuple):
    """An open descriptor of a regular file that really lies below the root. The caller closes it."""

    fd: int
    size: int
    mtime_ns: int
    inode: int

    @property
    def etag(self) -> str:
        return f'"{self.size:x}-{self.mtime_ns:x}-{self.inode:x}"'


def open_below(root: str, parts: list[str]) -> Opened | None:
    """Opens first and asks the kernel where the descriptor really is, so a symlink swapped in between changes nothing."""
    try:
        fd = os.open(os.path.join(root, *parts), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except ValueError:
        return None
    except OSError as error:
        # A process that has no descriptor left, or a disk that fails, says nothing about the file.
        if error.errno not in _NOT_FOR_US:
            raise
        return None
    try:
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and os.readlink(f'/proc/self/fd/{fd}').startswith(os.path.realpath(root).rstrip('/') + '/'):
            opened = Opened(fd, found.st_size, found.st_mtime_ns, found.st_ino)
            fd = -1
            return opened
    except OSError as error:
        if error.errno not in _NOT_FOR_US:
            raise
    finally:
        if fd >= 0:
            os.close(fd)
    return None


_hashes: dict[tuple[int, int, int], str] = {}


def content_hash(opened: Opened) -> str | None:
    """16 hex digits of the sha256 of the content; None above HASHED_BYTES_MAX."""
    if opened.size > HASHED_BYTES_MAX:
        return None
    key = (opened.inode, opened.size, opened.mtime_ns)
    if key not in _hashes:
        if len(_hashes) >= _HASH_CACHE_MAX:
            _hashes.clear()
        _hashes[key] = hashlib.sha256(read_all(opened)).hexdigest()[:16]
    return _hashes[key]


def read_all(opened: Opened) -> bytes:
    parts, at = [], 0
    while at < opened.size:
        part = os.pread(opened.fd, opened.size - at, at)
        if not part:
            break
        parts.append(part)
        at += len(part)
    return b''.join(parts)


def not_modified(headers: Message, etag: str, mtime_s: int) -> bool:
    """If-None-Match rules; only without it does If-Modified-Since count. Source: RFC 9110 13.2.2."""
    wanted = headers.get('If-None-Match')
    if wanted is not None:
        tags = [tag.strip() for tag in wanted.split(',')]
        return '*' in tags or etag in [tag[2:] if tag.startswith('W/') else tag for tag in tags]
    since = http_date(headers.get('If-Modified-Since'))
    return since is not None and mtime_s <= since


def asked_range(headers: Message, size: int, etag: str, mtime_s: int) -> tuple[int, int] | str | None:
    """(first, last) to send, 'unsatisfiable', or None for the whole: no range, many ranges, a malformed one, a stale If-Range."""
    found = _RANGE.match((headers.get('Range') or '').strip())
    if found is None:
        return None
    condition = headers.get('If-Range')
    if condition is not None and condition.strip() != etag and http_date(condition) != mtime_s:
        return None
    first, last, suffix = found.groups()
    if suffix is not None:
        start, end = max(0, size - int(suffix)), size - 1
        return (start, end) if int(suffix) > 0 and size > 0 else 'unsatisfiable'
    start, end = int(first), min(int(last), size - 1) if last else size - 1
    if last and int(last) < int(first):
        return None
    return (start, end) if start < size else 'unsatisfiable'


def http_date(value: str | None) -> int | None:
    """Seconds of an IMF-fixdate; None for anything else."""
    if value is None or not re.fullmatch(r'[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT', value.strip()):
        return None
    try:
        return int(email.utils.parsedate_to_datetime(value.strip()).timestamp())
    except (TypeError, ValueError):
        return None


def date_text(mtime_s: int) -> str:
    return email.utils.formatdate(mtime_s, usegmt=True)

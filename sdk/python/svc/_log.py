"""app.log: one JSON line per event below SVC_APP_DATA_DIR. Source: rules 2.6 and 4.4.

The same rules as sdk/node/svc/lib/log.js, whose header explains them: no raw control characters, texts and lines cut, the file opened
for each line and rotated at 4 MiB, two kept. Writing never fails the app: a full disk costs the line, told once on stderr.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import re
import sys
import threading
import traceback

from . import _app

ROTATE_BYTES = 4 * 1024 * 1024
KEPT = 2
# A pipe in its place is told, not waited for.
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
TEXT_CHARS_MAX = 8 * 1024
LINE_BYTES_MAX = 64 * 1024
_RESERVED = frozenset(('ts', 'nivel', 'evento'))
_UNSAFE = re.compile('[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')


def _plain(value: object, depth: int = 0) -> object:
    """A value that JSON can hold; anything else becomes text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return value if len(value) <= TEXT_CHARS_MAX else value[:TEXT_CHARS_MAX] + '…'
    if isinstance(value, BaseException):
        trace = ''.join(traceback.format_exception(type(value), value, value.__traceback__))
        return {'tipo': type(value).__name__, 'mensagem': _plain(str(value)), 'rastro': _plain(trace)}
    if depth < 6 and isinstance(value, dict):
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    if depth < 6 and isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1) for item in value]
    return _plain(str(value))


def _line(level: str, event: object, fields: dict[str, object]) -> bytes:
    now = datetime.datetime.now(datetime.timezone.utc)
    record: dict[str, object] = {'ts': now.isoformat(timespec='milliseconds').replace('+00:00', 'Z'), 'nivel': level, 'evento': str(event)[:200]}
    for name, value in fields.items():
        record[name + '_' if name in _RESERVED else name] = _plain(value)

    def text(record: dict[str, object]) -> bytes:
        raw = json.dumps(record, ensure_ascii=False, separators=(',', ':'))
        return _UNSAFE.sub(lambda found: f'\\u{ord(found[0]):04x}', raw).encode('utf-8')

    line = text(record)
    if len(line) > LINE_BYTES_MAX:
        line = text({**{name: record[name] for name in ('ts', 'nivel', 'evento')}, 'cortado': True, 'bytes': len(line)})
    return line + b'\n'


class Log:
    """`log('evento', chave=valor)`; `log.info` is the same, `log.erro` marks the line as an error."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._path = os.path.join(folder or _app.data_dir(), 'app.log')
        self._lock = threading.Lock()
        self._complained = False

    def __call__(self, evento: str, /, **campos: object) -> None:
        self._write('info', evento, campos)

    info = __call__

    def erro(self, evento: str, /, **campos: object) -> None:
        self._write('erro', evento, campos)

    def _write(self, level: str, event: str, fields: dict[str, object]) -> None:
        try:
            line = _line(level, event, fields)
            with self._lock:
                # Opened for each line: a file that someone moved or removed is simply made again.
                out = os.open(self._path, _FLAGS, 0o600)
                try:
                    if os.fstat(out).st_size + len(line) > ROTATE_BYTES:
                        os.close(out)
                        self._rotate()
                        out = os.open(self._path, _FLAGS, 0o600)
                    os.write(out, line)
                finally:
                    os.close(out)
        except Exception as problem:  # noqa: BLE001  the log never ends the app
            if not self._complained:
                self._complained = True
                print(f'svc: app.log não pôde ser escrito: {problem}', file=sys.stderr, flush=True)

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            older = self._path if number == 1 else f'{self._path}.{number - 1}'
            if os.path.exists(older):
                os.replace(older, f'{self._path}.{number}')

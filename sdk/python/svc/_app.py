"""Identity of this process: id, version, package folder, data folder. Source: rules 2.6 and 9, rule 8."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import sys

_ID = re.compile(r'[a-z0-9-]{1,49}\Z')
_VERSION = re.compile(r'[0-9A-Za-z][0-9A-Za-z.\-+_]{0,127}\Z')
_BASE_PATH = re.compile(r'/(?:[A-Za-z0-9._~-]+/)*\Z')
_MANIFEST_BYTES_MAX = 256 * 1024
_FOLDERS_ABOVE_MAX = 8


@functools.cache
def package() -> tuple[pathlib.Path | None, dict[str, object]]:
    """The folder of svc-app.json at or above the main script, and the manifest; (None, {}) when there is none to read."""
    main = getattr(sys.modules.get('__main__'), '__file__', None) or (sys.argv[0] if sys.argv else '')
    folder = pathlib.Path(main or '.').resolve()
    for _ in range(_FOLDERS_ABOVE_MAX):
        folder = folder.parent
        path = folder / 'svc-app.json'
        try:
            if path.is_file() and path.stat().st_size <= _MANIFEST_BYTES_MAX:
                manifest = json.loads(path.read_text('utf-8'))
                if isinstance(manifest, dict):
                    return folder, manifest
        except (OSError, ValueError):
            pass
    return None, {}


@functools.cache
def app_id() -> str:
    for candidate in (os.environ.get('SVC_APP_ID'), package()[1].get('id')):
        if isinstance(candidate, str) and _ID.match(candidate):
            return candidate
    return 'dev'


@functools.cache
def version() -> str:
    """`dev` outside an installed package; the launcher exports SVC_APP_INSTALLED_HASH for an installed one."""
    declared = package()[1].get('version')
    if os.environ.get('SVC_APP_INSTALLED_HASH') and isinstance(declared, str) and _VERSION.match(declared):
        return declared
    return 'dev'


def server_scope() -> bool:
    return package()[1].get('escopo') == 'servidor'


def base_path() -> str:
    """Path under which the browser sees the app, with a closing slash; `/` when unset or not a plain path."""
    value = os.environ.get('SVC_APP_BASE_PATH', '/')
    return value if _BASE_PATH.match(value) and '/../' not in value and '/./' not in value else '/'


def app_dir() -> pathlib.Path:
    """`~/.svc-apps/<id>` of the account."""
    return pathlib.Path.home() / '.svc-apps' / app_id()


def data_dir() -> pathlib.Path:
    """SVC_APP_DATA_DIR, or `~/.svc-apps/<id>/data`; made with mode 0700 when missing."""
    named = os.environ.get('SVC_APP_DATA_DIR')
    folder = pathlib.Path(named) if named else app_dir() / 'data'
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder

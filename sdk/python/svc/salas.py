"""Shared rooms (spec 2.1 `recursos.salas`, 2.4). This version says why they aren't there; the verbs come with the rooms."""

from __future__ import annotations

from typing import Any, NoReturn

from . import _portal


def disponivel() -> _portal.Resposta:
    return _portal.disponivel('salas')


def bilhete(*_args: Any, **_campos: Any) -> NoReturn:
    _portal.recusar('salas', 'bilhete')

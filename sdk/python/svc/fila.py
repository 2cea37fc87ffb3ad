"""The processing queue (spec 2.1 `recursos.fila`). This version says why it isn't there; the verbs come with the queue."""

from __future__ import annotations

from typing import Any, NoReturn

from . import _portal


def disponivel() -> _portal.Resposta:
    return _portal.disponivel('fila')


def submeter(*_args: Any, **_campos: Any) -> NoReturn:
    _portal.recusar('fila', 'submeter')


def acompanhar(*_args: Any, **_campos: Any) -> NoReturn:
    _portal.recusar('fila', 'acompanhar')


def baixar(*_args: Any, **_campos: Any) -> NoReturn:
    _portal.recusar('fila', 'baixar')


def cancelar(*_args: Any, **_campos: Any) -> NoReturn:
    _portal.recusar('fila', 'cancelar')

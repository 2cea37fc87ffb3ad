"""Metrics of the app (spec 2.1 `recursos.metricas`). Without the declaration publishing does nothing and never raises, as the spec says,
whatever else the app declares; with it this version refuses, because nothing would arrive."""

from __future__ import annotations

from typing import Any

from . import _portal


def disponivel() -> _portal.Resposta:
    return _portal.disponivel('metricas')


def _publish(verbo: str) -> None:
    if 'metricas' in (_portal.escopos() or ()):
        _portal.recusar('metricas', verbo)


def contar(*_args: Any, **_campos: Any) -> None:
    _publish('contar')


def duracao(*_args: Any, **_campos: Any) -> None:
    _publish('duracao')


def relatar_erro(*_args: Any, **_campos: Any) -> None:
    _publish('relatar_erro')

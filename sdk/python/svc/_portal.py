"""What `fila`, `metricas` and `salas` share: whether the portal gave this process its address and credential. Source: spec 2.6."""

from __future__ import annotations

import os
from typing import NoReturn

from .erros import ErroSvc


class Resposta(dict):
    """A record such as {'disponivel': False, 'motivo': '…'} that is also true or false by its first field."""

    def __bool__(self) -> bool:
        return bool(next(iter(self.values()), False))


def disponivel(recurso: str) -> Resposta:
    """{ disponivel, motivo, codigo }; `motivo` is None only when it is available."""
    missing = [name for name in ('SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN') if not os.environ.get(name)]
    if missing:
        return Resposta(disponivel=False, motivo=f'falta {" e ".join(missing)}: o manifesto declara recursos.{recurso}?', codigo='SEM_CREDENCIAL')
    return Resposta(disponivel=False, motivo=f'esta versão do runtime ainda não tem {recurso}', codigo='NAO_CONSTRUIDO')


def recusar(recurso: str, verbo: str) -> NoReturn:
    """A verb that can't be done says so; it never pretends."""
    estado = disponivel(recurso)
    raise ErroSvc(str(estado['codigo']), f'{recurso}.{verbo}: {estado["motivo"]}')

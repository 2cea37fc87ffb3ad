"""The launcher's verdict on the GPU (rules 2.1 `recursos.gpu`), read from `~/.svc-apps/<id>/limits.json`."""

from __future__ import annotations

import json
import os

from . import _app
from .tipos import Disponibilidade, EstadoDaGpu, GpuConcedida

_BYTES_MAX = 256 * 1024


def _verdict() -> tuple[dict[str, object], str, str]:
    """Reads the launcher's verdict; when it is not usable, gives the reason in words and as a code."""
    path = _app.app_dir() / 'limits.json'
    try:
        if path.exists() and not path.is_file():
            raise OSError('não é um arquivo comum')
        with path.open('rb') as file:
            raw = file.read(_BYTES_MAX + 1)
        found = json.loads(raw) if len(raw) <= _BYTES_MAX else None
    except FileNotFoundError:
        return {}, 'não há limits.json: o app não foi iniciado pelo lançador', 'SEM_LANCADOR'
    except (OSError, ValueError) as problem:
        return {}, f'limits.json ilegível: {problem}', 'ILEGIVEL'
    gpu = found.get('gpu') if isinstance(found, dict) else None
    if not isinstance(gpu, dict):
        return {}, 'o manifesto não declara recursos.gpu', 'SEM_ESCOPO'
    return gpu, '', 'SEM_GPU'


def concedida() -> GpuConcedida:
    """{ concedida, dispositivos, motivo }."""
    gpu, why, _ = _verdict()
    granted = gpu.get('concedida') is True
    devices = gpu.get('dispositivos')
    reason = gpu.get('motivo')
    return GpuConcedida(
        concedida=granted,
        dispositivos=devices if granted and isinstance(devices, list) else [],
        motivo=reason if isinstance(reason, str) else why or ('' if granted else 'sem motivo registrado'),
    )


def estado() -> EstadoDaGpu:
    """{ declarada, modo, concedida, acessivel, dispositivos, inventario, motivo }: the verdict of the start, and whether it still holds.

    `acessivel` looks now: a card can be taken away, or its group changed, while the app runs. `inventario` is every card of the server.
    """
    gpu, _, _ = _verdict()
    found = concedida()
    mode = gpu.get('modo')
    cards = gpu.get('inventario')
    return EstadoDaGpu(
        declarada=bool(gpu),
        modo=mode if mode in ('opcional', 'necessaria') else None,
        concedida=found['concedida'],
        acessivel=any(_opens(device) for device in found['dispositivos']),
        dispositivos=found['dispositivos'],
        inventario=cards if isinstance(cards, list) else [],
        motivo=found['motivo'],
    )


def _opens(device: object) -> bool:
    path = device.get('dispositivo') if isinstance(device, dict) else None
    if not isinstance(path, str) or not path.startswith('/dev/'):
        return False
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY))
    except OSError:
        return False
    return True


def disponivel() -> Disponibilidade:
    """{ disponivel, motivo, codigo }: whether this process may use a GPU."""
    found = concedida()
    if found:
        return Disponibilidade(disponivel=True, motivo=None, codigo=None)
    return Disponibilidade(disponivel=False, motivo=found['motivo'], codigo=_verdict()[2])

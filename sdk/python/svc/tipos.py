"""Types of what the runtime answers, for annotations: `from svc.tipos import Trabalho`. At run time the records are plain dictionaries."""

from __future__ import annotations

from typing import Dict, List, Literal, Optional, TypedDict, Union, overload

Json = Union[None, bool, int, float, str, List['Json'], Dict[str, 'Json']]
"""A value of a JSON text."""

Papel = Literal['ver', 'comentar', 'editar', 'dona']
PapelConcedido = Literal['ver', 'comentar', 'editar']
FormatoDaVersao = Literal['yjs', 'json', 'texto', 'markdown', 'html']
EstadoDoTrabalho = Literal[
    'em-espera', 'a-submeter', 'na-fila', 'a-correr', 'a-recolher', 'desconhecido', 'terminado', 'falhou', 'cancelado'
]


class _Registo(Dict[str, object]):
    """A dictionary that is also true or false by its first field."""

    def __bool__(self) -> bool:
        return bool(next(iter(self.values()), False))


class Disponibilidade(_Registo):
    """{ disponivel, motivo, codigo }: `motivo` is a sentence and `codigo` its stable name; both are None only when it is available."""

    @overload  # type: ignore[override]
    def __getitem__(self, campo: Literal['disponivel']) -> bool: ...
    @overload
    def __getitem__(self, campo: Literal['motivo', 'codigo']) -> Optional[str]: ...
    def __getitem__(self, campo: str) -> object:
        return super().__getitem__(campo)


class DispositivoDeGpu(TypedDict):
    dispositivo: str
    """Render node or file of the driver, e.g. /dev/dri/renderD128."""
    fornecedor: str
    modelo: str
    driver: str
    virtual: bool
    acessivel: bool
    pci: str
    uuid: str


class GpuConcedida(_Registo):
    """{ concedida, dispositivos, motivo }."""

    @overload  # type: ignore[override]
    def __getitem__(self, campo: Literal['concedida']) -> bool: ...
    @overload
    def __getitem__(self, campo: Literal['dispositivos']) -> List[DispositivoDeGpu]: ...
    @overload
    def __getitem__(self, campo: Literal['motivo']) -> str: ...
    def __getitem__(self, campo: str) -> object:
        return super().__getitem__(campo)


class EstadoDaGpu(_Registo):
    """{ declarada, modo, concedida, acessivel, dispositivos, inventario, motivo }."""

    @overload  # type: ignore[override]
    def __getitem__(self, campo: Literal['declarada', 'concedida', 'acessivel']) -> bool: ...
    @overload
    def __getitem__(self, campo: Literal['modo']) -> Optional[Literal['opcional', 'necessaria']]: ...
    @overload
    def __getitem__(self, campo: Literal['dispositivos', 'inventario']) -> List[DispositivoDeGpu]: ...
    @overload
    def __getitem__(self, campo: Literal['motivo']) -> str: ...
    def __getitem__(self, campo: str) -> object:
        return super().__getitem__(campo)


class Oferta(TypedDict):
    """An app that offers a capability, with the words for a menu."""

    app: str
    nome: str
    rotulo: str


class LimitesDoTrabalho(TypedDict):
    cpus: int
    memoriaMb: int
    segundos: int
    gpus: int


class Trabalho(TypedDict):
    id: str
    app: str
    usuario: str
    nome: str
    chave: str
    cluster: str
    requestId: Optional[str]
    """Id of the request that submitted it, as in the portal's log."""
    estado: EstadoDoTrabalho
    motivo: str
    """Reason code (docs/reasons.md)."""
    mensagem: str
    """For engineers, English."""
    lugar: Optional[int]
    """Place among those that wait, from 1; None: it does not wait, or nobody can tell."""
    progresso: Optional[float]
    """0 to 1, as the command says; None: it says nothing."""
    codigo: Optional[int]
    """Exit code of the command."""
    registo: int
    """Bytes of the log so far."""
    cancelamento: bool
    criadoEm: int
    iniciadoEm: Optional[int]
    terminadoEm: Optional[int]
    expiraEm: Optional[int]
    """When it and its outputs are removed; None: not ended yet."""
    imagem: Optional[str]
    comando: List[str]
    limites: LimitesDoTrabalho


class Noticia(Trabalho):
    """The job as it is now, and what its log has since the time before."""

    linhas: List[str]


class Saida(TypedDict):
    caminho: str
    """Below `saida/`."""
    sha: str
    tamanho: int
    ate: int
    """Bytes that the portal has."""
    completo: bool
    recusada: bool
    """There was no space for it."""


class Sala(TypedDict):
    id: str
    nome: str
    app: str
    dona: str
    """`usuario` of the owner."""
    papel: Papel
    """Role of this backend's person."""
    criadaEm: int
    mudadaEm: int


class PessoaDaSala(TypedDict):
    usuario: str
    nome: str
    login: str
    iniciais: str
    papel: Papel
    porNome: Optional[Papel]
    porGrupos: List[str]
    declarada: bool


class GrupoDaSala(TypedDict):
    grupo: str
    papel: PapelConcedido
    pessoas: int
    declarado: bool


class SalaLida(TypedDict):
    sala: Sala
    pessoas: List[PessoaDaSala]
    grupos: List[GrupoDaSala]


class Anexo(TypedDict):
    sha: str
    tamanho: int
    tipo: str


class PessoaDaVersao(TypedDict):
    usuario: str
    nome: Optional[str]
    """None: a person who is gone."""


class Versao(TypedDict):
    versao: int
    """Counts up; bigger is younger."""
    de: Optional[int]
    """First change; None: what was there before versions were kept."""
    ate: Optional[int]
    pessoas: List[PessoaDaVersao]
    nome: Optional[str]

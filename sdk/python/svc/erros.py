"""The error of the runtime: a stable code and a message that says what to do."""


class ErroSvc(Exception):
    """`codigo` never changes its meaning; `str(erro)` is for people."""

    def __init__(self, codigo: str, mensagem: str) -> None:
        super().__init__(f'{codigo}: {mensagem}')
        self.codigo = codigo
        self.mensagem = mensagem
        # HTTP status of the portal's refusal, and the wait that it asks for.
        self.status: int | None = None
        self.retry_after_ms: float | None = None

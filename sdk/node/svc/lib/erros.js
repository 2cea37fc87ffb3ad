'use strict';

/** The error of the runtime: `codigo` never changes its meaning, `message` is for people. */
class ErroSvc extends Error {
  constructor(codigo, mensagem) {
    super(`${codigo}: ${mensagem}`);
    this.name = 'ErroSvc';
    this.codigo = codigo;
    this.mensagem = mensagem;
  }
}

module.exports = { ErroSvc };

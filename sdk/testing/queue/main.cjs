'use strict';
/** Calls a verb of svc.fila, given as JSON in the first argument; prints the answer as JSON lines. main.py beside it is the same. */
const { ErroSvc, fila } = require('svc');

const [verbo, argumentos, campos] = JSON.parse(process.argv[2]);
const dizer = (resposta) => process.stdout.write(`${JSON.stringify(resposta)}\n`);

async function pedir() {
  if (verbo === 'acompanhar') for await (const noticia of fila.acompanhar(...argumentos)) dizer(noticia);
  else if (verbo === 'submeter') dizer(await fila.submeter(campos));
  else dizer(await fila[verbo](...argumentos));
}

pedir().catch((erro) => {
  if (!(erro instanceof ErroSvc)) throw erro;
  dizer({ erro: erro.codigo, status: erro.status ?? null });
});

/** Stores a JSON file in the data folder, written whole: temporary file, fsync, rename. */
import { open, readFile, rename } from 'node:fs/promises';

/** `vazio` where there is none yet; a file that can't be read is an error. */
export async function ler(arquivo, vazio) {
  try {
    return JSON.parse(await readFile(arquivo, 'utf8'));
  } catch (problema) {
    if (problema.code === 'ENOENT') return vazio;
    throw problema;
  }
}

/** Writes one after another, in the order of the calls. */
export function criarGuarda(arquivo) {
  let fila = Promise.resolve();
  const gravar = async (valor) => {
    const novo = await open(`${arquivo}.novo`, 'w', 0o600);
    try {
      await novo.writeFile(JSON.stringify(valor));
      await novo.sync();
    } finally {
      await novo.close();
    }
    await rename(`${arquivo}.novo`, arquivo);
  };
  return (valor) => {
    const feito = fila.then(() => gravar(valor));
    fila = feito.catch(() => undefined);
    return feito;
  };
}

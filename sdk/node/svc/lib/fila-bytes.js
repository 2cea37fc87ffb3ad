'use strict';
/** Calls and bytes of the queue: patience with what passes, inputs up and outputs down in pieces, with their hashes. */
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const { mkdir, open, realpath, rename, rm } = require('node:fs/promises');
const path = require('node:path');
const { setTimeout: pausar } = require('node:timers/promises');
const { fileURLToPath } = require('node:url');
const { ErroSvc } = require('./erros.js');
const portal = require('./portal.js');

const PEDACO = 8 * 1024 * 1024;
const PACIENCIA_MS = 60_000;
const TRANSFERENCIA_MS = 120_000;
const PAUSA_MS_MAX = 10_000;
const QUE_PASSAM = new Set([429, 500, 502, 503, 504]);

/** Every route of the queue may be asked again: it does nothing twice. */
async function chamar(verbo, metodo, partes, { consulta = {}, pacienciaMs = PACIENCIA_MS, ...opcoes } = {}) {
  portal.recusar('fila', verbo);
  const caminho = ['/api/fila', ...partes.map((parte) => encodeURIComponent(String(parte)))].join('/');
  const busca = new URLSearchParams(consulta).toString();
  const ate = performance.now() + pacienciaMs;
  for (let pausa = 250; ; pausa = Math.min(pausa * 2, PAUSA_MS_MAX)) {
    try {
      return await portal.pedir(`fila.${verbo}`, metodo, busca === '' ? caminho : `${caminho}?${busca}`, opcoes);
    } catch (problema) {
      const espera = Math.max(pausa * (0.5 + Math.random() / 2), problema.retryAfterMs ?? 0);
      if (!passa(problema) || performance.now() + espera > ate) throw problema;
      await pausar(espera, undefined, { signal: opcoes.signal });
    }
  }
}

function passa({ codigo, status }) {
  return codigo === 'SEM_REDE' || codigo === 'SEM_RESPOSTA' || (codigo !== 'QUEUE_OFF' && QUE_PASSAM.has(status));
}

async function json(verbo, metodo, partes, opcoes) {
  return JSON.parse((await chamar(verbo, metodo, partes, opcoes)).bytes.toString('utf8'));
}

/** A file of this machine by its path or file: URL, bytes, or a Blob. */
async function entrada(fonte) {
  if (typeof fonte === 'string' || fonte instanceof URL) {
    const arquivo = fonte instanceof URL ? fileURLToPath(fonte) : fonte;
    // It is read twice, and the opening of a pipe would wait for ever.
    if (!fs.statSync(arquivo).isFile()) throw new ErroSvc('ENTRADA_INVALIDA', `fila.submeter: ${arquivo} não é um arquivo comum`);
    const hash = createHash('sha256');
    let tamanho = 0;
    for await (const pedaco of fs.createReadStream(arquivo)) {
      hash.update(pedaco);
      tamanho += pedaco.length;
    }
    return { nome: arquivo, sha: hash.digest('hex'), tamanho, ler: (desde) => lerArquivo(arquivo, desde) };
  }
  if (!(fonte instanceof Blob) && !ArrayBuffer.isView(fonte))
    throw new TypeError('fila.submeter: uma entrada é um caminho, bytes ou um Blob');
  const blob = fonte instanceof Blob ? fonte : new Blob([fonte]);
  const hash = createHash('sha256');
  for await (const pedaco of blob.stream()) hash.update(pedaco);
  const ler = async (desde) => Buffer.from(await blob.slice(desde, desde + PEDACO).arrayBuffer());
  return { nome: 'uma entrada', sha: hash.digest('hex'), tamanho: blob.size, ler };
}

async function lerArquivo(arquivo, desde) {
  const aberto = await open(arquivo);
  try {
    const { buffer, bytesRead } = await aberto.read(Buffer.allocUnsafe(PEDACO), 0, PEDACO, desde);
    return buffer.subarray(0, bytesRead);
  } finally {
    await aberto.close();
  }
}

/** Uploads a file; pieces that the portal already has are not sent again. */
async function enviar({ nome, sha, tamanho, ler }, como) {
  const onde = ['entradas', sha];
  for (let feito = await json('submeter', 'GET', onde, como); !feito.completo;) {
    const desde = feito.ate;
    const pedaco = await ler(desde);
    if (pedaco.length === 0 && desde < tamanho)
      throw new ErroSvc('ENTRADA_MUDOU', `fila.submeter: ${nome} ficou menor enquanto era enviado`);
    feito = await json('submeter', 'PUT', onde, { ...como, consulta: { desde, tamanho }, bytes: pedaco, esperaMs: TRANSFERENCIA_MS });
  }
}

async function baixar(trabalho, saida, pasta, como) {
  const destino = await destinoDe(pasta, saida.caminho);
  if (fs.lstatSync(destino, { throwIfNoEntry: false })?.isFile() && (await shaDe(destino)) === saida.sha) return destino;
  const parte = path.join(path.dirname(destino), `.${saida.sha}.parte`);
  if (fs.lstatSync(parte, { throwIfNoEntry: false })?.isFile() === false) await rm(parte);
  // A partial file of an earlier attempt may be damaged: then it is fetched once from the beginning.
  for (let vez = 0; vez < 2; vez += 1) {
    await continuar(trabalho, saida, parte, como);
    if ((await shaDe(parte)) === saida.sha) {
      await rename(parte, destino);
      await gravarPasta(path.dirname(destino));
      return destino;
    }
    await rm(parte, { force: true });
  }
  throw new ErroSvc('DIGEST_MISMATCH', `fila.baixar: ${saida.caminho} chegou com outros bytes`);
}

async function continuar(trabalho, { caminho, tamanho }, parte, como) {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = fs.constants;
  const arquivo = await open(parte, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    let { size: ate } = await arquivo.stat();
    if (ate > tamanho) {
      ate = 0;
      await arquivo.truncate(0);
    }
    while (ate < tamanho) {
      const range = `bytes=${ate}-${Math.min(ate + PEDACO, tamanho) - 1}`;
      const onde = ['trabalhos', trabalho, 'saida', ...caminho.split('/')];
      const { status, bytes } = await chamar('baixar', 'GET', onde, { ...como, cabecalhos: { range }, esperaMs: TRANSFERENCIA_MS });
      if (status !== 206 || bytes.length === 0) throw new ErroSvc('SAIDA_MUDOU', `fila.baixar: ${caminho} não é mais a mesma`);
      // By its place, not at the end: two downloads of the same output write the same bytes.
      for (let escrito = 0; escrito < bytes.length;)
        escrito += (await arquivo.write(bytes, escrito, bytes.length - escrito, ate + escrito)).bytesWritten;
      ate += bytes.length;
    }
    await arquivo.sync();
  } finally {
    await arquivo.close();
  }
}

/** Below the folder and nowhere else: no way up, and no link on the way that leads out. */
async function destinoDe(pasta, caminho) {
  const partes = caminho.split('/');
  if (partes.some((parte) => ['', '.', '..'].includes(parte) || /[\0\\]/.test(parte)))
    throw new ErroSvc('CAMINHO_INVALIDO', `fila.baixar: ${JSON.stringify(caminho)} não é um caminho abaixo da pasta`);
  const onde = pasta instanceof URL ? fileURLToPath(pasta) : pasta;
  await mkdir(onde, { recursive: true });
  const raiz = await realpath(onde);
  let lugar = raiz;
  for (const parte of partes.slice(0, -1)) {
    lugar = path.join(lugar, parte);
    await mkdir(lugar).catch((problema) => {
      if (problema.code !== 'EEXIST') throw problema;
    });
    if (!(await realpath(lugar)).startsWith(`${raiz}${path.sep}`))
      throw new ErroSvc('CAMINHO_INVALIDO', `fila.baixar: ${lugar} leva para fora da pasta`);
  }
  return path.join(lugar, partes.at(-1));
}

async function shaDe(arquivo) {
  const hash = createHash('sha256');
  for await (const pedaco of fs.createReadStream(arquivo)) hash.update(pedaco);
  return hash.digest('hex');
}

async function gravarPasta(pasta) {
  const aberta = await open(pasta);
  try {
    await aberta.sync();
  } finally {
    await aberta.close();
  }
}

module.exports = { chamar, json, entrada, enviar, baixar };

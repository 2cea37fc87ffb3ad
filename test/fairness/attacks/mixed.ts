/** Attacks on several parts at once, and by what an ordinary page may do, done without end. */
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Y from 'yjs';
import { connect, type RawClient } from '../../support/room-client.ts';
import { theEnd, type Attack, type Attacker } from '../attack.ts';
import { at, prepared } from './files.ts';
import { ticketOf } from './sockets.ts';

const json = (value: unknown): string => JSON.stringify(value);

/** A body that is said to be long, and is left after its first piece. */
function beginAndLeave({ port, host, cookie, signal }: Attacker, path: string): Promise<void> {
  const headers = { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', 'content-length': String(1_024 ** 3) };
  return new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method: 'PUT', path, headers, agent: false, signal });
    request.on('error', () => undefined);
    request.on('close', () => resolve());
    request.write(Buffer.alloc(65_536, 65), () => setTimeout(() => request.destroy(), 20));
  });
}

/** The whole file by an address on the origin of files. */
async function preview({ read, ask, home }: Attacker, file: string): Promise<void> {
  const made = await read('/api/arquivos/previa', { method: 'POST', body: json({ caminho: `${home}/${file}` }) });
  const { url } = (made.startsWith('{') ? JSON.parse(made) : {}) as { readonly url?: string };
  if (url === undefined) return;
  const { host, pathname } = new URL(url);
  await ask(pathname, { headers: { host, cookie: '' } });
}

export const mixedAttacks: readonly Attack[] = [
  {
    name: 'searches, zips, copies and listings at once',
    run: (attacker) =>
      attacker.flood(16, (n) => {
        const folder = at(attacker, prepared.folder);
        if (n % 4 === 0) return attacker.ask(`/api/arquivos/busca?caminho=%2F&texto=${n}a&ocultos=1`);
        if (n % 4 === 1) return attacker.ask(`/api/arquivos/zip?${folder}`);
        if (n % 4 === 2) return attacker.ask(`/api/arquivos/lista?${folder}&limite=5000`);
        const body = json({
          tipo: 'copiar',
          itens: [`${attacker.home}/${prepared.folder}`],
          destino: `${attacker.home}/vigia${n}`,
          conflito: 'renomear',
        });
        return attacker.ask('/api/arquivos/operacoes', { method: 'POST', body });
      }),
  },
  {
    name: '32 consents said and looked at',
    run: ({ flood, ask }) =>
      flood(32, async (n) => {
        const body = json({ de: 'notas', para: 'caderno', capacidade: `banco.x${n}/v1`, resposta: 'sim', duracao: 'sempre' });
        await ask('/api/consentimentos', { method: 'PUT', body });
        await ask('/api/consentimentos');
      }),
  },
  {
    name: '16 attachments of 1 MB brought into a room and read',
    run: ({ flood, ask, room }) =>
      flood(16, async () => {
        const body = randomBytes(1_024 ** 2);
        const route = `/api/salas/${room}/anexos`;
        await ask(`${route}?app=caderno`, { method: 'PUT', body, headers: { 'content-type': 'image/png' } });
        await ask(`${route}/${createHash('sha256').update(body).digest('hex')}?app=caderno`);
      }),
  },
  {
    name: '16 previews of a large file, made and read',
    run: (attacker) => attacker.flood(16, () => preview(attacker, prepared.large)),
  },
  {
    name: 'wrong links, wrong passwords and sign-outs of nobody in turns',
    run: ({ flood, ask, person }) =>
      flood(32, async (n) => {
        const headers = { cookie: '' };
        await ask('/api/sessao', { method: 'POST', headers, body: json({ passe: randomBytes(32).toString('base64url') }) });
        await ask('/api/sessao', { method: 'POST', headers, body: json({ login: person, senha: `errada${n}` }) });
        await ask('/api/sessao', { method: 'DELETE', headers });
        await ask('/api/sessao/volta', { headers });
      }),
  },
  {
    name: '32 uploads that are begun and left',
    run: (attacker) => attacker.flood(32, (n) => beginAndLeave(attacker, `/api/arquivos/conteudo?${at(attacker, `deixado${n}`)}`)),
  },
  {
    name: '8 logs followed that grow by 50 MB a second',
    run: async (attacker) => {
      const lines = `${'linha com ação e cor \u001b[31m'.repeat(8)}\n`.repeat(4_000);
      const writing = attacker.flood(1, async () => {
        appendFileSync(`${attacker.home}/.svc-apps/notas/run.log`, lines);
        await sleep(20);
      });
      await Promise.all([writing, attacker.flood(8, () => attacker.ask('/api/apps/notas/log?seguir=1&tail=10000'))]);
    },
  },
  {
    name: '32 notices of an app and of a room at once, and the bell read',
    run: ({ flood, ask, person, room }) =>
      flood(32, async (n) => {
        await ask('/api/avisos', { method: 'POST', body: json({ app: 'notas', texto: `aviso ${n}`, rota: 'nota/nova' }) });
        const body = json({ tipo: 'mencao', para: [person], ancora: `a${n}${Math.random()}` });
        await ask(`/api/salas/${room}/avisos?app=caderno`, { method: 'POST', body });
        await ask('/api/avisos');
      }),
  },
  {
    name: 'presence of 20 pages in a room as fast as it goes',
    run: async (attacker) => {
      const clients: RawClient[] = [];
      for (let n = 0; n < 20 && !attacker.signal.aborted; n += 1) {
        const entry = await ticketOf(attacker);
        if (entry === null) continue;
        const url = `ws://127.0.0.1:${attacker.port}${entry.caminho}/documento`;
        const client = connect(url, entry.bilhete, { doc: new Y.Doc(), host: attacker.host });
        client.synced.catch(() => undefined);
        clients.push(client);
      }
      await attacker.flood(1, async () => {
        for (const [n, { presence }] of clients.entries()) presence.setLocalState({ cursor: Math.random(), nome: 'x'.repeat(500), n });
      });
      await theEnd(attacker);
      for (const client of clients) client.end();
    },
  },
];

/** Attacks by requests: many, slow, large or wrong ones. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { theEnd, type Attack, type Attacker } from '../attack.ts';

/** Connections that say `hello`, and what is sent on each of them again and again. */
async function connections({ port, signal }: Attacker, count: number, hello: string, more: string, everyMs: number): Promise<void> {
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => socket.destroy());
      socket.resume();
      socket.write(hello);
      while (!signal.aborted && !socket.destroyed) {
        await sleep(everyMs);
        socket.write(more);
      }
      socket.destroy();
      await sleep(everyMs);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}

const json = (value: unknown): string => JSON.stringify(value);

export const requestAttacks: readonly Attack[] = [
  { name: '64 small requests at once', run: ({ flood, ask }) => flood(64, () => ask('/api/sessao')) },
  { name: '32 paths that are not there', run: ({ flood, ask }) => flood(32, (n) => ask(`/api/nada/${n}`)) },
  {
    name: '32 passwords guessed at once',
    run: ({ flood, ask, person }) =>
      flood(32, (n) => ask('/api/sessao', { method: 'POST', body: json({ login: `${person}${n}`, senha: 'errada' }) })),
  },
  {
    name: '32 preferences of 32 KB written at once',
    run: ({ flood, ask }) => flood(32, (n) => ask('/api/preferencias', { method: 'PATCH', body: json({ [`x${n}`]: 'x'.repeat(32_768) }) })),
  },
  {
    name: '16 submissions of 1 MB that are no jobs',
    run: ({ flood, ask }) =>
      flood(16, () =>
        ask('/api/fila/trabalhos?app=notas', {
          method: 'POST',
          body: json({ chave: 'x', comando: Array<string>(100_000).fill('aaaaaa') }),
        }),
      ),
  },
  {
    name: '16 bodies of deep JSON',
    run: ({ flood, ask }) =>
      flood(16, () => ask('/api/arquivos/pasta', { method: 'POST', body: `${'['.repeat(30_000)}${']'.repeat(30_000)}` })),
  },
  {
    name: '64 heads that are too large',
    run: ({ flood, ask }) => flood(64, () => ask('/api/sessao', { headers: { 'x-much': 'x'.repeat(60_000) } })),
  },
  {
    name: '300 heads that come byte by byte',
    run: (attacker) => connections(attacker, 300, `GET /api/sessao HTTP/1.1\r\nHost: ${attacker.host}\r\n`, 'X', 200),
  },
  { name: '2,000 connections without a word', run: (attacker) => connections(attacker, 2_000, '', '', 1_000) },
  {
    name: '16 connections with 1,000 requests each in one write',
    run: async (attacker) => {
      const { host, cookie } = attacker;
      const one = `GET /api/sessao HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nSec-Fetch-Site: same-origin\r\n\r\n`;
      await connections(attacker, 16, one.repeat(1_000), one.repeat(1_000), 500);
    },
  },
  {
    name: '32 requests of an app at once',
    run: ({ flood, ask, appHost, appCookie }) => {
      const headers = { host: appHost, cookie: appCookie, origin: `http://${appHost}` };
      return flood(32, () => ask('/api/ping', { headers }));
    },
  },
  {
    name: '32 calls of a capability that no app has',
    run: ({ flood, ask }) =>
      flood(32, () => ask('/api/capacidades/nada.disso/x', { method: 'POST', body: '{}', headers: { 'x-svc-app': 'notas' } })),
  },
  {
    name: '64 held questions for a job',
    run: async ({ flood, ask }) => {
      await flood(64, () => ask('/api/fila/trabalhos/AAAAAAAAAAAAAAAA?app=notas&espera=30', { headers: { 'if-none-match': '"1"' } }));
    },
  },
  {
    name: '8 logs of an app followed and left',
    run: async (attacker) => {
      await attacker.flood(8, async () => {
        void attacker.ask('/api/apps/notas/log?seguir=1', { isUnread: true });
        await Promise.race([sleep(100), theEnd(attacker)]);
      });
    },
  },
];

/** Attacks by WebSockets: pages that come and go, and rooms. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import * as Y from 'yjs';
import { connect } from '../../support/room-client.ts';
import { theEnd, type Attack, type Attacker } from '../attack.ts';

export function open({ port, host, cookie }: Attacker, path: string): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { host, cookie, origin: `http://${host}` } });
  socket.on('error', () => socket.terminate());
  return socket;
}

export async function ticketOf({ read, room }: Attacker): Promise<{ readonly bilhete: string; readonly caminho: string } | null> {
  const text = await read(`/api/salas/${room}/bilhete?app=caderno`, { method: 'POST', body: '{}' });
  return text.includes('"bilhete"') ? (JSON.parse(text) as { bilhete: string; caminho: string }) : null;
}

export const socketAttacks: readonly Attack[] = [
  {
    name: '64 sockets of events opened and closed',
    run: (attacker) =>
      attacker.flood(64, async () => {
        const socket = open(attacker, '/ws/events');
        await Promise.race([new Promise((resolve) => socket.once('open', resolve)), sleep(500)]);
        socket.terminate();
      }),
  },
  {
    name: 'edits of a room as fast as they go',
    run: async (attacker) => {
      const entry = await ticketOf(attacker);
      if (entry === null) return;
      const { client: doc, text } = { client: new Y.Doc(), text: 'x'.repeat(64) };
      const client = connect(`ws://127.0.0.1:${attacker.port}${entry.caminho}/documento`, entry.bilhete, { doc, host: attacker.host });
      await client.synced.catch(() => undefined);
      await attacker.flood(1, async () => {
        for (let n = 0; n < 50; n += 1) doc.getText('t').insert(0, text);
      });
      client.end();
    },
  },
  {
    name: '16 tickets of a room asked for at once',
    run: (attacker) => attacker.flood(16, () => ticketOf(attacker)),
  },
  {
    name: 'a page that sends where it only listens',
    run: (attacker) =>
      attacker.flood(16, async () => {
        const socket = open(attacker, '/ws/events');
        socket.once('open', () => {
          for (let n = 0; n < 1_000; n += 1) socket.send('x'.repeat(1_000));
        });
        await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(300), theEnd(attacker)]);
        socket.terminate();
      }),
  },
];

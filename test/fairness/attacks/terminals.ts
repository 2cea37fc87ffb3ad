/** Attacks by what a real shell prints, and by pages that show it. */
import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { theEnd, type Attack, type Attacker } from '../attack.ts';
import { open } from './sockets.ts';

const large = { colunas: 500, linhas: 200 };

interface Shown {
  readonly id: string;
  readonly socket: WebSocket;
}

async function opened(attacker: Attacker, size = large): Promise<Shown | null> {
  const text = await attacker.read('/api/terminais', { method: 'POST', body: JSON.stringify(size) });
  const { id } = JSON.parse(text === '' ? '{}' : text) as { readonly id?: string };
  if (id === undefined) return null;
  const socket = open(attacker, `/ws/terminais/${id}`);
  socket.on('message', () => undefined);
  await Promise.race([once(socket, 'open'), sleep(1_000)]);
  return { id, socket };
}

/** `command` in so many terminals, with a page that reads each, until the end. */
async function run(attacker: Attacker, command: string, count = 1): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  for (let n = 0; n < count; n += 1) {
    const one = await opened(attacker);
    if (one === null) continue;
    one.socket.send(Buffer.from(`${command}\r`));
    shown.push(one);
  }
  return shown;
}

/** The portal ends its terminals with what is asked after the attack's own end, so by a connection of its own. */
async function close({ port, host, cookie }: Attacker, shown: readonly Shown[]): Promise<void> {
  const headers = { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  for (const { id, socket } of shown) {
    socket.terminate();
    const sent = request({ host: '127.0.0.1', port, method: 'DELETE', path: `/api/terminais/${id}`, headers });
    sent.on('response', (answer) => answer.resume()).on('error', () => undefined);
    await once(sent.end(), 'close');
  }
}

/** For any shell: bytes as octal numbers; long ones are made there. */
function yes(what: string): string {
  const octal = (text: string): string => Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  const [before = '', after = ''] = what.split('t'.repeat(100_000));
  const long = what.includes('t'.repeat(100_000)) ? String.raw`$(printf '%0100000d' 0)` : '';
  return String.raw`yes "$(printf '${octal(before)}')${long}$(printf '${octal(after)}')" | tr -d '\n'`;
}

/** Printed again and again, as fast as it goes. */
const printing = (name: string, what: string, count = 1): Attack => ({
  name,
  run: async (attacker) => {
    const shown = await run(attacker, yes(what), count);
    await theEnd(attacker);
    await close(attacker, shown);
  },
});

export const terminalAttacks: readonly Attack[] = [
  printing('a terminal inserts 2,147,483,647 lines', '\u001B[2147483647L'),
  printing('a terminal inserts lines by C1 controls and within a string', '\u001BP1q\u009B2147483647M'),
  printing('a character of 30 marks, 2,147,483,647 times', `a${'\u0301'.repeat(30)}\u001B[2147483647b`),
  printing('sequences that an emulator can not read', '\u001B[#漢'),
  printing('the whole screen, cleared and filled', '\u001B#8\u001Bc\u001B[2J\u001B[?1049h', 6),
  printing('tabs backwards, blanks in each line', "\u001B[500Z\u001B[500 @\u001B[500'}"),
  printing('lines and colours in six terminals', '\u001B[38;2;1;2;3mlinha\u001B[0m\r\n', 6),
  printing('titles of 100 KB', `\u001B]0;${'t'.repeat(100_000)}\u0007`),
  {
    name: 'marks without end on one character',
    run: async (attacker) => {
      const shown = await run(attacker, `printf a; ${yes('\u0301')}`, 6);
      await theEnd(attacker);
      await close(attacker, shown);
    },
  },
  {
    name: 'questions of a program that reads no answer',
    run: async (attacker) => {
      const shown = await run(attacker, `stty raw -echo; ${yes('\u001B[c\u001B[>c\u001B[6n')}`, 3);
      await theEnd(attacker);
      await close(attacker, shown);
    },
  },
  {
    name: 'random bytes in six terminals',
    run: async (attacker) => {
      const shown = await run(attacker, 'cat /dev/urandom', 6);
      await theEnd(attacker);
      await close(attacker, shown);
    },
  },
  {
    name: 'a large terminal in colours, shown again and again',
    run: async (attacker) => {
      const shown = await run(
        attacker,
        String.raw`i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf '\033[38;5;%dm%0500d' $((i%256)) $i; done`,
      );
      await sleep(1_000);
      await attacker.flood(4, async () => {
        const socket = open(attacker, `/ws/terminais/${shown[0]?.id ?? ''}`);
        await Promise.race([once(socket, 'message'), once(socket, 'close'), sleep(500)]);
        socket.terminate();
      });
      await close(attacker, shown);
    },
  },
  {
    name: 'a large terminal in other sizes, as fast as it goes',
    run: async (attacker) => {
      const shown = await run(attacker, String.raw`i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf '%0500d' $i; done`);
      let n = 0;
      await attacker.flood(1, async () => {
        for (let each = 0; each < 100; each += 1) {
          n += 1;
          shown[0]?.socket.send(JSON.stringify({ tamanho: { colunas: 2 + ((n * 37) % 498), linhas: 1 + (n % 199) } }));
        }
      });
      await close(attacker, shown);
    },
  },
  {
    name: 'what nobody reads, typed into a program',
    run: async (attacker) => {
      const shown = await run(attacker, 'stty raw -echo; sleep 1000', 3);
      const bytes = Buffer.alloc(60 * 1_024, 'x');
      await attacker.flood(3, async (n) => {
        if ((shown[n]?.socket.bufferedAmount ?? 0) < 1024 ** 2) shown[n]?.socket.send(bytes);
      });
      await close(attacker, shown);
    },
  },
  {
    name: 'terminals opened and ended',
    run: (attacker) =>
      attacker.flood(6, async () => {
        const one = await opened(attacker);
        if (one !== null) await close(attacker, [one]);
      }),
  },
];

/** Bytes over the connection come out the same with every cipher, through exchanges of keys, and several channels at a time. */
import { createHash, KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { connectSsh } from '../../controller/hosts/ssh/connect.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';

let sshd: TestSshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const last = 600_000;
/** Four megabytes of which no part is like another. */
const numbers = Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');

test.for([
  ['aes128-gcm@openssh.com', true],
  ['aes256-gcm@openssh.com', true],
  ['aes128-ctr', false],
  ['chacha20-poly1305@openssh.com', false],
] as const)('%s', { timeout: 60_000 }, async ([cipher, cheap]) => {
  await sshd.halt();
  await sshd.resume([`Ciphers ${cipher}`, 'RekeyLimit 1M']);
  const client = await connectSsh({
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    username: sshd.accounts[0]!.name,
    credential: { kind: 'key', privateKey: readFileSync(sshd.keyFile) },
    clock: systemClock,
  });
  let exchanges = 0;
  client.on('handshake', () => (exchanges += 1));
  try {
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => run(client, `seq 1 ${last}`, '')),
      run(client, 'sha256sum', numbers),
      run(client, 'sha256sum', numbers.slice(7)),
    ]);
    expect(answers.slice(0, 3).map(sha256)).toEqual([1, 2, 3].map(() => sha256(numbers)));
    expect(answers.slice(3).map((answer) => answer.toString().slice(0, 64))).toEqual([sha256(numbers), sha256(numbers.slice(7))]);
    expect(exchanges).toBeGreaterThan(5);
    expect([keyOf(client, '_cipher', '_encKey'), keyOf(client, '_decipher', '_decipherKey')]).toEqual([cheap, cheap]);
  } finally {
    client.destroy();
  }
});

/** Whether ssh2 has the key of this direction, and has it as a KeyObject. */
function keyOf(client: Client, direction: '_cipher' | '_decipher', field: string): boolean {
  const inner = client as unknown as Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  return inner['_protocol']?.[direction]?.[field] instanceof KeyObject;
}

function run(client: Client, command: string, input: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) return reject(error);
      const chunks: Buffer[] = [];
      channel.on('data', (chunk: Buffer) => chunks.push(chunk));
      channel.on('close', () => resolve(Buffer.concat(chunks)));
      channel.end(input);
    });
  });
}

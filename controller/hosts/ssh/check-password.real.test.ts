/** Passwords before a real sshd: with PAM and without, keyboard-interactive and not, and what must never reach it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSshd, type TestSshd } from '../../../test/support/sshd.ts';
import { systemClock } from '../../clock/system.ts';
import { checkPassword, type PasswordWord } from './check-password.ts';

const right = 'T0p-s3cret: ünïcode "quoted" $HOME';
const call = promisify(execFile);
let sshd: TestSshd;

/** As Debian has it; PAM's own asking on or off. */
const ways = {
  'PAM asks': ['UsePAM yes', 'KbdInteractiveAuthentication yes'],
  'PAM behind the method password': ['UsePAM yes', 'KbdInteractiveAuthentication no'],
  'without PAM': ['UsePAM no'],
} as const;

beforeAll(async () => {
  sshd = await startSshd({ accounts: 2, password: right });
});
afterAll(() => sshd?.stop());

const use = async (way: readonly string[]): Promise<void> => {
  await sshd.halt();
  await sshd.resume(way);
};
const accountAt = (index: number): string => sshd.accounts[index]?.name ?? '';
const ask = (account: string, password: string, hostKey = sshd.hostKey): Promise<PasswordWord> =>
  checkPassword({ target: { host: '127.0.0.1', port: sshd.port, hostKey }, account, password, clock: systemClock });

describe.each(Object.entries(ways))('%s', (_name, way) => {
  beforeAll(() => use(way));

  test('the right password is accepted, a wrong one and an unknown account are refused', async () => {
    const before = sshd.log().length;
    expect(await ask(accountAt(0), right)).toEqual({ kind: 'accepted' });
    expect(await ask(accountAt(0), `${right}x`)).toMatchObject({ kind: 'refused' });
    expect(await ask(accountAt(0), right.slice(0, -1))).toMatchObject({ kind: 'refused' });
    expect(await ask('svc-nobody', right)).toMatchObject({ kind: 'refused' });
    // One guess is one guess for the server too.
    const failed = sshd
      .log()
      .slice(before)
      .match(/Failed (password|keyboard-interactive\/pam) for invalid user svc-nobody/g);
    expect(failed).toHaveLength(1);
  });

  test('nothing but the method decides: an empty answer or the other account’s password is refused', async () => {
    expect(await ask(accountAt(1), ' ')).toMatchObject({ kind: 'refused' });
    await call('usermod', ['-L', accountAt(1)]);
    expect(await ask(accountAt(1), right)).toMatchObject({ kind: 'refused' });
    await call('usermod', ['-U', accountAt(1)]);
    expect(await ask(accountAt(1), right)).toEqual({ kind: 'accepted' });
  });
});

describe.each([
  ['PAM asks', ways['PAM asks']],
  ['PAM behind the method password', ways['PAM behind the method password']],
])('an account whose password expired: %s', (_name, way) => {
  beforeAll(() => use(way));

  test('is told so when the password was right, and nothing when it was wrong', async () => {
    await call('chage', ['-d', '0', accountAt(1)]);
    try {
      expect(await ask(accountAt(1), right)).toMatchObject({ kind: 'expired', told: expect.stringMatching(/password/i) as string });
      expect(await ask(accountAt(1), 'wrong')).toEqual({ kind: 'refused', told: null });
    } finally {
      await call('chage', ['-d', '1', accountAt(1)]);
    }
  });
});

test('an account that expired is refused, in the server’s words where sshd sends them as a banner', async () => {
  await call('chage', ['-E', '1', accountAt(1)]);
  try {
    await use(ways['PAM asks']);
    expect(await ask(accountAt(1), right)).toMatchObject({ kind: 'refused' });
    await use(ways['PAM behind the method password']);
    expect(await ask(accountAt(1), right)).toMatchObject({ kind: 'refused', told: expect.stringMatching(/expired/i) as string });
  } finally {
    await call('chage', ['-E', '-1', accountAt(1)]);
  }
});

test('a second factor is asked for, not answered', async () => {
  await use(['UsePAM yes', 'KbdInteractiveAuthentication yes', 'AuthenticationMethods password,keyboard-interactive']);
  expect(await ask(accountAt(0), right)).toMatchObject({ kind: 'asks-more' });
});

test('a server that takes keys only refuses', async () => {
  await use(['PasswordAuthentication no', 'KbdInteractiveAuthentication no']);
  expect(await ask(accountAt(0), right)).toEqual({ kind: 'refused', told: null });
});

test('to a server with another host key not one byte of it is sent', async () => {
  await use(ways['PAM asks']);
  const sent: Buffer[] = [];
  // Everything that the portal says goes through here; after the key exchange it is encrypted, so the number of packets tells.
  const between = net.createServer((socket) => {
    const server = net.connect(sshd.port, '127.0.0.1');
    socket.on('data', (chunk: Buffer) => sent.push(chunk));
    socket.pipe(server).pipe(socket);
    for (const end of [socket, server]) end.on('error', () => socket.destroy(server.destroy() as never));
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as net.AddressInfo;
  const wrong = `SHA256:${'A'.repeat(43)}`;
  const before = sshd.log().length;
  await expect(
    checkPassword({ target: { host: '127.0.0.1', port, hostKey: wrong }, account: accountAt(0), password: right, clock: systemClock }),
  ).rejects.toMatchObject({
    code: 'HOST_KEY_CHANGED',
  });
  expect(sshd.log().slice(before)).not.toMatch(/Failed|Accepted|userauth/i);
  const bytes = Buffer.concat(sent).toString('latin1');
  expect(bytes).toContain('SSH-2.0');
  expect(bytes).not.toContain('ssh-userauth');
  await new Promise((resolve) => between.close(resolve));
});

test('a server that is away is no wrong password', async () => {
  await sshd.halt();
  await expect(ask(accountAt(0), right)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  await sshd.resume();
});

test('the password is in no argv, no log of sshd and no error', async () => {
  await use(ways['PAM asks']);
  const word = await ask(accountAt(0), 'canary-of-a-password');
  const { stdout } = await call('ps', ['axww', '-o', 'args']);
  expect(stdout + sshd.log() + JSON.stringify(word)).not.toContain('canary-of-a-password');
});

test('an account that is there and one that is not take as long to be refused', async () => {
  await use(ways['PAM asks']);
  const timeOf = async (account: string): Promise<number> => {
    const beganMs = performance.now();
    await ask(account, 'wrong');
    return performance.now() - beganMs;
  };
  // In turns, and the quickest of each: what else the machine does only ever adds to it.
  let [known, unknown] = [Infinity, Infinity];
  for (let count = 0; count < 3; count += 1) {
    known = Math.min(known, await timeOf(accountAt(0)));
    unknown = Math.min(unknown, await timeOf('svc-nobody'));
  }
  console.info(`refused after ${Math.round(known)} ms (there), ${Math.round(unknown)} ms (not there)`);
  expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) * 0.5);
}, 120_000);

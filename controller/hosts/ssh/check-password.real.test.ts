/** Passwords before a real sshd: with PAM and without, keyboard-interactive and not, and what must never reach it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passwd, startSshd, type SshdBeside, type TestSshd } from '../../../test/support/sshd.ts';
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
type Way = keyof typeof ways;
const wayNames = Object.keys(ways) as readonly Way[];
/** An sshd for each way: PAM takes seconds over each refusal, and those go by at the same time. */
const at = {} as Record<Way, SshdBeside>;

/** Nothing happens to the first. The others are locked, or expire, each in one test. */
const [plain, locked, oldPassword, expired] = [0, 1, 2, 3] as const;

beforeAll(async () => {
  sshd = await startSshd({ accounts: 4, password: right });
  await Promise.all(wayNames.map(async (way) => void (at[way] = await sshd.beside(ways[way]))));
});
afterAll(() => sshd?.stop());

const accountAt = (index: number): string => sshd.accounts[index]?.name ?? '';
const ask = (of: { readonly port: number }, account: string, password: string): Promise<PasswordWord> =>
  checkPassword({
    target: { host: '127.0.0.1', port: of.port, hostKey: sshd.hostKey },
    account,
    password,
    clock: systemClock,
  });

describe.concurrent('a password', () => {
  test.for(wayNames)('%s: the right one is accepted, a wrong one and an unknown account are refused', async (way, { expect }) => {
    const asked = at[way];
    const before = asked.log().length;
    const words = await Promise.all([
      ask(asked, accountAt(plain), right),
      ask(asked, accountAt(plain), `${right}x`),
      ask(asked, accountAt(plain), right.slice(0, -1)),
      ask(asked, 'svc-nobody', right),
    ]);
    expect(words[0]).toEqual({ kind: 'accepted' });
    expect(words.slice(1)).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }, { kind: 'refused' }]);
    // A guess counts once for the server too, which logs it with a delay.
    const failed = (): readonly string[] => {
      const lines = asked.log().slice(before);
      return lines.match(/Failed (password|keyboard-interactive\/pam) for invalid user svc-nobody/g) ?? [];
    };
    await expect.poll(failed).not.toEqual([]);
    expect(failed()).toHaveLength(1);
  });

  test('nothing but the method decides: an empty answer, a locked account', async ({ expect }) => {
    const everywhere = (account: number, password: string): Promise<readonly PasswordWord[]> =>
      Promise.all(wayNames.map((way) => ask(at[way], accountAt(account), password)));
    const refused = wayNames.map(() => expect.objectContaining({ kind: 'refused' }) as unknown);
    await passwd('usermod', ['-L', accountAt(locked)]);
    expect(await Promise.all([everywhere(plain, ' '), everywhere(locked, right)])).toEqual([refused, refused]);
    await passwd('usermod', ['-U', accountAt(locked)]);
    expect(await everywhere(locked, right)).toEqual(wayNames.map(() => ({ kind: 'accepted' })));
  });

  test.for(['PAM asks', 'PAM behind the method password'] as const)(
    'that expired is told when it was right, and nothing when it was wrong: %s',
    async (way, { expect }) => {
      await passwd('chage', ['-d', '0', accountAt(oldPassword)]);
      const [known, wrong] = await Promise.all([
        ask(at[way], accountAt(oldPassword), right),
        ask(at[way], accountAt(oldPassword), 'wrong'),
      ]);
      expect(known).toMatchObject({ kind: 'expired', serverMessage: expect.stringMatching(/password/i) as string });
      expect(wrong).toEqual({ kind: 'refused', serverMessage: null });
    },
  );

  test('of an account that expired is refused, in the server’s words where sshd sends them as a banner', async ({ expect }) => {
    await passwd('chage', ['-E', '1', accountAt(expired)]);
    const [asks, behind] = await Promise.all(
      (['PAM asks', 'PAM behind the method password'] as const).map((way) => ask(at[way], accountAt(expired), right)),
    );
    expect(asks).toMatchObject({ kind: 'refused' });
    expect(behind).toMatchObject({ kind: 'refused', serverMessage: expect.stringMatching(/expired/i) as string });
  });

  test('is not all: a second factor is asked for, not answered', async ({ expect }) => {
    const factors = await sshd.beside([
      'UsePAM yes',
      'KbdInteractiveAuthentication yes',
      'AuthenticationMethods password,keyboard-interactive',
    ]);
    expect(await ask(factors, accountAt(plain), right)).toMatchObject({ kind: 'asks-more' });
  });

  test('is refused by a server that takes keys only', async ({ expect }) => {
    const keysOnly = await sshd.beside(['PasswordAuthentication no', 'KbdInteractiveAuthentication no']);
    expect(await ask(keysOnly, accountAt(plain), right)).toEqual({ kind: 'refused', serverMessage: null });
  });

  test('is not wrong because a server is away', async ({ expect }) => {
    const away = await sshd.beside([]);
    await away.halt();
    await expect(ask(away, accountAt(plain), right)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  test('is in no argv, no log of sshd and no error', async ({ expect }) => {
    const word = await ask(at['PAM asks'], accountAt(plain), 'canary-of-a-password');
    expect(word).toMatchObject({ kind: 'refused' });
    const { stdout } = await call('ps', ['axww', '-o', 'args']);
    expect(stdout + at['PAM asks'].log() + JSON.stringify(word)).not.toContain('canary-of-a-password');
  });
});

test('to a server with another host key not one byte of it is sent', async () => {
  const asked = await sshd.beside(ways['PAM asks']);
  const sent: Buffer[] = [];
  // Everything that the portal says goes through here; after the key exchange it is encrypted, so the number of packets tells.
  const between = net.createServer((socket) => {
    const server = net.connect(asked.port, '127.0.0.1');
    socket.on('data', (chunk: Buffer) => sent.push(chunk));
    socket.pipe(server).pipe(socket);
    const endBoth = (): void => void [socket, server].map((each) => each.destroy());
    for (const end of [socket, server]) for (const event of ['error', 'close']) end.on(event, endBoth);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as net.AddressInfo;
  const wrong = `SHA256:${'A'.repeat(43)}`;
  await expect(
    checkPassword({ target: { host: '127.0.0.1', port, hostKey: wrong }, account: accountAt(plain), password: right, clock: systemClock }),
  ).rejects.toMatchObject({
    code: 'HOST_KEY_CHANGED',
  });
  expect(asked.log()).not.toMatch(/Failed|Accepted|userauth/i);
  const bytes = Buffer.concat(sent).toString('latin1');
  expect(bytes).toContain('SSH-2.0');
  expect(bytes).not.toContain('ssh-userauth');
  await new Promise((resolve) => between.close(resolve));
});

test('an account that is there and one that is not take as long to be refused', async () => {
  const timeOf = async (account: string): Promise<number> => {
    const beganMs = performance.now();
    expect(await ask(at['PAM asks'], account, 'wrong')).toMatchObject({ kind: 'refused' });
    return performance.now() - beganMs;
  };
  // At the same time, and the quickest of each: what else the machine does only ever adds to it.
  let [known, unknown] = [Infinity, Infinity];
  for (let count = 0; count < 2; count += 1) {
    const [one, other] = await Promise.all([timeOf(accountAt(plain)), timeOf('svc-nobody')]);
    [known, unknown] = [Math.min(known, one), Math.min(unknown, other)];
  }
  console.info(`refused after ${Math.round(known)} ms (there), ${Math.round(unknown)} ms (not there)`);
  expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) * 0.5);
}, 120_000);

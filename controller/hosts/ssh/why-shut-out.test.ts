import { expect, test } from 'vitest';
import { SvcError } from '../../../schema/errors.ts';
import { matches, whyShutOut } from './why-shut-out.ts';

test.for([
  ['ana', 'ana', true],
  ['ana', 'anab', false],
  ['an?', 'ana', true],
  ['an?', 'an', false],
  ['*', '', true],
  ['a*a*', 'ana.souza', true],
  ['a*b', 'ana', false],
  ['svc-*@10.0.0.1', 'svc-ana', true],
  ['a.a', 'ana', false],
  // A regular expression of it would take for ever.
  [`${'*a'.repeat(40)}*b`, 'a'.repeat(200), false],
] as const)('the pattern %s of sshd_config and the name %s: %s', ([pattern, name, isMeant]) => {
  expect(matches(pattern, name)).toBe(isMeant);
});

/** Calls `whyShutOut` with a server's answers to the commands, by their first words. */
async function shutOut(
  error: SvcError,
  answers: Readonly<Record<string, string>>,
  closed: 'locked' | 'expired' | null = null,
  absent = /^$/,
) {
  const cause = await whyShutOut(error, {
    server: 'sirius',
    account: 'ana',
    closed: async () => closed,
    run: async ({ argv, onLine }) => {
      const said = Object.entries(answers).find(([words]) => argv.join(' ').startsWith(words) || argv.join(' ').endsWith(words))?.[1];
      if (said !== undefined) onLine?.(said);
      const none = absent.test(argv.join(' ')) ? 'No such file or directory' : '';
      return { code: said === undefined ? 1 : 0, signal: null, said: none };
    },
  });
  return cause as SvcError & { readonly details: { readonly fix?: { readonly en: string } } };
}

const own = { 'getent passwd': 'ana:x:1000:1000::/home/ana:/bin/bash', ' -- /home/ana': '1000,700,41c0' };

test.for([
  ["another account's folder", '0,41c0', 'chown -R ana /home/ana/.svc-apps'],
  ["another account's file", '0,81a4', undefined],
  ['a folder of its own', '1000,41c0', undefined],
] as const)('what is at the folder of apps is %s: the owner is the cause only of a folder', async ([, stat, fix]) => {
  const error = new SvcError('FILES_UNREADABLE', 'chmod: Operation not permitted');
  const cause = await shutOut(error, { ...own, ' -- /home/ana/.svc-apps': stat });
  expect([cause.code, cause.details.fix?.en]).toEqual(['FILES_UNREADABLE', fix]);
});

test.for([
  ['locked', 'usermod -U ana'],
  ['expired', 'chage -E -1 ana'],
] as const)('an account that is %s is opened by %s', async ([closed, line]) => {
  const cause = await shutOut(new SvcError('SSH_REFUSED', 'refused'), {}, closed);
  expect([cause.code, cause.details.fix?.en]).toEqual(['ACCOUNT_CLOSED', line]);
});

test('while /etc/nologin is there, it is the cause and not the key', async () => {
  const error = new SvcError('SERVER_UNREACHABLE', 'the server closed the connection');
  const cause = await shutOut(error, { ...own, 'test -e /etc/nologin': '' });
  expect([cause.code, cause.details.fix?.en]).toEqual(['SSH_REFUSED', 'rm /etc/nologin']);
  expect(await shutOut(error, own)).toBe(error);
});

test('an account for which sshd opens no session is told with the limits that may be the cause', async () => {
  const cause = await shutOut(new SvcError('SSH_SATURATED', 'sirius opens no session for ana'), own);
  expect([cause.code, cause.details.fix?.en]).toEqual(['SUPERVISOR_FAILED', expect.stringMatching(/ps -u ana.*nproc.*MaxSessions/)]);
});

test.for([
  ['a link that leads nowhere', { 'readlink -m -- /home/ana': '/srv/nada/ana' }, '/srv/nada/ana'],
  ['not there', {}, '/home/ana'],
] as const)('a home that is %s is made where it leads', async ([, answers, place]) => {
  const cause = await shutOut(
    new SvcError('SUPERVISOR_FAILED', 'Could not chdir'),
    { 'getent passwd': own['getent passwd'], ...answers },
    null,
    /stat -L -- \/home/,
  );
  expect([cause.code, cause.details.fix?.en]).toEqual(['HOME_MISSING', expect.stringMatching(new RegExp(`^install -d .* ${place};`))]);
});

test('a home that is a file is moved away, and one is made', async () => {
  const cause = await shutOut(new SvcError('SUPERVISOR_FAILED', 'Could not chdir'), { ...own, ' -- /home/ana': '1000,700,81c0' });
  expect([cause.code, cause.details.fix?.en]).toEqual([
    'HOME_MISSING',
    'mv /home/ana /home/ana.before; install -d -m 700 -o ana -g $(id -g ana) /home/ana',
  ]);
});

test.for([
  ['does not read', 'authorizedkeysfile .ssh/authorized_keys', 'svc server add sirius'],
  ['reads', 'authorizedkeysfile .ssh/authorized_keys /etc/svc-kit/authorized_keys/%u', undefined],
] as const)('an sshd that %s the folder where the key is', async ([, setting, fix]) => {
  const answers = { ...own, 'sshd -T -C user=ana,host=portal,addr=127.0.0.1': setting, 'test -e /etc/svc-kit/authorized_keys/ana': '' };
  expect((await shutOut(new SvcError('SSH_REFUSED', 'refused'), answers)).details.fix?.en).toBe(fix);
});

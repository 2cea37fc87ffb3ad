/** Which server is asked about a login: the ports here are closed, so the refusal names it. */
import { expect, test } from 'vitest';
import { systemClock } from '../clock/system.ts';
import type { Context } from '../context.ts';
import { createSignInView } from './sign-in.ts';

const values = new Map<string, string>();
const store = {
  value: async (name: string) => values.get(name) ?? null,
  keepValue: async (name: string, value: string) => (values.set(name, values.get(name) ?? value), values.get(name) ?? value),
};
const serverAt = (port: number) => {
  const ssh = { host: '127.0.0.1', port, hostKey: `SHA256:${'A'.repeat(43)}` };
  return { name: `s${port}`, leaving: false, placed: { document: { spec: { ssh } } } };
};

/** A portal that just started, with servers at these ports, and `ana` on the first one named. */
function started(home: number, ...others: readonly number[]): (login: string) => Promise<number> {
  const servers = new Map(
    [home, ...others].toSorted((a, b) => others.indexOf(a) - others.indexOf(b)).map((port) => [`s${port}`, serverAt(port)]),
  );
  const ana = {
    name: 'ana',
    account: 'ana',
    leaving: false,
    server: servers.get(`s${home}`),
    placed: { document: { spec: { login: 'ana' } } },
  };
  const entries = { servers, people: new Map([['ana', ana]]), portal: null };
  const view = createSignInView({ entries, options: { store, clock: systemClock } } as unknown as Context, '/nowhere');
  return async (login) => {
    const refused: unknown = await view.checkPassword(login, 'x').catch((error: unknown) => error);
    return Number(/127\.0\.0\.1:(\d+)/.exec(String(refused))?.[1]);
  };
}

const logins = Array.from({ length: 24 }, (_, index) => `nobody${index}`);
const asked = async (ask: (login: string) => Promise<number>): Promise<readonly number[]> => {
  const ports: number[] = [];
  for (const login of logins) ports.push(await ask(login));
  return ports;
};

test('nobody has a server as somebody has: the same when the portal starts again, and in whatever order documents come', async () => {
  const before = await asked(started(1, 2, 3));
  expect(new Set(before)).toEqual(new Set([1, 2, 3]));
  expect(await asked(started(1, 3, 2))).toEqual(before);
  expect(await started(1, 2, 3)('ana')).toBe(1);
});

test('a server that comes or goes moves only the logins that it has', async () => {
  const [three, two] = [await asked(started(1, 2, 3)), await asked(started(1, 2))];
  const moved = three.filter((port, index) => two[index] !== port);
  expect(new Set(moved)).toEqual(new Set([3]));
});

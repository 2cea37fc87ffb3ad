/** What the administrator is told of a server: what would be done, and what could not be. */
import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';
import type { Context } from '../loop/context.ts';
import type { ServerAdmin } from '../servers/admin.ts';
import { readFacts } from '../servers/facts.ts';
import { newKitState } from '../servers/kit-state.ts';
import type { ServerEntry } from '../entries.ts';
import { serverGateway } from './server-gateway.ts';

const bench = (systemd: string, admin: Partial<ServerAdmin> = {}) => {
  const wishes: string[] = [];
  const facts = readFacts([
    'arch x86_64',
    'uid 0',
    `systemd ${systemd}`,
    'kit 1.0.0-aaaaaaaa',
    'kit_runs yes',
    'account ana found linger=no manager=no key=yes',
  ]);
  const kit = newKitState({ facts: async () => facts, publicKey: async () => null, hurry: () => undefined, ...admin } as ServerAdmin);
  const server = {
    key: 'Server/sirius',
    name: 'sirius',
    kit,
    placed: { generation: 1 },
    reachability: { status: 'reachable', message: '' },
  };
  const ana = { account: 'ana', server, leaving: false, backends: new Map() };
  const context = {
    options: {
      clock: { nowMs: () => 1_000, monotonicMs: () => 1_000 },
      log: { warn: () => undefined },
      store: { value: async () => null, putValue: async (_name: string, wish: string) => void wishes.push(wish) },
      serverKit: async () => ({ id: '1.0.0-aaaaaaaa', file: '', sha256: '', bytes: 1 }),
    },
    queue: { add: () => undefined },
    entries: { portal: null, people: new Map([['ana', ana]]), servers: new Map([['sirius', server as unknown as ServerEntry]]) },
  };
  return { gateway: serverGateway(context as unknown as Context), kit, wishes };
};
const sirius = (systemd: string, admin?: Partial<ServerAdmin>) => bench(systemd, admin).gateway;

async function told(events: AsyncIterable<ServerActEvent>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { event, text } of events) lines.push(`${event}: ${text}`);
  return lines;
}

test.for([
  ['252', 'plan: make ana ready: key of the portal, lingering, service manager'],
  [
    '-',
    'plan: make ana ready: key of the portal; no lingering and no service manager, since systemd does not run there: no ceilings, no lasting sessions, no server-scope apps',
  ],
] as const)('a plan with systemd %s promises what can be had', async ([systemd, line]) => {
  expect(await told(sirius(systemd).serverAct('sirius', 'plan', false))).toEqual([line, 'done: 1 change(s)']);
});

test('a removal tells at its end what it could not do', async () => {
  const remove = async (): Promise<readonly string[]> => ['sshd could not be told'];
  expect(await told(sirius('-', { remove }).serverAct('sirius', 'remove', true))).toEqual([
    'done: nothing of svc runs on sirius; packages and data stay; sshd could not be told',
  ]);
});

test('what is asked for is written down, done as it was decided, and then nothing pends', async () => {
  const done: string[] = [];
  const remove = async (force: boolean): Promise<readonly string[]> => {
    done.push(`remove ${force}`);
    return [];
  };
  const rollBack = async (): Promise<string> => {
    done.push('roll back');
    return '0.9.0-bbbbbbbb';
  };
  const { gateway, kit, wishes } = bench('252', { remove, rollBack });
  expect(await told(gateway.serverAct('sirius', 'rollback', false))).toEqual([
    'step: switch',
    'done: sirius is back at the server kit 0.9.0-bbbbbbbb; 1.0.0-aaaaaaaa is not put there again before svc server add',
  ]);
  expect(kit.off).toBeNull();
  await told(gateway.serverAct('sirius', 'remove', true));
  expect(done).toEqual(['roll back', 'remove true']);
  expect(wishes.map((wish) => JSON.parse(wish) as unknown)).toEqual([
    { removed: false, held: '1.0.0-aaaaaaaa', pending: 'rollback' },
    { removed: false, held: '1.0.0-aaaaaaaa', pending: null },
    { removed: true, held: null, pending: 'remove-forced' },
    { removed: true, held: null, pending: null },
  ]);
  expect(kit.off).toMatchObject({ status: 'unreachable', message: expect.stringMatching(/^the server kit was taken off/) });
});

test('what could not be done is not wanted any longer', async () => {
  const remove = (): Promise<never> => Promise.reject(new SvcError('KIT_IN_USE', 'still running'));
  const { gateway, kit } = bench('252', { remove });
  expect(await told(gateway.serverAct('sirius', 'remove', false))).toEqual(['error: still running']);
  expect([kit.wish, kit.off]).toEqual([{ removed: false, held: null, pending: null }, null]);
});

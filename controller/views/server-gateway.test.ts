/** Tests the administrator's view of a server: the planned acts, and those that could not be done. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import type { Context } from '../context.ts';
import { createController } from '../loop/loop.ts';
import type { ServerAdmin } from '../hosts/server/admin.ts';
import { readFacts } from '../hosts/server/facts.ts';
import { carryOut } from '../servers/kit-acts.ts';
import { observeKit } from '../servers/kit-work.ts';
import { newKitState } from '../hosts/server/kit-state.ts';
import type { ServerEntry } from '../entries.ts';
import { planFolder } from './plan.ts';
import { serverGateway } from './server-gateway.ts';
import { moving } from '../../schema/testing/moving.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

const factsOf = (systemd: string, kit = '1.0.0-aaaaaaaa') =>
  readFacts(['arch x86_64', 'uid 0', `systemd ${systemd}`, `kit ${kit}`, 'kit_runs yes', 'account ana found linger=no manager=no key=yes']);

const bench = (systemd: string, admin: Partial<ServerAdmin> = {}) => {
  const wishes: string[] = [];
  const facts = factsOf(systemd);
  const kit = newKitState({
    facts: async () => facts,
    tryKit: async () => [],
    unforwarded: async () => [],
    publicKey: async () => null,
    hurry: () => undefined,
    ...admin,
  } as ServerAdmin);
  const server = {
    key: 'Server/sirius',
    name: 'sirius',
    kit,
    placed: { generation: 1 },
    reachability: { status: 'reachable', message: '' },
    host: { door: async () => null },
  };
  const ana = {
    packages: new Map(),
    account: 'ana',
    server,
    leaving: false,
    backends: new Map(),
  };
  const context = {
    options: {
      clock: { nowMs: moving(() => 1_000), monotonicMs: moving(() => 1_000) },
      log: { warn: () => undefined },
      store: { value: async () => null, putValue: async (_name: string, wish: string) => void wishes.push(wish) },
      serverKit: async () => ({ id: '1.0.0-aaaaaaaa', file: '', sha256: '', bytes: 1 }),
    },
    queue: { add: () => undefined },
    entries: { portal: null, people: new Map([['ana', ana]]), servers: new Map([['sirius', server as unknown as ServerEntry]]) },
  };
  return {
    gateway: serverGateway(context as unknown as Context),
    context: context as unknown as Context,
    server: server as unknown as ServerEntry,
    kit,
    wishes,
  };
};
const sirius = (systemd: string, admin?: Partial<ServerAdmin>) => bench(systemd, admin).gateway;

async function told(events: AsyncIterable<ServerActEvent>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const { event, text } of events) lines.push(`${event}: ${text}`);
  expect(lines.shift()).toBe('step: look');
  return lines;
}

test('says at once that it waits for what is being done there, however long that takes', async () => {
  const { gateway, kit } = bench('252');
  kit.work = new Promise(() => undefined);
  kit.busy = { act: 'accounts', message: 'its accounts are made ready' };
  const { value } = await gateway.serverAct('sirius', 'remove', false)[Symbol.asyncIterator]().next();
  expect(value).toEqual({ event: 'step', text: 'wait: its accounts are made ready' });
});

test('of a server with a kit of its own is not called this machine', async () => {
  const { gateway, server } = bench('252');
  const other = { ssh: { host: 'vega.lan', hostKey: 'SHA256:x', kit: '/srv/kit' } };
  Object.assign(server, { kit: null, placed: { generation: 1, document: { metadata: { name: 'sirius' }, spec: other } } });
  await expect(gateway.serverChecks('sirius')).rejects.toThrow('names a kit or a prefix of its own');
  Object.assign(server, { placed: { generation: 1, document: { metadata: { name: 'sirius' }, spec: { local: {} } } } });
  await expect(gateway.serverChecks('sirius')).rejects.toThrow('is this machine');
});

test('puts the tarball of this portal aside from what the server said: what is wrong with it is said as that', async () => {
  const made = bench('252');
  const broken = new SvcError('KIT_INCOMPLETE', 'the server kit for x86_64 is not in this installation of svc');
  Object.assign(made.context.options, { serverKit: () => Promise.reject(broken) });
  expect(await told(made.gateway.serverAct('sirius', 'add', false))).toEqual([
    expect.stringMatching(/^error: .*is not in this installation of svc$/) as string,
  ]);
  // The server was seen: its rows are those of a server that answers.
  const rows = await made.gateway.serverChecks('sirius');
  expect(rows.filter(({ name }) => name === 'ssh' || name === 'kit').map(({ ok, detail }) => [ok, detail.en])).toEqual([
    [true, expect.stringContaining('answers') as string],
    [false, expect.stringContaining('is not in this installation of svc') as string],
  ]);
});

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

test.for([
  ['a server that does not answer at first', 'no answer', [], ['error: no answer'], []],
  [
    'a kit whose commands do not run',
    '',
    ['svc-app-run'],
    ['step: switch', expect.stringContaining('1.0.0-aaaaaaaa is not put there again')],
    ['1.0.0-aaaaaaaa'],
  ],
] as const)('a rollback holds what it leaves: %s', async ([, failure, lacks, lines, held]) => {
  let looks = 0;
  const { gateway, wishes } = bench('252', {
    facts: async () => {
      looks += 1;
      if (looks === 1 && failure !== '') throw new SvcError('SERVER_UNREACHABLE', failure);
      return readFacts(['arch x86_64', 'uid 0', 'systemd 252', 'kit 1.0.0-aaaaaaaa', 'kit_at 1.0.0-aaaaaaaa', 'kit_runs yes']);
    },
    tryKit: async () => lacks,
    rollBack: async () => '0.9.0-bbbbbbbb',
  });
  expect(await told(gateway.serverAct('sirius', 'rollback', false))).toEqual(lines);
  expect([...new Set(wishes.map((wish) => (JSON.parse(wish) as { held: string }).held))]).toEqual(held);
});

test('the installation of a kit starts its commands: they are not started once more after it, nor when accounts were made ready', async () => {
  let [trials, installs] = [0, 0];
  const { context, server } = bench('252', {
    facts: async () => readFacts(['arch x86_64', 'uid 0', 'systemd 252', 'kit 1.0.0-aaaaaaaa', 'kit_at 1.0.0-aaaaaaaa', 'kit_runs yes']),
    tryKit: async () => {
      trials += 1;
      return [];
    },
    install: async (_kit, onStep) => {
      installs += 1;
      onStep('try');
    },
    prepareAccounts: async () => [],
  });
  await observeKit(context, server);
  expect(trials).toBe(1);
  for (const action of [
    { kind: 'server/kit', server: 'sirius', id: '1.0.0-aaaaaaaa' },
    { kind: 'server/accounts', server: 'sirius' },
  ] as const) {
    await carryOut(context, server, action);
    await observeKit(context, server);
    expect([action.kind, server.kit?.observed.status, trials]).toEqual([action.kind, 'seen', 1]);
  }
  // Asked for twice at once, it is installed once.
  installs = 0;
  const kitAct = { kind: 'server/kit', server: 'sirius', id: '1.0.0-aaaaaaaa' } as const;
  await Promise.all([carryOut(context, server, kitAct), carryOut(context, server, kitAct)]);
  expect(installs).toBe(1);
  // An administrator who asks has them started.
  await observeKit(context, server, true);
  expect(trials).toBe(2);
});

test('what the last look said of new connections keeps no order from being carried out: the order itself finds out', async () => {
  const made = bench('-', { rollBack: async () => '0.9.0-bbbbbbbb', remove: async () => ['it was taken off'] });
  made.server.door = { reason: null, message: 'no ssh connection to sirius: ECONNREFUSED', fix: null };
  expect(await told(made.gateway.serverAct('sirius', 'rollback', false))).toEqual([
    'step: switch',
    'done: sirius is back at the server kit 0.9.0-bbbbbbbb; 1.0.0-aaaaaaaa is not put there again before svc server add',
  ]);
  expect(made.kit.wish).toEqual({ removed: false, held: '1.0.0-aaaaaaaa', pending: null });
  expect((await told(made.gateway.serverAct('sirius', 'remove', true))).at(-1)).toContain('it was taken off');
});

test('a rollback that the loop was faster with names the kit that came back all the same', async () => {
  let there = '1.0.0-aaaaaaaa';
  let isBegun = false;
  const rollBack = async (): Promise<string> => {
    await new Promise((resolve) => setImmediate(resolve));
    there = '0.9.0-bbbbbbbb';
    return there;
  };
  const facts: ServerAdmin['facts'] = async () => {
    if (made.kit.wish?.pending === 'rollback' && !isBegun) {
      isBegun = true;
      void carryOut(made.context, made.server, { kind: 'server/roll-back', server: 'sirius' });
    }
    return factsOf('252', there);
  };
  const made = bench('252', { facts, rollBack });
  expect(await told(made.gateway.serverAct('sirius', 'rollback', false))).toEqual([
    'done: sirius is back at the server kit 0.9.0-bbbbbbbb; 1.0.0-aaaaaaaa is not put there again before svc server add',
  ]);
  expect(isBegun).toBe(true);
});

test('a plan writes nothing into what the portal knows of a server, and ends none of its connections', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-sg-'));
  const write = (folder: string, people: readonly string[]): string => {
    const all = [
      { kind: 'Server', metadata: { name: 'sirius' }, spec: { ssh: { host: '127.0.0.1', hostKey: `SHA256:${'A'.repeat(43)}` } } },
      ...people.map((name) => ({ kind: 'Person', metadata: { name }, spec: { nome: name, login: name, server: 'sirius' } })),
    ];
    const at = path.join(dir, folder);
    mkdirSync(at);
    writeFileSync(path.join(at, 'all.yaml'), all.map((one) => JSON.stringify({ apiVersion: 'svc/v1', ...one })).join('\n---\n'));
    return at;
  };
  const asked: (readonly string[])[] = [];
  let closed = 0;
  const admin = {
    facts: async (accounts) => {
      asked.push(accounts);
      return factsOf('252');
    },
    tryKit: async () => [],
    publicKey: async () => null,
    hurry: () => undefined,
    close: () => void (closed += 1),
  } as Partial<ServerAdmin> as ServerAdmin;
  const store = await openSqliteStore(':memory:');
  const controller = await createController({
    shellVersion: '1.0.0',
    dir: write('d', ['ana']),
    store,
    bus: createBus(),
    clock: createSimulatedClock(1_000),
    log: silentLog,
    createHost: () => memoryHost([]),
    createAdmin: () => admin,
  });
  try {
    await controller.prepare();
    const plan = await planFolder(controller.context, write('other', ['ana', 'bia']), false);
    expect([plan.ok, asked]).toEqual([true, [['ana', 'bia']]]);
    expect(controller.context.entries.servers.get('sirius')?.kit).toEqual(newKitState(admin));
    expect(closed).toBe(0);
  } finally {
    await controller.stop();
    await store.close();
    rmSync(dir, { recursive: true });
  }
});

test('what could not be done is not wanted any longer', async () => {
  const remove = (): Promise<never> => Promise.reject(new SvcError('KIT_IN_USE', 'still running'));
  const { gateway, kit } = bench('252', { remove });
  expect(await told(gateway.serverAct('sirius', 'remove', false))).toEqual(['error: still running']);
  expect([kit.wish, kit.off]).toEqual([{ removed: false, held: null, pending: null }, null]);
});

/** A new kit over a whole loop, with servers in memory: who gets it, what the others say, and that another portal on the same store goes on with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { silentLog } from '../loop/testing/silent-log.ts';
import { siteFigures } from '../site-figures.ts';
import { planFolder } from '../views/plan.ts';
import type { ServerAdmin } from '../hosts/server/admin.ts';
import { readFacts } from '../hosts/server/facts.ts';

const before = '0.2.5-aaaaaaaa';
const wanted = '0.2.5-bbbbbbbb';
const names = ['polar', 'sirius', 'vega'];

let dir: string;
let store: Store;
let kits: Map<string, string>;
/** Where the kit can't be put. */
let full: Set<string>;
let clock: ReturnType<typeof createSimulatedClock>;

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-ro-'));
  const spec = { ssh: { host: '127.0.0.1', hostKey: `SHA256:${'A'.repeat(43)}` } };
  const documents = names.map((name) => JSON.stringify({ apiVersion: 'svc/v1', kind: 'Server', metadata: { name }, spec }));
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
  store = await openSqliteStore(':memory:');
  kits = new Map(names.map((name) => [name, before]));
  full = new Set(['polar']);
  clock = createSimulatedClock(1_000_000);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

const adminOf = (name: string): ServerAdmin =>
  ({
    facts: async () =>
      readFacts([
        'arch x86_64',
        'uid 0',
        'systemd -',
        'kit_runs yes',
        'origins subdomain',
        'opt_free_kb 2048',
        `kit ${kits.get(name)}`,
        `clock_s ${Math.floor(clock.nowMs() / 1_000)}`,
      ]),
    tryKit: async () => [],
    install: async ({ id }) => {
      if (full.has(name)) throw new SvcError('DISK_FULL', `no room for the kit below /opt on ${name}`);
      kits.set(name, id);
    },
    prepareAccounts: async () => [],
    publicKey: async () => null,
    hurry: () => undefined,
    close: () => undefined,
  }) as Partial<ServerAdmin> as ServerAdmin;

async function withPortal(use: (controller: Controller) => Promise<void>): Promise<void> {
  const controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock,
    log: silentLog,
    createHost: () => memoryHost([]),
    createAdmin: ({ metadata }) => adminOf(metadata.name),
    serverKit: async () => ({ id: wanted, file: '', sha256: '', bytes: 1 }),
  });
  try {
    await controller.prepare();
    await controller.start();
    await use(controller);
  } finally {
    await controller.stop();
  }
}

/** Runs observations for so many seconds. */
async function looks(controller: Controller, seconds: number): Promise<void> {
  for (let s = 0; s < seconds; s += 5) {
    await controller.resync();
    await controller.context.queue.idle();
    for (const { kit } of controller.context.entries.servers.values()) await kit?.work?.catch(() => undefined);
    await controller.context.queue.idle();
    clock.advance(5_000);
  }
}

const reasons = ({ context: { recorder } }: Controller): readonly (string | undefined)[] =>
  names.map((name) => recorder.last(`Server/${name}`)?.reason);
const kitsNow = (): readonly (string | undefined)[] => names.map((name) => kits.get(name));

test('a failure on the first server keeps the kit from the others, over a restart, until it is mended; then they follow', async () => {
  await withPortal(async (controller) => {
    await looks(controller, 5);
    expect([kitsNow(), reasons(controller)]).toEqual([
      [before, before, before],
      ['DiskFull', 'KitStopped', 'KitStopped'],
    ]);
    expect(controller.context.recorder.last('Server/vega')).toMatchObject({
      state: 'outdated',
      message: expect.stringContaining(
        `the portal's is ${wanted}: it failed on polar: no room for the kit below /opt on polar; mend it there`,
      ),
    });
    const { blocked, changes } = await planFolder(controller.context, null, false);
    expect(blocked.map(({ key, reason }) => `${key} ${reason}`)).toEqual(['Server/sirius KitStopped', 'Server/vega KitStopped']);
    expect(changes.map(({ key, action }) => `${key} ${action}`)).toEqual(['Server/polar server/kit']);
    const { servers } = siteFigures(controller.context);
    expect(servers.map(({ name, stopsKit, hasKit, optFreeBytes }) => [name, stopsKit, hasKit, optFreeBytes])).toEqual(
      names.map((name) => [name, name === 'polar', false, 2_097_152]),
    );
  });
  await withPortal(async (controller) => {
    await looks(controller, 5);
    expect(controller.context.recorder.last('Server/vega')?.message).toContain('it failed on polar: no room for the kit');
    await looks(controller, 60);
    expect([kitsNow(), reasons(controller)]).toEqual([
      [before, before, before],
      ['DiskFull', 'KitStopped', 'KitStopped'],
    ]);
    full.clear();
    for (let tries = 0; kits.get('polar') !== wanted && tries < 100; tries += 1) await looks(controller, 5);
    expect(kitsNow()).toEqual([wanted, before, before]);
    expect(reasons(controller).slice(1)).toEqual(['KitWaits', 'KitWaits']);
    const { changes, blocked } = await planFolder(controller.context, null, false);
    expect([changes.map(({ key, action }) => `${key} ${action}`), blocked]).toEqual([
      ['Server/sirius server/kit', 'Server/vega server/kit'],
      [],
    ]);
    await looks(controller, 60);
    expect(kitsNow()).toEqual([wanted, wanted, wanted]);
  });
});

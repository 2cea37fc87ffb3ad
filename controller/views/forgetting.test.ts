/** A server whose machine never comes back: its documents are removed, and it is given up by word of an administrator (decision 0332). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { memoryHost, packagesInMemory } from '../hosts/testing/memory-host.ts';
import { rereadFolder } from '../apply.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { doc } from './testing/removal.ts';
import { createGateway } from './gateway.ts';
import { serverGateway } from './server-gateway.ts';
import { silentLog } from '../loop/testing/silent-log.ts';

const ssh = { ssh: { host: 'longe.example', hostKey: `SHA256:${'A'.repeat(43)}` } };
const stays = [
  doc('Portal', 'casa', {}),
  doc('Server', 'perto', ssh),
  doc('Person', 'bia', { nome: 'Bia', login: 'bia', server: 'perto' }),
];
const there = [
  doc('Server', 'longe', ssh),
  doc('Person', 'ana', { nome: 'Ana', login: 'ana', server: 'longe' }),
  doc('Package', 'app0-longe', { app: 'app0', versao: '1.0.0', server: 'longe' }),
];

async function openWorld() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-forget-'));
  const put = (documents: readonly string[]): void => writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
  put([...stays, ...there]);
  const clock = createSimulatedClock(1_700_000_000_000);
  const store = await openSqliteStore(':memory:');
  let isDead = false;
  let asked = 0;
  const installed = async () => {
    asked += 1;
    if (isDead) throw new SvcError('SERVER_UNREACHABLE', 'no route to host');
    return packagesInMemory(1);
  };
  const start = async (): Promise<Controller> => {
    const controller = await createController({
      shellVersion: '1.0.0',
      dir,
      store,
      bus: createBus(),
      clock,
      log: silentLog,
      createHost: ({ metadata }) => (metadata.name === 'longe' ? { ...memoryHost([]), installed } : memoryHost([])),
    });
    await controller.prepare();
    await controller.start();
    return controller;
  };
  let controller = await start();
  onTestFinished(async () => {
    await controller.stop();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let step = 0; step < seconds * 4; step += 1) {
      clock.advance(250);
      for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
    }
  };
  return {
    write: async (documents: readonly string[]) => {
      put(documents);
      await rereadFolder(controller.context, true);
    },
    pass,
    die: () => void (isDead = true),
    live: () => void (isDead = false),
    asked: () => asked,
    restart: async () => {
      await controller.stop();
      controller = await start();
    },
    /** Lines of the act, while time goes on. */
    forget: async (force: boolean): Promise<readonly string[]> => {
      const lines: string[] = [];
      const over = new AbortController();
      const read = (async () => {
        for await (const { event, text } of serverGateway(controller.context).serverAct('longe', 'forget', force))
          lines.push(`${event}: ${text}`);
      })().finally(() => over.abort());
      read.catch(() => undefined);
      for (let n = 0; n < 240 && !over.signal.aborted; n += 1) await pass(0.25);
      await read;
      return lines;
    },
    keys: () => {
      const { servers, people, packages } = controller.context.entries;
      return [servers, people, packages].flatMap((of) => [...of.values()].map(({ key }) => key)).sort();
    },
    why: (key: string) => createGateway(controller.context).admin.why(key),
  };
}

const kept = ['Person/bia', 'Server/perto'];

test('is refused while a document wants it or the machine answers, says first what it forgets, and waits for nothing there', async () => {
  const world = await openWorld();
  await world.pass(15);
  await expect(world.forget(true)).rejects.toThrow(
    /^Server\/longe is wanted \(.*all\.yaml:\d+\).*: Person\/ana, Package\/app0-longe; svc apply/,
  );
  await world.write(stays);
  expect((await world.forget(true)).at(-1)).toMatch(/^error: longe answers/);
  world.die();
  await world.pass(120);
  const lefts = ['Package/app0-longe', 'Person/ana', 'Server/longe'];
  const all = [...lefts, ...kept].sort();
  expect(world.keys()).toEqual(all);
  for (const key of ['Person/ana', 'Server/longe'])
    expect((await world.why(key))?.fix).toMatch(/^if its machine never comes back: svc server forget longe;/);
  await world.restart();
  await world.pass(15);
  expect(await world.forget(false)).toEqual([
    'step: look',
    'plan: person/forget Person/ana: what ran there is not ended',
    'plan: object/forget Package/app0-longe: its files stay there',
    'plan: object/forget Server/longe: nothing on it is ended or removed',
    'done: 3 change(s); nothing was done: svc server forget longe --yes',
  ]);
  await world.pass(30);
  expect(world.keys()).toEqual(all);
  expect((await world.forget(true)).at(-1)).toBe('done: longe is forgotten; nothing on it was ended or removed');
  expect(world.keys()).toEqual(kept);
  // Its documents come back: it is a server as any other.
  world.live();
  await world.write([...stays, ...there]);
  await world.pass(15);
  expect(world.keys()).toEqual(all);
});

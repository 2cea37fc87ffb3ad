/** A folder that loses documents, for tests: what a plan says of it, and what a whole loop then does on servers in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { Action } from '../../../reconcilers/actions.ts';
import type { PlanAnswer } from '../../../schema/gateway.ts';
import { keys } from '../../../schema/keys.ts';
import { createBus } from '../../../store/bus.ts';
import { openSqliteStore } from '../../../store/sqlite.ts';
import type { Store, StoredEvent } from '../../../store/store.ts';
import { systemClock } from '../../clock/system.ts';
import type { MemorySupervisors } from '../../hosts/testing/memory-supervisors.ts';
import { rereadFolder } from '../../apply.ts';
import { createController, type Controller } from '../../loop/loop.ts';
import { targetKey } from '../../package-entries.ts';
import { changeOf } from '../plan-changes.ts';
import { planFolder } from '../plan.ts';
import { silentLog } from '../../loop/testing/silent-log.ts';

export const doc = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec });

export type Change = PlanAnswer['changes'][number];

export interface Removal {
  /** In their order; without what the documents say of themselves. */
  readonly planned: readonly Change[];
  readonly done: readonly Change[];
  readonly events: readonly StoredEvent[];
}

export async function playRemoval(
  before: readonly string[],
  after: readonly string[],
  servers: ReadonlyMap<string, MemorySupervisors>,
): Promise<Removal> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-plan-'));
  const next = mkdtempSync(path.join(os.tmpdir(), 'svc-plan-'));
  writeFileSync(path.join(dir, 'all.yaml'), before.join('\n---\n'));
  writeFileSync(path.join(next, 'all.yaml'), after.join('\n---\n'));
  const store = await openSqliteStore(':memory:');
  const hostOf = (name: string) => {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`no server ${name} in memory`);
    return server.host;
  };
  const controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock: systemClock,
    log: silentLog,
    createHost: ({ metadata }) => hostOf(metadata.name),
  });
  const { context } = controller;
  const done: Change[] = [];
  for (const [kind, act] of Object.entries(context.executors) as [Action['kind'], (action: never) => Promise<void>][])
    Object.assign(context.executors, {
      [kind]: async (action: Action) => {
        if (kind !== 'backend/probe') done.push(told(controller, action));
        await act(action as never);
      },
    });
  try {
    await controller.prepare();
    await controller.start();
    await expect.poll(() => unseen(controller, servers), { timeout: 20_000, interval: 1 }).toEqual([]);
    await atRest(controller, store);
    const planned = await planFolder(context, next, true);
    expect(planned.errors).toEqual([]);
    const known = (await store.events({ limit: 10_000 })).length;
    done.length = 0;
    writeFileSync(path.join(dir, 'all.yaml'), after.join('\n---\n'));
    await rereadFolder(context, true);
    await expect
      .poll(async () => (await atRest(controller, store), [...context.source.current().leaving.keys()]), { timeout: 20_000, interval: 5 })
      .toEqual([]);
    await atRest(controller, store);
    const events = (await store.events({ limit: 10_000 })).slice(known);
    return { planned: planned.changes.filter(({ action }) => !action.startsWith('document/')), done, events };
  } finally {
    await controller.stop();
    await store.close();
    rmSync(dir, { recursive: true });
    rmSync(next, { recursive: true });
  }
}

/** Apps that live under a supervisor while the loop does not show them yet. */
function unseen({ context: { entries } }: Controller, servers: ReadonlyMap<string, MemorySupervisors>): readonly string[] {
  return [...servers.values()]
    .flatMap(({ up, living }) =>
      [...up].flatMap((person) => [...(living.get(person)?.keys() ?? [])].map((app) => keys.backend(person, app))),
    )
    .filter((key) => entries.backends.get(key)?.decision?.state !== 'running');
}

/**
 * Nothing is being started or done, and a resync finds nothing to do or to report. A server's report about itself arrives a moment after
 * its link is up, so twice in a row.
 */
async function atRest(controller: Controller, store: Store): Promise<void> {
  const { queue, entries, recorder } = controller.context;
  const isStarting = () => [...entries.people.values()].some(({ link }) => link.view().status === 'starting');
  let told = -1;
  for (let quiet = 0; quiet < 2;) {
    await controller.resync();
    await queue.idle();
    await expect.poll(() => isStarting() || entries.tasks.size > 0, { interval: 1 }).toBe(false);
    await queue.idle();
    await recorder.written();
    const { length } = await store.events({ limit: 10_000 });
    quiet = length === told ? quiet + 1 : 0;
    told = length;
  }
}

/** As a plan tells it: a change of a package by the object that wants it. */
function told({ context: { entries } }: Controller, action: Action): Change {
  const change = changeOf(action);
  const entry = action.kind.startsWith('package/') && 'scope' in action ? entries.byTarget.get(targetKey(action)) : undefined;
  return entry === undefined ? change : { ...change, key: entry.key };
}

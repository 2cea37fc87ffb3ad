/** Tests the audit record of the loop's acts and of the folder in force, by a real controller over a host in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Action } from '../../reconcilers/actions.ts';
import type { AuditEntry } from '../../schema/audit.ts';
import { SvcError } from '../../schema/errors.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { rereadFolder } from '../apply.ts';
import { createController } from '../loop/loop.ts';
import { doc } from '../views/testing/removal.ts';
import { actionRows, auditedExecutors } from './audited.ts';
import { ownActs } from '../kinds/all.ts';
import { columnOf, type Executors } from './guarded.ts';
import { reportOutcome, takeReport, type Report } from './outcome.ts';

const refused = new SvcError('SERVER_UNREACHABLE', 'nobody listens; token hunter2');

type Act = () => Promise<void>;

const acts: Readonly<Record<string, Act>> = {
  'is done': () => Promise.resolve(reportOutcome(null)),
  'says nothing of how it ended': () => Promise.resolve(),
  fails: () => Promise.resolve(reportOutcome(refused)),
  throws: () => Promise.reject(new Error('token hunter2')),
};

/** Lines that an action leaves whose executor does this. */
async function linesOf(action: Action, act: Act): Promise<readonly AuditEntry[]> {
  const lines: AuditEntry[] = [];
  const all = { [action.kind]: act } as unknown as Executors;
  const rows = { ...actionRows, ...columnOf(ownActs, 'audit') };
  const audited = auditedExecutors(all, rows, { record: (entry: AuditEntry): void => void lines.push(entry) });
  await (audited[action.kind] as (action: Action) => Promise<void>)(action).catch(() => undefined);
  return lines;
}

describe('an act of the loop', () => {
  const stop: Action = { kind: 'backend/stop', person: 'ana', app: 'notas', requestId: 'r1', reason: 'LastWindowClosed' };
  const install: Action = { kind: 'package/install', server: 'casa', app: 'notas', scope: 'pessoa', person: 'ana', version: '2.0.0' };
  const give: Action = { kind: 'service/give', server: 'casa', app: 'mural' };
  const ofGive = { by: { kind: 'controller' }, action: 'credential/give', object: 'Service/casa/mural' };

  test.for([
    ['is done', { result: 'ok' }],
    ['says nothing of how it ended', { result: 'ok' }],
    ['fails', { result: 'failed', code: 'SERVER_UNREACHABLE' }],
    ['throws', { result: 'failed', code: 'INTERNAL' }],
  ] as const)('that %s leaves one line, without the text of an error', async ([name, how]) => {
    expect(await linesOf(give, acts[name]!)).toEqual([{ ...ofGive, ...how }]);
  });

  test('that is only asked for is said to have begun', async () => {
    expect(await linesOf({ kind: 'job/cancel', job: 'j1' }, acts['is done']!)).toMatchObject([{ action: 'job/cancel', result: 'begun' }]);
  });

  test.for<Action>([
    stop,
    { kind: 'backend/start', person: 'ana', app: 'notas', order: { pinned: false, requestId: 'r1' } },
    { kind: 'server/kit', server: 'casa', id: 'k1' },
    { kind: 'server/accounts', server: 'casa' },
    { kind: 'server/key', server: 'casa', key: 'k' },
    { kind: 'server/roll-back', server: 'casa' },
    { kind: 'server/take-off', server: 'casa', force: false },
    { kind: 'person/erase', person: 'ana' },
  ])('$kind has no line before its end was seen', async (action) => {
    let told: Report = () => undefined;
    const lines = await linesOf(action, async () => {
      told = takeReport();
      reportOutcome(null);
    });
    expect(lines).toEqual([]);
    told({ result: 'failed', reason: 'ExitedAtOnce' });
    expect(lines).toMatchObject([{ result: 'failed', reason: 'ExitedAtOnce' }]);
  });

  test('that goes on beside the loop leaves its line when it has ended', async () => {
    const ended = Promise.withResolvers<void>();
    const work = { done: Promise.resolve() };
    const lines = await linesOf(install, async () => {
      work.done = (async () => {
        await ended.promise;
        reportOutcome(refused);
        // Looking at what came of it.
        reportOutcome(null);
      })();
    });
    expect(lines).toEqual([]);
    ended.resolve();
    await work.done;
    const wanted = { action: 'package/install', object: 'Package/ana/notas', person: 'ana', result: 'failed', code: 'SERVER_UNREACHABLE' };
    expect(lines).toMatchObject([{ ...wanted, details: { version: '2.0.0' } }]);
  });

  test('that only looks leaves none', async () => {
    expect(await linesOf({ kind: 'backend/probe', person: 'ana', app: 'notas', attempt: 1 }, acts['is done']!)).toEqual([]);
  });
});

test('documents that come, change and go are told one by one, and nothing of what they say', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-audited-'));
  const clock = createSimulatedClock(1_700_000_000_000);
  const lines: AuditEntry[] = [];
  const write = (...documents: readonly string[]): void => writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
  const server = doc('Server', 'casa', { local: { prefix: dir, trusted: true } });
  write(server, doc('Person', 'ana', { nome: 'Ana', login: 'ana', server: 'casa' }));
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
  const store = await openSqliteStore(':memory:');
  const audit = { record: (entry: AuditEntry) => void lines.push(entry) };
  const options = { shellVersion: '1.0.0', dir, store, bus: createBus(), clock, log: quiet, audit, createHost: () => memoryHost([]) };
  const controller = await createController(options);
  onTestFinished(async () => {
    await controller.stop();
    rmSync(dir, { recursive: true });
  });
  const told = (): readonly unknown[] =>
    lines.splice(0).map(({ action, object, person }) => [action, object, person].filter((part) => part !== undefined));
  await controller.prepare();
  expect(told()).toEqual([
    ['desired/add', 'Person/ana', 'ana'],
    ['desired/add', 'Server/casa'],
    ['desired/apply', 'Desired'],
  ]);
  write(
    server,
    doc('Person', 'ana', { nome: 'Ana Souza', login: 'ana', server: 'casa' }),
    doc('Person', 'bia', { nome: 'B', login: 'b', server: 'casa' }),
  );
  await rereadFolder(controller.context, false);
  expect(controller.context.source.errors()).toEqual([]);
  expect(told()).toEqual([
    ['desired/change', 'Person/ana', 'ana'],
    ['desired/add', 'Person/bia', 'bia'],
    ['desired/apply', 'Desired'],
  ]);
  write(server, doc('Person', 'bia', { nome: 'B', login: 'b', server: 'casa' }));
  await rereadFolder(controller.context, true);
  expect(told()).toEqual([
    ['desired/remove', 'Person/ana', 'ana'],
    ['desired/apply', 'Desired'],
  ]);
});

import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { accountPaths } from '../../schema/server-paths.ts';
import type { AppSnapshot } from '../../schema/supervisor-lines.ts';
import { isOlderKit, kitVersion, kitVersionMin, supervisorProtocolVersion } from '../../schema/supervisor-protocol.ts';
import { systemClock } from '../clock/system.ts';
import { stopped } from '../../reconcilers/backend-fixtures.ts';
import type { Host } from '../hosts/host.ts';
import { limits } from '../limits.ts';
import { createSupervisorLink } from './supervisor-link.ts';

test.for([
  ['0.0.9', true],
  ['0.1.0', false],
  ['0.1.1', false],
  ['1.0.0', false],
  ['', true],
] as const)('a kit %j is older than 0.1.0: %s', ([version, older]) => {
  expect(isOlderKit(version, '0.1.0')).toBe(older);
});

test.for([
  ['of an older release is ended, so that ours can take over', '0.0.9', false, ['hello', 'quit'], 'down'],
  ['of a newer release is kept', '99.0.0', false, ['hello', 'subscribe'], 'up'],
  ['of a newer release that does not say whether its code changed is kept', '99.0.0', undefined, ['hello', 'subscribe'], 'up'],
  ['of a release that is served until its server gets ours is kept', kitVersionMin, false, ['hello', 'subscribe'], 'up'],
  ['of such a release whose code was exchanged is ended', kitVersionMin, true, ['hello', 'quit'], 'down'],
  ['of this release is kept', kitVersion, false, ['hello', 'subscribe'], 'up'],
  ['of this release whose code was exchanged is ended', kitVersion, true, ['hello', 'quit'], 'down'],
  ['of this number from before anybody asked for its code is ended', kitVersion, undefined, ['hello', 'quit'], 'down'],
] as const)('a supervisor %s', async ([, version, outdated, asked, status], { onTestFinished }) => {
  const home = mkdtempSync(path.join(os.tmpdir(), 'svc-lnk-'));
  const place = { home, prefix: home };
  mkdirSync(accountPaths(place).root);
  const ops: string[] = [];
  const lines: Socket[] = [];
  let disk: string | undefined = 'no space';
  const server = createServer((socket) => {
    lines.push(socket);
    createInterface({ input: socket }).on('line', (line) => {
      const { id, op } = JSON.parse(line) as { id: number; op: string };
      ops.push(op);
      const hello = { protocol: supervisorProtocolVersion, version, pid: 1, bootId: 'boot', home, outdated, disk };
      socket.write(`${JSON.stringify({ id, ok: true, ...{ hello, subscribe: { apps: [] }, quit: { accepted: true } }[op] })}\n`);
    });
  });
  server.listen(accountPaths(place).supervisorSocket);
  await once(server, 'listening');
  const host = {
    place: async () => place,
    dial: async (_account: string, socketPath: string) => connect(socketPath),
  } as unknown as Host;
  const link = createSupervisorLink({
    person: 'ana',
    account: 'ana',
    host,
    clock: systemClock,
    leader: null,
    starts: true,
    onChange: () => undefined,
  });
  onTestFinished(() => {
    link.close();
    server.close();
    rmSync(home, { recursive: true });
  });
  await link.adopt();
  expect(ops).toEqual(asked);
  expect(link.view().status).toBe(status);
  if (status === 'down') return;
  // The fault of its disk is asked for again in each pass.
  expect(link.view().supervisor?.disk).toBe('no space');
  disk = undefined;
  await link.check();
  expect(link.view().supervisor?.disk).toBe(undefined);
  // A supervisor that tells of ever more apps is let go.
  const told = Array.from({ length: limits.supervisorAppsMax + 1 }, (_, n) => ({
    event: 'app',
    snapshot: stopped({ app: `a${n}`, installed: null, process: null }),
  }));
  lines.at(-1)?.write(told.map((push) => `${JSON.stringify(push)}\n`).join(''));
  await expect.poll(() => link.view().error?.code).toBe('SUPERVISOR_PROTOCOL');
  expect(link.snapshots()).toHaveLength(limits.supervisorAppsMax);
});

test('what another controller heard last counts until this line heard something', () => {
  const changed: (string | null)[] = [];
  const link = createSupervisorLink({
    person: 'ana',
    account: 'ana',
    host: {} as Host,
    clock: systemClock,
    leader: null,
    starts: true,
    onChange: (app) => changed.push(app),
  });
  const heard = (app: string): AppSnapshot => ({ app, state: 'running' }) as AppSnapshot;
  link.recall([], 0);
  link.recall([heard('notas')], 7);
  link.recall([heard('caderno')], 9);
  expect([link.snapshots().map(({ app }) => app), link.seenAtMs(), changed]).toEqual([['notas'], 7, ['notas']]);
  link.close();
});

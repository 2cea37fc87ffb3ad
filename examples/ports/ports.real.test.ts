/**
 * Every program of examples/ports behind svc-wrap, before a real portal: used in Chromium as a person does, with apps on origins of their own and below
 * the shell's; killed and started again; busy and not; and tried by another account of the machine.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp } from '../../bin/test-app/run.ts';
import { frameOf, openApp, signedIn, windowOf, type TestPage } from '../../test/browser/support/browser.ts';
import { order, whenInstalled, whenState, writeDesired } from '../../test/integration/world.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';
import { tellCount } from '../../test/support/counts.ts';
import { startPortal, until, type RunningPortal } from '../../test/support/portal.ts';
import { builtPorts, listenersOf, megabytesOf, portIds, processesOf, reachedByAnother } from '../testing/port.ts';
import { portUses } from '../testing/port-uses.ts';

const ids = Object.keys(portUses);
/** The only home of the portal's server. */
const homeOf = (state: string): string => path.dirname(globSync(`${state}/**/.svc-apps`)[0] ?? '');
/** What the wrapper said of it last. */
const isBusy = (home: string, id: string): boolean =>
  readFileSync(path.join(home, '.svc-apps', id, 'run.log'), 'utf8').match(/\] (não está mais )?ocupado$/gm)?.at(-1) === '] ocupado';
const killable = (pids: readonly number[], program: RegExp): readonly number[] =>
  pids.filter((pid) => program.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')));
let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svcq-'));
  builtPorts(ids, path.join(folder, 'p'));
  browser = await openBrowser();
});
afterAll(async () => {
  await closePages(browser);
  rmSync(folder, { recursive: true, force: true });
});

test('every folder of examples/ports is used', () => {
  expect(ids.toSorted()).toEqual(portIds.toSorted());
});

test.for(ids)('svc test-app finds no fault with %s', async (id) => {
  const { findings } = await testApp(path.join(folder, 'p', id), process.env);
  expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
});

describe.for(['subdomain', 'path'] as const)('origins: %s', (origins) => {
  let portal: RunningPortal;
  let desk: TestPage;

  beforeAll(async () => {
    const desired = await writeDesired(path.join(folder, origins), { apps: ids, packages: path.join(folder, 'p'), origins });
    portal = await startPortal({ desired });
    await whenInstalled(portal, ...ids);
    desk = await signedIn(browser, portal, {}, { button: new RegExp(`^${portUses[ids[0]!]!.title}`) });
  });
  afterAll(async () => {
    await portal?.stop();
  });

  test.for(ids)('%s: used, tried by another account (0 of n), busy, killed and found again', async (id) => {
    const port = portUses[id]!;
    const { page } = desk;
    const home = homeOf(portal.state);
    const app = frameOf(page, port.title);
    const startMs = performance.now();
    expect((await order(portal, 'start', id)).ready).toBe(true);
    const ms = Math.round(performance.now() - startMs);
    await openApp(page, port.title);
    await port.use(app, page, home);

    const before = processesOf(portal.state, id);
    const listeners = listenersOf(portal.state, id);
    expect([listeners.length > 1, reachedByAnother(listeners)]).toEqual([true, []]);
    const memory = `${megabytesOf(before.wrapper).toFixed(1)} MB of the wrapper, ${megabytesOf(before.program).toFixed(1)} MB of the program`;
    tellCount(`${id}, origins ${origins}: ready after ${ms} ms, ${memory}, 0 of ${listeners.length} reached`);

    await port.work?.begin(app, page);
    await until(`${id} is busy`, () => isBusy(home, id) === (port.work !== undefined));
    await port.work?.end(app, page);
    await until(`${id} is not busy`, () => !isBusy(home, id));

    for (const pid of killable(before.program, port.program)) process.kill(pid, 'SIGKILL');
    await until(`${id} is another process`, () => {
      const { wrapper } = processesOf(portal.state, id);
      return wrapper.length > 0 && wrapper.every((pid) => !before.wrapper.includes(pid));
    });
    expect([...before.wrapper, ...before.program].filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    await whenState(portal, id, 'running');
    await windowOf(page, port.title).getByRole('button', { name: 'Fechar' }).click();
    await openApp(page, port.title);
    await port.found(app, page, home);
    await windowOf(page, port.title).getByRole('button', { name: 'Fechar' }).click();
  });
});

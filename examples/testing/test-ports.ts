/**
 * The tests of programs of examples/ports, the same for all: judged, and used before a real portal with either kind of origins; in `npm test` half
 * of them with each, the other half the next time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp } from '../../bin/test-app/run.ts';
import { frameOf, openApp, signedIn, windowOf, type TestPage } from '../../test/browser/support/browser.ts';
import { order, view, whenState, writeDesired } from '../../test/integration/world.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';
import { tellCount } from '../../test/support/counts.ts';
import { startPortal, until, type RunningPortal } from '../../test/support/portal.ts';
import { everyNth } from '../../test/support/share.ts';
import { builtPorts, listenersOf, megabytesOf, processesOf, reachedByAnother, type Port } from './port.ts';

/** The large packages are thousands of files. */
const installMsMax = 400_000;

/** The only home of the portal's server. */
const homeOf = (state: string): string => path.dirname(globSync(`${state}/**/.svc-apps`)[0] ?? '');

/** Whether the wrapper's last word on it is `ocupado`. */
const isBusy = (home: string, id: string): boolean =>
  readFileSync(path.join(home, '.svc-apps', id, 'run.log'), 'utf8')
    .match(/\] (não está mais )?ocupado$/gm)
    ?.at(-1) === '] ocupado';

const killable = (pids: readonly number[], program: RegExp): readonly string[] =>
  pids.filter((pid) => program.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))).map(String);

/** Kills it, and waits for the one that the supervisor starts; nothing of the first is left. */
async function killed(portal: RunningPortal, id: string, program: RegExp): Promise<void> {
  const before = processesOf(portal.state, id);
  // A process may end with another one before its turn.
  spawnSync('kill', ['-KILL', ...killable(before.program, program)]);
  await until(`${id} is another process`, () => {
    const { wrapper } = processesOf(portal.state, id);
    return wrapper.length > 0 && wrapper.every((pid) => !before.wrapper.includes(pid));
  });
  expect([...before.wrapper, ...before.program].filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  await whenState(portal, id, 'running');
}

export function testPorts(uses: Readonly<Record<string, Port>>): void {
  const ids = Object.keys(uses);
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'svcq-'));
    builtPorts(ids, path.join(folder, 'p'));
    browser = await openBrowser();
  }, installMsMax);
  afterAll(async () => {
    await closePages(browser);
    rmSync(folder, { recursive: true, force: true });
  });

  test.for(ids)('svc test-app finds no fault with %s', async (id) => {
    const { findings } = await testApp(path.join(folder, 'p', id), process.env);
    expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
  });

  describe.for([
    ['subdomain', everyNth(2, ids)],
    ['path', everyNth(2, ids, 1)],
  ] as const)('origins: %s', ([origins, mine]) => {
    let portal: RunningPortal;
    let desk: TestPage;

    beforeAll(async () => {
      const desired = await writeDesired(path.join(folder, origins), { apps: mine, packages: path.join(folder, 'p'), origins });
      portal = await startPortal({ desired });
      const isInstalled = async (id: string): Promise<boolean> => (await view(portal, `Backend/ana/${id}`)) !== null;
      await until('all are installed', async () => (await Promise.all(mine.map(isInstalled))).every(Boolean), installMsMax);
      desk = await signedIn(browser, portal, {}, { button: new RegExp(`^${uses[mine[0]!]!.title}`) });
    }, installMsMax + 60_000);
    afterAll(async () => {
      await portal?.stop();
    });

    test.for(mine)('%s: used, tried by another account (0 of n), busy and not, killed and found again', async (id) => {
      const port = uses[id]!;
      const { page } = desk;
      const home = homeOf(portal.state);
      const app = frameOf(page, port.title);
      const close = async (): Promise<void> => await windowOf(page, port.title).getByRole('button', { name: 'Fechar' }).click();
      const startMs = performance.now();
      await until(`${id} is ready`, async () => (await order(portal, 'start', id)).ready);
      const ms = Math.round(performance.now() - startMs);
      await openApp(page, port.title);
      await port.use(app, page, home);

      const { wrapper, program } = processesOf(portal.state, id);
      const listeners = listenersOf(portal.state, id);
      expect([listeners.length > 1, reachedByAnother(listeners)]).toEqual([true, []]);
      const memory = `${megabytesOf(wrapper).toFixed(1)} MB of the wrapper, ${megabytesOf(program).toFixed(1)} MB of the program`;
      tellCount(`${id}, origins ${origins}: ready after ${ms} ms, ${memory}, 0 of ${listeners.length} reached`);

      await port.work?.begin(app, page);
      await until(`${id} is busy`, () => isBusy(home, id) === (port.work !== undefined));
      await port.work?.end(app, page);
      await until(`${id} is not busy`, () => !isBusy(home, id));

      await killed(portal, id, port.program);
      await close();
      await openApp(page, port.title);
      await port.found(app, page, home);
      await close();
    });
  });
}

/** Compares `svc.apps.pedir` in the page of one app with the same request of the provider's own page, turn by turn in one browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import { writeDesired } from '../test/integration/world.ts';
import { startPortal, type RunningPortal } from '../test/support/portal.ts';
import { inspect, inspectable, type Inspected } from './inspected.ts';
import { cpuMsOf, watchLoad } from './load.ts';
import { profilingOf } from './profile.ts';
import { median, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const words = '/palavras/cais';

interface Timed {
  readonly took: readonly number[];
  /** Different answers that came. */
  readonly texts: readonly string[];
  readonly cpuMs: number;
}

/** Milliseconds of each of so many requests, one after the other, with the body read, and what the portal used of a CPU for all of them. */
async function timed(page: Page | Frame, request: string, times: number, pid: number): Promise<Timed> {
  const before = cpuMsOf(pid);
  const asked = await page.evaluate<Omit<Timed, 'cpuMs'>>(`(async () => {
    const took = [];
    const texts = new Set();
    for (let n = 0; n < ${times}; n += 1) {
      const startedMs = performance.now();
      texts.add(await (await ${request}).text());
      took.push(performance.now() - startedMs);
    }
    return { took, texts: [...texts] };
  })()`);
  return { ...asked, cpuMs: cpuMsOf(pid) - before };
}

const profiling = profilingOf();

interface World {
  readonly leitor: Frame;
  readonly provider: Page;
  readonly portal: RunningPortal;
  readonly inspected: Inspected | null;
}

async function latency({ leitor, provider, portal, inspected }: World, rounds: number): Promise<readonly Row[]> {
  const [ours, direct]: [Timed[], Timed[]] = [[], []];
  const times = 40;
  const load = watchLoad();
  for (let round = 0; round <= rounds; round += 1) {
    if (round > 0 && inspected !== null) await profiling?.begin(inspected);
    const called = await timed(leitor, `svc.apps.pedir('dicionario/v1', '${words}')`, times, portal.pid);
    if (round > 0 && inspected !== null) await profiling?.end(inspected);
    const fetched = await timed(provider, `fetch('/dicionario/v1${words}')`, times, portal.pid);
    if (called.texts.length !== 1 || called.texts[0] !== fetched.texts.join(''))
      throw new Error('the app got another answer than the page');
    // An app may ask 50 times a second in the long run (docs/limits.md): the time is measured of one call, not of a crowd.
    await sleep(times * 20);
    // The first warms both.
    if (round === 0) continue;
    ours.push(called);
    direct.push(fetched);
  }
  const timesOf = (all: readonly Timed[]): readonly number[] => all.flatMap(({ took }) => took);
  const cpuOf = (all: readonly Timed[]): number => all.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / timesOf(all).length;
  const [oursMs, directMs] = [median(timesOf(ours)), median(timesOf(direct))];
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  return [
    {
      name: `\`apps.pedir\` of a small answer, ${timesOf(ours).length} times (load ${load.share()}, Chromium beside it)`,
      ours: percentilesOf(timesOf(ours), ms),
      peer: `fetch of the provider's own page: ${percentilesOf(timesOf(direct), ms)}`,
      ratio: (oursMs / directMs).toFixed(2),
      target: 'p50 ≤ 1.5×',
      held: oursMs <= 1.5 * directMs,
    },
    {
      name: '… CPU of the portal for one',
      ours: ms(cpuOf(ours)),
      peer: ms(cpuOf(direct)),
      ratio: (cpuOf(ours) / cpuOf(direct)).toFixed(2),
      target: 'none: a call is two requests, that of the app and that to the provider',
      held: null,
    },
  ];
}

/** The page of `leitor` in a desktop whose person said yes, and a page of the provider. */
async function pages(browser: Browser, portal: RunningPortal): Promise<{ readonly leitor: Frame; readonly provider: Page }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const { body } = await portal.admin('POST', '/api/admin/links', { person: 'ana' });
  await page.goto((body as { readonly link: string }).link);
  await page
    .getByRole('button', { name: /^Leitor/ })
    .first()
    .waitFor({ timeout: 90_000 });
  await page.evaluate(async () => {
    const answer = { de: 'leitor', para: 'dicionario', capacidade: 'dicionario/v1', resposta: 'sim', duracao: 'sempre' };
    const headers = { 'content-type': 'application/json' };
    await fetch('/api/consentimentos', { method: 'PUT', headers, body: JSON.stringify(answer) });
  });
  await page
    .getByRole('button', { name: /^Leitor/ })
    .first()
    .click();
  await page.frameLocator('iframe[title="Leitor"]').getByRole('button', { name: 'aurora' }).waitFor({ timeout: 90_000 });
  const leitor = await (await page.locator('iframe[title="Leitor"]').elementHandle())?.contentFrame();
  if (leitor == null) throw new Error('leitor has no frame');
  const provider = await context.newPage();
  await provider.goto(`http://dicionario.svc.localhost:${portal.port}/dicionario/v1/pronto`);
  await page.bringToFront();
  return { leitor, provider };
}

export const appCallsArea: Area = async ({ short }) => {
  const folder = await mkdtemp(join(tmpdir(), 'svcb-'));
  const desired = await writeDesired(join(folder, 'd'), { apps: ['dicionario', 'leitor'], pinned: ['dicionario'] });
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const [portal, browser] = await Promise.all([
    startPortal({ desired, env: profiling === null ? {} : inspectable }),
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] }),
  ]);
  try {
    const { leitor, provider } = await pages(browser, portal);
    const inspected = profiling === null ? null : await inspect(portal.child);
    sayStep('app-calls: turns');
    const rows = await latency({ leitor, provider, portal, inspected }, short ? 5 : 25);
    profiling?.write('The portal while an app asks another, call by call');
    return rows;
  } finally {
    await browser.close();
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

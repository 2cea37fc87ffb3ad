/** `svc.apps.pedir` in the page of one app beside the same request of the provider's own page, turn by turn in one browser. Source: issue 12. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import { writeDesired } from '../test/integration/world.ts';
import { startPortal, type RunningPortal } from '../test/support/portal.ts';
import { median, type Area, type Row } from './rows.ts';

const words = '/palavras/cais';

/** Milliseconds of each of so many requests, one after the other, with the body read. */
async function timed(page: Page | Frame, request: string, times: number): Promise<readonly number[]> {
  return await page.evaluate<readonly number[]>(`(async () => {
    const took = [];
    for (let n = 0; n < ${times}; n += 1) {
      const startedMs = performance.now();
      await (await ${request}).text();
      took.push(performance.now() - startedMs);
    }
    return took;
  })()`);
}

async function latency(leitor: Frame, provider: Page, rounds: number): Promise<Row> {
  const ours: number[] = [];
  const direct: number[] = [];
  const times = 40;
  for (let round = 0; round <= rounds; round += 1) {
    const pair = [
      await timed(leitor, `svc.apps.pedir('dicionario/v1', '${words}')`, times),
      await timed(provider, `fetch('/dicionario/v1${words}')`, times),
    ] as const;
    // An app may ask 50 times a second in the long run (docs/limits.md): the time is measured of one call, not of a crowd.
    await sleep(times * 20);
    // The first warms both.
    if (round === 0) continue;
    ours.push(...pair[0]);
    direct.push(...pair[1]);
  }
  const [oursMs, directMs] = [median(ours), median(direct)];
  return {
    name: `\`apps.pedir\` of a small answer, p50 of ${ours.length}`,
    ours: `${oursMs.toFixed(2)} ms`,
    peer: `fetch of the provider's own page: ${directMs.toFixed(2)} ms`,
    ratio: (oursMs / directMs).toFixed(2),
    target: '≤ 1.5×',
    held: oursMs <= 1.5 * directMs,
  };
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
    startPortal({ desired }),
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] }),
  ]);
  try {
    const { leitor, provider } = await pages(browser, portal);
    return [await latency(leitor, provider, short ? 5 : 25)];
  } finally {
    await browser.close();
    await portal.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Chromium for every test with a page: one for all files of a worker, or one of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser } from 'playwright-core';

/** Features that playwright-core turns off, which a second `--disable-features` replaces: Chromium obeys the last one only. */
const offByPlaywright = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
] as const;

/** The suggestions below the address bar, which no test sees, are two web pages that each new window loads: a second of a processor each time. */
const suggestionPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'] as const;

/** `shell`: the same engine without the windows around it, which takes a third less processor time for the same test, and has no clipboard. */
const programs = { shell: '/usr/bin/chromium-headless-shell', whole: '/usr/bin/chromium' } as const;

export type BrowserProgram = keyof typeof programs;

export const launchBrowser = async (program: BrowserProgram = 'shell', more: readonly string[] = []): Promise<Browser> =>
  await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? programs[program],
    // In the C locale it keeps no name of a download that has an accent.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
      `--disable-features=${[...offByPlaywright, ...suggestionPages].join(',')}`,
    ],
  });

const ofWorker = new Map<BrowserProgram, Promise<Browser>>();

/** The browser that the files of a worker share, one after the other, and that ends with the worker: to start one costs a second of a processor. `closePages` ends what a file has in it. */
export async function openBrowser(program: BrowserProgram = 'shell'): Promise<Browser> {
  const browser = await ofWorker.get(program);
  if (browser?.isConnected() === true) return browser;
  const launched = launchBrowser(program);
  ofWorker.set(program, launched);
  return await launched;
}

/** Now and then a browser never ends a context: then the next file gets another one. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  if (browser === undefined) return;
  const closed = Promise.all(browser.contexts().map(async (context) => await context.close())).then(() => true);
  if (await Promise.race([closed, sleep(20_000, false, { ref: false })])) return;
  closed.catch(() => undefined);
  ofWorker.clear();
  void browser.close().catch(() => undefined);
}

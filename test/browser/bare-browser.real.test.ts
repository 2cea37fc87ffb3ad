/**
 * The desktop in browsers that lack, refuse, or never answer one of their own APIs: a person signs in, opens an app, edits a file, loads the page
 * again and signs out all the same: a fifth of the browsers in `npm test`, another one each time. docs/decisions/0341-what-a-browser-may-refuse.md
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePages, openBrowser } from '../support/chromium.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { everyNth } from '../support/share.ts';
import { frameAt, newLink, newPage, openApp, signOut, windowOf } from './support/browser.ts';
import { openFileOn } from './support/open-file.ts';

let portal: RunningPortal;
let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-bare-')));
  [portal, browser] = await Promise.all([startPortal({ apps: ['notas'] }), openBrowser()]);
});
afterAll(async () => {
  await closePages(browser);
  await portal?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs before every script of every page. `gone`, `throws` and `hangs` are in `tools`. */
const tools = `
const never = () => new Promise(() => undefined);
const refused = () => { throw new DOMException('refused', 'SecurityError'); };
const rejected = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
const put = (on, name, value) => Object.defineProperty(on, name, { value, configurable: true, writable: true });
const getter = (on, name, get) => Object.defineProperty(on, name, { get, configurable: true });
const gone = (on, name) => { delete on[name]; if (name in on) put(on, name, undefined); };
/** Carries out requests to a database, and never answers them. */
const deaf = (on, name, instead) => {
  const own = on[name];
  on[name] = function (...given) {
    const asked = own.apply(this, instead ?? given);
    for (const type of ['success', 'error', 'blocked', 'upgradeneeded']) asked.addEventListener(type, (event) => event.stopImmediatePropagation());
    return asked;
  };
};
`;

/** `forgets`: the windows are gone after a reload. */
const bare: readonly (readonly [what: string, script: string, how?: 'forgets'])[] = [
  ['no storage may be named', `getter(window, 'localStorage', refused); getter(window, 'sessionStorage', refused);`, 'forgets'],
  ['storage is full', `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };`, 'forgets'],
  ['there is no IndexedDB', `gone(window, 'indexedDB');`],
  ['IndexedDB may not be named', `getter(window, 'indexedDB', refused);`],
  ['IndexedDB refuses at once', `IDBFactory.prototype.open = refused; IDBFactory.prototype.databases = rejected;`],
  ['IndexedDB never opens', `deaf(IDBFactory.prototype, 'open', ['nenhum']); deaf(IDBFactory.prototype, 'deleteDatabase', ['nenhum']);`],
  ['IndexedDB never says what there is', `IDBFactory.prototype.databases = never;`],
  ['IndexedDB says not what there is', `gone(IDBFactory.prototype, 'databases');`],
  [
    'IndexedDB opens and never reads or writes',
    `for (const act of ['get', 'getAll', 'put', 'delete']) deaf(IDBObjectStore.prototype, act);`,
  ],
  ['there are no locks', `gone(Navigator.prototype, 'locks');`],
  ['locks are never given', `LockManager.prototype.request = never;`],
  ['locks are refused', `LockManager.prototype.request = rejected;`],
  ['there is no subtle crypto and no random UUID', `gone(Crypto.prototype, 'subtle'); gone(Crypto.prototype, 'randomUUID');`],
  ['subtle crypto never answers', `for (const act of ['generateKey', 'exportKey', 'sign', 'digest']) SubtleCrypto.prototype[act] = never;`],
  ['there are no service workers', `gone(Navigator.prototype, 'serviceWorker');`],
  ['service workers never answer', `for (const act of ['register', 'getRegistrations']) ServiceWorkerContainer.prototype[act] = never;`],
  [
    'there is no clipboard, and no word of a gesture',
    `gone(Navigator.prototype, 'clipboard'); gone(Navigator.prototype, 'userActivation');`,
  ],
  [
    'there are no notifications, channels, caches',
    `gone(window, 'Notification'); gone(window, 'BroadcastChannel'); gone(window, 'caches');`,
  ],
  ['it knows no languages', `getter(Navigator.prototype, 'languages', () => []); getter(Navigator.prototype, 'language', () => '');`],
  ['pointers are never captured', `Element.prototype.setPointerCapture = refused;`],
  ['it says that it is offline', `getter(Navigator.prototype, 'onLine', () => false);`],
  ['history takes no more changes', `History.prototype.replaceState = refused; History.prototype.pushState = refused;`],
  [
    'no request outlives its page',
    `const own = fetch; window.fetch = (to, init) => init?.keepalive ? rejected() : own(to, init); gone(Navigator.prototype, 'sendBeacon');`,
  ],
  ['WebSockets are forbidden', `window.WebSocket = class { constructor() { refused(); } };`],
  ['WebSockets never open', `window.WebSocket = class extends EventTarget { readyState = 0; close() {} send() { refused(); } };`],
];

test.for(everyNth(5, bare))('%s', async ([, script, how]) => {
  const name = 'nota.txt';
  const file = path.join(folder, name);
  writeFileSync(file, 'um\n');
  const { page } = await newPage(browser);
  const thrown: string[] = [];
  page.on('pageerror', (error) => thrown.push(error.stack ?? error.message));
  await page.context().addInitScript(`{${tools}\n${script}}`);
  try {
    await page.goto(await newLink(portal));
    await page
      .getByRole('button', { name: /^Notas/ })
      .first()
      .waitFor();
    await openApp(page, 'Notas');
    const notas = await frameAt(page, 'Notas');
    await notas.getByRole('button', { name: /^(?:Nova nota|New note)$/ }).waitFor();
    expect(await notas.evaluate('svc.app.capacidades().then(({ host }) => host)')).toBe('svc');
    await openFileOn(page, { caminho: file, nome: name });
    const editor = page.locator('svc-window[top]:has(svc-editor)');
    const textbox = editor.getByRole('textbox', { name: /^(?:Texto de|Text of)/ });
    await textbox.focus();
    await page.keyboard.type('zero\n');
    await page.keyboard.press('Control+s');
    await until('saved', async () => Promise.resolve(readFileSync(file, 'utf8') === 'zero\num\n'));
    await windowOf(page, name).waitFor();
    await page.reload();
    // Its windows are back, and no more of them takes the focus from the menu.
    if (how !== 'forgets') await textbox.waitFor();
    await page.getByRole('heading', { name: /Ana/ }).waitFor({ state: 'attached' });
    await signOut(page);
    await page.locator('svc-sign-in').waitFor();
    expect(thrown).toEqual([]);
  } finally {
    await page.context().close();
  }
});

test.for([
  ["gone(AbortSignal, 'any'); gone(Promise, 'withResolvers');", 'Falta: AbortSignal.any, Promise.withResolvers'],
  ["gone(window, 'matchMedia'); gone(Intl, 'ListFormat');", 'Falta: Intl.ListFormat, matchMedia'],
  ["gone(window, 'ResizeObserver');", 'Falta: ResizeObserver'],
  ["getter(window, 'customElements', () => undefined);", 'A área de trabalho não abriu neste navegador: '],
] as const)('a browser that is too old is told so: %s', async ([script, words]) => {
  const { page } = await newPage(browser);
  await page.context().addInitScript(`{${tools}\n${script}}`);
  await page.goto(await newLink(portal));
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain(words);
  await page.context().close();
});

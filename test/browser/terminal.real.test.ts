/** The terminal window on a real portal with real shells: typed into, found again after a reload, in two pages, in tabs, by touch, and its looks. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { until, type RunningPortal } from '../support/portal.ts';
import { axeInBothThemes, newLink, newPage, signedIn, useDesk, windowOf } from './support/browser.ts';
import { openFileOn } from './support/open-file.ts';

let portal: RunningPortal;
let browser: Browser;
let page: Page;
let problems: readonly string[];
useDesk((made) => ({ portal, browser, page, problems } = made), ['notas']);

const terminal = (of: Page): Locator => windowOf(of, 'Terminal');
/** The screen that is shown, as its rows are drawn. */
const rows = (of: Page): Locator => terminal(of).locator('svc-screen[shown] .xterm-rows');
const input = (of: Page): Locator => terminal(of).locator('svc-screen[shown] textarea');

/** Shells are the person's: those of the test before are ended. */
beforeEach(async () => {
  const left = (): Promise<number> =>
    page.evaluate(async () => {
      const { terminais } = (await (await fetch('/api/terminais')).json()) as { terminais: { id: string }[] };
      for (const { id } of terminais) await fetch(`/api/terminais/${id}`, { method: 'DELETE' });
      return terminais.length;
    });
  await until('no shell', async () => (await left()) === 0);
});

async function openTerminal(of: Page): Promise<void> {
  await of.keyboard.press('Control+k');
  await of.getByRole('combobox').fill('Terminal');
  await of.getByRole('option', { name: 'Terminal', exact: true }).first().waitFor();
  await of.keyboard.press('Enter');
  await terminal(of).waitFor();
  await shows(of, /[$#] $/);
}

/** Until the new one is what is shown: the prompt of the one before is a prompt, too. */
async function newTerminal(of: Page): Promise<void> {
  const chosen = terminal(of).getByRole('tab', { selected: true });
  const before = (await chosen.count()) === 0 ? null : await chosen.getAttribute('id');
  await terminal(of).getByRole('button', { name: 'Novo terminal' }).click();
  await expect.poll(() => chosen.getAttribute('id')).not.toBe(before);
  await shows(of, /[$#] $/);
}

/** Rows end in spaces that may be no-break ones. */
async function shows(of: Page, what: RegExp): Promise<void> {
  await expect
    .poll(async () => (await rows(of).allInnerTexts()).join('\n').replaceAll('\u00a0', ' ').replaceAll(/\s+$/g, ' '), { timeout: 60_000 })
    .toMatch(what);
}

async function type(of: Page, line: string): Promise<void> {
  await input(of).focus();
  await of.keyboard.type(`${line}\n`);
}

test('what is typed runs, keys of the shell are its own, and it is there after a reload with what it knew', async () => {
  await openTerminal(page);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SVC-SHELL');
  await type(page, 'lembra=si""m; echo "pasta=$(basename $PWD)"');
  await shows(page, /pasta=ana/);
  // Ctrl+K cuts the line in a shell, and opens no launcher.
  await page.keyboard.type('nada disso');
  await page.keyboard.press('Home');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('echo li""mpo\n');
  await shows(page, /limpo/);
  expect(await page.getByRole('combobox').count()).toBe(0);
  await page.reload();
  await terminal(page).waitFor();
  await shows(page, /limpo/);
  // The keyboard is there again without a click.
  await page.locator('svc-screen :focus').waitFor();
  await page.keyboard.type('echo "lembra: $lembra"; tput cols\n');
  await shows(page, /lembra: sim/);
  expect(problems).toEqual([]);
});

test('a shell that ends while the person works in another window leaves that one in front, with the keyboard', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svcb-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await openTerminal(page);
  await newTerminal(page);
  await type(page, `until [ -e ${folder}/over ]; do sleep 0.1; done; exit`);
  await page.getByRole('button', { name: 'Abrir aplicativos' }).click();
  await page.getByRole('combobox').fill('Arquivos');
  await page.keyboard.press('Enter');
  await page.locator('svc-window[top] svc-file-view').waitFor();
  writeFileSync(path.join(folder, 'over'), '');
  await expect.poll(async () => await terminal(page).getByRole('tab').count()).toBe(1);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.locator('svc-window[top] svc-file-view').count()).toBe(1);
});

test('a second page shows the same shell, and colours come without a breach of the policy', async () => {
  await openTerminal(page);
  const other = await signedIn(browser, portal);
  const { promise: held, resolve: letThrough } = Promise.withResolvers<void>();
  await other.page.routeWebSocket(/\/ws\/terminais\//, async (socket) => {
    await held;
    socket.connectToServer();
  });
  await other.page.keyboard.press('Control+k');
  await other.page.getByRole('combobox').fill('Terminal');
  await other.page.getByRole('option', { name: 'Terminal', exact: true }).first().click();
  // Typed before the shell is there: kept until it is.
  await type(other.page, 'echo adi""antado');
  expect(await rows(other.page).innerText()).not.toContain('adiantado');
  letThrough();
  await shows(page, /adiantado/);
  await type(page, String.raw`printf '\033[38;2;200;40;40mver%s\033[0m\n' melho`);
  await shows(other.page, /vermelho/);
  await type(other.page, 'echo da ou""tra');
  await shows(page, /da outra/);
  const colour = rows(page).getByText('vermelho', { exact: true }).last();
  expect(await colour.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(200, 40, 40)');
  expect([...problems, ...other.problems]).toEqual([]);
});

test('text that comes without a key arrives, a whole character is erased, and emoji stand where they stood after a reload', async () => {
  await openTerminal(page);
  // Keys that came while the shell still has the terminal would not be edited by the kernel.
  await type(page, 'echo pron""to; read -r lido; printf "lido=%s." "$lido"');
  await shows(page, /pronto/);
  await page.keyboard.type('é');
  await page.keyboard.press('Backspace');
  await page.keyboard.insertText('😀');
  await page.keyboard.insertText(' ditado');
  await page.keyboard.press('Enter');
  await shows(page, /lido=😀 ditado\./);
  // Which columns, as the program asks and as the page draws.
  await type(page, String.raw`printf '\n😀😀\033[6n'; IFS= read -rs -d R lugar; printf '%s=\n' "$(echo "$lugar" | cut -d';' -f2)"`);
  await shows(page, /😀😀5=/);
  await page.reload();
  await shows(page, /😀😀5=/);
  await type(page, String.raw`printf '\033]11;?\033\\'; IFS= read -rs -t 2 -d \\ cor; printf 'cor=%s.' "$(echo "$cor" | cut -d';' -f2)"`);
  await shows(page, /cor=rgb:fbfb\/fbfb\/fafa/);
  expect(problems).toEqual([]);
});

test.for(['paste', 'drop'])('text that comes by %s runs nothing before Enter, also with the end mark of a paste in it', async (way) => {
  await openTerminal(page);
  const made = path.join(tmpdir(), `svc-colado-${way}-${process.pid}`);
  onTestFinished(() => rmSync(made, { force: true }));
  await input(page).evaluate(
    (textarea, { type, words }) => {
      const data = new DataTransfer();
      data.setData('text/plain', words);
      const init = { bubbles: true, cancelable: true, composed: true };
      textarea.dispatchEvent(
        type === 'paste'
          ? new ClipboardEvent(type, { ...init, clipboardData: data })
          : new DragEvent(type, { ...init, dataTransfer: data }),
      );
    },
    { type: way, words: `echo um\u001b[201~\ntouch ${made}\u009b201~\necho ultima-linha` },
  );
  await shows(page, /echo ultima-linha ?$/);
  expect(existsSync(made)).toBe(false);
  await page.keyboard.press('Enter');
  await shows(page, /\num\[201~[^]*\nultima-linha/);
  expect(problems).toEqual([]);
});

test('tabs are shells of their own; one that failed says how; closing one hangs it up', async () => {
  await openTerminal(page);
  const before = await terminal(page).getByRole('tab').count();
  await newTerminal(page);
  expect(await terminal(page).getByRole('tab').count()).toBe(before + 1);
  await type(page, "printf '\\033]2;obra\\007'");
  await terminal(page).getByRole('tab', { name: 'obra', selected: true }).waitFor();
  await type(page, 'exit 3');
  await terminal(page).getByText('O shell terminou com o código 3.').waitFor();
  await terminal(page).getByRole('button', { name: 'Encerrar obra' }).click();
  await expect.poll(() => terminal(page).getByRole('tab').count()).toBe(before);
  // By keyboard: the arrows go through the tabs, Delete ends one.
  await newTerminal(page);
  await type(page, 'echo "pid=$$="');
  await shows(page, /pid=\d+=/);
  const [, pid] = /pid=(\d+)=/.exec((await rows(page).allInnerTexts()).join('\n')) ?? [];
  await terminal(page).getByRole('tab', { selected: true }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Delete');
  await expect.poll(() => alive(Number(pid)), { timeout: 30_000 }).toBe(false);
  expect(problems).toEqual([]);
});

test('by touch at 320 px: keys that the keyboard lacks; nothing for axe to find in either theme', async () => {
  const small = await newPage(browser, { viewport: { width: 320, height: 640 }, hasTouch: true });
  await small.page.goto(await newLink(portal));
  await small.page
    .getByRole('button', { name: /^Notas/ })
    .first()
    .waitFor();
  await openTerminal(small.page);
  await type(small.page, 'sleep 500');
  await small.page.getByRole('button', { name: 'Ctrl' }).tap();
  await small.page.keyboard.type('c');
  await shows(small.page, /\^C[^]*[$#] $/);
  const width = await small.page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(320);
  expect(await axeInBothThemes(small.page)).toEqual([]);
  expect(small.problems).toEqual([]);
  await small.page.context().close();
});

test('a portal that was killed: the page says that the shell is gone, and opens another', async () => {
  await openTerminal(page);
  const own = await terminal(page).getByRole('tab').count();
  await type(page, 'echo antes-do-fim');
  await shows(page, /antes-do-fim\s+[^]*[$#] $/);
  await portal.kill();
  await terminal(page).getByText('Sem ligação com o terminal. Tentando de novo…').first().waitFor();
  await portal.again();
  await terminal(page)
    .getByText(/^Este terminal não existe mais/)
    .first()
    .waitFor();
  // A single message, the earlier text, and the keyboard at the button for another shell.
  expect(await terminal(page).getByText('Sem ligação com o terminal. Tentando de novo…').count()).toBe(0);
  await shows(page, /antes-do-fim/);
  const again = terminal(page).locator('.ended').getByRole('button', { name: 'Novo terminal' }).and(page.locator(':visible'));
  await expect.poll(async () => await again.evaluate((button) => button.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(async () => await terminal(page).getByRole('tab').count()).toBe(own + 1);
  await shows(page, /[$#] $/);
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a terminal begins in the folder that the file manager shows, in a tab beside the one that is open', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-aqui-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await openTerminal(page);
  await openFileOn(page, { caminho: folder, nome: path.basename(folder), isFolder: true });
  await windowOf(page, path.basename(folder)).getByRole('button', { name: 'Mais ações' }).click();
  await page.getByRole('menuitem', { name: 'Abrir terminal aqui' }).click();
  // Not the prompt of the one before.
  await terminal(page).getByRole('tab', { selected: true }).and(terminal(page).getByRole('tab').nth(1)).waitFor();
  await expect.poll(() => terminal(page).locator('svc-screen').nth(1).getAttribute('shown')).toBe('');
  await shows(page, /[$#] $/);
  await type(page, 'echo "onde=$(pwd -P)"');
  await shows(page, new RegExp(`onde=${folder}`));
  expect(problems).toEqual([]);
});

test('two folders that are asked for at the same moment, before the window is there: a tab each, in their order', async () => {
  const folders = ['a', 'b'].map((name) => mkdtempSync(path.join(tmpdir(), `svc-${name}-`)));
  onTestFinished(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  await page.locator('svc-home .tile').first().waitFor();
  await page.evaluate((paths) => {
    const desktop = document.querySelector('svc-shell')?.shadowRoot?.querySelector('svc-desktop') as unknown as {
      readonly desk: { open(window: string, folder: string): void };
    };
    for (const folder of paths) desktop.desk.open('@terminal', folder);
  }, folders);
  await terminal(page).getByRole('tab').nth(1).waitFor();
  for (const [n, folder] of folders.entries()) {
    await terminal(page).getByRole('tab').nth(n).click();
    await shows(page, /[$#] $/);
    await type(page, 'echo "onde=$(pwd -P)"');
    await shows(page, new RegExp(`onde=${folder}`));
  }
  expect(await terminal(page).getByRole('tab').count()).toBe(2);
  expect(problems).toEqual([]);
});

/** Lines that the monkey writes, each once, and the check in the end that none was lost. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { appOf, frontWindow, menuItem } from './person.ts';
import {
  bringIntoReach,
  fileOf,
  isConnected,
  leaveOverlays,
  monkeyAt,
  nextLine,
  notebookOf,
  openByName,
  type Monkey,
  type MonkeyWorld,
} from './monkey-world.ts';
import { soonMs, until } from './until.ts';

/** A save that waits for an app may wait for its start, and a machine may do much else. */
export const savedMsMax = 90_000;

async function openToWork(monkey: Monkey, name: string): Promise<void> {
  await openByName(monkey, name);
  // The window of Files is called by its folder; before it is in front, another window would be brought into reach and be raised.
  if (name === 'Arquivos') await frontWindow(monkey.page).locator('svc-file-view').waitFor();
  await bringIntoReach(monkey);
}

async function writeNote(monkey: Monkey): Promise<void> {
  if (!isConnected(monkey)) return;
  const notes = appOf(monkey.page, 'Notas');
  await openToWork(monkey, 'Notas');
  await notes.locator('#nova').waitFor();
  if (await notes.locator('#confirma[open]').isVisible()) await monkey.page.keyboard.press('Escape');
  if (!(await notes.locator('#nova').isVisible())) await notes.locator('#voltar').click();
  const line = nextLine(monkey);
  const title = notes.locator('#campo-titulo');
  const isReady = async (): Promise<boolean> =>
    await title.evaluate((field: HTMLInputElement) => field.matches(':focus') && field.value === '');
  // While the app is away, what was written before has to be saved first.
  await until(
    'an empty note',
    async () => {
      await notes
        .locator('#nova')
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      return await until('', isReady, soonMs).catch(() => false);
    },
    savedMsMax,
  );
  await monkey.page.keyboard.insertText(line);
  await notes.getByText('Salva', { exact: true }).waitFor({ timeout: savedMsMax });
  monkey.ledger.notes.push(line);
  monkey.focus = 'front';
}

/** A line at the end of the text file of this seed: saved, or left as a draft that the browser keeps. */
async function writeFile(monkey: Monkey, a: number): Promise<void> {
  const { page, portal, seed, ledger } = monkey;
  if (!isConnected(monkey)) return;
  const file = path.join(portal.files, fileOf(seed));
  if (!existsSync(file)) writeFileSync(file, 'começo\n');
  await openFile(monkey);
  const content = frontWindow(page).locator('.cm-content');
  const line = nextLine(monkey);
  await content.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(`${line}\n`);
  if (a < 0.6) {
    await page.keyboard.press('Control+s');
    await until('unsaved: Ctrl+S does not save', () => readFileSync(file, 'utf8').includes(line), savedMsMax);
    ledger.saved.push(line, ...ledger.drafts.splice(0));
  } else {
    await frontWindow(page).locator('[data-state=kept]').waitFor({ timeout: savedMsMax });
    ledger.drafts.push(line);
  }
  monkey.focus = 'front';
}

/** By Files, from its first folder. */
async function openFile(monkey: Monkey): Promise<void> {
  const { page, seed } = monkey;
  const name = fileOf(seed);
  const editor = page.locator('svc-window', { has: page.locator('svc-editor') }).filter({ has: page.locator('h2', { hasText: name }) });
  if ((await editor.count()) > 0) {
    await leaveOverlays(monkey);
    const button = page.locator('svc-taskbar .window').filter({ hasText: name }).first();
    if ((await button.getAttribute('aria-pressed')) !== 'true') await button.click();
    await bringIntoReach(monkey);
  } else {
    await openToWork(monkey, 'Arquivos');
    const top = frontWindow(page);
    await goHome(monkey);
    // As with the keyboard: in a full folder it is not in sight.
    await top.locator('svc-file-view').getByRole('option').first().waitFor();
    const chosen = top.locator(`svc-file-view [data-name="${name}"][aria-selected=true]`);
    // A file just made is listed a moment later.
    const isFound = async (): Promise<boolean> => {
      await top.locator('svc-file-view').getByRole('listbox').focus();
      await page.keyboard.type(name);
      return await until('', async () => await chosen.isVisible(), 2_000).catch(() => false);
    };
    await until(`${name} is listed`, isFound, savedMsMax);
    await page.keyboard.press('Enter');
  }
  await frontWindow(page).locator('.cm-content').waitFor();
}

/** The folder that the person begins in. */
async function goHome({ page }: Monkey): Promise<void> {
  await frontWindow(page).getByRole('navigation', { name: 'Caminho' }).getByRole('button').first().click();
}

async function writeRoom(monkey: Monkey): Promise<void> {
  const { page, seed, ledger } = monkey;
  if (!isConnected(monkey)) return;
  const app = appOf(page, 'Caderno');
  await openToWork(monkey, 'Caderno');
  await app.locator('#nova:enabled:visible, #voltar:visible').first().waitFor();
  const name = notebookOf(seed);
  if (
    (await app
      .locator('#nome')
      .innerText()
      .catch(() => '')) !== name
  ) {
    // In a wide window it hides the list where that is shown.
    if (!(await app.locator('#nova').isVisible())) await app.locator('#voltar').click();
    await app.locator('#nova:enabled').waitFor();
    const there = app.locator('#salas').getByText(name, { exact: true });
    if (ledger.room.length > 0) await there.first().waitFor();
    if ((await there.count()) > 0) await there.first().click();
    else {
      await app.locator('#nova').click();
      await app.locator('#pergunta input').fill(name);
      await page.keyboard.press('Enter');
    }
    await until('the notebook', async () => (await app.locator('#nome').innerText()) === name, savedMsMax);
  }
  await app.locator('#estado[data-estado="sincronizado"]').waitFor({ timeout: savedMsMax });
  const line = nextLine(monkey);
  await app.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(`${line}\n`);
  await app.locator('.cm-line').getByText(line, { exact: true }).first().waitFor();
  ledger.room.push(line);
  monkey.focus = 'front';
}

async function writeSketch(monkey: Monkey): Promise<void> {
  if (!isConnected(monkey)) return;
  const app = appOf(monkey.page, 'Rascunhos');
  await openToWork(monkey, 'Rascunhos');
  await app.locator('#texto:enabled').waitFor();
  const line = nextLine(monkey);
  await app.locator('#texto').click();
  await monkey.page.keyboard.press('Control+End');
  await monkey.page.keyboard.insertText(`${line}\n`);
  await app.getByText('Salvo', { exact: true }).waitFor({ timeout: savedMsMax });
  monkey.ledger.sketches.push(line);
  monkey.focus = 'front';
}

async function makeFolder(monkey: Monkey): Promise<void> {
  const { page, portal, ledger } = monkey;
  if (!isConnected(monkey)) return;
  await openToWork(monkey, 'Arquivos');
  await goHome(monkey);
  const name = nextLine(monkey);
  await frontWindow(page).getByRole('button', { name: 'Mais ações' }).click();
  await menuItem(page, 'Nova pasta').click();
  await frontWindow(page).locator('svc-file-view input').waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await until('the folder on disk', () => existsSync(path.join(portal.files, name)), savedMsMax);
  ledger.paths.push(name);
  monkey.focus = 'front';
}

async function runCommand(monkey: Monkey): Promise<void> {
  const { page, portal, ledger } = monkey;
  if (!isConnected(monkey)) return;
  await openToWork(monkey, 'Terminal');
  const top = frontWindow(page);
  const name = nextLine(monkey);
  const file = path.join(portal.files, name);
  // Text typed before the new shell is shown goes to the one before.
  const shells = top.getByRole('tab');
  const before = await shells.count();
  await top.getByRole('button', { name: 'Novo terminal' }).first().click();
  await until('a new shell', async () => (await shells.count()) > before, savedMsMax);
  await until('a prompt', async () => /[$#]\s*$/.test((await top.locator('svc-screen[shown] .xterm-rows').innerText()).trim()), savedMsMax);
  await top.locator('svc-screen[shown] textarea').focus();
  // A person has a number of shells at most: this one ends.
  await page.keyboard.type(`cd; touch ${name}; exit\n`);
  await until('the command ran', () => existsSync(file), savedMsMax);
  ledger.paths.push(name);
  monkey.focus = 'front';
}

export const typingActs = {
  writeNote: [10, writeNote],
  writeFile: [10, writeFile],
  writeRoom: [8, writeRoom],
  writeSketch: [6, writeSketch],
  makeFolder: [4, makeFolder],
  runCommand: [4, runCommand],
} as const;

/** Everything that the ledger has is where it belongs; lines say what is not. */
export async function lostOf(world: MonkeyWorld, monkey: Monkey): Promise<readonly string[]> {
  const { page, portal, seed, ledger } = monkey;
  const lost: string[] = [];
  const missing = (what: string, lines: readonly string[], text: string): void =>
    void lost.push(...lines.filter((line) => !text.includes(line)).map((line) => `lost: ${line}, ${what}`));
  for (const name of ledger.paths) if (!existsSync(path.join(portal.files, name))) lost.push(`lost: ${name}, on disk`);
  if (ledger.saved.length > 0) missing('saved in the editor', ledger.saved, readFileSync(path.join(portal.files, fileOf(seed)), 'utf8'));
  if (ledger.drafts.length > 0) {
    await openFile(monkey);
    const content = frontWindow(page).locator('.cm-content');
    await until(
      '',
      async () => {
        const shown = await content.innerText();
        return ledger.drafts.every((line) => shown.includes(line));
      },
      savedMsMax,
    ).catch(() => undefined);
    missing('a draft of the editor', ledger.drafts, await content.innerText());
  }
  // Apps are asked in a profile that remembers nothing.
  const other = await monkeyAt(world, seed);
  try {
    const seen = async (lines: readonly string[], what: string, read: () => Promise<string>): Promise<void> => {
      if (lines.length === 0) return;
      let text = '';
      const all = async (): Promise<boolean> => {
        text = await read();
        return lines.every((line) => text.includes(line));
      };
      await until('', all, savedMsMax).catch(() => undefined);
      missing(what, lines, text);
    };
    const apiOf = async (app: string, route: string): Promise<string> => {
      const own = await other.page.context().newPage();
      await own.goto(new URL(route, portal.address.replace('//', `//${app}.`)).href);
      const text = await own.locator('body').innerText();
      await own.close();
      return text;
    };
    await seen(ledger.notes, 'a note', async () => await apiOf('notas', '/api/notas'));
    await seen(ledger.sketches, 'a sketch', async () => await apiOf('rascunhos', '/api/rascunhos'));
    if (ledger.room.length > 0) {
      await openByName(other, 'Caderno');
      const app = appOf(other.page, 'Caderno');
      await app.locator('#salas').getByText(notebookOf(seed), { exact: true }).first().click();
      await seen(ledger.room, 'in the notebook', async () => (await app.locator('.cm-line').allInnerTexts()).join('\n'));
    }
  } finally {
    await other.page.context().close();
  }
  return lost;
}

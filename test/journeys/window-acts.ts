/** Acts on windows and menus that each journey does in its own way. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { dragBy, frontWindow, hasKeyboard, openMenus, titlePoint, windowOf, type Person, type Point } from './person.ts';
import { everyNth } from '../support/share.ts';
import type { ShippedPortal } from './shipped-portal.ts';
import { soonMs, until } from './until.ts';

/** Names of the desktop's own windows, and what each shows when it is ready. */
export const ownWindows: readonly (readonly [name: string, ready: string])[] = [
  ['Arquivos', 'svc-file-view [data-name]'],
  ['Terminal', 'svc-screen[shown] .xterm-rows'],
  ['Configurações', 'svc-settings h3'],
  ['Loja', 'svc-shop [role=list] button, svc-shop li button'],
  ['Fila', 'svc-queue'],
  ['Gerenciador de tarefas', 'svc-task-manager [role=row], svc-task-manager tr'],
];

export async function layOutFiles({ files }: ShippedPortal): Promise<void> {
  await mkdir(path.join(files, 'Fotos'), { recursive: true });
  await mkdir(path.join(files, 'Textos'), { recursive: true });
  for (const name of ['lista.txt', 'grande.txt', 'Textos/outro.txt']) await writeFile(path.join(files, name), `conteúdo de ${name}\n`);
}

export const closeFront = async ({ page }: Person): Promise<void> => {
  const before = await page.locator('svc-window').count();
  await frontWindow(page).locator('.control.close').click();
  await until('the window closed', async () => (await page.locator('svc-window').count()) < before);
};

/** Opens a menu, presses beside it, opens it again, presses Escape: closed both times, and the press did nothing else. */
export async function menuCloses(person: Person, name: string, open: () => Promise<void>, beside: Point): Promise<void> {
  const { page } = person;
  const isClosed = async (way: string): Promise<void> => {
    const closed = await until('', async () => (await openMenus(page).count()) === 0, soonMs).catch(() => false);
    if (closed) return;
    person.found.push(`${name}: menus: it does not close by ${way}`);
    await page.reload();
    await page.locator('svc-home').getByRole('button').first().waitFor();
  };
  const opened = async (): Promise<void> => {
    await open();
    await openMenus(page).first().waitFor();
  };
  await person.act(`${name}, its menu`, opened);
  const before = await windowsOf(person);
  await person.act(
    `${name}, a press beside its menu`,
    async () => {
      await page.mouse.click(beside.x, beside.y);
      await isClosed('a press beside it');
    },
    { focus: 'anywhere' },
  );
  const after = await windowsOf(person);
  if (before !== after) person.found.push(`${name}: menus: the press beside it did something else: ${before} → ${after}`);
  await person.act(`${name}, its menu again`, opened);
  await person.act(
    `${name}, Escape`,
    async () => {
      await page.keyboard.press('Escape');
      await isClosed('Escape');
    },
    { focus: 'anywhere' },
  );
}

/** Which windows there are, which is in front and where. */
const windowsOf = async ({ page }: Person): Promise<string> =>
  await page.locator('svc-window').evaluateAll((all) =>
    all
      .map(
        (each) =>
          // Without the mark of what is not saved yet, which comes and goes by itself.
          `${each.ariaLabel?.replace(/ \(.*\)$/, '')} ${each.hasAttribute('top')} ${each.hasAttribute('minimised')} ${(each as HTMLElement).style.transform}`,
      )
      .join(', '),
  );

/** The keyboard is in the window in front: not on its frame alone, but where typing arrives. */
async function keyboardStays(person: Person, after: string): Promise<void> {
  const stays = await until('', async () => await hasKeyboard(frontWindow(person.page)), soonMs).catch(() => false);
  if (!stays) person.found.push(`${after}: focus: it left the window`);
}

/** Where one types in a window, and what is typed there so far. */
interface Typing {
  readonly place: Locator;
  read(): Promise<string>;
}

/** Checks that text typed after an act on a window's frame arrives in the window. */
async function typingArrives(person: Person, after: string, { read }: Typing): Promise<void> {
  const word = `w${Math.floor(performance.now())}`;
  await person.page.keyboard.type(word);
  const arrives = await until('', async () => (await read()).includes(word), soonMs).catch(() => false);
  if (!arrives) person.found.push(`${after}: focus: what is typed does not arrive in the window`);
}

/** The frame of all windows is one: each run takes some, others each time. The editor is always among them. */
const handled: ReadonlySet<string> = new Set(['lista.txt', ...everyNth(2, ['Arquivos', 'Terminal', 'Configurações', 'Notas'])]);

export async function handleWindow(person: Person, name: string, typing?: Typing): Promise<void> {
  if (!handled.has(name)) return;
  const { page } = person;
  const top = frontWindow(page);
  const check = async (what: string): Promise<void> => {
    await keyboardStays(person, `${name}, ${what}`);
    if (typing !== undefined) await typingArrives(person, `${name}, ${what}`, typing);
  };
  const frame = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    await person.act(`${name}, ${what}`, run);
    await check(what);
  };
  await frame('a press on the title', async () => {
    const { x, y } = await titlePoint(page);
    await page.mouse.click(x, y);
  });
  await frame('a move by the title', async () => await dragBy(page, await titlePoint(page), 60, 30));
  await frame('a larger window by its corner', async () => {
    const box = (await top.boundingBox())!;
    await dragBy(page, { x: box.x + box.width - 1, y: box.y + box.height - 1 }, -60, -40);
  });
  await frame('maximised by a double press', async () => {
    const { x, y } = await titlePoint(page);
    await page.mouse.dblclick(x, y);
  });
  await frame('restored by its button', async () => await top.locator('.control.restore').click());
  await frame('moved half off the screen', async () => await dragBy(page, await titlePoint(page), 900, 300));
  await person.act(
    `${name}, Tab five times at the edge`,
    async () => {
      for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab');
    },
    { focus: 'shown' },
  );
  await person.act(`${name}, back to the middle`, async () => await dragBy(page, await titlePoint(page), -800, -350));
  await keyboardStays(person, `${name}, back to the middle`);
  // Tab went on to a button, of the window or of its page: a busy browser gets there by other stops. Nothing is typed there.
  await typing?.place.click();
  await frame('minimised and back', async () => {
    await top.locator('.control.minimise').click();
    const button = page.locator('svc-taskbar').getByRole('button', { name: new RegExp(`^${name}`) });
    await button.click();
    await windowOf(page, name).or(top).first().waitFor();
  });
  await menuCloses(person, `the window menu of ${name}`, async () => await top.locator('button.menu').click(), { x: 400, y: 760 });
  await check('its menu');
}

export const tile = ({ page }: Person, name: string): Locator => page.locator('svc-home .tile').filter({ hasText: name }).first();

/** Until every app is installed: the places of the others change with each. */
export async function allApps(person: Person): Promise<void> {
  for (const name of ['Caderno', 'Leitor', 'Moinho', 'Notas', 'Rascunhos', 'Relógio', 'Traços', 'Vitrine'])
    await tile(person, name).waitFor();
}

/** A person with a mouse: every window of the desktop's own, every menu, dialog and drag, and the example apps. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import {
  appOf,
  axeInApp,
  dragBy,
  frontWindow,
  hasKeyboard,
  menuItem,
  middleOf,
  openMenus,
  titlePoint,
  windowOf,
  type Person,
  type Point,
} from './person.ts';
import type { ShippedPortal } from './shipped-portal.ts';
import { until } from './until.ts';

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
    const closed = await until('', async () => (await openMenus(page).count()) === 0, 1_500).catch(() => false);
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
  await page
    .locator('svc-window')
    .evaluateAll((all) =>
      all
        .map(
          (each) =>
            `${each.ariaLabel} ${each.hasAttribute('top')} ${each.hasAttribute('minimised')} ${(each as HTMLElement).style.transform}`,
        )
        .join(', '),
    );

/** The keyboard is in the window in front: not on its frame alone, but where typing arrives. */
async function keyboardStays(person: Person, after: string): Promise<void> {
  const stays = await until('', async () => await hasKeyboard(frontWindow(person.page)), 1_500).catch(() => false);
  if (!stays) person.found.push(`${after}: focus: it left the window`);
}

/** What is typed after an act on a window's frame arrives in the window. */
async function typingArrives(person: Person, after: string, read: () => Promise<string>): Promise<void> {
  const word = `w${Math.floor(performance.now())}`;
  await person.page.keyboard.type(word);
  const arrives = await until('', async () => (await read()).includes(word), 1_500).catch(() => false);
  if (!arrives) person.found.push(`${after}: focus: what is typed does not arrive in the window`);
}

export async function handleWindow(person: Person, name: string, read?: () => Promise<string>): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  const check = async (what: string): Promise<void> => {
    await keyboardStays(person, `${name}, ${what}`);
    if (read !== undefined) await typingArrives(person, `${name}, ${what}`, read);
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
  await person.act(`${name}, Tab five times at the edge`, async () => {
    for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab');
  });
  await frame('back to the middle', async () => await dragBy(page, await titlePoint(page), -800, -350));
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

export async function mouseJourney(person: Person, portal: ShippedPortal): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  await person.act('the empty desktop', async () => await allApps(person));

  for (const [name, ready] of ownWindows) {
    await person.act(`opens ${name}`, async () => {
      await tile(person, name).click();
      await top.locator(ready).first().waitFor();
    });
    if (name === 'Terminal') {
      const rows = top.locator('svc-screen[shown] .xterm-rows');
      await handleWindow(person, name, async () => (await rows.allInnerTexts()).join('\n'));
    } else if (name === 'Arquivos') await filesByMouse(person, portal);
    else if (name === 'Configurações') {
      for (const section of await top.locator('nav button, [role=navigation] button').allInnerTexts())
        await person.act(`settings, ${section}`, async () => await top.getByRole('button', { name: section.trim(), exact: true }).click(), {
          axe: true,
        });
      await handleWindow(person, name);
    } else if (name === 'Loja') {
      for (const part of ['Instalados', 'Administração', 'Explorar'])
        await person.act(`shop, ${part}`, async () => await top.getByRole('tab', { name: part }).click(), { axe: true });
    }
    await person.act(`closes ${name}`, async () => await closeFront(person));
  }

  const person_ = page.locator('svc-taskbar .person');
  await menuCloses(person, 'the person', async () => await person_.click(), { x: 300, y: 600 });
  await menuCloses(person, 'an app on the desktop', async () => await tile(person, 'Notas').click({ button: 'right' }), { x: 900, y: 600 });
  await menuCloses(person, 'the desktop', async () => await page.mouse.click(1_000, 620, { button: 'right' }), { x: 100, y: 300 });

  for (const [name, open] of [
    ['the launcher', async () => await page.locator('svc-taskbar .launch').click()],
    ['the bell', async () => await page.locator('svc-taskbar .bell').click()],
    ['the shortcuts', async () => (await person_.click(), await menuItem(page, 'Atalhos do teclado').click())],
    ['the sessions', async () => (await person_.click(), await menuItem(page, 'Onde entrei').click())],
  ] as const) {
    await person.act(name, async () => (await open(), await page.locator('dialog[open]').first().waitFor()));
    await person.act(`${name}, Escape`, async () => (await page.keyboard.press('Escape'), await noDialog(person)));
  }
  await person.act('the launcher, a press beside it', async () => {
    await page.locator('svc-taskbar .launch').click();
    await page.locator('dialog[open]').first().waitFor();
    await page.mouse.click(1_200, 60);
    await noDialog(person);
  });
  await appsByMouse(person);
  await person.act('English', async () => {
    await person_.click();
    await menuItem(page, 'English').click();
    await page.locator('html[lang=en]').waitFor({ state: 'attached' });
  });
  for (const name of ['Files', 'Terminal', 'Settings', 'Task manager', 'Queue', 'Shop'])
    await person.act(`${name} in English`, async () => {
      await tile(person, name).click();
      await top.getByRole('heading', { level: 2 }).first().waitFor();
      await closeFront(person);
    });
  await person.act('the menu in English', async () => {
    await person_.click();
    await openMenus(page).first().waitFor();
  });
  await person.act('Portuguese', async () => {
    await menuItem(page, 'Português').click();
    await page.locator('html[lang^=pt]').waitFor({ state: 'attached' });
  });
}

const noDialog = async ({ page }: Person): Promise<unknown> =>
  await until('no dialog', async () => (await page.locator('dialog[open]').count()) === 0, 5_000);

async function filesByMouse(person: Person, { files }: ShippedPortal): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  const entry = (name: string): Locator => top.locator(`svc-file-view [data-name="${name}"]`).first();
  await handleWindow(person, 'Arquivos');
  const box = (await top.boundingBox())!;
  const beside = { x: box.x + box.width - 40, y: box.y + box.height - 60 };
  await menuCloses(person, 'more in Files', async () => await top.getByRole('button', { name: 'Mais ações' }).click(), beside);
  await menuCloses(person, 'a file', async () => await entry('lista.txt').click({ button: 'right' }), beside);
  await menuCloses(person, 'a folder', async () => await entry('Fotos').click({ button: 'right' }), beside);
  await menuCloses(person, 'the folder itself', async () => await page.mouse.click(beside.x, beside.y, { button: 'right' }), {
    x: box.x + box.width / 2,
    y: beside.y,
  });

  await person.act('a menu, a press beside it, another folder', async () => {
    await entry('lista.txt').click({ button: 'right' });
    await openMenus(page).first().waitFor();
    await page.mouse.click(beside.x, beside.y);
    await entry('Textos').dblclick();
    await entry('outro.txt').waitFor();
    if ((await openMenus(page).count()) > 0) person.found.push('Files: menus: the menu of a file hangs over another folder');
    await page.keyboard.press('Escape');
    await top.getByRole('button', { name: 'Voltar' }).click();
    await entry('lista.txt').waitFor();
  });
  await person.act('a new folder', async () => {
    await top.getByRole('button', { name: 'Mais ações' }).click();
    await menuItem(page, 'Nova pasta').click();
    await until(
      'a field for the name',
      async () =>
        await page.evaluate(() => {
          let active = document.activeElement;
          while (active?.shadowRoot?.activeElement != null) active = active.shadowRoot.activeElement;
          return active instanceof HTMLInputElement;
        }),
    );
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Nova');
    await page.keyboard.press('Enter');
    await until('the folder on disk', () => existsSync(path.join(files, 'Nova')));
    await entry('Nova').waitFor();
  });
  await person.act(
    'a file dragged into a folder',
    async () => {
      const [from, to] = [await middleOf(entry('grande.txt')), await middleOf(entry('Nova'))];
      await dragBy(page, from, to.x - from.x, to.y - from.y);
      await until('the file moved', () => existsSync(path.join(files, 'Nova/grande.txt')));
    },
    { focus: 'anywhere' },
  );
  await person.act('into the trash and back by undo', async () => {
    await entry('lista.txt').click({ button: 'right' });
    await menuItem(page, /lixeira/).click();
    await until('the file is gone', () => !existsSync(path.join(files, 'lista.txt')));
    await page.keyboard.press('Control+z');
    await until('the file is back', () => existsSync(path.join(files, 'lista.txt')));
  });
  await person.act('a file in the editor', async () => {
    await entry('lista.txt').dblclick();
    await page.locator('svc-window[top] .cm-content').waitFor();
  });
  await handleWindow(person, 'lista.txt', async () => await page.locator('svc-window .cm-content').innerText());
  await person.act('closing the editor asks', async () => {
    await top.locator('.control.close').click();
    await page.getByRole('button', { name: 'Fechar sem salvar' }).click();
    await page.locator('svc-window .cm-content').waitFor({ state: 'detached' });
  });
}

async function appsByMouse(person: Person): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  const opens = async (name: string, ready: string): Promise<void> => {
    await person.act(`opens ${name}`, async () => {
      await tile(person, name).click();
      await appOf(page, name).locator(ready).first().waitFor();
    });
    await axeInApp(person, name);
  };
  await opens('Notas', '#nova');
  const notes = appOf(page, 'Notas');
  await person.act('a note', async () => {
    await notes.locator('#nova').click();
    await notes.locator('#campo-titulo').click();
    await page.keyboard.type('Compras');
    await notes.locator('#campo-texto').click();
    await page.keyboard.type('pão e café ');
    await notes.getByText('Salva', { exact: true }).waitFor();
  });
  await handleWindow(person, 'Notas', async () => await notes.locator('#campo-texto').inputValue());
  await person.act('typing in a window at the edge', async () => {
    await dragBy(page, await titlePoint(page), 800, 0);
    await notes.locator('#campo-texto').click({ position: { x: 10, y: 10 } });
    await page.keyboard.press('Control+End');
    await page.keyboard.type('muito texto numa linha que vai além da borda da tela e segue por muito tempo ainda');
    await notes.getByText('Salva', { exact: true }).waitFor();
  });
  await person.act('the window back in sight', async () => await dragBy(page, await titlePoint(page), -800, 0));
  await person.act('closes Notas', async () => await closeFront(person));

  await opens('Relógio', '#hora');
  await person.act('closes Relógio', async () => await closeFront(person));

  await opens('Traços', '#tracos');
  const drawing = appOf(page, 'Traços');
  const draw = async (): Promise<void> => {
    const box = (await drawing.locator('#tracos').boundingBox())!;
    await dragBy(page, { x: box.x + 60, y: box.y + 60 }, 120, 80);
  };
  await person.act('a stroke', draw);
  for (const button of ['Abrir…', 'Salvar como…'])
    await person.act(
      `${button} of Traços, and Escape`,
      async () => {
        await drawing.getByRole('button', { name: button }).click();
        await page.locator('svc-file-picker').first().waitFor();
        await page.keyboard.press('Escape');
        await until('no picker', async () => (await page.locator('svc-file-picker').count()) === 0);
      },
      { axe: true },
    );
  await person.act('closing Traços with a stroke that is not saved asks', async () => {
    await top.locator('.control.close').click();
    const asked = await until('', async () => (await page.locator('svc-question').count()) > 0, 2_000).catch(() => false);
    if (!asked) {
      person.found.push('Traços: unsaved: its window closes without a question');
      return;
    }
    await page.keyboard.press('Escape');
    await until('no question', async () => (await page.locator('svc-question').count()) === 0);
    if (!(await windowOf(page, 'Traços').isVisible())) person.found.push('Traços: unsaved: Escape closed the window');
    await top.locator('.control.close').click();
    await page
      .locator('svc-question')
      .getByRole('button', { name: /sem salvar/ })
      .click();
    await page.locator('svc-window').waitFor({ state: 'detached' });
  });

  await opens('Rascunhos', '#texto');
  await person.act('a second tab, and back', async () => {
    await top.getByRole('button', { name: 'Nova aba' }).click();
    await until('two tabs', async () => (await top.getByRole('tab').count()) === 2);
    await top.getByRole('tab').first().click();
  });
  await menuCloses(person, 'a tab', async () => await top.getByRole('tab').first().click({ button: 'right' }), { x: 640, y: 500 });
  await person.act('a tab dragged to the right', async () => {
    const [from, to] = [await middleOf(top.getByRole('tab').first()), await middleOf(top.getByRole('tab').last())];
    await dragBy(page, from, to.x - from.x + 20, 0);
  });
  await person.act('closes Rascunhos', async () => await closeFront(person));

  await opens('Leitor', '#texto button, #texto [role=button]');
  await person.act('Leitor asks for a consent', async () => {
    await appOf(page, 'Leitor').locator('#texto button, #texto [role=button]').first().click();
    await page.locator('svc-consent dialog[open]').waitFor();
  });
  await person.act('the consent is given', async () => {
    await page.locator('svc-consent').getByRole('button', { name: 'Permitir', exact: true }).click();
    await page.locator('svc-consent').waitFor({ state: 'detached' });
  });
  await person.act('closes Leitor', async () => await closeFront(person));

  await opens('Caderno', '#nova:enabled');
  const notebook = appOf(page, 'Caderno');
  await person.act('a notebook with a text', async () => {
    await notebook.locator('#nova').click();
    await notebook.locator('#pergunta input').fill('Viagem');
    await page.keyboard.press('Enter');
    await notebook.locator('.cm-content').click();
    await page.keyboard.type('de trem');
    await until('the text', async () => (await notebook.locator('.cm-content').innerText()).includes('de trem'));
  });
  await person.act('sharing it', async () => {
    await notebook.locator('#compartilhar').click();
    await page.locator('svc-share dialog[open]').waitFor();
  });
  await person.act('sharing, Escape', async () => (await page.keyboard.press('Escape'), await noDialog(person)));
  await person.act('closes Caderno', async () => await closeFront(person));

  await opens('Moinho', '#texto');
  await person.act('a job', async () => {
    await appOf(page, 'Moinho').locator('#texto').fill('um dois um');
    await appOf(page, 'Moinho').locator('#moer').click();
    await appOf(page, 'Moinho').locator('#trabalhos li').first().waitFor();
  });
  await person.act('closes Moinho', async () => await closeFront(person));

  await opens('Vitrine', 'ui-button');
  const kit = appOf(page, 'Vitrine');
  await menuClosesInApp(person, kit.locator('ui-menu').first().locator('ui-button').first(), 'Vitrine');
  await person.act('closes Vitrine', async () => await closeFront(person));
}

/** The same for a menu of the kit on the page of an app: a press beside it in the page, and one on the desktop. */
async function menuClosesInApp(person: Person, button: Locator, app: string): Promise<void> {
  const { page } = person;
  const menus = appOf(page, app).locator('[role=menu]:visible');
  for (const way of ['a press beside it', 'Escape', 'a press on the title bar'] as const)
    await person.act(`a menu of ${app}, ${way}`, async () => {
      await button.click();
      await menus.first().waitFor();
      if (way === 'Escape') await page.keyboard.press('Escape');
      else if (way === 'a press beside it') {
        const box = (await page.locator(`iframe[title="${app}"]`).boundingBox())!;
        await page.mouse.click(box.x + box.width - 60, box.y + box.height - 40);
      } else {
        const { x, y } = await titlePoint(page);
        await page.mouse.click(x, y);
      }
      const closed = await until('', async () => (await menus.count()) === 0, 1_500).catch(() => false);
      if (closed) return;
      person.found.push(`a menu of ${app}: menus: it does not close by ${way}`);
      await menus.first().evaluate((list) => (list as HTMLElement).hidePopover());
    });
}

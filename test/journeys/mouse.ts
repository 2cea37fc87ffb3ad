/** A person with a mouse: every window of the desktop's own, every menu, dialog and drag, and the example apps. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { appOf, axeInApp, dragBy, frontWindow, menuItem, middleOf, openMenus, titlePoint, type Person } from './person.ts';
import type { ShippedPortal } from './shipped-portal.ts';
import { soonMs, until } from './until.ts';
import { allApps, closeFront, handleWindow, menuCloses, ownWindows, tile } from './window-acts.ts';

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
      await until('a prompt', async () => /[$#]\s*$/.test((await rows.innerText()).trim()));
      await handleWindow(person, name, {
        place: top.locator('svc-screen[shown]'),
        // A word may go over the end of a row.
        read: async () => (await rows.allInnerTexts()).join('').replaceAll('\n', ''),
      });
      // The shell outlives its window, with what was typed.
      await person.act('the line is given up', async () => await page.keyboard.press('Control+c'));
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

  const account = page.locator('svc-taskbar .person');
  await menuCloses(person, 'the person', async () => await account.click(), { x: 300, y: 600 });
  await menuCloses(person, 'an app on the desktop', async () => await tile(person, 'Notas').click({ button: 'right' }), { x: 900, y: 600 });
  await menuCloses(person, 'the desktop', async () => await page.mouse.click(1_000, 620, { button: 'right' }), { x: 100, y: 300 });

  for (const [name, open] of [
    ['the launcher', async () => await page.locator('svc-taskbar .launch').click()],
    ['the bell', async () => await page.locator('svc-taskbar .bell').click()],
    ['the shortcuts', async () => (await account.click(), await menuItem(page, 'Atalhos do teclado').click())],
    ['the sessions', async () => (await account.click(), await menuItem(page, 'Onde entrei').click())],
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
    // An earlier message is in the language before.
    await until('no message', async () => (await page.locator('ui-toast').getByRole('button').count()) === 0);
    await account.click();
    await menuItem(page, 'English').click();
    await page.locator('html[lang=en]').waitFor({ state: 'attached' });
  });
  for (const name of ['Files', 'Terminal', 'Settings', 'Task manager', 'Queue', 'Store'])
    await person.act(`${name} in English`, async () => {
      await tile(person, name).click();
      await top.getByRole('heading', { level: 2 }).first().waitFor();
      await closeFront(person);
    });
  await person.act('the menu in English', async () => {
    await account.click();
    await openMenus(page).first().waitFor();
  });
  await person.act('Portuguese', async () => {
    await menuItem(page, 'Português').click();
    await page.locator('html[lang^=pt]').waitFor({ state: 'attached' });
  });
}

const noDialog = async ({ page }: Person): Promise<unknown> =>
  await until('no dialog', async () => (await page.locator('dialog[open]').count()) === 0, soonMs);

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
  const content = page.locator('svc-window .cm-content');
  await handleWindow(person, 'lista.txt', { place: content, read: async () => await content.innerText() });
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
  const noteText = notes.locator('#campo-texto');
  await handleWindow(person, 'Notas', { place: noteText, read: async () => await noteText.inputValue() });
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
  await person.act('a stroke', async () => {
    await draw();
    await until('a stroke on the sheet', async () => (await drawing.locator('#tracos > *').count()) > 0);
  });
  for (const button of ['Abrir…', 'Salvar como…'])
    await person.act(
      `${button} of Traços, and Escape`,
      async () => {
        await drawing.getByRole('button', { name: button }).click();
        await page.locator('svc-file-picker dialog[open]').waitFor();
        await page.keyboard.press('Escape');
        await until('no picker', async () => (await page.locator('svc-file-picker').count()) === 0);
      },
      { axe: true },
    );
  await person.act('closing Traços with a stroke that is not saved asks', async () => {
    const leave = page.getByRole('button', { name: /sem salvar/ });
    await top.locator('.control.close').click();
    const asked = await until('', async () => (await leave.count()) > 0, soonMs).catch(() => false);
    if (!asked) {
      person.found.push('Traços: unsaved: its window closes without a question');
      return;
    }
    await page.keyboard.press('Escape');
    await until('no question', async () => (await leave.count()) === 0);
    if (!(await drawing.locator('#tracos').isVisible())) person.found.push('Traços: unsaved: Escape closed the window');
    await top.locator('.control.close').click();
    // A press that comes with the question is not meant for it: a person presses again.
    await until('the window closed', async () => {
      await leave.click({ timeout: 1_000 }).catch(() => undefined);
      return (await page.locator('svc-window').count()) === 0;
    });
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
    await page.locator('svc-sure').getByRole('button', { name: 'Confirmar', exact: true }).click();
    await page.locator('svc-consent').waitFor({ state: 'detached' });
  });
  await person.act('closes Leitor', async () => await closeFront(person));

  await opens('Caderno', '#nova:enabled');
  const notebook = appOf(page, 'Caderno');
  await person.act('a notebook with a text', async () => {
    await notebook.locator('#nova').click();
    await notebook.locator('#pergunta input').fill('Viagem');
    await page.keyboard.press('Enter');
    await notebook.locator('#estado[data-estado="sincronizado"]').waitFor();
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
      const closed = await until('', async () => (await menus.count()) === 0, soonMs).catch(() => false);
      if (closed) return;
      person.found.push(`a menu of ${app}: menus: it does not close by ${way}`);
      await menus.first().evaluate((list) => (list as HTMLElement).hidePopover());
    });
}

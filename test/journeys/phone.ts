/** A person on a phone: fingers only, on a screen of 360 and of 320 px. */
import { appOf, axeInApp, frontWindow, menuItem, openMenus, type Fingers, type Person } from './person.ts';
import { soonMs, until } from './until.ts';
import { allApps, ownWindows, tile } from './window-acts.ts';

const noWindow = async ({ page }: Person): Promise<unknown> =>
  await until('no window', async () => (await page.locator('svc-window').count()) === 0);

export async function phoneJourney(person: Person, hand: Fingers): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  const close = async (name: string): Promise<void> =>
    await person.act(`closes ${name}`, async () => {
      await hand.press(top.locator('.control.close'));
      await noWindow(person);
    });
  /** Menus are left by a tap beside them: there is no Escape. */
  const menuCloses = async (name: string, open: () => Promise<void>): Promise<void> => {
    await person.act(`${name}, its menu`, async () => {
      await open();
      await openMenus(page).first().waitFor();
    });
    await person.act(
      `${name}, a tap beside its menu`,
      async () => {
        const box = (await openMenus(page).first().boundingBox())!;
        const { width, height } = page.viewportSize()!;
        const free = [
          { x: box.x / 2, y: box.y + 10 },
          { x: (box.x + box.width + width) / 2, y: box.y + 10 },
          { x: box.x + 20, y: box.y / 2 },
          { x: box.x + 20, y: (box.y + box.height + height) / 2 },
        ];
        const room = [box.x, width - box.x - box.width, box.y, height - box.y - box.height];
        const place = free[room.indexOf(Math.max(...room))];
        if (place !== undefined) await hand.tap(place);
        const closed = await until('', async () => (await openMenus(page).count()) === 0, soonMs).catch(() => false);
        if (closed) return;
        person.found.push(`${name}: menus: it does not close by a tap beside it`);
        await page.reload();
        await page.locator('svc-home').getByRole('button').first().waitFor();
      },
      { focus: 'anywhere' },
    );
  };

  await person.act('the desktop of a phone', async () => await allApps(person));
  const account = page.locator('svc-taskbar .person');
  await menuCloses('the person', async () => await hand.press(account));
  await menuCloses('an app on the desktop', async () => await hand.menu(tile(person, 'Notas')));
  for (const [name, open] of [
    ['the launcher', '.launch'],
    ['the bell', '.bell'],
  ] as const) {
    await person.act(name, async () => {
      await hand.press(page.locator(`svc-taskbar ${open}`));
      await page.locator('dialog[open]').first().waitFor();
    });
    await person.act(`${name}, a tap beside it or its button`, async () => {
      const button = page.getByRole('button', { name: 'Fechar', exact: true });
      if (await button.first().isVisible()) await hand.press(button);
      else await hand.tap({ x: 8, y: 8 });
      await until('no dialog', async () => (await page.locator('dialog[open]').count()) === 0, soonMs);
    });
  }
  for (const [name, ready] of ownWindows) {
    await person.act(`opens ${name}`, async () => {
      await hand.press(tile(person, name));
      await top.locator(ready).first().waitFor();
    });
    await menuCloses(`the window menu of ${name}`, async () => await hand.press(top.locator('button.menu')));
    if (name === 'Arquivos') {
      const entry = (of: string) => top.locator(`svc-file-view [data-name="${of}"]`).first();
      await menuCloses('a file', async () => await hand.menu(entry('lista.txt')));
      await menuCloses('more in Files', async () => await hand.press(top.getByRole('button', { name: 'Mais ações' })));
      await person.act('into a folder and back', async () => {
        // The finger that rested chose the file: while something is chosen, a tap chooses more.
        const list = (await top.locator('svc-file-view').boundingBox())!;
        await hand.tap({ x: list.x + list.width / 2, y: list.y + list.height - 40 });
        await until('nothing is chosen', async () => (await top.locator('svc-file-view [aria-selected=true]').count()) === 0);
        await hand.open(entry('Textos'));
        await entry('outro.txt').waitFor();
        await hand.press(top.getByRole('button', { name: 'Voltar' }));
        await entry('lista.txt').waitFor();
      });
    }
    if (name === 'Terminal')
      await person.act('a command in the terminal', async () => {
        await hand.press(top.locator('svc-screen[shown]'));
        const rows = async (): Promise<string> => (await top.locator('svc-screen[shown] .xterm-rows').innerText()).trim();
        await until('a prompt', async () => /[$#]\s*$/.test(await rows())).catch(async (error: unknown) => {
          throw new Error(`${String(error)}: ${JSON.stringify(await rows())}`, { cause: error });
        });
        await page.keyboard.type('echo to""que\n');
        await top.locator('svc-screen[shown] .xterm-rows').getByText('toque', { exact: true }).first().waitFor();
      });
    await close(name);
  }
  const notes = appOf(page, 'Notas');
  await person.act('opens Notas', async () => {
    await hand.press(tile(person, 'Notas'));
    await notes.locator('#nova').waitFor();
  });
  await axeInApp(person, 'Notas');
  await person.act('a note', async () => {
    await hand.press(notes.locator('#nova'));
    await hand.press(notes.locator('#campo-titulo'));
    await page.keyboard.insertText('Do telefone');
    await notes.getByText('Salva', { exact: true }).waitFor();
  });
  await person.act('the taskbar, another window, and back', async () => {
    await hand.press(top.locator('.control.minimise'));
    await hand.press(tile(person, 'Configurações'));
    await top.getByRole('heading', { name: 'Configurações' }).waitFor();
    await hand.press(page.locator('svc-taskbar .window').first());
    await notes.locator('#campo-titulo').waitFor();
  });
  await person.act('a swipe over the taskbar', async () => await hand.swipe({ x: 250, y: 620 }, { x: 60, y: 620 }), { focus: 'anywhere' });
  for (const name of ['Notas', 'Configurações'])
    await person.act(`closes ${name}`, async () => {
      const count = await page.locator('svc-window').count();
      await hand.press(top.locator('.control.close'));
      await until('one window less', async () => (await page.locator('svc-window').count()) < count);
    });
  await page.setViewportSize({ width: 320, height: 568 });
  for (const [name, ready] of ownWindows) {
    await person.act(`opens ${name} at 320 px`, async () => {
      await hand.press(tile(person, name));
      await top.locator(ready).first().waitFor();
    });
    await close(`${name} at 320 px`);
  }
  await menuCloses('the person at 320 px', async () => await hand.press(account));
  await person.act('an entry of the menu', async () => {
    await hand.press(account);
    await hand.press(menuItem(page, 'Configurações'));
    await top.getByRole('heading', { name: 'Configurações' }).waitFor();
  });
  await close('Configurações');
}

/** A person with the keyboard alone: every window is reached, handled and left, and what has the keyboard can always be seen. */
import { everyNth } from '../support/share.ts';
import { frontWindow, hasKeyboard, keyboard, menuItem, openMenus, windowOf, appOf, type Person } from './person.ts';
import { soonMs, until } from './until.ts';
import { allApps, ownWindows } from './window-acts.ts';

/** Bound of the stops of Tab that are walked over in a window. */
const stopsMax = 24;

/** Entries of the menu of a window, which is one for all: each run takes it at some, others each time. */
const frameActs = [
  ['Mover', ['ArrowRight', 'ArrowDown', 'Enter']],
  ['Redimensionar', ['ArrowLeft', 'ArrowUp', 'Enter']],
  ['Maximizar', []],
  ['Restaurar', []],
] as const;
const handled: ReadonlySet<string> = new Set(everyNth(2, ownWindows).map(([name]) => name));

export async function keyboardJourney(person: Person): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  const hand = keyboard(page);
  const launch = async (name: string): Promise<void> => {
    // In a terminal Ctrl+K is the shell's: its window is left first.
    if (await top.locator('svc-terminal').isVisible()) await page.keyboard.press('Meta');
    else await page.keyboard.press('Control+k');
    await page.locator('svc-launcher').getByRole('combobox').fill(name);
    await page.locator('svc-launcher').getByRole('option', { name }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('svc-launcher').getByRole('combobox').waitFor({ state: 'detached' });
  };
  const inFront = async (after: string): Promise<void> => {
    if (!(await until('', async () => await hasKeyboard(top), soonMs).catch(() => false)))
      person.found.push(`${after}: focus: it is not in the window in front`);
  };

  await person.act('the desktop', async () => {
    await allApps(person);
    await page.keyboard.press('Tab');
  });
  await person.act('an app of the desktop by arrows, and its menu', async () => {
    await hand.reach(page.locator('svc-home .tile').first());
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+F10');
    await openMenus(page).first().waitFor();
  });
  await person.act('Escape', async () => {
    await page.keyboard.press('Escape');
    await until('no menu', async () => (await openMenus(page).count()) === 0, soonMs);
    if (!(await hasKeyboard(page.locator('svc-home')))) person.found.push('the menu of an app: focus: it does not go back to the app');
  });
  for (const [name, ready] of ownWindows) {
    await person.act(`opens ${name}`, async () => {
      await launch(name);
      await top.locator(ready).first().waitFor();
    });
    await inFront(`opens ${name}`);
    // A terminal keeps Tab and the arrows: its window is handled by the commands of the launcher.
    if (name === 'Terminal') {
      for (const command of ['Maximizar', 'Restaurar', 'Fechar']) {
        await person.act(`the launcher, ${command} · ${name}`, async () => await launch(`${command} · ${name}`));
        if (command !== 'Fechar') await inFront(`the launcher, ${command} · ${name}`);
      }
      await page.locator('svc-window').waitFor({ state: 'detached' });
      continue;
    }
    for (let stop = 0; stop < stopsMax; stop += 1) {
      let left = false;
      await person.act(
        `${name}, Tab ${stop + 1}`,
        async () => {
          await page.keyboard.press('Tab');
          left = !(await hasKeyboard(top));
        },
        { focus: 'shown' },
      );
      if (left) break;
    }
    for (const [entry, keys] of handled.has(name) ? frameActs : []) {
      await person.act(`${name}, the window menu, ${entry}`, async () => {
        await page.keyboard.press('F6');
        await hand.press(top.locator('button.menu'));
        await openMenus(page).first().waitFor();
        const item = menuItem(page, entry);
        for (let step = 0; step < 12 && !(await hasKeyboard(item)); step += 1) await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        for (const each of keys) await page.keyboard.press(each);
        await until('no menu', async () => (await openMenus(page).count()) === 0, soonMs);
      });
      await inFront(`${name}, ${entry}`);
    }
    await person.act(`${name}, its menu and Escape`, async () => {
      await hand.press(top.locator('button.menu'));
      await openMenus(page).first().waitFor();
      await page.keyboard.press('Escape');
      await until('no menu', async () => (await openMenus(page).count()) === 0, soonMs);
    });
    await inFront(`${name}, its menu and Escape`);
    await person.act(`closes ${name}`, async () => {
      await hand.press(top.locator('.control.close'));
      await page.locator('svc-window').waitFor({ state: 'detached' });
    });
  }
  await person.act('two windows', async () => {
    await launch('Notas');
    await appOf(page, 'Notas').locator('#nova').waitFor();
    await launch('Configurações');
    await windowOf(page, 'Configurações').waitFor();
  });
  await inFront('two windows');
  for (const key of ['F6', 'Shift+F6', 'F6'])
    await person.act(`two windows, ${key}`, async () => {
      const before = await top.getAttribute('aria-label');
      await page.keyboard.press(key);
      await until('the other window', async () => (await top.getAttribute('aria-label')) !== before, soonMs);
    });
  await inFront('two windows, F6');
  await person.act('the list of windows by Alt+Q', async () => {
    const before = await top.getAttribute('aria-label');
    await page.keyboard.down('Alt');
    await page.keyboard.press('q');
    await page.keyboard.up('Alt');
    await until('the other window', async () => (await top.getAttribute('aria-label')) !== before, soonMs);
  });
  await inFront('Alt+Q');
  for (const command of ['Minimizar', 'Fechar']) await person.act(`the launcher, ${command}`, async () => await launch(`${command} · `));
  await person.act('the dialogs of the taskbar', async () => {
    await hand.press(page.locator('svc-taskbar .bell'));
    await page.locator('dialog[open]').first().waitFor();
  });
  await person.act('the bell, Escape', async () => {
    await page.keyboard.press('Escape');
    await until('no dialog', async () => (await page.locator('dialog[open]').count()) === 0, soonMs);
    if (!(await hasKeyboard(page.locator('svc-taskbar .bell'))))
      person.found.push('the bell, Escape: focus: it does not go back to the bell');
  });
  await person.act('the shortcuts', async () => {
    await hand.press(page.locator('svc-taskbar .person'));
    await openMenus(page).first().waitFor();
    const item = menuItem(page, 'Atalhos do teclado');
    for (let step = 0; step < 16 && !(await hasKeyboard(item)); step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('dialog[open]').first().waitFor();
  });
  await person.act('the shortcuts, Escape', async () => {
    await page.keyboard.press('Escape');
    await until('no dialog', async () => (await page.locator('dialog[open]').count()) === 0, soonMs);
  });
}

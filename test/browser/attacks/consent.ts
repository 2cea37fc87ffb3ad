/** Clickjacking of the question of consent: what the app does so that the person answers yes and does not mean it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { everyNth } from '../../support/share.ts';
import { middleOf, touchScreen } from '../support/touch.ts';
import { inPathMode, type Attack, type Cell } from './attack.ts';
import { afresh, allow, isGranted, question, type Reply } from './consent-question.ts';

declare const perguntar: (verbo: string, args?: object, moved?: Transferable[]) => Promise<Reply>;
declare const pedir: (capacidade: string, more?: object) => Promise<Reply>;
declare const dizer: (evento: string, dados: object) => Promise<void>;

async function asked(cell: Cell): Promise<void> {
  await afresh(cell);
  await cell.hostile.evaluate(() => void pedir('cofre/v1'));
  await question(cell).waitFor();
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where a click says yes. */
async function yes(cell: Cell): Promise<Point> {
  const box = await allow(cell).boundingBox();
  if (box === null) throw new Error('the question is not to be seen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Whether a click there would reach the question. */
async function isInFront(cell: Cell): Promise<boolean> {
  return await cell.page.evaluate(
    ({ x, y }) => {
      let at: Element | null = null;
      for (let root: DocumentOrShadowRoot | null = document; root !== null;) {
        const inner: Element | null = root.elementFromPoint(x, y);
        root = inner === at ? null : (inner?.shadowRoot ?? null);
        at = inner;
      }
      for (let up = at; up !== null; up = (up.getRootNode() as Partial<ShadowRoot>).host ?? null)
        if (up.closest('ui-dialog[alert]') !== null) return true;
      return false;
    },
    await yes(cell),
  );
}

const isReady = async (cell: Cell): Promise<void> => await allow(cell).and(cell.page.locator(':enabled')).waitFor();

export const consent: readonly Attack[] = [
  {
    what: 'draws over the question',
    by: 'the question is a modal dialog of the shell; pages draw in their frame only',
    open: inPathMode,
    seen: async (cell) => {
      await asked(cell);
      await cell.hostile.evaluate(async () => {
        await perguntar('window.maximize');
        const at = ((): Document => {
          try {
            return parent.document;
          } catch {
            return document;
          }
        })();
        const [cover, dialog] = [at.createElement('div'), at.createElement('dialog')];
        at.body.append(cover, dialog);
        cover.popover = 'manual';
        for (const each of [cover, dialog])
          Object.assign(each.style, { inset: '0', width: '100vw', height: '100vh', zIndex: '2147483647' });
        dialog.showModal();
        cover.showPopover();
      });
      return !(await isInFront(cell));
    },
  },
  {
    what: 'presses its buttons by script',
    by: 'another origin; presses by script count for nothing',
    seen: async (cell) => {
      await asked(cell);
      await isReady(cell);
      await cell.hostile
        .evaluate(async () => {
          const roots = (root: ParentNode): readonly ParentNode[] =>
            [root].concat([...root.querySelectorAll('*')].flatMap((one) => (one.shadowRoot === null ? [] : roots(one.shadowRoot))));
          const button = roots(parent.document)
            .map((root) => root.querySelector('ui-dialog[alert] ui-button[variant=primary]'))
            .find((one) => one !== null);
          button?.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, composed: true }));
          (button as HTMLElement).click();
          await new Promise((resolve) => setTimeout(resolve, 300));
        })
        .catch(() => undefined);
      return await isGranted(cell);
    },
  },
  {
    what: 'takes the keyboard from the question, so that keys answer it',
    by: 'the question takes it back, a page that goes on is taken out of its window, and no button has the focus',
    seen: async (cell) => {
      await asked(cell);
      await cell.hostile.evaluate(() => {
        const input = document.createElement('input');
        document.body.append(input);
        setInterval(() => {
          window.focus();
          input.focus();
          for (const type of ['keydown', 'keyup'])
            input.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', bubbles: true, composed: true }));
        }, 20);
      });
      await isReady(cell);
      for (const key of ['Enter', 'Space', 'y', 'Enter']) await cell.page.keyboard.press(key);
      return await isGranted(cell);
    },
  },
  {
    what: 'opens it under a pointer that clicks and clicks',
    by: 'a press in the first half second makes the question wait anew',
    seen: async (cell) => {
      await asked(cell);
      const { x, y } = await yes(cell);
      await afresh(cell);
      await cell.hostile.evaluate(async () => {
        await perguntar('window.maximize');
        addEventListener('pointerdown', () => void pedir('cofre/v1'), { once: true });
      });
      // Until its window is that large a click could be on the desktop.
      await cell.hostile.waitForFunction(() => innerWidth > 1_200);
      const end = performance.now() + 2_000;
      while (performance.now() < end) await cell.page.mouse.click(x, y);
      await question(cell)
        .waitFor({ timeout: 2_000 })
        .catch(() => undefined);
      return (await isGranted(cell)) || (await question(cell).count()) === 0;
    },
  },
  {
    what: 'has the person press in a rhythm, and asks under it',
    by: 'a yes has a second step, at a place that nobody knows beforehand',
    seen: async (cell) => {
      await asked(cell);
      const { x, y } = await yes(cell);
      const finger = await touchScreen(cell.page);
      const presses = [async () => await cell.page.mouse.click(x, y), async () => (await finger.down({ x, y }), await finger.up())];
      const rhythms = presses.flatMap((press) => [600, 1_100].map((ms) => [press, ms] as const));
      let won = false;
      for (const [press, rhythmMs] of everyNth(2, rhythms)) {
        await afresh(cell);
        await cell.hostile.evaluate(async () => {
          await perguntar('window.maximize');
          addEventListener('pointerdown', () => void pedir('cofre/v1'), { once: true });
        });
        await cell.hostile.waitForFunction(() => innerWidth > 1_200);
        await press();
        await question(cell).waitFor();
        // A further press would close the question, which is then not asked for a minute.
        for (let each = 0; each < 3; each += 1) {
          await sleep(rhythmMs);
          await press();
        }
        won ||= await isGranted(cell);
      }
      await finger.end();
      return won;
    },
  },
  {
    what: 'has the person press where its picker of folders comes up',
    by: 'what an app is given first, and each folder, has the same second step',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => {
        const pick = async (): Promise<void> => void Reflect.set(globalThis, 'pasta', (await perguntar('arquivos.pasta')).valor ?? null);
        document.querySelector('#agir')?.addEventListener('click', () => void pick(), { once: true });
      });
      await cell.hostile.locator('#agir').click();
      const accept = cell.page.locator('svc-file-picker').getByRole('button', { name: 'Escolher' }).and(cell.page.locator(':enabled'));
      await accept.waitFor();
      const { x, y } = await middleOf(accept);
      for (let each = 0; each < 4; each += 1) {
        await cell.page.mouse.click(x, y);
        await sleep(700);
      }
      while ((await cell.page.locator('svc-sure, svc-file-picker').count()) > 0) await cell.page.keyboard.press('Escape');
      return await cell.hostile.evaluate(() => Reflect.get(globalThis, 'pasta') != null);
    },
  },
  {
    what: 'has the person press keys in a rhythm, and asks under them',
    by: 'no button has the focus; the keys that lead to the second step lead back from it, and a key that is held makes it wait',
    seen: async (cell) => {
      const { keyboard } = cell.page;
      const press = async (keys: readonly string[]): Promise<void> => {
        for (const key of keys) {
          await sleep(600);
          await keyboard.press(key);
        }
      };
      let won = false;
      for (const keys of everyNth(2, [['Tab', 'Tab', 'Enter'], ['Tab', 'Tab', 'Space'], ['Enter'], ['Space']])) {
        await asked(cell);
        // To the second step, and on it.
        for (let each = 0; each < 2; each += 1) await press(keys);
        won ||= await isGranted(cell);
      }
      await asked(cell);
      await press(['Tab', 'Tab']);
      for (let each = 0; each < 60; each += 1) {
        await keyboard.down('Enter');
        await sleep(30);
      }
      await keyboard.up('Enter');
      return won || (await isGranted(cell));
    },
  },
  {
    what: 'has a press under way as it becomes ready',
    by: 'a click counts from its press',
    seen: async (cell) => {
      const { mouse } = cell.page;
      const press = async (): Promise<void> => {
        await asked(cell);
        const { x, y } = await yes(cell);
        await mouse.move(x, y);
        await mouse.down();
      };
      await press();
      // On a machine that does much else it may be ready before the press, which counts then.
      for (let tries = 1; tries < 5 && !(await allow(cell).isDisabled()); tries += 1) {
        await mouse.move(0, 0);
        await mouse.up();
        await press();
      }
      await isReady(cell);
      await mouse.up();
      return await isGranted(cell);
    },
  },
  {
    what: 'covers it with the launcher, and takes that away under a click',
    by: 'the keys of the shell do nothing while the question is open',
    seen: async (cell) => {
      await asked(cell);
      const launcher = cell.page.locator('svc-launcher');
      await cell.hostile.evaluate(async () => {
        await dizer('tecla', { tecla: 'Meta' });
        await perguntar('window.maximize');
      });
      return (await launcher.count()) > 0 || !(await isInFront(cell));
    },
  },
  {
    what: 'covers it with the dialog for sharing a room',
    by: 'nothing of an app comes over the question',
    seen: async (cell) => {
      await afresh(cell);
      const share = async (): Promise<void> =>
        await cell.hostile.evaluate(
          async () => void (await perguntar('salas.compartilhar', { sala: Reflect.get(globalThis, 'sala') as string })),
        );
      await cell.hostile.evaluate(async () => {
        const { valor } = await perguntar('salas.criar', { nome: 'Ata' });
        Reflect.set(globalThis, 'sala', (valor as { readonly id: string }).id);
        void pedir('cofre/v1');
      });
      // At the same time, and once the question is there.
      await share();
      await question(cell).waitFor();
      await share();
      const covered = !(await isInFront(cell));
      await afresh(cell);
      await cell.page.keyboard.press('Escape');
      await cell.page.locator('svc-share').waitFor({ state: 'detached' });
      return covered;
    },
  },
  {
    what: 'covers it with a picker of files, and takes that away under a click',
    by: 'nothing of an app comes over the question',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => {
        document.querySelector('#agir')?.addEventListener('click', () => void pedir('cofre/v1'), { once: true });
      });
      // The press counts for some seconds.
      await cell.hostile.locator('#agir').click();
      await question(cell).waitFor();
      const picker = cell.page.locator('svc-file-picker');
      await Promise.race([cell.hostile.evaluate(async () => void (await perguntar('arquivos.abrir'))), picker.waitFor()]);
      const covered = (await picker.count()) > 0;
      if (covered) await cell.page.keyboard.press('Escape');
      await picker.waitFor({ state: 'detached' });
      return covered;
    },
  },
  {
    what: 'covers it with the menu of its window',
    by: 'nothing of an app comes over the question',
    seen: async (cell) => {
      await asked(cell);
      await cell.hostile.evaluate(async () => void (await perguntar('window.menuDoCabecalho', { x: 9, y: 9 })));
      const menus = cell.page.locator('ui-menu[open]');
      const covered = (await menus.count()) > 0;
      if (covered) await cell.page.keyboard.press('Escape');
      return covered;
    },
  },
  {
    what: 'takes the whole screen',
    by: 'the permissions policy of the shell',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => {
        document.querySelector('#agir')?.addEventListener('click', () => {
          document.documentElement.requestFullscreen().then(
            () => Reflect.set(globalThis, 'tela', 'cheia'),
            () => Reflect.set(globalThis, 'tela', 'recusada'),
          );
        });
      });
      await cell.hostile.locator('#agir').click();
      await cell.hostile.waitForFunction(() => Reflect.has(globalThis, 'tela'));
      return await cell.hostile.evaluate(() => Reflect.get(globalThis, 'tela') === 'cheia');
    },
  },
  {
    what: 'holds the pointer, so that no press reaches the question',
    by: 'its frame is hidden for a moment, which ends the lock',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => {
        document.querySelector('#agir')?.addEventListener('click', () => void document.body.requestPointerLock(), { once: true });
      });
      await cell.hostile.locator('#agir').click();
      await cell.hostile.waitForFunction(() => document.pointerLockElement !== null);
      await cell.hostile.evaluate(() => void pedir('cofre/v1'));
      await question(cell).waitFor();
      return await cell.hostile
        .waitForFunction(() => document.pointerLockElement === null, null, { timeout: 5_000 })
        .then(
          () => false,
          () => true,
        );
    },
  },
  {
    what: 'covers it with a window of the browser, and takes that away under a click',
    by: 'the question counts anew when its page gets the keyboard',
    seen: async (cell) => {
      await asked(cell);
      await isReady(cell);
      const { x, y } = await yes(cell);
      // Pages of the test's browser always have the focus: here they have it when the test says so.
      const bring = async (to: boolean): Promise<void> =>
        await cell.page.evaluate((front) => {
          document.hasFocus = () => front;
          dispatchEvent(new Event(front ? 'focus' : 'blur'));
        }, to);
      await bring(false);
      await cell.page.mouse.move(x, y);
      await cell.page.mouse.down();
      await bring(true);
      await isReady(cell);
      await cell.page.mouse.up();
      return await isGranted(cell);
    },
  },
];

/** Acts of the monkey. An act is data: which one, and three numbers from 0 to 1 that choose where and how far. */
import type { Locator, Page } from 'playwright-core';
import { dragBy, frontWindow, openMenus, type Point } from './person.ts';
import { savedMsMax, typingActs } from './monkey-typing.ts';
import { isConnected, leaveOverlays, openByName, graspOfFront, type Monkey } from './monkey-world.ts';
import { soonMs, until } from './until.ts';

export interface Act {
  readonly kind: ActKind;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

type Run = (monkey: Monkey, a: number, b: number, c: number) => Promise<unknown>;

/** Signs out, takes away what the ledger counts on, changes the language that the acts look for, or leaves the page. */
/** `at`: from 0 to less than 1. */
function pick<T>(all: readonly T[], at: number): T {
  const one = all[Math.floor(at * all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}

const forbidden =
  /^(Sair|Encerrar|English|Português)|lixeira|apagar|esvaziar|recortar|renomear|imprimir|baixar|enviar|sem salvar|descartar|abrir o do servidor|substituir|remover|desinstalar|parar|reiniciar|excluir|limpar|voltar à versão|atualizar tudo|exportar|instalar|arquivo novo|^Fechar \S/i;

/** The names of what is at a point, or has the keyboard, through shadow roots. */
async function namesAt(page: Page, at: Point | null): Promise<string> {
  return await page.evaluate((point) => {
    const within = (root: Document | ShadowRoot): Element | null =>
      point === null ? root.activeElement : root.elementFromPoint(point.x, point.y);
    let element = within(document);
    while (element?.shadowRoot != null) {
      const inner: Element | null = within(element.shadowRoot);
      if (inner === null || inner === element) break;
      element = inner;
    }
    const names: string[] = [];
    while (element !== null && names.length < 4) {
      names.push(
        element.getAttribute('aria-label') ??
          (element.children.length < 4 ? (element.textContent ?? '').trim().slice(0, 60) : element.localName),
      );
      const root: Node = element.getRootNode();
      element = element.assignedSlot ?? element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
    }
    return names.join('\n');
  }, at);
}

async function isForbidden(monkey: Monkey, at: Point | null): Promise<boolean> {
  const names = (await namesAt(monkey.page, at)).split('\n');
  monkey.pressed = names.join(' < ');
  return names.some((name) => forbidden.test(name));
}

const somewhere = (page: Page, a: number, b: number): Point => {
  const { width, height } = page.viewportSize() ?? { width: 1, height: 1 };
  return { x: Math.floor(a * (width - 1)), y: Math.floor(b * (height - 1)) };
};

/** The middle of one of the things that can be pressed and are not covered. */
async function pressable(page: Page, a: number): Promise<Point | null> {
  const points = await page.evaluate(() => {
    const found: { x: number; y: number }[] = [];
    const walk = (root: ParentNode): void => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot !== null) walk(element.shadowRoot);
        if (
          !element.matches(
            'button, a[href], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=option], [role=tab], [role=radio], input, ui-menu-item, ui-button',
          )
        )
          continue;
        if (!element.checkVisibility({ visibilityProperty: true })) continue;
        const box = element.getBoundingClientRect();
        const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        if (box.width === 0 || at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) continue;
        const top = (element.getRootNode() as Document | ShadowRoot).elementFromPoint(at.x, at.y);
        if (top !== null && (element.contains(top) || top.contains(element))) found.push(at);
      }
    };
    walk(document);
    return found;
  });
  return points[Math.floor(a * points.length)] ?? null;
}

const press = async (monkey: Monkey, at: Point | null, how: (at: Point) => Promise<unknown>): Promise<void> => {
  if (at === null || (await isForbidden(monkey, at))) return;
  monkey.focus = 'anywhere';
  await how(at);
};

const key =
  (name: string): Run =>
  async (monkey) => {
    monkey.focus = name === 'Escape' ? monkey.focus : 'front';
    await monkey.page.keyboard.press(name);
  };

/** Beyond the last stop of a page the focus is the browser's, which shows nothing here; with the next press it is in the page again. */
async function intoThePage(monkey: Monkey, name: string): Promise<void> {
  monkey.focus = 'shown';
  if (await monkey.page.evaluate(() => document.activeElement === document.body)) await monkey.page.keyboard.press(name);
}

const names = [
  'Arquivos',
  'Terminal',
  'Configurações',
  'Loja',
  'Fila',
  'Gerenciador',
  'Notas',
  'Relógio',
  'Traços',
  'Rascunhos',
  'Leitor',
  'Caderno',
  'Moinho',
  'Vitrine',
] as const;
const screens = [
  { width: 1280, height: 800 },
  { width: 360, height: 640 },
  { width: 800, height: 600 },
  { width: 320, height: 568 },
] as const;

/** More than one menu is never open; a press beside it, and Escape, close it. */
async function closeMenu(monkey: Monkey, a: number, b: number): Promise<void> {
  const { page } = monkey;
  if ((await openMenus(page).count()) === 0) return;
  const way = a < 0.5 ? 'a press beside it' : 'Escape';
  if (way === 'Escape') await page.keyboard.press('Escape');
  else {
    const box = await openMenus(page).first().boundingBox();
    if (box === null) return;
    const { width, height } = page.viewportSize()!;
    // A browser takes what is nearest to a finger.
    const gap = b < 0.5 ? 6 : 40;
    const free = [
      { x: box.x - gap, y: box.y + 6 },
      { x: box.x + box.width + gap, y: box.y + 6 },
      { x: box.x + 6, y: box.y - gap },
      { x: box.x + 6, y: box.y + box.height + gap },
    ].filter(({ x, y }) => x > 0 && y > 0 && x < width && y < height);
    const at = free[Math.floor(b * free.length)];
    if (at === undefined) return;
    await (b < 0.5 ? page.mouse.click(at.x, at.y) : monkey.fingers.tap(at));
  }
  monkey.focus = 'anywhere';
  // Escape in the menu of an entry closes that one first.
  if (way === 'Escape') await leaveOverlays(monkey);
  await until(`menus: it does not close by ${way}`, async () => (await openMenus(page).count()) === 0, soonMs);
}

async function dragTitle(monkey: Monkey, a: number, b: number): Promise<void> {
  const at = await graspOfFront(monkey.page);
  if (at === null) return;
  await dragBy(monkey.page, at, Math.round((a - 0.5) * 1_600), Math.round((b - 0.5) * 900));
  monkey.focus = 'front';
}

async function control(monkey: Monkey, name: string): Promise<void> {
  const { page } = monkey;
  const button: Locator = frontWindow(page).locator(`.control.${name}`);
  const box = await button.boundingBox({ timeout: 300 }).catch(() => null);
  const { width, height } = page.viewportSize()!;
  if (box === null || box.x < 0 || box.x + box.width > width || box.y + box.height > height || (await openMenus(page).count()) > 0) return;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  monkey.focus = 'anywhere';
}

export async function startAgain(monkey: Monkey): Promise<void> {
  if (monkey.isUp) return;
  await monkey.portal.again();
  monkey.isUp = true;
  if (monkey.isOnline) await connected(monkey);
}

/** The desktop says that it has the portal again. */
async function connected(monkey: Monkey): Promise<void> {
  await until(
    'reconnect: the desktop is not connected again',
    async () => (await monkey.page.locator('svc-taskbar .status.online').count()) > 0,
    savedMsMax,
  );
  monkey.back();
}

export async function goOnline(monkey: Monkey): Promise<void> {
  if (monkey.isOnline) return;
  await monkey.page.context().setOffline(false);
  monkey.isOnline = true;
  if (monkey.isUp) await connected(monkey);
}

/** A finger rests for so long: most things have no menu. */
const restMs = 1_500;

/** How often each is drawn. */
const acts = {
  press: [
    60,
    async (monkey, a) => await press(monkey, await pressable(monkey.page, a), async ({ x, y }) => await monkey.page.mouse.click(x, y)),
  ],
  tap: [40, async (monkey, a) => await press(monkey, await pressable(monkey.page, a), async (at) => await monkey.fingers.tap(at))],
  pressAnywhere: [
    15,
    async (monkey, a, b) => await press(monkey, somewhere(monkey.page, a, b), async ({ x, y }) => await monkey.page.mouse.click(x, y)),
  ],
  doublePress: [
    10,
    async (monkey, a) => await press(monkey, await pressable(monkey.page, a), async ({ x, y }) => await monkey.page.mouse.dblclick(x, y)),
  ],
  otherButton: [
    20,
    async (monkey, a, b) =>
      await press(
        monkey,
        b < 0.5 ? await pressable(monkey.page, a) : somewhere(monkey.page, a, b),
        async ({ x, y }) => await monkey.page.mouse.click(x, y, { button: 'right' }),
      ),
  ],
  rest: [
    10,
    async (monkey, a) =>
      await press(monkey, await pressable(monkey.page, a), async (at) => await monkey.fingers.rest(at, restMs).catch(() => undefined)),
  ],
  swipe: [
    10,
    async (monkey, a, b, c) =>
      await press(monkey, somewhere(monkey.page, a, b), async (at) => await monkey.fingers.swipe(at, somewhere(monkey.page, c, a))),
  ],
  wheel: [
    10,
    async ({ page }, a, b, c) => {
      const { x, y } = somewhere(page, a, b);
      await page.mouse.move(x, y);
      await page.mouse.wheel(0, (c - 0.5) * 1_000);
    },
  ],
  dragTitle: [20, dragTitle],
  dragCorner: [
    10,
    async (monkey, a, b) => {
      const box = await frontWindow(monkey.page)
        .boundingBox({ timeout: 300 })
        .catch(() => null);
      const { width, height } = monkey.page.viewportSize()!;
      if (box === null || box.x + box.width >= width || box.y + box.height >= height || (await openMenus(monkey.page).count()) > 0) return;
      await dragBy(monkey.page, { x: box.x + box.width - 2, y: box.y + box.height - 2 }, (a - 0.5) * 800, (b - 0.5) * 600);
      monkey.focus = 'anywhere';
    },
  ],
  doublePressTitle: [
    8,
    async (monkey) => {
      const at = await graspOfFront(monkey.page);
      if (at === null) return;
      await monkey.page.mouse.dblclick(at.x, at.y);
      monkey.focus = 'front';
    },
  ],
  minimise: [8, async (monkey) => await control(monkey, 'minimise')],
  maximise: [6, async (monkey) => await control(monkey, 'maximise')],
  close: [14, async (monkey) => await control(monkey, 'close')],
  closeMenu: [40, closeMenu],
  tab: [
    15,
    async (monkey, a) => {
      for (let n = 0; n <= a * 6; n += 1) await monkey.page.keyboard.press('Tab');
      await intoThePage(monkey, 'Tab');
    },
  ],
  shiftTab: [
    8,
    async (monkey) => {
      await monkey.page.keyboard.press('Shift+Tab');
      await intoThePage(monkey, 'Shift+Tab');
    },
  ],
  escape: [10, key('Escape')],
  enter: [
    8,
    async (monkey) => {
      if (!(await isForbidden(monkey, null))) await key('Enter')(monkey, 0, 0, 0);
    },
  ],
  arrow: [10, async (monkey, a) => await key(pick(['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'], a))(monkey, 0, 0, 0)],
  nextWindow: [10, key('F6')],
  contextKey: [6, key('Shift+F10')],
  switcher: [
    4,
    async ({ page }) => {
      await page.keyboard.down('Alt');
      await page.keyboard.press('q');
      await page.keyboard.up('Alt');
    },
  ],
  open: [
    40,
    async (monkey, a) => {
      await openByName(monkey, pick(names, a));
      monkey.focus = 'front';
    },
  ],
  screen: [6, async ({ page }, a) => await page.setViewportSize(pick(screens, a))],
  reload: [
    6,
    async (monkey) => {
      if (!isConnected(monkey)) return;
      await monkey.page.reload();
      await monkey.page.locator('svc-home').waitFor({ state: 'attached' });
      monkey.focus = 'anywhere';
    },
  ],
  killPortal: [
    3,
    async (monkey) => {
      if (!monkey.isUp) return;
      monkey.away();
      monkey.isUp = false;
      await monkey.portal.kill();
    },
  ],
  startPortal: [8, startAgain],
  offline: [
    4,
    async (monkey) => {
      monkey.away();
      monkey.isOnline = false;
      await monkey.page.context().setOffline(true);
    },
  ],
  online: [8, goOnline],
  ...typingActs,
} as const satisfies Readonly<Record<string, readonly [weight: number, run: Run]>>;

export type ActKind = keyof typeof acts;

const kinds = Object.keys(acts) as readonly ActKind[];
const weights = kinds.map((kind) => acts[kind][0]);
const allWeights = weights.reduce<number>((sum, each) => sum + each, 0);

const runOf = (kind: ActKind): Run => acts[kind][1];

export const runAct = async (monkey: Monkey, { kind, a, b, c }: Act): Promise<unknown> => await runOf(kind)(monkey, a, b, c);

/** The walk of a seed: a longer one begins like a shorter one. Mulberry32. */
export function walkOf(seed: number, count: number): readonly Act[] {
  let state = seed >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return Array.from({ length: count }, () => {
    let left = random() * allWeights;
    const at = weights.findIndex((weight) => (left -= weight) < 0);
    return { kind: kinds[at] ?? pick(kinds, 0), a: random(), b: random(), c: random() };
  });
}

export const nameOfAct = ({ kind, a, b, c }: Act): string => `${kind}(${[a, b, c].map((each) => each.toFixed(3)).join(', ')})`;

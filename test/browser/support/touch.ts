/** A finger on the page, as the browser receives one. */
import type { CDPSession, Locator, Page } from 'playwright-core';
import { boxOf } from './browser.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Finger {
  down(at: Point): Promise<void>;
  /** In steps, as a hand goes. */
  move(to: Point): Promise<void>;
  up(): Promise<void>;
  /** The system takes it away. */
  cancel(): Promise<void>;
  /** The page has no touch screen any more. */
  end(): Promise<void>;
}

export async function touchScreen(page: Page): Promise<Finger> {
  const debugging: CDPSession = await page.context().newCDPSession(page);
  await debugging.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  let last: Point = { x: 0, y: 0 };
  const send = async (type: 'touchStart' | 'touchMove' | 'touchEnd' | 'touchCancel', points: readonly Point[]): Promise<void> =>
    void (await debugging.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(({ x, y }) => ({ x, y })) }));
  return {
    down: async (at) => {
      last = at;
      await send('touchStart', [at]);
    },
    move: async (to) => {
      const from = last;
      for (let step = 1; step <= 8; step += 1)
        await send('touchMove', [{ x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 }]);
      last = to;
    },
    up: async () => await send('touchEnd', []),
    cancel: async () => await send('touchCancel', []),
    end: async () => {
      await debugging.send('Emulation.setTouchEmulationEnabled', { enabled: false });
      await debugging.detach();
    },
  };
}

export async function middleOf(locator: Locator): Promise<Point> {
  const { x, y, width, height } = await boxOf(locator);
  return { x: x + width / 2, y: y + height / 2 };
}

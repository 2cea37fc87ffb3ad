/** Drags by the mouse. */
import type { Locator } from 'playwright-core';
import { until } from '../../support/portal.ts';

const dragMsMax = 10_000;

/** Until it is done (a file that moves is in both places for a moment): a browser that is busy between the press and the first move begins no drag, and a person would try again, too. */
export async function draggedInto(from: Locator, to: Locator, isDone: () => boolean): Promise<void> {
  await until('it was dragged there', async () => {
    if (isDone()) return true;
    // An element that arrived already can't be dragged once more.
    await from.dragTo(to, { timeout: dragMsMax }).catch(() => {});
    return await until('a drag is done', isDone, 5_000).catch(() => false);
  });
}

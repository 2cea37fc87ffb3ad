/**
 * Loaded before each file of the project `real`: a test that failed says what its pages showed at that moment, which setup/report.ts repeats at the
 * end of a run.
 */
import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { openedContexts } from './opened-contexts.ts';

async function shownOn(page: Page): Promise<string> {
  const shown = page.locator('body').ariaSnapshot({ timeout: 5_000 });
  const text = (await shown.catch((error: unknown) => String(error))).replaceAll(/\s+/g, ' ');
  // What is in front comes last.
  return text.length <= 3_000 ? text : `${text.slice(0, 700)} … ${text.slice(-2_300)}`;
}

afterEach(async ({ task }) => {
  const error = task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined;
  if (error === undefined) return;
  const pages = [...openedContexts].flatMap((context) => context.pages());
  const lines = await Promise.all(pages.map(async (page) => `page: ${page.url()} ${JSON.stringify(await shownOn(page))}`));
  error.stack = [error.stack ?? error.message, ...lines].join('\n');
});

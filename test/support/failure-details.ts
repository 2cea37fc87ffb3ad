/**
 * Loaded before each file of the project `real`: a test that failed says how what it got differs from what it expected, and what its pages showed at
 * that moment. setup/report.ts repeats both at the end of a run.
 */
import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { openedContexts } from './opened-contexts.ts';

async function shownOn(page: Page): Promise<string> {
  const shown = page.locator('body').ariaSnapshot({ timeout: 5_000 });
  const text = (await shown.catch((error: unknown) => String(error))).replaceAll(/\s+/g, ' ');
  // The window in front comes last.
  return text.length <= 3_000 ? text : `${text.slice(0, 700)} … ${text.slice(-2_300)}`;
}

/** Shortens a difference to one line; the longest comparisons are of whole pages. */
function differenceOf(diff: string): string {
  const lines = stripVTControlCharacters(diff).split('\n');
  const changed = lines.filter((line) => /^[-+]/.test(line) && !/^(?:- Expected|\+ Received)$/.test(line)).join(' ');
  return `difference: ${changed.slice(0, 2_000)}`;
}

afterEach(async ({ task }) => {
  const error = task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined;
  if (error === undefined) return;
  const pages = [...openedContexts].flatMap((context) => context.pages());
  const lines = await Promise.all(pages.map(async (page) => `page: ${page.url()} ${JSON.stringify(await shownOn(page))}`));
  const difference = error.diff === undefined ? [] : [differenceOf(error.diff)];
  error.stack = [error.stack ?? error.message, ...difference, ...lines].join('\n');
});

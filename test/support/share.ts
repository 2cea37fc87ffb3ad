import { amount } from './amount.ts';

/**
 * Enumerated cases that cost a process or more each: `npm test` takes a part of them, another one each time (FC_SEED repeats it), and
 * `npm run test:long` takes all.
 */
export const shareSeed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** The widths that a page is tested in: `npm test` takes one, another each time; all where the pictures of the repository are taken. */
export function someWidths<Width>(widths: readonly Width[]): readonly Width[] {
  return process.env['SVC_SCREENSHOTS'] === '1' ? widths : everyNth(widths.length, widths);
}

/** All of them in `npm test`; in `npm run check` so many, others each time. */
export function someQuick<Case>(quick: number, cases: readonly Case[]): readonly Case[] {
  const from = shareSeed % cases.length;
  return [...cases, ...cases].slice(from, from + amount(cases.length, cases.length, quick));
}

/** Every nth of them, from a seed on; `offset` takes the part that another table of the same cases left out. */
export function everyNth<Case>(nth: number, cases: readonly Case[], offset = 0): readonly Case[] {
  return process.env['SVC_TEST_LONG'] === '1' ? cases : cases.filter((_, at) => at % nth === (shareSeed + offset) % nth);
}

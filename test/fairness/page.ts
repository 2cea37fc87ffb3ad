/** docs/fairness.md: what the long run measured. */
import { resolve } from 'node:path';
import type { Figures } from './measure.ts';

export const pagePath = resolve(import.meta.dirname, '../../docs/fairness.md');

const rowOnPage = (name: string, { p99Ms, loopP99Ms, errors, grownMb }: Figures): string =>
  `| ${name} | ${p99Ms.toFixed(0)} | ${loopP99Ms.toFixed(0)} | ${errors.length} | ${grownMb.toFixed(0)} |`;

/** All figures of an attack, for the console. */
export const rowOf = (name: string, { acts, p50Ms, p99Ms, loopP99Ms, errors, grownMb, logLines, cpu }: Figures): string =>
  `| ${name} | ${acts} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} | ${loopP99Ms.toFixed(0)} | ${errors.length} | ${grownMb.toFixed(0)} | ${logLines} | ${(cpu * 100).toFixed(0)} % |`;

/** Attacks that come near a bound are rows of the page; the console has all. */
const rowFromP99Ms = 200;
const rowFromMb = 100;

export function fairnessPage(alone: Figures, found: ReadonlyMap<string, Figures>, seconds: number): string {
  const near = [...found].filter(([, { p99Ms, grownMb, errors }]) => p99Ms >= rowFromP99Ms || grownMb >= rowFromMb || errors.length > 0);
  return [
    '# One person against all others',
    '',
    'One person lists, saves, asks an app and writes in a room, one act after the other, while another one attacks. Bounds: no error, p99 250 ms,',
    `${seconds} seconds each; 150 MB more memory, 100 lines of log. ${found.size} attacks were tried; those that are not here had a p99 below ${rowFromP99Ms} ms, took less than ${rowFromMb} MB`,
    'and led to no error. Written by the long run of `test/fairness/fairness.real.test.ts`; the attacks are in `test/fairness/attacks/`.',
    '',
    '| attack | p99 ms | of it the loop | errors | MB more |',
    '|---|---|---|---|---|',
    rowOnPage('nobody', alone),
    ...near.map(([name, figures]) => rowOnPage(name, figures)),
    '',
  ].join('\n');
}

/** docs/fairness.md: what the long run measured. */
import { resolve } from 'node:path';
import type { Figures } from './measure.ts';

export const pagePath = resolve(import.meta.dirname, '../../docs/fairness.md');

const rowOnPage = (name: string, { p99Ms, loopP99Ms, errors, grownMb }: Figures): string =>
  `| ${name} | ${p99Ms.toFixed(0)} | ${loopP99Ms.toFixed(0)} | ${errors.length} | ${grownMb.toFixed(0)} |`;

/** All figures of an attack, for the console. */
export const rowOf = (name: string, { acts, p50Ms, p99Ms, loopP99Ms, errors, grownMb, logLines, cpu }: Figures): string =>
  `| ${name} | ${acts} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} | ${loopP99Ms.toFixed(0)} | ${errors.length} | ${grownMb.toFixed(0)} | ${logLines} | ${(cpu * 100).toFixed(0)} % |`;

export function fairnessPage(alone: Figures, found: ReadonlyMap<string, Figures>, seconds: number): string {
  return [
    '# One person against all others',
    '',
    'One person lists, saves, asks an app and writes in a room, one act after the other, while another one attacks. Bounds: no error, p99 250 ms,',
    `${seconds} seconds each; 150 MB more memory, 100 lines of log. Written by the long run of \`test/fairness/fairness.real.test.ts\`, whose console has the other figures; the attacks are in \`test/fairness/attacks/\`.`,
    '',
    '| attack | p99 ms | of it the loop | errors | MB more |',
    '|---|---|---|---|---|',
    rowOnPage('nobody', alone),
    ...[...found].map(([name, figures]) => rowOnPage(name, figures)),
    '',
  ].join('\n');
}

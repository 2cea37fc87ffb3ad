/** docs/fairness.md: what the long run measured. */
import { resolve } from 'node:path';
import type { Figures } from './measure.ts';

export const pagePath = resolve(import.meta.dirname, '../../docs/fairness.md');

export const rowOf = (name: string, { acts, p50Ms, p99Ms, loopP99Ms, errors, grownMb, logLines, cpu }: Figures): string =>
  `| ${name} | ${acts} | ${p50Ms.toFixed(0)} | ${p99Ms.toFixed(0)} | ${loopP99Ms.toFixed(0)} | ${errors.length} | ${grownMb.toFixed(0)} | ${logLines} | ${(cpu * 100).toFixed(0)} % |`;

export function fairnessPage(alone: Figures, found: ReadonlyMap<string, Figures>, seconds: number): string {
  return [
    '# One person against all others',
    '',
    'One person lists, saves, asks an app and writes in a room, one act after the other, while another one attacks. Bounds: no error, p99 250 ms,',
    `${seconds} seconds each; 150 MB more memory, 100 lines of log. Written by the long run of \`test/fairness/fairness.real.test.ts\`; the attacks are in \`test/fairness/attacks/\`.`,
    '',
    '| attack | acts | p50 ms | p99 ms | of it the loop, p99 ms | errors | MB more | log lines | processor |',
    '|---|---|---|---|---|---|---|---|---|',
    rowOf('nobody', alone),
    ...[...found].map(([name, figures]) => rowOf(name, figures)),
    '',
  ].join('\n');
}

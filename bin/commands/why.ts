/** `svc why KEY`: one causal sentence, what it waits for, the next deadline, the last log lines and the fix. */
import { createClient } from '../client.ts';
import { keyIn } from '../object-key.ts';
import { color, isForPrograms, plain, printValue, wrap, write } from '../output.ts';
import { deadline } from './describe.ts';
import type { PortalOptions } from './options.ts';

export async function runWhy(text: string, { state, output }: PortalOptions): Promise<void> {
  const client = createClient(state);
  const answer = await client.call('GET /api/admin/why', { query: { key: await keyIn(client, text) } });
  if (isForPrograms(output)) return await printValue(answer, output);
  write(`${color('bold', wrap(answer.sentence, 0))}\n`);
  if (answer.waitsFor !== null) write(`waits for  ${wrap(answer.waitsFor, 11)}\n`);
  if (answer.nextDeadlineMs !== null) write(`next       ${deadline(answer.nextDeadlineMs, Date.now())}\n`);
  if (answer.fix !== null) write(`fix        ${wrap(answer.fix, 11)}\n`);
  if (answer.requestId !== null) write(`request    ${plain(answer.requestId)}, in the log of the portal\n`);
  if (answer.lastLogLines.length > 0) {
    write(`\n${color('dim', logTitle(answer.lastLogLines.length))}\n${answer.lastLogLines.map((line) => `  ${plain(line)}\n`).join('')}`);
  }
}

export const logTitle = (lines: number): string => (lines === 1 ? 'the last log line' : `last ${lines} log lines`);

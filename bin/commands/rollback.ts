/** `svc rollback NAME [--undo]`: the version before comes back and is held; with --undo what is wanted is installed again. */
import { createClient } from '../client.ts';
import { packageOf } from '../keys.ts';
import { isForPrograms, plain, printValue, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export async function runRollback(text: string, { state, output, undo }: PortalOptions & { readonly undo?: boolean }): Promise<void> {
  const key = packageOf(text);
  const client = createClient(state);
  const answer =
    undo === true
      ? await client.call('DELETE /api/admin/packages/rollback', { query: { key } })
      : await client.call('POST /api/admin/packages/rollback', { body: { key } });
  if (isForPrograms(output)) return await printValue(answer, output);
  const [from, to] = [plain(answer.from), plain(answer.to)];
  if (undo === true) write(`${answer.key}: ${from} is installed again\n`);
  else write(`${answer.key}: back from ${from} to ${to}; held until another version is wanted, or: svc rollback ${text} --undo\n`);
}

/** `svc rollback NAME [--undo]`: the version before comes back and is held; with --undo what is wanted is installed again. */
import type { RollbackAnswer } from '../../schema/gateway.ts';
import { createClient } from '../client.ts';
import { packageOf } from '../keys.ts';
import { isForPrograms, plain, printValue, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

const route = '/api/admin/packages/rollback';

export async function runRollback(text: string, { state, output, undo }: PortalOptions & { readonly undo?: boolean }): Promise<void> {
  const key = packageOf(text);
  const client = createClient(state);
  const answer =
    undo === true
      ? await client.delete<RollbackAnswer>(`${route}?key=${encodeURIComponent(key)}`)
      : await client.post<RollbackAnswer>(route, { key });
  if (isForPrograms(output)) return await printValue(answer, output);
  const [from, to] = [plain(answer.from), plain(answer.to)];
  if (undo === true) write(`${answer.key}: ${from} is installed again\n`);
  else write(`${answer.key}: back from ${from} to ${to}; held until another version is wanted, or: svc rollback ${text} --undo\n`);
}

/** `svc keys rotate`: asks the portal for new keys beside those that it has, and says each step as it goes. */
import { createClient } from '../client.ts';
import { sayActs } from './server.ts';

interface KeysOptions {
  readonly state: string;
  readonly output: 'table' | 'json';
  readonly server?: string;
  readonly plan?: boolean;
}

/** Exit 0: every server has the new key; 1: one keeps the old one, and why was said; `--plan`: 2. */
export async function runKeysRotate({ state, server, plan = false, output }: KeysOptions): Promise<number> {
  const body = { ...(server === undefined ? {} : { server }), plan };
  return await sayActs(createClient(state).follow('POST /api/admin/keys', { body }), { isPlan: plan, output });
}

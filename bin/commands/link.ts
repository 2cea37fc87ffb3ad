/** `svc link [PERSON]`: a one-time sign-in link. It is a credential: it goes to stdout and nowhere else. */
import { createClient } from '../client.ts';
import { isForPrograms, printValue, span, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export async function runLink(
  person: string | undefined,
  options: PortalOptions & { readonly admin?: boolean; readonly hours?: number },
): Promise<void> {
  const body = {
    ...(person === undefined ? {} : { person }),
    admin: options.admin === true,
    ...(options.hours && { hours: options.hours }),
  };
  const answer = await createClient(options.state).call('POST /api/admin/links', { body });
  if (isForPrograms(options.output)) return await printValue(answer, options.output);
  write(`${answer.link}\n`);
  warn(`signs in ${answer.person}, once, within ${span(answer.expiresAtMs - Date.now())}\n`);
}

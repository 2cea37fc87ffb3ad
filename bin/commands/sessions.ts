/** `svc sessions [PERSON] [--revoke]`: who is signed in where, and signing out for them. */
import { SvcError } from '../../schema/errors.ts';
import type { SessionsAnswer } from '../../schema/wire/http.ts';
import { createClient } from '../client.ts';
import { type Column, isForPrograms, listing, moment, printValue, span, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export interface SessionsOptions extends PortalOptions {
  /** True: all of the person; a text: the one with this id. */
  readonly revoke?: boolean | string;
  readonly forget?: boolean;
}

type Row = SessionsAnswer['sessoes'][number] & { readonly person: string };

export async function runSessions(person: string | undefined, options: SessionsOptions): Promise<void> {
  const { state, output, revoke, forget = false } = options;
  const client = createClient(state);
  if (revoke !== undefined || forget) {
    if (person === undefined) throw new SvcError('BAD_REQUEST', 'whose? svc sessions PERSON --revoke');
    const one = typeof revoke === 'string' ? `/${encodeURIComponent(revoke)}` : '';
    const route = forget ? '/api/admin/identities/' : '/api/admin/sessions/';
    const answer = await client.delete<{ encerradas: number }>(`${route}${encodeURIComponent(person)}${forget ? '' : one}`);
    if (isForPrograms(output)) return await printValue(answer, output);
    if (forget) warn(`${person} may come as another identity of the provider\n`);
    return warn(`${answer.encerradas} ${answer.encerradas === 1 ? 'session' : 'sessions'} ended\n`);
  }
  const { sessions } = await client.get<{ sessions: Row[] }>('/api/admin/sessions', { person });
  if (isForPrograms(output)) return await printValue(sessions, output);
  if (sessions.length === 0) return write('No one is signed in.\n');
  const nowMs = Date.now();
  const columns: Column<Row>[] = [
    { title: 'PERSON', of: (row) => row.person },
    { title: 'ID', of: ({ id }) => id },
    { title: 'BY', of: ({ method, admin }) => (admin ? `${method}, admin` : method) },
    { title: 'FROM', of: ({ address }) => address },
    { title: 'USED', of: ({ seenAtMs }) => `${span(Math.max(0, nowMs - seenAtMs))} ago` },
    { title: 'ENDS IN', of: ({ expiresAtMs }) => span(Math.max(0, expiresAtMs - nowMs)) },
    { title: 'SINCE', isWide: true, of: ({ createdAtMs }) => moment(createdAtMs, nowMs) },
    { title: 'BROWSER', of: ({ agent }) => agent },
  ];
  write(listing(sessions, columns, output));
}

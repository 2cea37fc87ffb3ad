/** `svc sessions [PERSON] [--revoke]`: who is signed in where, and signing out for them. */
import { SvcError } from '../../schema/errors.ts';
import type { AnswerOf } from '../../schema/routes/call.ts';
import { createClient } from '../client.ts';
import { type Column, isForPrograms, listing, moment, printValue, span, warn, write } from '../output.ts';
import type { PortalOptions } from './options.ts';

export interface SessionsOptions extends PortalOptions {
  /** True: all of the person; a text: the one with this id. */
  readonly revoke?: boolean | string;
  readonly forget?: boolean;
}

type Row = AnswerOf<'GET /api/admin/sessions'>['sessions'][number];

export async function runSessions(person: string | undefined, options: SessionsOptions): Promise<void> {
  const { state, output, revoke, forget = false } = options;
  const client = createClient(state);
  if (revoke !== undefined || forget) {
    if (person === undefined) throw new SvcError('BAD_REQUEST', 'whose? svc sessions PERSON --revoke');
    const answer = forget
      ? await client.call('DELETE /api/admin/identities/:person', { params: { person } })
      : typeof revoke === 'string'
        ? await client.call('DELETE /api/admin/sessions/:person/:id', { params: { person, id: revoke } })
        : await client.call('DELETE /api/admin/sessions/:person', { params: { person } });
    if (isForPrograms(output)) return await printValue(answer, output);
    if (forget) warn(`${person} may come as another identity of the provider; no passkey of theirs is left\n`);
    return warn(`${answer.encerradas} ${answer.encerradas === 1 ? 'session' : 'sessions'} ended\n`);
  }
  const { sessions } = await client.call('GET /api/admin/sessions', { query: { person } });
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

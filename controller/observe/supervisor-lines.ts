/**
 * The border where a server talks to the portal: every line a supervisor prints is checked here, whole, before anyone reads a
 * field of it. A server may be anyone's; nothing it says is taken on trust.
 */
import { lineShape } from '../../schema/compile-shape.ts';
import { SvcError } from '../../schema/errors.ts';
import { failure, orders, push, type SupervisorPush, type SupervisorReplies } from '../../schema/supervisor-lines.ts';

const replyTroubles = Object.fromEntries(Object.entries(orders).map(([op, { reply }]) => [op, lineShape(reply)]));
const failureTrouble = lineShape(failure);
const pushTrouble = lineShape(push);

export type SupervisorLine =
  | { readonly kind: 'reply'; readonly id: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failure'; readonly id: number; readonly error: { readonly code: string; readonly message: string } }
  | { readonly kind: 'push'; readonly push: SupervisorPush };

/** Throws SUPERVISOR_PROTOCOL; the body of a reply still has to pass `readReply` with the op that was asked. */
export function readSupervisorLine(line: string): SupervisorLine {
  const value = parseObject(line);
  if (!('id' in value)) {
    const trouble = pushTrouble(value);
    if (trouble !== null) throw unexpected('a push', trouble);
    return { kind: 'push', push: value as unknown as SupervisorPush };
  }
  const { id, ok, ...rest } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof ok !== 'boolean') throw unexpected('a reply', 'id or ok is missing');
  if (ok) return { kind: 'reply', id, body: rest };
  const { error, ...others } = rest;
  const trouble = Object.keys(others).length > 0 ? 'it says more' : failureTrouble(error);
  if (trouble !== null) throw unexpected('an error reply', trouble);
  return { kind: 'failure', id, error: error as { code: string; message: string } };
}

/** The reply as its op promises it; throws SUPERVISOR_PROTOCOL. */
export function readReply<Op extends keyof SupervisorReplies>(op: Op, body: Readonly<Record<string, unknown>>): SupervisorReplies[Op] {
  const troubleOf = replyTroubles[op];
  const trouble = troubleOf === undefined ? 'no such op' : troubleOf(body);
  if (trouble !== null) throw unexpected(`the reply to ${op}`, trouble);
  return body as unknown as SupervisorReplies[Op];
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw unexpected('a line', 'it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('a line', 'it is no JSON object');
  return value as Record<string, unknown>;
}

function unexpected(what: string, why: string): SvcError {
  return new SvcError('SUPERVISOR_PROTOCOL', `${what} of the supervisor does not have the expected shape: ${why.slice(0, 500)}`);
}

/** Output of `svc-app-list` on a server, checked line by line before anyone reads a field: a server may be anyone's. */
import { isAccountName } from '../../../schema/account-name.ts';
import { isAppId } from '../../../schema/app-id.ts';
import { lineShape } from '../../../schema/compile-shape.ts';
import { SvcError, errorKinds, type ErrorCode } from '../../../schema/errors.ts';
import { type ListLine, listLine } from '../../../schema/list-lines.ts';

const trouble = lineShape(listLine);

/** Null for a line that is not the kit's: the login shell of an account may print a greeting. */
export function readListLine(line: string): ListLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const why = trouble(value);
  return why === null ? (value as ListLine) : unfit(value, why);
}

/** A package of which the line can't be taken may be there all the same: it is unread, which is not "gone". */
function unfit(value: unknown, why: string): ListLine | null {
  const { event, account, app } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (event !== 'package' || (account !== null && !(typeof account === 'string' && isAccountName(account)))) return null;
  const known = typeof app === 'string' && isAppId(app) ? app : null;
  return {
    event: 'bad',
    account,
    folder: known ?? '?',
    message: `its line can't be taken: ${why}`.slice(0, 8_192),
    unread: known ?? 'all',
  };
}

/** The error that the kit printed, under its own code. */
export function listError({ code, message }: { readonly code: string; readonly message: string }): SvcError {
  return new SvcError(Object.hasOwn(errorKinds, code) ? (code as ErrorCode) : 'INTERNAL', message);
}

/** Output of `svc-app-list` on a server, checked line by line before anyone reads a field: a server may be anyone's. */
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
  return trouble(value) === null ? (value as ListLine) : null;
}

/** The error that the kit printed, under its own code. */
export function listError({ code, message }: { readonly code: string; readonly message: string }): SvcError {
  return new SvcError(Object.hasOwn(errorKinds, code) ? (code as ErrorCode) : 'INTERNAL', message);
}

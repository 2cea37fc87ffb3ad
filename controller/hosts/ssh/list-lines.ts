/** What `svc-app-list` on a server printed, checked line by line before anyone reads a field: a server may be anyone's. */
import { Ajv } from 'ajv';
import { SvcError, errorKinds, type ErrorCode } from '../../../schema/errors.ts';
import type { ListLine } from '../../../schema/list-lines.ts';
import { limits } from '../../../schema/limits.ts';

const account = { type: 'string', pattern: '^[a-z_][a-z0-9_-]{0,31}$' } as const;
const nullable = (schema: object): object => ({ anyOf: [{ type: 'null' }, schema] });
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const text = (maxLength: number): object => ({ type: 'string', maxLength });
/** Open: a newer kit may say more. */
const lineOf = (event: string, properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  properties: { event: { const: event }, ...properties },
  required: ['event', ...Object.keys(properties)],
});

const checkLine = new Ajv({ allErrors: false, strict: true, strictTypes: false }).compile({
  anyOf: [
    lineOf('account', { account, home: nullable({ type: 'string', pattern: '^/[^\\u0000-\\u001f\\u007f]{0,4095}$' }) }),
    lineOf('package', {
      account: nullable(account),
      app: { type: 'string', pattern: '^[a-z0-9-]{1,128}$' },
      hash,
      delivered: nullable(hash),
      previous: nullable(text(256)),
      manifest: text(limits.manifestBytesMax),
    }),
    lineOf('bad', { account: nullable(account), folder: text(4_096), message: text(8_192) }),
    lineOf('bytes', { base64: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' } }),
    lineOf('error', { code: text(64), message: text(8_192) }),
    lineOf('end', { version: text(128) }),
  ],
});

/** Null for what is not of ours: the login shell of an account may greet whoever comes. */
export function readListLine(line: string): ListLine | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  return checkLine(value) ? (value as ListLine) : null;
}

/** The error that the kit told, under its own code. */
export function listError({ code, message }: { readonly code: string; readonly message: string }): SvcError {
  return new SvcError(Object.hasOwn(errorKinds, code) ? (code as ErrorCode) : 'INTERNAL', message);
}

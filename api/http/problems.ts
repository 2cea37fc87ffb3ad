/** Errors as the client sees them: RFC 9457 problem documents with `code` and the string `error` (rules 7). No stack, no secret. */
import type { ServerResponse } from 'node:http';
import type { FastifyError } from 'fastify';
import { appIdPattern, appIdRule } from '../../schema/app-id.ts';
import { errorKinds, SvcError, type ErrorCode } from '../../schema/errors.ts';
import type { Problem } from '../../schema/wire/http.ts';

export const problemType = 'application/problem+json; charset=utf-8';

export function problemOf(error: SvcError): Problem & Record<string, unknown> {
  const { status, title } = errorKinds[error.code];
  // Details first: they never replace the members that every problem has.
  return {
    ...error.details,
    type: `urn:svc:error:${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    error: error.message,
  };
}

/** Any throw becomes a coded error. The message of an unforeseen error goes to the log only, by request id. */
export function codedError(error: unknown, requestId: string): SvcError {
  if (error instanceof SvcError) return error;
  const known = error as Partial<FastifyError>;
  if (known.validation) return new SvcError('BAD_REQUEST', schemaSentence(known.message, known.validation));
  const code = codeOfStatus(known.statusCode);
  if (code !== null && typeof known.code === 'string' && known.code.startsWith('FST_')) {
    return new SvcError(code, known.message ?? errorKinds[code].title);
  }
  return new SvcError('INTERNAL', `the portal failed; its log has the cause under request ${requestId}`, { requestId });
}

/** Naming the pattern would not help a person to correct an id. */
function schemaSentence(message: string | undefined, found: FastifyError['validation'] = []): string {
  const isAboutAppId = found.some(({ keyword, params }) => keyword === 'pattern' && params['pattern'] === appIdPattern);
  const text = message ?? 'the request breaks the schema of the route';
  return isAboutAppId ? text.replace(/must match pattern .*/, `must be ${appIdRule}`) : text;
}

/** Answers without Fastify: app origins, wrong hosts, paths that no router should see. */
export function sendProblem(res: ServerResponse, error: SvcError, method = 'GET', headers: Record<string, string> = {}): void {
  const body = JSON.stringify(problemOf(error));
  res.writeHead(error.status, {
    'content-type': problemType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  res.end(method === 'HEAD' ? undefined : body);
}

function codeOfStatus(status: number | undefined): ErrorCode | null {
  if (status === 413) return 'TOO_LARGE';
  if (status === 415) return 'UNSUPPORTED_MEDIA';
  return status !== undefined && status >= 400 && status < 500 ? 'BAD_REQUEST' : null;
}

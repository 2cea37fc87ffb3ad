/** `/v1/` of a portal that serves no repository: `esquema/svc-app/<versao>.json` of its own version. Source: rules 9. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SvcError } from '../../schema/errors.ts';
import { schemaText, schemaVersion } from '../../schema/manifest/published.ts';
import { parseRepositoryPath } from '../../kit/repository/layout/paths.ts';
import { listsEtag } from '../../schema/wire/etag.ts';
import { pathOf } from '../http/navigation.ts';
import { sendProblem } from '../http/problems.ts';
import { dataPolicy } from '../http/security-headers.ts';

export function sendOwnSchema(req: IncomingMessage, res: ServerResponse): void {
  const item = parseRepositoryPath(pathOf(req.url ?? '/'));
  const { method = '' } = req;
  if (item?.kind !== 'schema' || ![schemaVersion, 'atual'].includes(item.version))
    return sendProblem(res, new SvcError('NOT_FOUND', `there is no repository here, only the schema of svc ${schemaVersion}`), method);
  if (method !== 'GET' && method !== 'HEAD') {
    res.setHeader('allow', 'GET, HEAD');
    return sendProblem(res, new SvcError('METHOD_NOT_ALLOWED', 'this path takes GET, HEAD'), method);
  }
  const text = schemaText();
  const etag = `"${createHash('sha256').update(text).digest('hex')}"`;
  const headers = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff', 'content-security-policy': dataPolicy };
  const known = req.headers['if-none-match'];
  if (known !== undefined && listsEtag(known, etag, 'weak')) return void res.writeHead(304, headers).end();
  res.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(method === 'HEAD' ? undefined : text);
}

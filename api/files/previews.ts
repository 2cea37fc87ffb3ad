/**
 * A file on an origin of its own, under an address that is a key for it: the session of the person, that file, for some minutes. No cookie is read
 * there.
 * Decision: docs/decisions/0220-previews-of-files.md
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { FilesCommands } from '../../schema/files.ts';
import { shownName } from '../../schema/wire/file-path.ts';
import type { PreviewAnswer } from '../../schema/wire/files.ts';
import type { OpenAnswers } from '../auth/open-answers.ts';
import type { Session, Sessions } from '../auth/sessions.ts';
import { filesOrigin, type Site } from '../http/hosts.ts';
import { onGone } from '../http/gone.ts';
import { pathOf } from '../http/navigation.ts';
import { sendProblem } from '../http/problems.ts';
import { judge, partOf } from '../repository/conditions.ts';
import { watchIdle } from '../repository/upload.ts';
import { moving } from '../connections/young-memory.ts';
import { previewHeaders } from '../http/security-headers.ts';
import type { BeginUpload } from '../http/uploads.ts';
import { limits } from './limits.ts';
import { extendedValue } from './paths.ts';
import { previewType } from './preview-types.ts';
import { printEnd, printPage, printPolicy } from './print-page.ts';

export interface Previews {
  /** Rejects CONFLICT where there is no such origin, FILE_KIND for what is no file. */
  make(session: Session, path: Uint8Array): Promise<PreviewAnswer>;
  /** A request on that origin. */
  readonly request: (req: IncomingMessage, res: ServerResponse) => void;
}

export interface PreviewDeps {
  readonly site: Site;
  readonly files: FilesCommands;
  readonly sessions: Pick<Sessions, 'alive'>;
  readonly open: Pick<OpenAnswers, 'holdRequest'>;
  readonly clock: Clock;
  readonly beginTransfer: BeginUpload;
  readonly onError: (error: unknown) => void;
}

interface Kept {
  readonly session: Pick<Session, 'person' | 'admin' | 'root'>;
  readonly path: Uint8Array;
  readonly type: string;
  readonly untilMs: number;
}

export function createPreviews(deps: PreviewDeps): Previews {
  const { site, files, clock } = deps;
  /** By key, the oldest first. */
  const kept = new Map<string, Kept>();
  const forget = (root: string): void => {
    const own = [...kept].filter(([, { session }]) => session.root === root);
    for (const [key, { untilMs }] of own) if (untilMs <= clock.monotonicMs()) kept.delete(key);
    for (const [key] of own.slice(0, Math.max(0, own.length - limits.previewsPerSessionMax + 1))) kept.delete(key);
    for (const key of kept.keys()) {
      if (kept.size < limits.previewsMax) break;
      kept.delete(key);
    }
  };
  const find = async (key: string): Promise<Kept> => {
    const one = kept.get(key);
    if (one === undefined || one.untilMs <= clock.monotonicMs() || !(await deps.sessions.alive(one.session.root)))
      throw new SvcError('NOT_FOUND', 'this address of a file is over: open it again');
    return one;
  };
  return {
    make: async (session, path) => {
      if (site.origins === 'path') throw new SvcError('CONFLICT', 'files have no origin of their own with origins: path');
      const { tipo, nome } = await (await files.of(session.person, session.admin)).item(path);
      if (tipo !== 'arquivo') throw new SvcError('FILE_KIND', 'it is no plain file');
      forget(session.root);
      const key = randomBytes(24).toString('base64url');
      const type = previewType(nome);
      kept.set(key, { session, path, type, untilMs: clock.monotonicMs() + limits.previewMs });
      return { url: `${filesOrigin(site)}/${key}`, tipo: type, expiraMs: clock.nowMs() + limits.previewMs };
    },
    request: (req, res) => {
      send(deps, find, req, res).catch((error: unknown) => {
        if (!(error instanceof SvcError)) deps.onError(error);
        if (res.headersSent) {
          res.destroy();
          return;
        }
        const coded = error instanceof SvcError ? error : new SvcError('INTERNAL', 'the portal failed; its log has the cause');
        sendProblem(res, coded, req.method, previewHeaders(site, 'text/plain'));
      });
    },
  };
}

async function send(deps: PreviewDeps, find: (key: string) => Promise<Kept>, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { method = 'GET' } = req;
  if (method !== 'GET' && method !== 'HEAD') throw new SvcError('METHOD_NOT_ALLOWED', 'files are read only here');
  const asked = pathOf(req.url ?? '/').slice(1);
  const isPrinted = asked.endsWith(printEnd);
  const { session, path, type } = await find(isPrinted ? asked.slice(0, -printEnd.length) : asked);
  if (isPrinted) return sendPrintPage(deps.site, res, { path, type, isHead: method === 'HEAD' });
  deps.open.holdRequest({ person: session.person, session: session.root }, req, res);
  const end = deps.beginTransfer(session.person);
  onGone(res, end);
  const content = await (await deps.files.of(session.person, session.admin)).open(path);
  onGone(res, () => void content.close().catch(() => undefined));
  if (res.closed) return;
  const { bytes, etag, modifiedMs } = content;
  const verdict = judge(method, req.headers, { bytes, etag, modifiedMs });
  const { headers, part } = partOf(verdict, bytes);
  res.writeHead(verdict.status, {
    ...previewHeaders(deps.site, type),
    'content-type': type,
    'content-disposition': `inline; filename*=${extendedValue(nameOf(path))}`,
    etag,
    'last-modified': new Date(modifiedMs).toUTCString(),
    'accept-ranges': 'bytes',
    ...headers,
  });
  if (part === null || method === 'HEAD' || bytes === 0) return void res.end();
  const watch = watchIdle(deps.clock, () => res.destroy());
  const stream = Readable.from(moving(content.read(part.start, part.end)), { objectMode: false, highWaterMark: 1_024 * 1_024 });
  res.on('drain', watch.moved);
  res.once('close', () => {
    watch.end();
    stream.destroy();
  });
  stream.once('error', (error) => {
    deps.onError(error);
    res.destroy();
  });
  stream.pipe(res);
}

const nameOf = (path: Uint8Array): string => shownName(path.subarray(path.lastIndexOf(0x2f) + 1));

/** All else is printed by the shell's own page. */
function sendPrintPage(
  site: Site,
  res: ServerResponse,
  { path, type, isHead }: Pick<Kept, 'path' | 'type'> & { readonly isHead: boolean },
): void {
  if (type !== 'application/pdf') throw new SvcError('NOT_FOUND', 'only a PDF has a page that prints it');
  const page = Buffer.from(printPage(nameOf(path), site.origin));
  res.writeHead(200, {
    ...previewHeaders(site, type),
    'content-security-policy': printPolicy(site.origin),
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.length,
  });
  res.end(isHead ? undefined : page);
}

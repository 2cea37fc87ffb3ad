/**
 * The command line's way to a running portal: HTTP over the 0600 unix socket STATE/svc.sock, where every caller is admin. The
 * routes are rows of schema/routes.
 */
import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { ask, readWhole, wasSilent, type Answer } from '../kit/http/ask.ts';
import { SvcError } from '../schema/errors.ts';
import { readPlainFileSync } from '../schema/plain-file.ts';
import type { ServerActEvent } from '../schema/gateway.ts';
import { addressOf, type Address, type AnswerOf, type Asking, type InputOf, type RouteName } from '../schema/routes/call.ts';
import type { Problem } from '../schema/wire/http.ts';

/** An error of the portal, with its code: shown unchanged. */
export class PortalError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'PortalError';
    this.code = code;
  }
}

export interface Client {
  /** The JSON answer of a route. */
  call<Name extends RouteName>(name: Name, ...input: Asking<Name>): Promise<AnswerOf<Name>>;
  /** Yields the events of an act as they arrive, one a line. */
  follow<Name extends RouteName>(name: Name, ...input: Asking<Name>): AsyncIterable<ServerActEvent>;
  /** Text as it comes; ends when the portal ends it or the signal fires. */
  text<Name extends RouteName>(name: Name, input: InputOf<Name>, signal: AbortSignal): AsyncIterable<string>;
}

/** Longest silence: a restart waits for a stop and for a start. Streams have it until their head. */
const answerMsMax = 60_000;
/** A plan observes all servers first; one that is slow to answer has its time (serverObserveMsMax), twice. */
const plannedMsMax = 180_000;
const answerBytesMax = 64 * 1024 * 1024;
/** After so long a person is told that there is no answer yet. */
const wordMs = 4_000;
/** How often a waiting command checks whether another portal serves the state folder now. */
const ownerPollMs = 500;

/** `end` ends what is asked; without it each question waits as long as the portal may take. */
export function createClient(stateDir: string, end?: AbortSignal): Client {
  return {
    call: async <Name extends RouteName>(name: Name, ...input: Asking<Name>) => {
      const answer = await open(stateDir, { ...addressOf(name, ...input), ...(end && { signal: end }) });
      try {
        return JSON.parse(await readAll(answer)) as AnswerOf<Name>;
      } finally {
        answer.end();
      }
    },
    follow: (name, ...input) => follow(stateDir, addressOf(name, ...input)),
    text: (name, input, signal) => stream(stateDir, addressOf(name, input), signal),
  };
}

async function* follow(stateDir: string, address: Address): AsyncIterable<ServerActEvent> {
  const answer = await open(stateDir, { ...address, isStream: true });
  for await (const line of createInterface({ input: answer.body })) yield JSON.parse(line) as ServerActEvent;
}

async function* stream(stateDir: string, address: Address, signal: AbortSignal): AsyncIterable<string> {
  try {
    const { body } = await open(stateDir, { ...address, isStream: true, signal });
    body.setEncoding('utf8');
    for await (const chunk of body) yield chunk as string;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Request extends Address {
  readonly isStream?: boolean;
  readonly signal?: AbortSignal;
}

/** Resolves with a 2xx answer. SvcError PORTAL_NOT_RUNNING, PortalError with the portal's code, or TIMEOUT. */
async function open(stateDir: string, request: Request): Promise<Answer> {
  const owner = ownerOf(stateDir);
  const taken = new AbortController();
  const poll = setInterval(() => isTaken(owner, ownerOf(stateDir)) && taken.abort(new TakenOver()), ownerPollMs);
  const word = setTimeout(() => {
    if (request.method === 'GET') process.stderr.write(`the portal does not answer yet; waiting up to ${answerMsMax / 1000} s\n`);
  }, wordMs);
  try {
    const answer = await send(stateDir, request, taken.signal);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await problemOf(answer);
  } catch (error) {
    // Retries a GET once, on the portal that took over.
    if (error instanceof TakenOver && request.method === 'GET') return await open(stateDir, request);
    if (error instanceof TakenOver)
      throw new SvcError(
        'TIMEOUT',
        `another portal took over ${path.join(stateDir, 'svc.sock')} before this was answered: look what was done`,
      );
    throw error instanceof SvcError || error instanceof PortalError
      ? error
      : explain(error as NodeJS.ErrnoException, stateDir, silentMsMax(request));
  } finally {
    clearInterval(poll);
    clearTimeout(word);
  }
}

function send(stateDir: string, { method, path: route, body, isStream = false, signal }: Request, taken: AbortSignal): Promise<Answer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return ask(
    { method, origin: 'http://localhost', path: route, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
    {
      silentMsMax: silentMsMax({ path: route }),
      isStream,
      socketPath: socketOf(stateDir),
      signal: signal === undefined ? taken : AbortSignal.any([taken, signal]),
    },
  );
}

/** The portal that was asked lost the state folder to another one and will not answer (store/state-lock.ts). */
class TakenOver extends Error {}

interface Owner {
  readonly pid: string;
  readonly inode: bigint;
}

/** The process that serves the state folder; null when unknown. */
function ownerOf(stateDir: string): Owner | null {
  try {
    const { ino } = lstatSync(path.join(stateDir, 'svc.sock'), { bigint: true });
    return { pid: String(readPlainFileSync(path.join(stateDir, 'pid'))), inode: ino };
  } catch {
    return null;
  }
}

/** A portal makes a deleted socket again, and its pid is written before its socket is there: both have to be others. */
const isTaken = (before: Owner | null, now: Owner | null): boolean =>
  before !== null && now !== null && before.pid !== now.pid && before.inode !== now.inode;

/** The shorter spelling: sun_path holds 107 bytes and state folders may lie deep. */
function socketOf(stateDir: string): string {
  const absolute = path.resolve(stateDir, 'svc.sock');
  const relative = path.relative(process.cwd(), absolute);
  return relative.length < absolute.length ? `./${relative}` : absolute;
}

const silentMsMax = ({ path: route }: Pick<Address, 'path'>): number =>
  route.endsWith('/plan') || route.endsWith('/apply') ? plannedMsMax : answerMsMax;

function explain(error: NodeJS.ErrnoException, stateDir: string, msMax: number): Error {
  if (error.code === 'EACCES') return new SvcError('FORBIDDEN', `${path.join(stateDir, 'svc.sock')} belongs to another account`);
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR') {
    const start = isService(stateDir)
      ? 'it is the service svc: systemctl status svc shows it, and svc setup makes a site where there is none'
      : `start one with: svc up DIR${stateDir === 'state' ? ', or name the state folder of the one that runs: --state FOLDER' : ` --state ${stateDir}`}`;
    return new SvcError('PORTAL_NOT_RUNNING', `no portal answers on ${path.join(stateDir, 'svc.sock')}; ${start}`);
  }
  return cutOff(error, msMax);
}

/** Whether the portal of that folder is the installed service: a second one by hand would not be it. */
const isService = (stateDir: string): boolean => process.env['SVC_STATE'] === stateDir && existsSync('/usr/lib/systemd/system/svc.service');

function cutOff(error: NodeJS.ErrnoException, msMax = answerMsMax): Error {
  if (wasSilent(error)) return new SvcError('TIMEOUT', `the portal did not answer within ${msMax / 1000} s`);
  return error.code === 'UND_ERR_SOCKET' ? new Error(`the answer of the portal was aborted (${error.message})`, { cause: error }) : error;
}

async function problemOf(answer: Answer): Promise<Error> {
  try {
    const { code, detail } = JSON.parse(await readAll(answer)) as Partial<Problem>;
    if (typeof code === 'string' && typeof detail === 'string') return new PortalError(code, detail);
  } catch {
    // Not a problem document: reported below.
  }
  return new PortalError(`HTTP_${answer.status}`, 'the portal answered without a problem document');
}

async function readAll(answer: Answer): Promise<string> {
  const bytes = await readWhole(answer, answerBytesMax).catch((error: NodeJS.ErrnoException) => {
    throw cutOff(error);
  });
  if (bytes === null) throw new SvcError('TOO_LARGE', `the portal's answer is larger than ${answerBytesMax} bytes`);
  return bytes.toString('utf8');
}

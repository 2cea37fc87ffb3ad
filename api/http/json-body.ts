/**
 * Bodies in JSON. A megabyte takes tens of milliseconds to parse, and nobody else is answered meanwhile: large ones are parsed one in a turn of the loop,
 * each when it is its person's turn, and are work for that person.
 */
import { setImmediate as turnEnd } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { workFor, type Worker } from '../budgets/loop-time.ts';
import { excessOf } from './json-bounds.ts';
import { limits } from '../limits.ts';
import { pathOf } from './navigation.ts';
import { isUpload } from './serve.ts';

interface JsonBodies {
  readonly budgets: Pick<Budgets, 'turn'>;
  /** For whom the portal works when it answers; null: nobody in particular. */
  readonly workerOf: (request: FastifyRequest) => Worker | null;
}

const jsonTypes = ['application/json', 'application/merge-patch+json'] as const;

/** By its head, or one that does not say how long it is. Uploads are no JSON to us, whatever their type says. */
function isLargeJson({ method, url, headers }: FastifyRequest): boolean {
  const type = (headers['content-type'] ?? '').toLowerCase();
  if (!jsonTypes.some((each) => type.startsWith(each)) || isUpload(method, pathOf(url))) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limits.jsonAtOnceBytesMax;
}

/** JSON only: a form or plain text, which any page may post, is refused before a handler sees it. An empty body is null. */
export function addJsonBodies(app: FastifyInstance, { budgets, workerOf }: JsonBodies): void {
  const careful = app.getDefaultJsonParser('error', 'error');
  const parse = async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
    // Before it becomes text, which takes as much memory again.
    const excess = excessOf(body, { depthMax: limits.jsonDepthMax, valuesMax: limits.jsonValuesMax });
    if (excess === 'depth') throw new SvcError('BAD_REQUEST', `the body nests deeper than ${limits.jsonDepthMax}`);
    if (excess === 'values') throw new SvcError('TOO_LARGE', `the body holds more than ${limits.jsonValuesMax} values`);
    const text = body.toString();
    const parsed = isPlain(text) ? parsedOf(text) : undefined;
    if (parsed !== undefined) return parsed;
    return await new Promise((resolve, reject) => {
      void careful(request, text, (error, body) => (error === null ? resolve(body) : reject(error)));
    });
  };
  const large = createLine();
  const parseLarge = async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
    const who = workerOf(request);
    if (who !== null) await budgets.turn(who.person);
    return await large(() => (who === null ? parse(request, body) : workFor(who, () => parse(request, body))));
  };
  const oneOf = createPersonLines();
  const leave = new WeakMap<FastifyRequest, () => void>();
  app.addHook('preParsing', async (request, reply, payload) => {
    const who = isLargeJson(request) ? workerOf(request) : null;
    if (who === null) return payload;
    leave.set(request, await oneOf(who.person, reply.raw));
    await budgets.turn(who.person);
    return payload;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...jsonTypes], { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return null;
    try {
      return body.length <= limits.jsonAtOnceBytesMax ? await parse(request, body) : await parseLarge(request, body);
    } finally {
      leave.get(request)?.();
    }
  });
}

/** No name in it can be one that changes what an object is: then no value has to be looked through for them. */
const isPlain = (text: string): boolean => !text.includes('__proto__') && !text.includes('constructor') && !text.includes(String.raw`\u`);

/** undefined: it is none. */
function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Acts one after the other, with a turn of the loop between them. */
function createLine(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return async (act) => {
    const own = last.then(() => turnEnd()).then(act);
    last = own.catch(() => undefined);
    return await own;
  };
}

/**
 * Lets in a person's large bodies one after the other, each from before it is read until it was parsed, or its client is gone. Resolves to what ends it.
 * Rejects RATE_LIMITED before a body that is not read would be too slow.
 */
export function createPersonLines(msMax: number = limits.jsonLineMsMax): (person: string, response: ServerResponse) => Promise<() => void> {
  const lines = new Map<string, (() => void)[]>();
  return async (person, response) => {
    // Its end was said already.
    if (response.closed) return () => undefined;
    const line = lines.get(person) ?? [];
    lines.set(person, line);
    const { promise, resolve: go, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      const at = line.indexOf(go);
      if (at < 0) return;
      line.splice(at, 1);
      go();
      if (line.length === 0) lines.delete(person);
      else if (at === 0) line[0]?.();
    };
    response.once('close', leave);
    const timer = setTimeout(() => {
      reject(new SvcError('RATE_LIMITED', 'large bodies of a person are read one at a time: wait a little', { retryAfterMs: 1_000 }));
      leave();
    }, msMax);
    if (line.push(go) === 1) go();
    await promise.finally(() => clearTimeout(timer));
    return leave;
  };
}

/** Calls to a portal over its control socket, where every caller is admin. */
import { fork } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';

/** `body` is the parsed JSON, or the text of anything else. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** For a portal of another process: one refuses whoever comes from its own (docs/decisions/0152-the-control-socket.md). */
export function callControlSocket(socketPath: string, method: string, path: string, body: unknown): Promise<AdminAnswer> {
  return new Promise((done, fail) => {
    const payload = body === undefined ? null : JSON.stringify(body);
    const headers = payload === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
    const call = request({ socketPath, method, path, headers, timeout: 60_000 }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = answer.headers['content-type']?.includes('json') === true;
        done({ status: answer.statusCode ?? 0, body: json ? JSON.parse(text) : text });
      });
      answer.on('error', fail);
    });
    call.on('error', fail);
    call.end(payload ?? undefined);
  });
}

/** A message to control-caller-main.ts, and its answer. */
export interface CallOrder {
  readonly id: number;
  readonly args: Parameters<typeof callControlSocket>;
}
export type CallReply = { readonly id: number } & ({ readonly answer: AdminAnswer } | { readonly error: string });

export interface ControlCaller {
  call(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  end(): void;
}

/** The same from a process of its own, for a portal that runs in the process of the test. */
export function createControlCaller(socketPath: string): ControlCaller {
  const child = fork(join(import.meta.dirname, 'control-caller-main.ts'), { execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<AdminAnswer>>();
  let last = 0;
  child.on('message', (reply: CallReply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('answer' in reply) asked?.resolve(reply.answer);
    else asked?.reject(new Error(reply.error));
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the process that calls the control socket ended'));
  });
  return {
    call: (method, path, body) => {
      const asked = Promise.withResolvers<AdminAnswer>();
      last += 1;
      waiting.set(last, asked);
      const order: CallOrder = { id: last, args: [socketPath, method, path, body] };
      child.send(order, (error) => error && asked.reject(error));
      return asked.promise;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

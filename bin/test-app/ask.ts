/** Requests to the app under test, as the portal's proxy sends them: over its socket, or over the port of a bench. */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { limits } from './limits.ts';

export type Target = { readonly socketPath: string } | { readonly port: number };

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  /** 0: no answer came. Source: rules 3.2, code 000. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Why there is no answer, or not all of it; '' when it is whole. */
  readonly trouble: string;
}

export const tokenHeader = 'x-svc-app-token';

const addressOf = (target: Target): { readonly path: string } | { readonly host: string; readonly port: number } =>
  'port' in target ? { host: '127.0.0.1', port: target.port } : { path: target.socketPath };

/** Never rejects: what goes wrong is in `trouble`. */
export function ask(target: Target, { method = 'GET', path, headers = {}, body }: Asked): Promise<Answer> {
  return new Promise((resolve) => {
    let answer: Answer = { status: 0, headers: {}, body: '', trouble: '' };
    const parts: Buffer[] = [];
    const place = 'port' in target ? { host: '127.0.0.1', port: target.port } : { socketPath: target.socketPath };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request({ ...place, agent: false, method, path, headers: { host: 'app', ...length, ...headers, connection: 'close' } });
    const timer = setTimeout(() => sent.destroy(new Error(`${limits.askMsMax / 1_000} s`)), limits.askMsMax);
    const done = (trouble: string): void => {
      clearTimeout(timer);
      resolve({ ...answer, body: Buffer.concat(parts).toString('utf8'), trouble });
      sent.destroy();
    };
    sent.on('error', (error) => done(error.message));
    // An upgrade that the app takes is an answer, too.
    sent.on('upgrade', (response, socket) => {
      answer = { ...answer, status: response.statusCode ?? 0, headers: response.headers };
      socket.destroy();
      done('');
    });
    sent.on('response', (response) => {
      answer = { ...answer, status: response.statusCode ?? 0, headers: response.headers };
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > limits.answerBytesMax) done(`> ${limits.answerBytesMax} bytes`);
        else parts.push(part);
      });
      response.on('end', () => done(response.complete ? '' : 'cut off'));
      response.on('error', (error) => done(error.message));
    });
    sent.end(body);
  });
}

/** Whether something takes connections there. */
export function takesConnections(target: Target): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(addressOf(target));
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** A request whose body is only half there. */
export interface HalfSent {
  /** The app took the request, or answered it already, or had the time to. */
  readonly underWay: Promise<void>;
  /** Sends the rest; resolves with the final status, 0 when none or not all of an answer came. */
  readonly finish: () => Promise<number>;
}

export function sendHalf(target: Target, path: string, token: string): HalfSent {
  const socket: Socket = connect(addressOf(target));
  let text = '';
  const ended = new Promise<void>((resolve) => {
    socket.setTimeout(limits.askMsMax, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.once('close', resolve);
  });
  const underWay = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, limits.underWayMs);
    const go = (): void => {
      clearTimeout(timer);
      resolve();
    };
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      go();
    });
    socket.once('close', go);
  });
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: app',
    `X-Svc-App-Token: ${token}`,
    'Content-Type: text/plain',
    'Content-Length: 11',
    'Expect: 100-continue',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"aba`);
  const finish = async (): Promise<number> => {
    // An app that answered without the body may have closed: a write would then take away the answer that lies here unread.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (statusOf(text) === 0) socket.write('s":[]}');
    await ended;
    return statusOf(text);
  };
  return { underWay, finish };
}

/** Status of the last answer in the text; 0 when its body is shorter than it says. */
export function statusOf(text: string): number {
  const final = text.replace(/^HTTP\/1\.1 1\d\d [^]*?\r\n\r\n/, '');
  const end = final.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(final)?.[1];
  if (end === -1 || status === undefined) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(final.slice(0, end + 2))?.[1];
  return length !== undefined && final.length - end - 4 < Number(length) ? 0 : Number(status);
}

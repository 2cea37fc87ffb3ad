/**
 * One health probe (spec 3.2): GET healthcheckPath over the app's socket with the token. Answers the status code, 0 (the spec's
 * 000) when nobody answered in time. Follows no redirect; the body is thrown away, up to a cap.
 */
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import { withDeadline } from '../clock/system.ts';

export interface ProbeOptions {
  readonly dial: () => Promise<Duplex>;
  readonly path: string;
  readonly token: string;
  readonly clock: Clock;
}

export async function probe(options: ProbeOptions): Promise<number> {
  const { clock } = options;
  const deadlineMs = clock.monotonicMs() + limits.probeTimeoutMs;
  const attempt = async (): Promise<number> => {
    const stream = await options.dial();
    // Also ends a body that never ends, and a dial that came too late.
    const cancel = clock.at(deadlineMs, () => stream.destroy());
    stream.once('close', cancel);
    return askOnce(stream, options);
  };
  try {
    return await withDeadline(clock, limits.probeTimeoutMs, attempt(), () => new SvcError('TIMEOUT', 'no answer to the probe'));
  } catch {
    return 0;
  }
}

function askOnce(stream: Duplex, { path, token }: ProbeOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({
      createConnection: () => stream,
      method: 'GET',
      path: requestTarget(path),
      headers: { Host: 'localhost', 'X-Svc-App-Token': token, Connection: 'close' },
    });
    asked.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.probeBodyBytesMax) stream.destroy();
      });
      response.on('error', () => stream.destroy());
      response.on('end', () => stream.destroy());
      resolve(response.statusCode ?? 0);
    });
    asked.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** A manifest may hold any string: only what a URL path can hold goes on the wire. */
function requestTarget(path: string): string {
  const url = new URL(`http://localhost/${path.replace(/^\/+/, '')}`);
  return `${url.pathname}${url.search}`;
}

/** The log of a backend as text: the last lines, the previous run, or followed while it is written (rules 4.1). */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { SvcError } from '../../schema/errors.ts';
import type { AppCommands, AppsView } from '../../schema/gateway.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { onGone } from '../http/gone.ts';
import { sessionOf } from '../portal/shell.ts';
import { serve } from '../http/serve.ts';

export interface LogRequest {
  readonly person: string;
  readonly app: string;
  /** Decimal digits, or undefined for the default. */
  readonly tail: string | undefined;
  readonly follow: boolean;
  readonly previous: boolean;
}

export interface Logs {
  send(reply: FastifyReply, request: LogRequest): Promise<FastifyReply>;
}

export function createLogs(
  apps: Pick<AppsView, 'find'>,
  commands: Pick<AppCommands, 'log' | 'followLog'>,
  onError: (error: unknown) => void,
): Logs {
  const following = new Map<string, number>();
  return {
    send: async (reply, { person, app, tail: asked, follow, previous }) => {
      if (!apps.find(person, app)) throw new SvcError('NOT_FOUND', `app ${app} is not installed for ${person}`);
      const tail = tailOf(asked);
      // The output of an app is served as text only; nosniff and the CSP of the route enforce that.
      reply.header('content-type', 'text/plain; charset=utf-8');
      if (!follow) return reply.send(await commands.log(person, app, { tail, previous }));
      if (previous) throw new SvcError('BAD_REQUEST', 'the previous run is over and cannot be followed');
      const count = following.get(person) ?? 0;
      if (count >= limits.followsPerPersonMax) {
        throw new SvcError('RATE_LIMITED', `at most ${limits.followsPerPersonMax} logs are followed at a time`, { retryAfterMs: 1_000 });
      }
      following.set(person, count + 1);
      const controller = new AbortController();
      const stream = Readable.from(commands.followLog(person, app, { tail, signal: controller.signal }), { objectMode: false });
      onGone(reply.raw, () => {
        controller.abort();
        stream.destroy();
      });
      // When what it follows has ended, too: until then it counts there.
      stream.once('close', () => {
        const left = (following.get(person) ?? 1) - 1;
        if (left === 0) following.delete(person);
        else following.set(person, left);
      });
      // Headers are gone by then: the reader sees the end of the text, the log of the portal sees a fault.
      stream.on('error', (error) => {
        if (!controller.signal.aborted && !(error instanceof SvcError)) onError(error);
      });
      reply.header('x-accel-buffering', 'no');
      return reply.send(stream);
    },
  };
}

function tailOf(asked: string | undefined): number {
  const tail = asked === undefined ? limits.logTailLinesDefault : Number(asked);
  if (tail > sharedLimits.logTailLinesMax) throw new SvcError('BAD_REQUEST', `tail: at most ${sharedLimits.logTailLinesMax} lines`);
  return tail;
}

export function addLogRoute(app: FastifyInstance, logs: Logs): void {
  serve(app, 'GET /api/apps/:id/log', (request, reply) => {
    const { tail, seguir, anterior } = request.query;
    return logs.send(reply, {
      person: sessionOf(request).person,
      app: request.params.id,
      tail,
      follow: seguir === '1',
      previous: anterior === '1',
    });
  });
}

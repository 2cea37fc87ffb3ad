/**
 * A single health probe (rules 3.2): GET healthcheckPath over the app's socket with the token. Answers the status code, 0 (the rules' 000)
 * on a timeout. Follows no redirect; reads the body up to a cap and discards it.
 */
import type { Duplex } from 'node:stream';
import { type Clock, withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { ask, headerOf, readWhole } from '../../kit/http/ask.ts';

export interface ProbeOptions {
  readonly dial: () => Promise<Duplex>;
  readonly path: string;
  readonly token: string;
  readonly clock: Clock;
}

export interface ProbeAnswer {
  readonly code: number;
  /** The gate of the runtime refused the token, not the app. Source: rules 5. */
  readonly byGate: boolean;
}

export const noAnswer: ProbeAnswer = { code: 0, byGate: false };

export async function probe(options: ProbeOptions): Promise<ProbeAnswer> {
  const { clock } = options;
  const deadlineMs = clock.monotonicMs() + sharedLimits.probeTimeoutMs;
  const attempt = async (): Promise<ProbeAnswer> => {
    const stream = await options.dial();
    // Also ends a body that never ends, and a dial that came too late.
    const cancel = clock.at(deadlineMs, () => stream.destroy());
    stream.once('close', cancel);
    return askOnce(stream, options);
  };
  try {
    return await withDeadline(clock, sharedLimits.probeTimeoutMs, attempt(), () => new SvcError('TIMEOUT', 'no answer to the probe'));
  } catch {
    return noAnswer;
  }
}

async function askOnce(stream: Duplex, { path, token }: ProbeOptions): Promise<ProbeAnswer> {
  const headers = { 'X-Svc-App-Token': token };
  const answer = await ask({ method: 'GET', origin: 'http://localhost', path, headers }, { silentMsMax: 0, stream });
  readWhole(answer, limits.probeBodyBytesMax)
    .catch(() => null)
    .finally(() => answer.end());
  return { code: answer.status, byGate: headerOf(answer, 'x-svc-token') === 'recusado' };
}

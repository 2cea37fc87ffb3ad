/**
 * `build.sh` of an app whose package holds what a tool made of the source: run when a file changed that is not in the package. The watch
 * sees its output like any other change. Decision: docs/decisions/0244-svc-dev.md
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';

export const buildFile = 'build.sh';

interface Built {
  /** '' when it went well. */
  readonly failure: string;
  /** The end of what it printed. */
  readonly lines: readonly string[];
}

export interface Builder {
  /** Is there something to run? */
  exists(): boolean;
  /** Null: what changed is what the last build left behind, and was built for once. Never rejects; the signal ends it. */
  build(sinceMs: number, signal: AbortSignal, onLine: (text: string) => void): Promise<Built | null>;
}

export function createBuilder(folder: string, clock: Clock): Builder {
  let endedMs = Number.NEGATIVE_INFINITY;
  let isEcho = false;
  return {
    exists: () => existsSync(path.join(folder, buildFile)),
    build: async (sinceMs, signal, onLine) => {
      // A build may write where its sources are. A change during a build may be the author's: it is built once more, and not again.
      const came = sinceMs < endedMs + limits.buildEchoMs;
      if (came && isEcho) return null;
      isEcho = came;
      const built = await run(folder, clock, signal, onLine);
      endedMs = clock.monotonicMs();
      return built;
    },
  };
}

/** An app whose program was never built: is there a build.sh, and no entrypoint? What is not understood is judged by others. */
export function needsBuild(folder: string): boolean {
  if (!existsSync(path.join(folder, buildFile))) return false;
  try {
    const { backend } = JSON.parse(String(readPlainFileSync(path.join(folder, 'svc-app.json')))) as { backend?: { entrypoint?: unknown } };
    const entrypoint = backend?.entrypoint;
    return typeof entrypoint === 'string' && !existsSync(path.join(folder, entrypoint));
  } catch {
    return false;
  }
}

async function run(folder: string, clock: Clock, signal: AbortSignal, onLine: (text: string) => void): Promise<Built> {
  const lines: string[] = [];
  let rest = '';
  const take = (text: string): void => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(0, limits.logLineCharsMax);
    for (const part of parts) {
      lines.push(part);
      if (lines.length > limits.logLinesMax) lines.shift();
      onLine(part);
    }
  };
  const child = spawn('sh', [buildFile], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It is gone.
    }
  };
  let isLate = false;
  const cancel = clock.at(clock.monotonicMs() + limits.buildMsMax, () => {
    isLate = true;
    end();
  });
  signal.addEventListener('abort', end, { once: true });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
  const failure = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    const ended = (code: number | null, by: string | null): void =>
      resolve(isLate ? `over ${limits.buildMsMax / 1_000} s` : by !== null ? by : code === 0 ? '' : `exit code ${code}`);
    child.once('close', ended);
    // A process that it left running in the background holds its output open.
    child.once('exit', (code, by) => void clock.at(clock.monotonicMs() + limits.buildOutputMsMax, () => ended(code, by)));
  });
  cancel();
  signal.removeEventListener('abort', end);
  if (rest !== '') take('\n');
  return { failure, lines };
}

/** Programs of the tests that exchange files for links, as an account of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Swapper {
  /** Ends it, and answers how often it put a link in the place of something. */
  stop(): Promise<number>;
  kill(): void;
}

/** Resolves when it is at work. */
export async function startSwapper(program: string, argv: readonly string[], account: number): Promise<Swapper> {
  const child: ChildProcess = spawn(process.execPath, [program, ...argv], {
    uid: account,
    gid: account,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('unreachable: it has pipes');
  let complaints = '';
  stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  /** Waits for the next output; rejects with the error output when the process ends without a word. */
  const next = async (what: string): Promise<string> => {
    const settled = new AbortController();
    const { signal } = settled;
    const said = once(stdout, 'data', { signal }).then(([chunk]) => String(chunk));
    const died = once(child, 'close', { signal }).then(([code, by]) => {
      throw new Error(`${program} ended with ${by ?? code} before it ${what}: ${complaints.trim()}`);
    });
    try {
      return await Promise.race([said, died]);
    } finally {
      for (const other of [said, died]) other.catch(() => undefined);
      settled.abort();
    }
  };
  await next('was at work');
  return {
    stop: async () => {
      const told = next('told its swaps');
      child.kill('SIGTERM');
      const swaps = Number(await told);
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return swaps;
    },
    kill: () => child.kill('SIGKILL'),
  };
}

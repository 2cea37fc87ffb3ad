/** Runs a named list of commands, a line each with its time; the output of one that failed is shown whole. */
import { spawn } from 'node:child_process';

export interface Step {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
}

/** Resolves to whether the step passed. Output is kept back unless it fails. */
export async function runQuietly(step: Step, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const startedMs = performance.now();
  const [command, ...args] = step.argv;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await exitCode(child);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name.padEnd(12)} ${seconds.padStart(6)} s`);
  if (code !== 0) console.log(Buffer.concat(chunks).toString('utf8').trimEnd());
  return code === 0;
}

/** Runs with the output passed on as it comes. */
export function runLoudly(step: Step, env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const [command, ...args] = step.argv;
  return exitCode(spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], env }));
}

function exitCode(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Finds which homes answer before this program reads one: its own reads have no timeout, and one network home whose server is away would
 * block the listing of all people. A separate program asks, and is abandoned if it hangs.
 */
import { spawn } from 'node:child_process';
import { limits } from '../limits.ts';

const askedAtOnce = 8;

export interface Asking {
  readonly msMax: number;
  /** Asks the file system of each path, which a network one passes on to its server. */
  readonly argv: readonly [string, ...string[]];
}

const asking: Asking = { msMax: limits.homeAnswerMsMax, argv: ['stat', '--file-system', '--format=%i', '--'] };

/** The homes that did not answer in time. One command for all of them, and one for each only when that one hangs. */
export async function silentHomes(homes: readonly string[], { msMax, argv }: Asking = asking): Promise<ReadonlySet<string>> {
  const silent = new Set<string>();
  if (homes.length === 0 || (await endsInTime([...argv, ...homes], msMax))) return silent;
  const left = [...homes];
  const next = async (): Promise<void> => {
    for (let home = left.shift(); home !== undefined; home = left.shift())
      if (!(await endsInTime([...argv, home], msMax))) silent.add(home);
  };
  await Promise.all(Array.from({ length: askedAtOnce }, next));
  return silent;
}

/** Any exit counts as an answer: the home may be missing or unreadable. A process that can't be killed is not waited for. */
function endsInTime([program = '', ...args]: readonly string[], msMax: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: '/', stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } });
    const end = (inTime: boolean): void => {
      clearTimeout(timer);
      resolve(inTime);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.unref();
      end(false);
    }, msMax);
    child.once('error', () => end(true));
    child.once('exit', () => end(true));
  });
}

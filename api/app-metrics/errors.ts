/**
 * Errors that apps report: groups by stack, in the store, and lines of the environment log. A group is logged with its stack when it is new, and
 * again without it when it has happened ten, a hundred, a thousand times, so that an app in a loop writes a dozen lines.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../schema/clock.ts';
import type { ErrorGroup } from '../../schema/wire/metrics.ts';
import type { Store } from '../../store/store.ts';

interface Reporter {
  readonly usuario: string;
  readonly app: string;
  readonly versao: string;
  readonly de: 'backend' | 'pagina';
}

interface Reported {
  readonly tipo: string;
  readonly mensagem: string;
  readonly pilha: string;
  readonly n: number;
}

export interface AppErrors {
  /** All of them or, when the store fails, none. */
  report(from: Reporter, errors: readonly Reported[]): Promise<void>;
  /** The latest first. */
  of(usuario: string, app: string): Promise<readonly ErrorGroup[]>;
}

/** The same frames with another message, or in another release, are the same group; without frames the message is what there is. */
const groupOf = ({ tipo, mensagem, pilha }: Reported): string =>
  createHash('sha256')
    .update(JSON.stringify([tipo, pilha === '' ? mensagem : pilha]))
    .digest('hex')
    .slice(0, 16);

const magnitude = (n: number): number => String(n).length;

export function createAppErrors(store: Pick<Store, 'addAppErrors' | 'appErrors'>, clock: Clock, log: Pick<Logger, 'warn'>): AppErrors {
  return {
    report: async (from, errors) => {
      if (errors.length === 0) return;
      const atMs = clock.nowMs();
      const groups = errors.map((error) => groupOf(error));
      const totals = await store.addAppErrors(errors.map((error, at) => Object.assign({ id: groups[at]!, atMs }, from, error)));
      const { usuario: person, ...sent } = from;
      for (const [at, { pilha, n, ...said }] of errors.entries()) {
        const count = totals[at] ?? n;
        const isNew = count === n;
        if (isNew || magnitude(count) > magnitude(count - n))
          log.warn({ person, group: groups[at], count, ...sent, ...said, ...(isNew ? { pilha } : {}) }, 'error of an app');
      }
    },
    // The answer's schema leaves out whose they are.
    of: (usuario, app) => store.appErrors(usuario, app),
  };
}

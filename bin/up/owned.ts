/** Checks periodically that the portal still owns its state folder's lock and the socket of the command line. */
import type { Logger } from 'pino';
import type { Portal } from '../../api/portal.ts';
import type { StateLock } from '../../store/state-lock.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';

export interface Owned {
  /** Rejects STATE_IN_USE when another process holds the state folder or the store; never resolves. */
  readonly lost: Promise<never>;
  stop(): void;
}

/** Losses in a row that count: a lock seen once with another holder may be that of a `svc up` which ends because its address is taken. */
const lostChecksMax = 2;

export function keepOwned(input: {
  readonly lock: Pick<StateLock, 'check'>;
  readonly portal: Pick<Portal, 'keepControlSocket'>;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Rejects when another portal took the store over. */
  readonly storeLost: Promise<never> | null;
}): Owned {
  const { lock, portal, stateDir, clock, log, storeLost } = input;
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => undefined);
  storeLost?.catch(reject);
  let lostChecks = 0;
  let stopped = false;
  let cancel = (): void => {};
  const check = async (): Promise<void> => {
    lostChecks = lock.check() === 'lost' ? lostChecks + 1 : 0;
    if (lostChecks >= lostChecksMax) {
      reject(new SvcError('STATE_IN_USE', `another svc up took the state folder ${stateDir}, whose lock was deleted: this one makes room`));
      return;
    }
    if (lostChecks === 0 && (await portal.keepControlSocket())) log.warn('svc.sock was deleted: it is made again');
  };
  const arm = (): void => {
    if (stopped) return;
    cancel = clock.at(clock.monotonicMs() + limits.resyncMs, () => {
      check()
        .catch((err: unknown) => log.error({ err }, 'svc.sock could not be made again'))
        .finally(arm);
    });
  };
  arm();
  return {
    lost,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

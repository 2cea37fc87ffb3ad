/**
 * The death of the portal at a fault point, in this process: the point throws, and from then on nothing that the dead one asked of the store, a cluster or a
 * host is answered, so that it does nothing more. Whatever was done before stands, as after a kill.
 */
import { watchFaultPoints, type FaultPoint } from '../faults.ts';

export interface Death {
  /** Settles when the point is reached. */
  readonly came: Promise<void>;
  isDead(): boolean;
  /** Wraps an object for the portal that dies: once dead, it gets no answer. */
  reached<Asked extends object>(asked: Asked): Asked;
}

export function deathAt(point: FaultPoint): Death {
  let dead = false;
  const { promise: came, resolve } = Promise.withResolvers<void>();
  watchFaultPoints((name) => {
    if (name !== point || dead) return;
    dead = true;
    resolve();
    throw new Error(`died at ${point}`);
  });
  const never = new Promise<never>(() => undefined);
  const heardAlive = async (answer: Promise<unknown>): Promise<unknown> => {
    try {
      return await answer;
    } finally {
      if (dead) await never;
    }
  };
  const reached = <Asked extends object>(asked: Asked): Asked =>
    new Proxy(asked, {
      get: (of, name) => {
        const found: unknown = Reflect.get(of, name, of);
        if (typeof found === 'object' && found !== null) return reached(found);
        if (typeof found !== 'function') return found;
        return (...args: readonly unknown[]): unknown => {
          if (dead) return never;
          const answer: unknown = Reflect.apply(found, of, args);
          return answer instanceof Promise ? heardAlive(answer) : answer;
        };
      },
    });
  return { came, isDead: () => dead, reached };
}

/** The connections to one server: one per account and what has one of its own, and what they have to do with each other. */
import { pause, type Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';
import { connectSsh, type SshCredential, type SshTarget } from './connect.ts';
import { createSshConnection, type SshConnection } from './connection.ts';

export interface Connections {
  of(account: string): SshConnection;
  /** A connection of its own for the terminals of the account: what they print holds up nothing else, and they take no session of it. */
  terminals(account: string): SshConnection;
  /**
   * A connection of its own for what installs and removes: it may take every session for hours, and observations of the server wait for
   * none of them.
   */
  installs(account: string): SshConnection;
  admin(): SshConnection;
  /** How many are up. */
  count(): number;
  /**
   * Null, or why the server takes no new connection of the administrator. A connection made earlier lives on while sshd is stopped
   * (KillMode=process) or shows another key. Never rejects. Decision: docs/decisions/0351-the-door-of-a-server.md
   */
  door(): Promise<SvcError | null>;
  onDoubt(listener: () => void): void;
  close(): void;
}

export interface ConnectionsOptions {
  readonly target: SshTarget;
  readonly admin: string;
  readonly credential: () => Promise<SshCredential>;
  readonly clock: Clock;
}

export function createConnections({ target, admin, credential, clock }: ConnectionsOptions): Connections {
  const connections = new Map<string, SshConnection>();
  const listeners: (() => void)[] = [];
  const gate = createGate(limits.sshHandshakesPerServerMax);
  const kept = (key: string, account: string): SshConnection => {
    const found = connections.get(key);
    if (found) return found;
    const made = createSshConnection({
      target,
      account,
      credential,
      clock,
      gate,
      // The server answered: callers that back off may retry now.
      onUp: () => {
        for (const other of connections.values()) if (other !== made) other.hurry();
      },
      onLost: (error) => {
        // A key that one account does not take says nothing about the server.
        if (error.code === 'SSH_REFUSED' || error.code === 'NOT_FOUND') return;
        for (const listener of listeners) listener();
      },
    });
    connections.set(key, made);
    return made;
  };
  const knock = async (): Promise<SvcError | null> => {
    try {
      const client = await gate(async () => await connectSsh({ target, username: admin, credential: await credential(), clock }));
      client.end();
      return null;
    } catch (error) {
      return error instanceof SvcError ? error : new SvcError('SERVER_UNREACHABLE', (error as Error).message, {}, { cause: error });
    }
  };
  const of = (account: string): SshConnection => kept(account, account);
  return {
    of,
    // No name of an account begins with `@` or `+`.
    terminals: (account) => kept(`@${account}`, account),
    installs: (account) => kept(`+${account}`, account),
    admin: () => of(admin),
    count: () => [...connections.values()].filter((connection) => connection.isUp()).length,
    door: async () => {
      const first = await knock();
      if (first === null || first.code === 'HOST_KEY_CHANGED') return first;
      // sshd restarts, or drops some of many who come at once (MaxStartups).
      await pause(clock, limits.sshDoorAgainMs);
      return await knock();
    },
    onDoubt: (listener) => {
      listeners.push(listener);
    },
    close: () => {
      for (const connection of connections.values()) connection.close();
    },
  };
}

/** At most `atOnce` works at a time; the others wait in order. */
export function createGate(atOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < atOnce) running += 1;
    else {
      // A connection that ends frees its place for the next one.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

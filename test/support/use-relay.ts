/** A fresh relay for every test of a file, and clients that end with the test. */
import { afterEach, beforeEach } from 'vitest';
import { startRelay, type RelayWorld } from './relay-world.ts';
import { connect, type RawClient, type RawClientOptions } from './room-client.ts';

export const sala = 's000000000000000000001';

export interface EnterOptions extends RawClientOptions {
  readonly canal?: string;
  readonly room?: string;
}

export interface UsedRelay {
  /** World of the running test. */
  readonly world: RelayWorld;
  enter(ticket: string, options?: EnterOptions): RawClient;
}

export function useRelay(): UsedRelay {
  let world: RelayWorld;
  const open: RawClient[] = [];
  beforeEach(async () => {
    world = await startRelay();
  });
  afterEach(async () => {
    for (const client of open.splice(0)) client.end();
    await world.close();
  });
  return {
    get world() {
      return world;
    },
    enter: (ticket, options = {}) => {
      const client = connect(`${world.url}/${options.room ?? sala}/${options.canal ?? 'documento'}`, ticket, options);
      open.push(client);
      return client;
    },
  };
}

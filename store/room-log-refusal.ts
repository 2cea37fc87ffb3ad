/** A room log that may have to be given up while it is in use: the relay then shuts every room with 1011, and the file is touched no more. */
import { SvcError } from '../schema/errors.ts';
import type { RoomLog } from './room-log.ts';

/** `why`: null while all is well. Given up, it isn't closed either: SQLite would write as it closes. */
export function refusable(log: RoomLog, why: () => string | null): RoomLog {
  const unless =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const lost = why();
      if (lost !== null) throw new SvcError('STORE_FAILED', lost);
      return await act(...args);
    };
  return {
    load: unless((key) => log.load(key)),
    append: unless((rows) => log.append(rows)),
    compact: unless((key, rule) => log.compact(key, rule)),
    versions: unless((key) => log.versions(key)),
    version: unless((key, seq, form) => log.version(key, seq, form)),
    revert: unless((key, seq) => log.revert(key, seq)),
    nameVersion: unless((key, seq, name) => log.nameVersion(key, seq, name)),
    forgetWriter: unless((person) => log.forgetWriter(person)),
    release: unless((sala) => log.release(sala)),
    deleteRoom: unless((sala) => log.deleteRoom(sala)),
    sizeOf: unless((...salas: readonly string[]) => log.sizeOf(...salas)),
    attachmentsIn: unless((sala) => log.attachmentsIn(sala)),
    close: async () => {
      if (why() === null) await log.close();
    },
  };
}

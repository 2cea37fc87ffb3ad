/** Node waits for disks in four threads, as many as it has at the first wait: a process that syncs thousands of files has one for each write that may be under way. */
import { limits } from '../../store/limits.ts';

export function waitForManyWrites(): void {
  process.env['UV_THREADPOOL_SIZE'] ??= String(limits.backupWritesMax);
}

/** The end of a `svc up` of the bench: the portal, what its supervisors run, and its folder. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { emptyServer } from '../../test/support/portal.ts';

export async function endPortal(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await emptyServer(folder);
  await rm(folder, { recursive: true, force: true });
}

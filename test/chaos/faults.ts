/** Every kind of fault. A name is said once and stays: it is what a report and a seed speak of. */
import { allFileFaults } from './faults/files.ts';
import type { FaultKind } from './faults/kind.ts';
import { allPortalFaults } from './faults/portal.ts';
import { processFaults } from './faults/processes.ts';

export const faultKinds: readonly FaultKind[] = [...processFaults, ...allFileFaults, ...allPortalFaults];

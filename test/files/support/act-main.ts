/** Runs a change to files in a process of its own, which a fault point may kill: ACT FOLDER OTHER, as the account that runs it. */
import { systemClock } from '../../../controller/clock/system.ts';
import { createNodeFileSystem } from '../../../controller/files/node-file-system.ts';
import { runAct } from './acts.ts';

const [, , act = '', folder = '', other = ''] = process.argv;
await runAct(act, { fs: createNodeFileSystem(), folder, other, clock: systemClock });
process.exit(0);

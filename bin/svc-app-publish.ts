/** The command `svc-app-publish`. */
import { runProgram } from './program.ts';
import { publishProgram } from './publish-program.ts';

await runProgram(publishProgram);

/** `npm run test:server`: the tests on a real server, a Debian 12 with systemd in qemu. Minutes; says what is missing before it begins. */
import { missingLine } from '../test/server/machine.ts';
import { runLoudly } from './run.ts';

const line = missingLine();
if (line === '') {
  // Behind everything else that this machine does: emulation takes what it gets.
  process.exitCode = await runLoudly({
    name: 'server',
    argv: ['nice', '-n', '15', 'node_modules/.bin/vitest', 'run', '--project', 'server', '--reporter=verbose'],
  });
} else {
  console.error(`test:server can't run here: something is missing. Install it with:  ${line}`);
  process.exitCode = 1;
}

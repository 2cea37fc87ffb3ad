/** Programs of examples/ports behind svc-wrap whose packages are large. `npm run test:long` installs them (`sh setup/ready.sh long`) and uses them. */
import { describe } from 'vitest';
import { largePortUses } from '../testing/large-port-uses.ts';
import { testPorts } from '../testing/test-ports.ts';

describe.runIf(process.env['SVC_TEST_LONG'] === '1')('with what sh setup/ready.sh long installs', () => {
  testPorts(largePortUses);
});

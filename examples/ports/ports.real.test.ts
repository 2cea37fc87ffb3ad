/** Programs of examples/ports behind svc-wrap whose packages are small (setup/ready.sh, npm), and that each folder there is used by a test. */
import { expect, test } from 'vitest';
import { largePortUses } from '../testing/large-port-uses.ts';
import { portIds } from '../testing/port.ts';
import { portUses } from '../testing/port-uses.ts';
import { testPorts } from '../testing/test-ports.ts';

test('every folder of examples/ports is used', () => {
  // Radicale is one for everybody: people.real.test.ts.
  const used = [...Object.keys(portUses), ...Object.keys(largePortUses), 'radicale'];
  expect(used.toSorted()).toEqual(portIds.toSorted());
});

testPorts(portUses);

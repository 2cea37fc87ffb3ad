/** Reports the counts of a long test in one line: shown at once, and once more at the end of `npm run test:long` (setup/test.ts). */
import { appendFileSync } from 'node:fs';

export function tellCount(line: string): void {
  // oxlint-disable-next-line no-console
  console.log(line);
  const file = process.env['SVC_TEST_COUNTS'];
  if (file !== undefined && file !== '') appendFileSync(file, `${line}\n`);
}

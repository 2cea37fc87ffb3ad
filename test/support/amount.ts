/**
 * How many cases a generated test tries: the usual number in `npm test`, a quarter of it in `npm run check`, which is run before each commit
 * and has other cases each time, and `long` in `npm run test:long`.
 */
export function amount(usual: number, long = usual): number {
  if (process.env['SVC_TEST_LONG'] === '1') return long;
  return process.env['SVC_TEST_QUICK'] === '1' ? Math.ceil(usual / 4) : usual;
}

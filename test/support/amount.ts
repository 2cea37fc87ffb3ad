/**
 * How many cases a generated test tries: the usual number in `npm test`, an eighth of it in `npm run check`, which is run before each commit
 * and has other cases each time (`quick` where so few say nothing), and `long` in `npm run test:long`.
 */
export function amount(usual: number, long = usual, quick = Math.ceil(usual / 8)): number {
  if (process.env['SVC_TEST_LONG'] === '1') return long;
  return process.env['SVC_TEST_QUICK'] === '1' ? quick : usual;
}

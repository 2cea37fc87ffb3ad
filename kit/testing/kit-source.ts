/**
 * SVC_KIT_SOURCE of the kit's programs that tests start: their sources, since a bundle may be older. `npm test` made the bundles right before
 * (SVC_TEST_BUILT=1), and what it tests is what is shipped, which also starts in less time.
 */
export const kitSource = process.env['SVC_TEST_BUILT'] === '1' ? '' : '1';

import { expect, test } from 'vitest';
import { packageHash } from './package-hash.ts';

const manifest = { path: 'svc-app.json', executable: false, sha256: 'aa' };
const main = { path: 'backend/main.py', executable: false, sha256: 'bb' };

test('the order of the walk does not matter', () => {
  expect(packageHash([manifest, main])).toBe(packageHash([main, manifest]));
});

test.for([
  ['a renamed file', { ...main, path: 'backend/other.py' }],
  ['other bytes', { ...main, sha256: 'cc' }],
  ['the execute bit', { ...main, executable: true }],
] as const)('%s makes another hash', ([, changed]) => {
  expect(packageHash([manifest, changed])).not.toBe(packageHash([manifest, main]));
});

test('is the plain sha256 of the lines', () => {
  // printf 'backend/main.py\0-\0bb\nsvc-app.json\0-\0aa\n' | sha256sum
  expect(packageHash([manifest, main])).toBe('0147aaf1ed298f7215d98bceecd475510d44f1956af1abd57cb81a0163726420');
});

import { expect, test } from 'vitest';
import { publicKeyAt } from './credential.ts';

test.for([
  ['/srv/estado/ssh/id_ed25519.pub', undefined],
  ['/srv/estado/chaves/sirius', { file: 'chaves/sirius' }],
  ['$CHAVE', { env: 'CHAVE' }],
  ['$SSH_AUTH_SOCK', { agent: 'SSH_AUTH_SOCK' }],
] as const)('the public key is found at %s for %j', ([place, key]) => {
  expect(publicKeyAt(key, '/srv/estado')).toContain(place);
});

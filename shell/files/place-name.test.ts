import { expect, test } from 'vitest';
import { placeName } from './place-name.ts';

test.for([
  ['/home/ana', '/home/ana', 'Início'],
  ['/home/ana', null, 'ana'],
  ['/home/ana/ana', '/home/ana', 'ana'],
  ['/', '/home/ana', 'Servidor'],
  ['@lixo', '/home/ana', 'Lixeira'],
  ['/home/ana/caf%E9', '/home/ana', 'caf\u{fffd}'],
] as const)('%s with the home %s is called %s', ([path, home, name]) => expect(placeName(path, home)).toBe(name));

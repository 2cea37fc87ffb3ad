import { expect, test } from 'vitest';
import { createOpenings } from './openings.ts';

test('what no page confirmed waits, in order', () => {
  const openings = createOpenings();
  const [first, second] = [openings.add('w', { rota: 'a' }), openings.add('w', { caminho: '/b' })];
  expect(openings.of('w')).toEqual([first, second]);
  openings.confirm('w', second.n);
  openings.confirm('w', 99);
  openings.confirm('other', first.n);
  expect(openings.of('w')).toEqual([first]);
  expect(openings.of('other')).toEqual([]);
});

test('after a reload of the desktop the window gets the file it showed, and what still waits', () => {
  const openings = createOpenings();
  const shown = openings.add('w', { caminho: '/a', nome: 'a' });
  openings.confirm('w', shown.n);
  openings.confirm('w', openings.add('w', { rota: 'left' }).n);
  openings.confirm('w', openings.add('w', { caminho: '/done', superficie: 'arquivo', item: 'convert' }).n);
  openings.add('w', { rota: 'waits' });
  expect(openings.again('w')).toEqual([{ caminho: '/a', nome: 'a', deNovo: true }, { rota: 'waits' }]);
  // Another file waits: the page would show it last anyway.
  openings.add('w', { caminho: '/b' });
  expect(openings.again('w')).toEqual([{ rota: 'waits' }, { caminho: '/b' }]);
  openings.drop('w');
  expect(openings.again('w')).toEqual([]);
});

import { expect, test } from 'vitest';
import { nameAmong } from './app-names.ts';

const apps = [
  { id: 'eco', name: 'Eco' },
  { id: 'motor-eco', name: 'Eco' },
  { id: 'disfarce', name: ' lei\u200btor' },
  { id: 'leitor', name: 'Leitor' },
  { id: 'sozinho', name: 'Sozinho' },
];

test.for([
  ['eco', 'Eco', 'Eco (eco)'],
  ['motor-eco', 'Eco', 'Eco (motor-eco)'],
  ['leitor', 'Leitor', 'Leitor (leitor)'],
  ['sozinho', 'Sozinho', 'Sozinho'],
] as const)('%s is called %s', ([id, name, shown]) => expect(nameAmong(apps, id, name)).toBe(shown));

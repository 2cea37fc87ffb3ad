import { afterEach, expect, test } from 'vitest';
import { language } from '../i18n/i18n.ts';
import { sayCpu, sayMemory } from './usage.ts';

afterEach(() => language.set('pt'));

test.for([
  ['pt', null, '–', '–'],
  ['pt', undefined, '–', '–'],
  ['pt', { cpu: null, memoria: 41_300_000, tarefas: 3 }, '–', '41,3 MB'],
  ['pt', { cpu: 0, memoria: 1_500, tarefas: 1 }, '0%', '1,5 kB'],
  ['pt', { cpu: 3.14, memoria: 1_000, tarefas: 1 }, '3,1%', '1 kB'],
  ['en', { cpu: 187.6, memoria: 2_460_000_000, tarefas: 9 }, '188%', '2.5 GB'],
] as const)('in %s: %o is %s and %s', ([name, usage, cpu, memory]) => {
  language.set(name);
  expect(sayCpu(usage)).toBe(cpu);
  expect(sayMemory(usage).replace(/\s/g, ' ')).toBe(memory);
});

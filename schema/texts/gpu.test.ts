import { expect, test } from 'vitest';
import { gpuSentences, gpuText } from './gpu.ts';
import { fillIn } from './sentences.ts';

const values = {
  placa: 'AMD Navi (XT)',
  driver: 'amdgpu',
  dispositivo: '/dev/dri/renderD128',
  dispositivos: '/dev/dri/renderD128, /dev/dri/renderD129',
  pci: '0000:03:00.0',
};

test.for(Object.entries(gpuSentences))('the sentence "%s" is read in English as it was written in Portuguese', ([, { pt, en }]) => {
  expect(gpuText(fillIn(pt, values), 'en')).toBe(fillIn(en, values));
  expect(gpuText(fillIn(pt, values), 'pt')).toBe(fillIn(pt, values));
  expect(fillIn(en, values)).not.toMatch(/[{}]/);
});

test('a sentence of another version stays as it is', () => {
  expect(gpuText('outra frase', 'en')).toBe('outra frase');
});

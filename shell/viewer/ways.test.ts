import { expect, test } from 'vitest';
import { nextZoom, printWayOf, wayOf } from './ways.ts';

test.for([
  ['a.PNG', 'image'],
  ['a.svg', 'image'],
  ['a.tiff', 'other'],
  ['a.mp4', 'video'],
  ['a.avi', 'other'],
  ['a.mp3', 'audio'],
  ['a.pdf', 'pdf'],
  ['a.html', 'text'],
  ['a.py', 'text'],
  ['Makefile', 'text'],
  ['a.zip', 'other'],
  ['nada', 'other'],
] as const)('%s is shown as %s', ([name, way]) => expect(wayOf(name)).toBe(way));

test('a zoom goes through its factors and stops at both ends', () => {
  expect([nextZoom(1, 1), nextZoom(1, -1), nextZoom(0.33, 1), nextZoom(0.33, -1), nextZoom(8, 1), nextZoom(0.1, -1)]).toEqual([
    1.5, 0.75, 0.5, 0.25, 8, 0.1,
  ]);
});

test.for([
  ['a.txt', {}, 'text'],
  ['a.html', {}, 'text'],
  ['a.txt', { bytes: 2_097_153 }, null],
  ['a.png', {}, 'image'],
  ['a.png', { bytes: 64_000_001 }, 'image'],
  ['a.png', { bytes: 64_000_001, origins: 'path' }, null],
  ['a.svg', { origins: 'path' }, 'image'],
  ['a.pdf', {}, 'pdf'],
  ['a.pdf', { showsPdf: false }, null],
  ['a.pdf', { origins: 'path' }, null],
  ['a.mp4', {}, null],
  ['a.odt', {}, null],
  ['a.zip', {}, null],
  ['a.txt', { tipo: 'pasta' }, null],
  ['a.txt', { tipo: 'quebrado' }, null],
] as const)('%s with %o is printed as %s', ([nome, given, way]) => {
  const {
    tipo = 'arquivo',
    bytes = 10,
    showsPdf = true,
    origins = 'subdomain',
  } = given as {
    tipo?: 'arquivo' | 'pasta' | 'quebrado';
    bytes?: number;
    showsPdf?: boolean;
    origins?: 'subdomain' | 'path';
  };
  expect(printWayOf({ nome, tipo, bytes }, { showsPdf, origins })).toBe(way);
});

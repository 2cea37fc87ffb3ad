import { expect, test } from 'vitest';
import { nextZoom, wayOf } from './ways.ts';

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

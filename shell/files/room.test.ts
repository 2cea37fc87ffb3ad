import { expect, test } from 'vitest';
import { lackOf } from './room.ts';

const space = { totalBytes: 1_000, livreBytes: 100, livreArquivos: 3 };

test.for([
  ['it fits to the byte', [60, 40], space, null],
  ['one byte too many, over all files', [60, 41], space, { of: 'bytes', needed: 101, free: 100 }],
  ['more files than there can be', [0, 0, 0, 0], space, { of: 'files', needed: 4, free: 3 }],
  ['the file system says nothing', [500], { totalBytes: 0, livreBytes: 0, livreArquivos: 0 }, null],
  ['nobody could be asked', [500], null, null],
  ['a full disk takes not even an empty file', [0], { ...space, livreBytes: 0, livreArquivos: 0 }, { of: 'files', needed: 1, free: 0 }],
] as const)('%s', ([, sizes, given, lack]) => expect(lackOf(sizes, given)).toEqual(lack));

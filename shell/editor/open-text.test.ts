import { describe, expect, test } from 'vitest';
import { copyPath, openText, type FileReader } from './open-text.ts';

const fileOf = (raw: string | Uint8Array, more: Partial<Awaited<ReturnType<FileReader['facts']>>> = {}): FileReader => {
  const bytes = Uint8Array.from(typeof raw === 'string' ? Buffer.from(raw) : raw);
  return {
    facts: async () => ({ tipo: 'arquivo', bytes: bytes.length, modo: 0o644, ...more }),
    content: async () => ({ bytes, etag: '"e"' }),
  };
};

describe('what is opened', () => {
  test('text, with what it needs to be written back', async () => {
    expect(await openText(fileOf('olá\r\n'), '/a', null)).toEqual({
      kind: 'text',
      text: 'olá\n',
      format: { encoding: 'utf-8', mark: false, lineEnd: '\r\n' },
      isLossy: false,
      etag: '"e"',
      readOnly: null,
    });
  });

  test('what nobody may write is read-only, and so is what would be written back as other bytes', async () => {
    expect(await openText(fileOf('a', { modo: 0o444 }), '/a', null)).toMatchObject({ readOnly: 'mode' });
    expect(await openText(fileOf(Uint8Array.of(0x61, 0xff, 0)), '/a', 'utf-8')).toMatchObject({ readOnly: 'lossy' });
    expect(await openText(fileOf(Uint8Array.of(0x61, 0xff, 0)), '/a', 'windows-1252')).toMatchObject({ readOnly: null });
  });

  test.for([
    [fileOf(Uint8Array.of(0, 1, 2)), { kind: 'binary', bytes: 3 }],
    [fileOf('', { bytes: 10 * 1_024 * 1_024 + 1 }), { kind: 'large', bytes: 10_485_761 }],
    [fileOf('', { tipo: 'pasta' }), { kind: 'no-file' }],
  ] as const)('else why not: %#', async ([reader, why]) => expect(await openText(reader, '/a', null)).toEqual(why));
});

test.for([
  ['/casa/nota.txt', '/casa/nota (2).txt'],
  ['/ca.sa/nota', '/ca.sa/nota (2)'],
  ['/casa/.bashrc', '/casa/.bashrc (2)'],
] as const)('a copy of %s is %s', ([path, copy]) => expect(copyPath(path, 2)).toBe(copy));

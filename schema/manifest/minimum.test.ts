import { expect, test } from 'vitest';
import { SvcError } from '../errors.ts';
import { parseManifest } from './minimum.ts';

const good = { id: 'notas', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'backend/main.py' } };
const read = (change: Record<string, unknown>) => parseManifest(JSON.stringify({ ...good, ...change }));

test('what can be acted on is read as it stands, also fields of a newer SDK', () => {
  const manifest = {
    ...good,
    kind: 'service',
    backend: { ...good.backend, aoFechar: 'ocioso:5m' },
    novo: { a: 1 },
    resources: { memoryMax: '1G' },
  };
  expect(parseManifest(Buffer.from(JSON.stringify(manifest)))).toEqual(manifest);
});

// Source: rules 3.1 step 1.
test('a resources value outside its alphabet is dropped, its siblings stay', () => {
  const resources = { memoryMax: '1G; rm', memoryHigh: '50%', cpuQuota: 100, tasksMax: '10', novo: 'x' };
  expect(read({ resources }).resources).toEqual({ memoryHigh: '50%', tasksMax: '10' });
  expect(read({ resources: 'all' }).resources).toEqual({});
});

test.for<[string, Record<string, unknown>]>([
  ['id', { id: '../x' }],
  ['id', { id: 7 }],
  ['version', { version: '' }],
  ['kind', { kind: 'daemon' }],
  ['type', { type: null }],
  ['backend', { backend: null }],
  ['backend.runtime', { backend: { entrypoint: 'a' } }],
  ['backend.entrypoint', { backend: { runtime: 'node', entrypoint: '../a' } }],
  ['backend.entrypoint', { backend: { runtime: 'node', entrypoint: '/a' } }],
  ['backend.entrypoint', { backend: { runtime: 'node', entrypoint: 'a\0' } }],
  ['backend.transport', { backend: { ...good.backend, transport: 'tcp' } }],
  ['backend.aoFechar', { backend: { ...good.backend, aoFechar: 'ocioso:0m' } }],
  ['backend.healthcheckPath', { backend: { ...good.backend, healthcheckPath: '/\r\nx' } }],
  ['backend.installCommand', { backend: { ...good.backend, installCommand: ['a'] } }],
  ['recursos.gpu.modo', { recursos: { gpu: { modo: 'x' } } }],
  ['secrets.0.name', { secrets: [{ name: 'a' }] }],
  ['motores.0.versao', { motores: [{ nome: 'm', versao: '..' }] }],
  ['motores.0.confere', { motores: [{ nome: 'm', versao: '1', url: 'http://x', sha256: '0'.repeat(64), tamanho: 1, confere: 'a/../b' }] }],
  ['provides.0', { provides: [1] }],
  ['window', { window: [] }],
])('%s stops it: %j', ([path, change]) => {
  expect(() => read(change)).toThrow(
    expect.objectContaining({ code: 'MANIFEST_INVALID', details: { path }, message: expect.stringContaining(`"${path}"`) }),
  );
});

test.for([
  '',
  '{',
  '[]',
  'null',
  '{"id": "a", "id": "b"}',
  '{"__proto__": {}}',
  '\uFEFF{}',
  `"${'a'.repeat(300_000)}"`,
  '['.repeat(100_000),
])('%.20j is no manifest', (text) => {
  expect(() => parseManifest(text)).toThrow(SvcError);
});

test('bytes that are not UTF-8 are no manifest', () => {
  expect(() => parseManifest(Uint8Array.of(0x7b, 0xff, 0x7d))).toThrow(/UTF-8/);
});

test('a reserved name of a secret stops no start: nobody can store it', () => {
  expect(read({ secrets: [{ name: 'LD_PRELOAD' }] })).toMatchObject({ secrets: [{ name: 'LD_PRELOAD' }] });
});

import { expect, test } from 'vitest';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { engineVariables } from './engines.ts';

test('an engine that lacks: one command, the same as svc why names (controller/views/why.test.ts)', () => {
  const motor = { nome: 'rosto', versao: '1.0', url: 'https://x.example/r.tgz', sha256: 'a'.repeat(64), tamanho: 1 };
  const manifest: Manifest = { id: 'notas', version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js' }, motores: [motor] };
  const place = { home: '/nonexistent', prefix: '/nonexistent' };
  expect(() => engineVariables(place, manifest)).toThrow(/"svc-app-install notas", which downloads it/);
  expect(engineVariables(place, { ...manifest, motores: [{ ...motor, quando: 'gpu' }] }).size).toBe(0);
});

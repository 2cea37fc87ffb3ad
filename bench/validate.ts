/** How many manifests one process judges in a second: parsed values, and whole files with their places. */
import { isManifest, validateManifest } from '../schema/manifest/validate.ts';
import type { Area } from './rows.ts';

const targetPerSecond = 20_000;

/** A manifest as authors write it: most sections used, nothing exotic. */
const typical = JSON.stringify({
  id: 'notas',
  name: 'Notas',
  version: '1.4.2',
  description: 'Notes in folders, also together with others.',
  category: 'Office',
  icon: 'icon.svg',
  license: 'Apache-2.0',
  developer: { name: 'Casa', url: 'https://example.org' },
  provides: ['texto/v1', 'busca/v2'],
  usa: ['arquivo/v1'],
  capacidades: { 'texto/v1': { rota: '/api/texto', rotulo: 'Notas' }, 'busca/v2': { rota: '/api/busca' } },
  contributes: { contextMenu: [{ id: 'abrir', superficie: 'arquivo', rotulo: 'Abrir em Notas', quando: { extensoes: ['.nota'] } }] },
  requiredPackages: ['git', 'chromium|chromium-browser'],
  resources: { memoryHigh: '512M', memoryMax: '1G', tasksMax: '200' },
  recursos: { salas: true, metricas: true },
  secrets: [{ name: 'MAPS_KEY', description: 'Key of the map service' }],
  opens: {
    extensions: ['nota', '.md'],
    mimeTypes: ['text/markdown'],
    default: true,
    proprios: [{ extensao: 'nota', nome: 'Nota', cor: '#1a4f8b', selo: 'NOTA' }],
    urls: ['notas.example.org'],
  },
  backend: { runtime: 'python3', entrypoint: 'backend/main.py', aoFechar: 'ocioso:15m', healthcheckPath: '/saude' },
  window: { title: 'Notas', width: 960, height: 640, minimos: { largura: 480 }, posicao: 'centrada' },
});

export interface ValidateRates {
  readonly valuesPerSecond: number;
  readonly filesPerSecond: number;
}

/** Median of `rounds` rounds. Throws when the typical manifest is refused: a rate of refusals would mean nothing. */
export function benchValidate({ rounds = 5, roundMs = 400 } = {}): ValidateRates {
  const bytes = Buffer.from(typical);
  const value: unknown = JSON.parse(typical);
  const report = validateManifest('svc-app.json', bytes);
  if (!isManifest(value) || !report.ok) throw new Error(`the typical manifest is refused: ${JSON.stringify(report.errors)}`);
  return {
    valuesPerSecond: medianRate(() => isManifest(value), rounds, roundMs),
    filesPerSecond: medianRate(() => validateManifest('svc-app.json', bytes).ok, rounds, roundMs),
  };
}

function medianRate(once: () => boolean, rounds: number, roundMs: number): number {
  const rates: number[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    const from = performance.now();
    let done = 0;
    while (performance.now() - from < roundMs) {
      for (let i = 0; i < 100; i += 1) if (!once()) throw new Error('the typical manifest is refused');
      done += 100;
    }
    // The first round warms up.
    if (round > 0) rates.push((done * 1000) / (performance.now() - from));
  }
  return rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
}

export const validateArea: Area = ({ short }) => {
  const rates = benchValidate(short ? { rounds: 1, roundMs: 100 } : {});
  const row = (name: string, rate: number) => ({
    name,
    ours: `${Math.round(rate)} /s`,
    peer: '—',
    ratio: '—',
    target: `≥ ${targetPerSecond} /s`,
    held: rate >= targetPerSecond,
  });
  return Promise.resolve([
    row('manifests judged, parsed values', rates.valuesPerSecond),
    row('manifests judged, files with places', rates.filesPerSecond),
  ]);
};

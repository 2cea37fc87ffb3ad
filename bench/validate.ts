/** How many manifests one process judges in a second: parsed values, and whole files with their places. */
import { isManifest, validateManifest } from '../schema/manifest/validate.ts';
import { inspectSelf } from './inspected.ts';
import { profilingOf } from './profile.ts';
import { median, percentile, type Area, type Row } from './rows.ts';

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

/** A manifest that is in order; one with a mistake is refused by both, or a rate of answers would mean nothing. */
function judges(): { readonly value: () => boolean; readonly file: () => boolean } {
  const bytes = Buffer.from(typical);
  const value: unknown = JSON.parse(typical);
  const wrong = { ...(value as object), version: 7 };
  const report = validateManifest('svc-app.json', bytes);
  if (!report.ok) throw new Error(`the typical manifest is refused: ${JSON.stringify(report.errors)}`);
  if (isManifest(wrong) || validateManifest('svc-app.json', Buffer.from(JSON.stringify(wrong))).ok)
    throw new Error('a version that is a number was let through');
  return { value: () => isManifest(value), file: () => validateManifest('svc-app.json', bytes).ok };
}

interface Rates {
  readonly perSecond: readonly number[];
  /** Times of one validation, each the mean of a hundred. */
  readonly us: readonly number[];
}

/** By the CPU that this process had: another that is busy changes nothing. Rounds of all in turn; the first round warms. */
function rates(works: readonly (() => boolean)[], rounds: number, roundMs: number): readonly Rates[] {
  const all = works.map(() => ({ perSecond: [] as number[], us: [] as number[] }));
  const cpuUs = (): number => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, work] of works.entries()) {
      const from = cpuUs();
      let done = 0;
      let last = from;
      while (last - from < roundMs * 1_000) {
        for (let n = 0; n < 100; n += 1) if (!work()) throw new Error('a manifest was judged wrongly');
        done += 100;
        const now = cpuUs();
        if (round > 0) all[at]!.us.push((now - last) / 100);
        last = now;
      }
      if (round > 0) all[at]!.perSecond.push((done * 1e6) / (last - from));
    }
  }
  return all;
}

export const validateArea: Area = async ({ short }) => {
  const [profiling, self] = [profilingOf(), inspectSelf()];
  const { value, file } = judges();
  await profiling?.begin(self);
  const [values, files] = short ? rates([value, file], 2, 200) : rates([value, file], 7, 400);
  await profiling?.end(self);
  profiling?.write('The validator over manifests, parsed values and files as long each');
  const row = (name: string, { perSecond, us }: Rates): Row => ({
    name,
    ours: `${Math.round(median(perSecond))} /s; p50 ${median(us).toFixed(1)} µs, p99 ${percentile(us, 99).toFixed(1)} µs`,
    peer: '— (no other judge of this schema says places)',
    ratio: '—',
    target: `≥ ${targetPerSecond} /s`,
    held: median(perSecond) >= targetPerSecond,
  });
  return [row('manifests judged, parsed values', values!), row('manifests judged, files with places', files!)];
};

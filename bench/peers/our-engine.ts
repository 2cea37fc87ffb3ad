/**
 * The installer's way with an engine, as a program for the benchmark: `our-engine.ts extract TARBALL TARGET` hashes and extracts,
 * `our-engine.ts bring URL SHA256 BYTES FOLDER` downloads, hashes, extracts and syncs as svc-app-install does. Prints the peak of its memory in KiB.
 */
import { readFileSync } from 'node:fs';
import { extractArchive } from '../../kit/archive/extract.ts';
import { engineArchive } from '../../kit/archive/rules.ts';
import { ensureEngines } from '../../kit/install/engines.ts';
import { hashFile } from '../../kit/install/tree.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';

const [act, ...args] = process.argv.slice(2);
if (act === 'extract') {
  const [tarball = '', target = ''] = args;
  await hashFile(tarball);
  await extractArchive(tarball, target, { limits: engineArchive });
} else {
  const [url, sha256, bytes, root = ''] = args;
  const motores = [{ nome: 'rosto', versao: '1.0', url, sha256, tamanho: Number(bytes), confere: 'f0' }];
  const manifest = { id: 'notas', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'x' }, motores };
  await ensureEngines({ root, app: 'notas' }, parseManifest(JSON.stringify(manifest)), () => undefined);
}
// Not ru_maxrss: that one begins at what the process which started us had.
process.stdout.write(/^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');

/** A publisher as a process of its own, for the tests that kill it: ROOT KIND NAME VERSION TEXT. Prints the outcome as JSON. */
import { readFileSync } from 'node:fs';
import { openRepositoryFolder, publishEngine, publishPackage, stage } from '../folder.ts';

const [root = '', kind = '', name = '', version = '', text = ''] = process.argv.slice(2);
const nowMs = Date.parse('2026-11-21T05:00:00Z');

async function* bytes(): AsyncGenerator<Buffer> {
  yield text.startsWith('@') ? readFileSync(text.slice(1)) : Buffer.from(text);
}

await openRepositoryFolder(root);
const staged = await stage(root, bytes(), 10_000_000);
const manifest = { id: name, version, backend: { runtime: 'node', entrypoint: 'main.js' } } as const;
const icon = { type: 'svg', bytes: Buffer.from('<svg/>') } as const;
const { outcome } =
  kind === 'engine'
    ? await publishEngine(root, staged, { nome: name, versao: version }, nowMs)
    : await publishPackage(root, staged, { manifest, novidades: 'first', icon }, nowMs);
process.stdout.write(outcome);

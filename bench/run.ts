/**
 * `npm run bench [-- AREA… --short]`: runs the areas side by side with their peers and writes docs/benchmarks.md. Options of one area come
 * as `--name=value` (rooms: `--only=fanout,storm --rounds=3`).
 */
import { writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import type { Area, Row } from './rows.ts';

const areas: Readonly<Record<string, () => Promise<Area>>> = {
  proxy: async () => (await import('./proxy.ts')).proxyArea,
  supervision: async () => (await import('./supervision.ts')).supervisionArea,
  ssh: async () => (await import('./ssh.ts')).sshArea,
  tick: async () => (await import('./tick.ts')).tickArea,
  engines: async () => (await import('./engines.ts')).enginesArea,
  rooms: async () => (await import('./rooms.ts')).roomsArea,
  validate: async () => (await import('./validate.ts')).validateArea,
};

function table(rows: readonly Row[]): string {
  const head = '| what | ours | peer | ratio | target | held |\n|---|---|---|---|---|---|\n';
  return head + rows.map((r) => `| ${r.name} | ${r.ours} | ${r.peer} | ${r.ratio} | ${r.target} | ${r.held ? 'yes' : 'NO'} |`).join('\n');
}

const short = process.argv.includes('--short');
const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const names = wanted.length > 0 ? wanted : Object.keys(areas);
const sections: string[] = [];
let allHeld = true;
for (const name of names) {
  const load = areas[name];
  if (load === undefined) throw new Error(`no area "${name}"; there are: ${Object.keys(areas).join(', ')}`);
  console.error(`bench: ${name}`);
  const area = await load();
  const rows = await area({ short });
  allHeld = rows.every((r) => r.held) && allHeld;
  sections.push(`## ${name}\n\n${table(rows)}\n`);
  console.log(sections.at(-1));
}
if (wanted.length === 0 && !short) {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Linux ${release()}, Node ${process.versions.node}`;
  const text = `# Benchmarks\n\nMeasured ${new Date().toISOString().slice(0, 10)} by \`npm run bench\` on ${machine}. Medians; ratios against the peer in the same run.\n\n${sections.join('\n')}`;
  await writeFile('docs/benchmarks.md', text);
}
process.exitCode = allHeld ? 0 : 1;

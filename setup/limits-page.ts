/** Limits that people, apps, programs and administrators can meet, as one page: read from the files that hold them, beside the code that keeps them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** The files that hold limits, the shared ones first. */
export function limitFiles(): readonly string[] {
  const found = ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api', 'shell', 'bin'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:^|[/-])limits\.ts$/.test(file))
      .toSorted()
      .map((file) => `${folder}/${file}`),
  );
  const shared = 'schema/limits.ts';
  if (!found.includes(shared)) throw new Error(`${shared} holds no limits`);
  return [shared, ...found.filter((file) => file !== shared)];
}

export async function limitsOf(file: string): Promise<Readonly<Record<string, number>>> {
  const { limits } = (await import(path.join(root, file))) as { limits: Readonly<Record<string, number>> };
  return limits;
}

const sizes = [
  [1_024 ** 3, 'GiB'],
  [1_024 ** 2, 'MiB'],
  [1_024, 'KiB'],
] as const;
const times = [
  [24 * 60 * 60_000, 'd'],
  [60 * 60_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** The unit is in the name. */
function valueOf(name: string, value: number): string {
  const units = /bytes/i.test(name) ? sizes : /(?:Ms|_MS)(?:Max|Min)?$/.test(name) ? times : [];
  const [size, unit] = units.find(([least]) => value >= least && value % least === 0) ?? [1, ''];
  if (unit !== '') return `${value / size} ${unit}`;
  return units === times ? `${value} ms` : String(value);
}

/** The limits of the program in C: its constants are numbers, products and what stands above them. */
function limitsInC(text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [, name = '', product = ''] of text.matchAll(/\n {2}(\w+) = ([^,]+),/g))
    found[name] = product.split(' * ').reduce((value, factor) => value * (found[factor] ?? Number(factor)), 1);
  return found;
}

/** Names of limits that pace svc's own work: how often it looks, how large its pieces are, how long it gathers. */
const pacing =
  /Poll|Look|Again|Retry|Gather|Slice|Turn|Renew|Step|Reclaim|Beat|Ping|Overhead|Micros|Piece|Chunk|Sweep|Linger|Quiet|Margin|Window(?:Ms|Parts|Bytes|Log)|ReadBuffer|Progress|Compact|KeepAliveProbe|ReadBlock|Spare|Cache|Staging|Goodbye|_EVERY_|_AGAIN_/;

/** Beginnings of names: what passes between parts of svc, and what they hold in memory. */
const inner =
  /^(?:peer|edge|keyRing|sealed|young|listing|leftovers|largeFolder|digestTag|sparseFile|backup|proxyDoubt|schedulerCalls|accountsAtOnce|publishedSchema|supervisorLine|storeC|storeStatement|storeHeld|storeAlone|sftp|roomLoad|roomLarge|roomMeasure|terminal(?:Sequence|Row|Cell|Thread|Stuck|Reply|Resize)|BUFFER|MUCH|PIPE|GUARD|DESCRIPTORS|LISTEN|json(?:AtOnce|Line)|accountFiles|serverHandles|removeEntriesHeld|metricSenders|metricPeople|repositoryHashes|badAnswerLog|portalTcp|portalKeepAlive|leftoverBody|installLock|clusterNote|logNote|jobsListed|roomLogNames|roomBase)/;

/** Limits of fields of a manifest, which docs/manifest.md has beside the field. */
const ofManifest =
  /^(?:contextMenu|badge|ownFileType|menu|offerLabel|extensionReason|window(?:Width|Height|Side|Floor)|engineBytesMin|appId|serverScopeId|idleMinutes)/;

const hidden = [pacing, inner, ofManifest];

async function listOf(file: string): Promise<string> {
  const found = file.endsWith('.h') ? limitsInC(readFileSync(path.join(root, file), 'utf8')) : await limitsOf(file);
  const limits = Object.entries(found)
    .filter(([name]) => !hidden.some((names) => names.test(name)))
    .map(([name, value]) => `\`${name}\` ${valueOf(name, value)}`);
  return `## \`${file}\`\n\n${limits.join(', ')}`;
}

/** Files whose limits pace the work of svc itself: nobody outside meets them, and the page names the files only. */
const innerFolders =
  /^(?:machines|reconcilers|shell|kit\/http|kit\/supervise|controller\/hosts|bin|store\/audit|api\/dev|api\/budgets)\/|^(?:controller|kit)\/limits\.ts$/;

export async function limitsPage(): Promise<string> {
  const files = [...limitFiles(), 'kit/wrap/limits.h'];
  const [inner, outer] = [files.filter((file) => innerFolders.test(file)), files.filter((file) => !innerFolders.test(file))];
  const innerNames = new Set(inner.map((file) => innerFolders.exec(file)?.[0] ?? file));
  const head = `# Limits

Written by \`node setup/limits-table.ts\` from the code, whose comments say what is limited and why. Units are in the names.

In the files only: how often svc looks, in which pieces it works, what passes between its parts, and all limits of ${Array.from(innerNames, (name) => `\`${name}\``).join(', ')}. Limits of a manifest's fields: [manifest.md](manifest.md).`;
  return [head, ...(await Promise.all(outer.map(listOf))), ''].join('\n\n').replace(/\n+$/, '\n');
}

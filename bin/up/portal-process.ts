/**
 * How bin/svc starts the portal, for tests and the benchmark, which start one in its place: what is measured is what people run. They take
 * its rooms from portal-rooms.ts for the same reason. Peers are started as they ship, with their own defaults; the bare pipe of `node:http`
 * too, but for the cache of compiled code. test/integration/what-is-measured.real.test.ts compares what the kernel says of the processes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const script = readFileSync(path.join(import.meta.dirname, 'portal-process.sh'), 'utf8');

function words(name: string): readonly string[] {
  const line = new RegExp(`^${name}='(.+)'$`, 'm').exec(script);
  if (!line) throw new Error(`bin/up/portal-process.sh: expected one line ${name}='…'`);
  return line[1]!.split(' ');
}

/** Arguments of node, before the program. */
export const portalFlags = words('portal_flags');

/** Variables that the environment gets unless it says otherwise. */
export const portalEnv: Readonly<Record<string, string>> = Object.fromEntries(
  words('portal_env').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
);

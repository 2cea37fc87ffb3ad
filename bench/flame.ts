/**
 * CPU profiles of V8 as one flame graph in SVG: what was called by what from top to bottom, as wide as its share of the time in which a function
 * of JavaScript ran. Used by `--profile=FILE.svg` (profile.ts), and by hand: `node bench/flame.ts FILE.svg 'what it shows' SOME.cpuprofile…`
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from './rows.ts';

export type Profile = Profiler.Profile;

interface Frame {
  readonly label: string;
  readonly color: string;
  us: number;
  readonly calls: Map<string, Frame>;
}

const root = resolve(import.meta.dirname, '..');
const width = 1_200;
const rowHeight = 15;
/** Narrower ones are left out: nobody reads them. */
const shareMin = 0.003;
const pxPerLetter = 6.2;

const colors = { ours: '#f2a65a', packages: '#9cc5a1', node: '#a9c6e8', engine: '#d3cfc9' } as const;

const maps = new Map<string, SourceMap | null>();

/** Source map of a bundle, if it has one. */
function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = existsSync(`${file}.map`) ? new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload) : null;
  maps.set(file, map);
  return map;
}

/** Where a function is written: its source, also when a bundle ran. */
function placeOf({ url, lineNumber, columnNumber }: Profile['nodes'][number]['callFrame']): string {
  if (!url.startsWith('file:')) return url.replace(`${root}/`, '');
  const file = fileURLToPath(url);
  const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
  return entry !== undefined && 'originalSource' in entry
    ? relative(root, resolve(file, '..', entry.originalSource))
    : relative(root, file);
}

function frameOf({ callFrame }: Profile['nodes'][number]): Omit<Frame, 'us' | 'calls'> {
  const place = placeOf(callFrame);
  const name = callFrame.functionName === '' ? '(no name)' : callFrame.functionName;
  const label = place === '' ? name : `${name} ${place.replace(/^.*node_modules\//, '')}`;
  if (place.startsWith('node:')) return { label, color: colors.node };
  if (place.includes('node_modules/')) return { label, color: colors.packages };
  return { label, color: place === '' ? colors.engine : colors.ours };
}

/** Waiting, and what belongs to no function: reading of the system's answers, the profiler itself. */
const isElsewhere = ({ callFrame }: Profile['nodes'][number]): boolean => /^\((idle|program)\)$/.test(callFrame.functionName);

function addProfile(whole: Frame, { nodes, samples = [], timeDeltas = [] }: Profile): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const spent = new Map<number, number>();
  // A function during which something else had the processor for long was not that slow.
  const mostUs = 2 * median(timeDeltas);
  for (const [n, id] of samples.entries()) spent.set(id, (spent.get(id) ?? 0) + Math.min(timeDeltas[n] ?? 0, mostUs));
  for (const [id, us] of spent) {
    const stack = [];
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) stack.unshift(byId.get(at)!);
    if (isElsewhere(stack.at(-1)!)) continue;
    let frame = whole;
    frame.us += us;
    for (const node of stack.slice(1)) {
      const made = frameOf(node);
      const known = frame.calls.get(made.label) ?? { ...made, us: 0, calls: new Map() };
      frame.calls.set(made.label, known);
      known.us += us;
      frame = known;
    }
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Drawing {
  readonly totalUs: number;
  readonly boxes: string[];
  depth: number;
}

function draw(drawing: Drawing, { label, color, us, calls }: Frame, fromUs: number, depth: number): void {
  const { totalUs } = drawing;
  if (us < totalUs * shareMin) return;
  drawing.depth = Math.max(drawing.depth, depth + 1);
  const scale = width / totalUs;
  const [x, y, w] = [(fromUs * scale).toFixed(1), 40 + depth * rowHeight, (us * scale - 0.5).toFixed(1)];
  const letters = Math.floor((us * scale - 6) / pxPerLetter);
  const shown = letters < 3 ? '' : `<text x="${(fromUs * scale + 3).toFixed(1)}" y="${y + 11}">${escaped(label.slice(0, letters))}</text>`;
  const title = `<title>${escaped(label)}: ${((us / totalUs) * 100).toFixed(1)} %</title>`;
  drawing.boxes.push(`<g>${title}<rect x="${x}" y="${y}" width="${w}" height="${rowHeight - 1}" fill="${color}"/>${shown}</g>`);
  let at = fromUs;
  for (const call of [...calls.values()].toSorted((one, other) => other.us - one.us)) {
    draw(drawing, call, at, depth + 1);
    at += call.us;
  }
}

export function flameGraph(profiles: readonly Profile[], title: string): string {
  const whole: Frame = { label: 'all', color: colors.engine, us: 0, calls: new Map() };
  for (const profile of profiles) addProfile(whole, profile);
  const seconds = profiles.reduce((sum, { startTime, endTime }) => sum + endTime - startTime, 0) / 1e6;
  const busy = whole.us / 1e6;
  const drawing: Drawing = { totalUs: whole.us, boxes: [], depth: 0 };
  draw(drawing, whole, 0, 0);
  const height = 48 + drawing.depth * rowHeight;
  const told = `${title}: ${busy.toFixed(2)} s of ${seconds.toFixed(1)} s (${((busy / seconds) * 100).toFixed(1)} %) in JavaScript and what it calls`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">
<rect width="${width}" height="${height}" fill="#fff"/><text x="4" y="15" font-size="13">${escaped(told)}</text>
<text x="4" y="31"><tspan fill="#a8590a">ours</tspan> · <tspan fill="#3d7a45">packages</tspan> · <tspan fill="#2f6aa8">Node</tspan> · engine and system; point at a box for its share</text>
${drawing.boxes.join('\n')}
</svg>
`;
}

if (import.meta.main) {
  const [out, title, ...files] = process.argv.slice(2);
  if (out === undefined || title === undefined || files.length === 0)
    throw new Error('node bench/flame.ts FILE.svg TITLE SOME.cpuprofile…');
  const profiles = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Profile);
  writeFileSync(out, flameGraph(profiles, title));
}

/** `node setup/made-expressions.ts`: prints the regular expressions that modules make of values while they are loaded (expressions.ts asks for them). */
import path from 'node:path';
import { sourceFiles, type Expression } from './expressions.ts';

const root = path.resolve(import.meta.dirname, '..');
const isPlainModule = (file: string): boolean =>
  file.startsWith('schema/') || /^(?:api\/settings|api\/app-metrics|kit\/repository\/layout|shell\/opening\/file-type)/.test(file);

const made: Expression[] = [];
const Plain = globalThis.RegExp;
globalThis.RegExp = new Proxy(Plain, {
  construct: (target, args: [string | RegExp, string?], own) => {
    const one = Reflect.construct(target, args, own) as RegExp;
    // Expressions that a library creates are not ours to judge.
    const at = new Error('here').stack?.split('\n')[2]?.split(`${root}/`)[1]?.split(':').slice(0, 2).join(':');
    if (at?.startsWith('node_modules/') === false) made.push({ source: one.source, flags: one.flags, at });
    return one;
  },
});

function patternsIn(value: unknown, see: (source: string) => void, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, one] of Object.entries(value)) {
    if (key === 'pattern' && typeof one === 'string') see(one);
    if (key === 'patternProperties' && typeof one === 'object' && one !== null) Object.keys(one).forEach(see);
    patternsIn(one, see, seen);
  }
}

for (const file of sourceFiles().filter(isPlainModule)) {
  const exported = (await import(path.join(root, file))) as Readonly<Record<string, unknown>>;
  patternsIn(exported, (source) => made.push({ source, flags: 'u', at: file }));
  // Tables of them, made into expressions where they are needed.
  for (const [name, table] of Object.entries(exported).filter(([one]) => /patterns$/i.test(one)))
    for (const source of Object.values(table as object)) made.push({ source: String(source), flags: '', at: `${file} ${name}` });
}
process.stdout.write(JSON.stringify(made));

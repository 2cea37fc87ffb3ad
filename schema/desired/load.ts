/**
 * The desired-state folder, from bytes to one validated value. Pure: the caller reads the files. All or nothing: with one error anywhere the result
 * holds only the reports, and the last good state stays in force.
 */
import { createHash, hash } from 'node:crypto';
import { type Problem, findingKinds, lineFinder, pointer, toReport, type FileReport } from '../findings.ts';
import { keyOfDocument } from '../keys.ts';
import { limits } from '../limits.ts';
import { decodeText } from '../positions/decode.ts';
import { type SourceNode, clip, locate, materialize } from '../positions/node.ts';
import { readSimple } from '../positions/simple-yaml.ts';
import { yamlDocuments } from '../positions/yaml.ts';
import { didYouMean, shapeProblems } from '../shape.ts';
import { desiredShape } from './compiled.ts';
import { crossChecks } from './cross-checks.ts';
import type { HasAccount } from './cross-folder.ts';
import { type Hidden, type IsSure, lostOf, withholding } from './lost.ts';
import type { DesiredDocument, DesiredKind, DesiredState, Placed } from './documents.ts';
import { desiredKinds } from './schema.ts';

export interface DesiredFile {
  /** Shown in findings, for example the path below the folder. */
  readonly name: string;
  readonly bytes: Uint8Array | string;
}

/** A report for each file, in the given order; also when all is well, for the warnings. */
export type DesiredAnswer =
  | { readonly ok: true; readonly state: DesiredState; readonly reports: readonly FileReport[] }
  | { readonly ok: false; readonly reports: readonly FileReport[] };

/** A document without errors. */
interface Source extends Placed {
  readonly key: string;
  readonly digest: string;
  /** Which of the file's documents it is. */
  readonly index: number;
  /** Offset of its place in the text. */
  readonly offset: number;
}

/** A parsed file. A caller that reads a folder repeatedly keeps those of unchanged files. */
export interface OpenFile {
  readonly name: string;
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly sources: readonly Source[];
  /** The known parts of documents with errors: they satisfy references, so that one error is not reported twice. */
  readonly broken: readonly Placed[];
  /** The unknown parts of such documents: they may answer any reference of their kind. */
  readonly hidden: readonly Hidden[];
}

/** A long computation that stops now and then, so that its caller can let others go first. */
export type Steps<Result> = Generator<undefined, Result>;

/**
 * Validates all files together. `context` are neighbours that only answer references (`svc validate` of a single file): what
 * is wrong in them is not reported.
 */
export function readDesired(files: readonly DesiredFile[], context: readonly DesiredFile[] = [], hasAccount?: HasAccount): DesiredAnswer {
  return toEnd(joinFiles(openFiles(files), openFiles(context), hasAccount));
}

/** Each separately, without a pause. */
export function openFiles(files: readonly DesiredFile[]): readonly OpenFile[] {
  return files.map((file) => toEnd(openFile(file)));
}

function toEnd<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Checks the files together. */
export function* joinFiles(open: readonly OpenFile[], context: readonly OpenFile[] = [], hasAccount?: HasAccount): Steps<DesiredAnswer> {
  const sources = open.flatMap((file) => file.sources);
  const found = new Map<OpenFile, Problem[]>();
  let whole = (problem: Problem): Problem => problem;
  if (open.length > limits.yamlFilesMax || sources.length > limits.documentsMax) {
    const message = `expected at most ${limits.yamlFilesMax} files with ${limits.documentsMax} documents`;
    if (open[0] !== undefined) found.set(open[0], [{ code: 'TOO_LARGE', path: '', span: { start: 0, end: 0 }, message }]);
  } else {
    const reported: Reported[] = [];
    const known = [...open.flatMap((file) => file.broken), ...context.flatMap((file) => [...file.broken, ...file.sources])];
    const withheld = withholding([...open, ...context].flatMap((file) => file.hidden));
    const report = (of: Placed, code: Problem['code'], path: Reported['path'], message: string) =>
      reported.push({ of, code, path, message });
    for (const check of crossChecks(sources, known, report, withheld.mayExist, hasAccount)) {
      check();
      yield;
    }
    for (const file of reported.length === 0 ? [] : open) found.set(file, yield* place(file, reported));
    whole = (problem) => withheld.annotate(problem);
  }
  const reports = open.map((file) => toReport(file.name, file.text, [...file.problems.map(whole), ...(found.get(file) ?? [])]));
  if (reports.some((report) => !report.ok)) return { ok: false, reports };
  yield;
  const documents = sources
    .sort((a, b) => compare(a.key, b.key))
    .map(({ document, place: at, digest }) => ({ document, place: at, digest }));
  yield;
  const hash = createHash('sha256');
  for (const { digest } of documents) hash.update(digest);
  return { ok: true, state: { hash: hash.digest('hex'), documents }, reports };
}

interface Reported {
  readonly of: Placed;
  readonly code: Problem['code'];
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Findings of this file with their places. The trees of all files would take more memory than reading one again takes time. */
function* place(file: OpenFile, reported: readonly Reported[]): Steps<Problem[]> {
  const indexes = new Map<Placed, number>(file.sources.map((source) => [source, source.index]));
  const own = reported.filter(({ of }) => indexes.has(of));
  if (own.length === 0) return [];
  const nodes: (SourceNode | null)[] = [];
  for (const { node } of yamlDocuments(file.text)) {
    nodes.push(node);
    yield;
  }
  return own.flatMap(({ of, code, path, message }) => {
    const node = nodes[indexes.get(of) ?? -1];
    return node ? [{ code, path: pointer(path), span: locate(node, path.map(String), 'value'), message }] : [];
  });
}

/**
 * Opens a file by itself. `before`: the same file as it was read last; documents whose text is the same are taken from there, so that a line that is
 * changed among ten thousand documents costs the reading of one.
 */
export function* openFile(file: DesiredFile, before?: OpenFile): Steps<OpenFile> {
  return (yield* openParts(file, before ?? null)) ?? (yield* openWhole(file));
}

/** A line that begins so always begins a document (positions/yaml.ts). */
const documentMarker = /\n(?=---(?:[ \t\r\n]|$))/g;

/** Texts of documents with where they begin. Their concatenation is the text. */
function* partsOf(text: string): Generator<{ readonly part: string; readonly start: number }, void> {
  let start = 0;
  for (const { index } of text.matchAll(documentMarker)) {
    yield { part: text.slice(start, index + 1), start };
    start = index + 1;
  }
  yield { part: text.slice(start), start };
}

/** Directives and explicit ends reach over a marker. */
const reachesOn = /^(?:%|\.\.\.)|\uFEFF/m;

type Known = ReadonlyMap<string, Source & { readonly within: number }>;

/** Documents by their texts; null: the file was not read as it is thought here. */
function knownOf(before: OpenFile | null): Known | null {
  const known = new Map<string, Source & { readonly within: number }>();
  if (before === null) return known;
  if (before.problems.length > 0 || reachesOn.test(before.text)) return null;
  let next = 0;
  for (const { part, start } of partsOf(before.text)) {
    const source = before.sources[next];
    if (source === undefined || source.offset >= start + part.length) continue;
    known.set(part, { ...source, within: source.offset - start });
    next += 1;
  }
  // Each part held one document at most.
  return next === before.sources.length ? known : null;
}

/** Document by document. Null when anything of it is not right, or reaches over a marker: then the whole file is read. */
function* openParts({ name, bytes }: DesiredFile, before: OpenFile | null): Steps<OpenFile | null> {
  const { text, problems } = decodeText(bytes, limits.yamlFileBytesMax);
  const known = knownOf(before);
  if (known === null || problems.length > 0 || reachesOn.test(text)) return null;
  const placeOf = lineFinder(text);
  const sources: Source[] = [];
  const add = ({ document, key, digest }: Source, offset: number): void =>
    void sources.push({ document, key, digest, offset, index: sources.length, place: { file: name, ...placeOf(offset) } });
  for (const { part, start } of partsOf(text)) {
    yield;
    const found = known.get(part);
    const simple = found === undefined ? simpleSource(name, part) : null;
    if (found !== undefined) add(found, start + found.within);
    else if (simple !== null) add(simple, start + simple.offset);
    else {
      const alone = yield* openWhole({ name, bytes: part });
      if (alone.problems.length > 0 || alone.sources.length > 1) return null;
      for (const source of alone.sources) add(source, start + source.offset);
    }
  }
  return { name, text, problems: [], sources, broken: [], hidden: [] };
}

/** Null when it is not simple, or not right. */
function simpleSource(file: string, part: string): Source | null {
  const simple = readSimple(part);
  if (simple === null) return null;
  const { value, nameAt: offset } = simple;
  const { kind } = value;
  if (!desiredKinds.includes(kind as DesiredKind) || !desiredShape(kind as DesiredKind)(value)) return null;
  const document = value as unknown as DesiredDocument;
  const place = { file, line: 0, column: 0 };
  return { document, place, key: keyOfDocument(document), digest: digestOf(document), index: 0, offset };
}

/** As one text. */
export function* openWhole({ name, bytes }: DesiredFile): Steps<OpenFile> {
  const { text, problems } = decodeText(bytes, limits.yamlFileBytesMax);
  const sources: Source[] = [];
  const broken: Placed[] = [];
  const hidden: Hidden[] = [];
  const file: OpenFile = { name, text, problems, sources, broken, hidden };
  const hide = (value: unknown, node: SourceNode | null | undefined, mistakes: readonly Problem[], isTorn: boolean): void => {
    const [by] = mistakes;
    if (by === undefined) return;
    for (const one of lostOf(value, isTorn, sureIn(node, mistakes, isTorn))) hidden.push({ what: one.what, name: one.name, by });
  };
  if (problems.length > 0) {
    hidden.push(...problems.slice(0, 1).map((by) => ({ what: null, name: null, by })));
    return file;
  }
  const placeOf = lineFinder(text);
  let index = -1;
  for (const { node, seeming, problems: syntax } of yamlDocuments(text)) {
    index += 1;
    yield;
    problems.push(...syntax);
    if (!node) {
      const value = seeming ? materialize(seeming, []) : null;
      const here = { file: name, ...placeOf(syntax[0]?.span.start ?? 0) };
      broken.push(...guess(value).map((one) => ({ document: one, place: here })));
      hide(value, seeming, syntax, true);
      continue;
    }
    const all: Problem[] = [];
    const value = materialize(node, all);
    const lost = lostMarker(all);
    const found = lost === null ? all : [...all.filter(({ path }) => path.slice(1).includes('/')), lost];
    // The swallowed text may hold anything that others refer to.
    if (lost !== null) hidden.push({ what: null, name: null, by: lost });
    const judged = judge(value, node);
    problems.push(...found, ...judged.problems);
    const problemsOfIt = [...syntax, ...found, ...judged.problems].filter((problem) => findingKinds[problem.code].weight === 'error');
    const isGood = problemsOfIt.length === 0;
    const offset = locate(node, ['metadata', 'name'], 'value').start;
    const here = { file: name, ...placeOf(offset) };
    const document = value as DesiredDocument;
    if (isGood) sources.push({ document, place: here, key: keyOfDocument(document), digest: digestOf(document), index, offset });
    else {
      broken.push(...guess(value).map((one) => ({ document: one, place: here })));
      hide(value, node, problemsOfIt, false);
    }
  }
  return file;
}

/** A second `apiVersion` or `kind` is another document: it is told once, for all of its fields. */
function lostMarker(problems: readonly Problem[]): Problem | null {
  const first = problems.find(({ code, path }) => code === 'DUPLICATE_KEY' && (path === '/apiVersion' || path === '/kind'));
  return first === undefined ? null : { ...first, message: 'another document begins here: a line --- is missing before it' };
}

/** By places: a mistake of the syntax makes everything doubtful that does not end before it. */
function sureIn(node: SourceNode | null | undefined, mistakes: readonly Problem[], isTorn: boolean): IsSure {
  return (path) => {
    const at = node ? locate(node, path, 'value') : { start: 0, end: 0 };
    const isAt = ({ path: of, span }: Problem): boolean =>
      of === '' ? span.start <= at.end && (isTorn || span.end >= at.start) : `${pointer(path)}/`.startsWith(`${of}/`);
    return !mistakes.some(isAt);
  };
}

/** Kind, name and what references need of a document with errors; none when even the name can't be read. */
function guess(value: unknown): DesiredDocument[] {
  const { kind, metadata, spec } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } | null; spec?: unknown };
  const name = metadata?.name;
  if (!desiredKinds.includes(kind as DesiredKind) || typeof name !== 'string') return [];
  const isText = (field: unknown) => typeof field === 'string';
  const usable = Object.entries((spec as object | null) ?? {}).filter(
    ([field, found]) => isText(found) || (['grupos', 'servers'].includes(field) && Array.isArray(found) && found.every(isText)),
  );
  return [{ apiVersion: 'svc/v1', kind, metadata: { name }, spec: Object.fromEntries(usable) } as unknown as DesiredDocument];
}

/** By the kind first: only then is it known which fields are right. */
function judge(value: unknown, node: SourceNode): { problems: Problem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = `expected a document with apiVersion, kind, metadata and spec, found ${Array.isArray(value) ? 'a list' : `"${clip(String(value))}"`}`;
    return { problems: [{ code: 'WRONG_TYPE', path: '', span: node, message }] };
  }
  const kind = (value as Record<string, unknown>)['kind'];
  if (kind === undefined) {
    return {
      problems: [
        {
          code: 'MISSING_FIELD',
          path: '/kind',
          span: node,
          message: `"kind" is missing in the root; known kinds: ${desiredKinds.join(', ')}`,
        },
      ],
    };
  }
  if (!desiredKinds.includes(kind as DesiredKind)) {
    const shown = typeof kind === 'string' ? `"${clip(kind)}"` : `a value of another type`;
    const hint = (typeof kind === 'string' && didYouMean(kind, desiredKinds)) || `; known kinds: ${desiredKinds.join(', ')}`;
    return {
      problems: [{ code: 'UNKNOWN_KIND', path: '/kind', span: locate(node, ['kind'], 'value'), message: `unknown kind ${shown}${hint}` }],
    };
  }
  return {
    problems: shapeProblems(desiredShape(kind as DesiredKind), value, node)
      .map(withoutCredential)
      .map(withVersion),
  };
}

const withVersion = (problem: Problem): Problem =>
  problem.code === 'MISSING_FIELD' && problem.message.startsWith('"apiVersion"')
    ? { ...problem, message: `${problem.message}: write apiVersion: svc/v1` }
    : problem;

/** A field that sounds like a credential: its line is not repeated on the screen (render.ts). */
function withoutCredential(problem: Problem): Problem {
  const field = problem.path.split('/').at(-1) ?? '';
  if (problem.code !== 'UNKNOWN_FIELD' || !/pass|secret|token|key|senha|segredo|chave|credential/i.test(field)) return problem;
  return { ...problem, code: 'INLINE_CREDENTIAL', message: `${problem.message}; credentials are given by reference only` };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function digestOf(document: DesiredDocument): string {
  return hash('sha256', canonicalJson(document));
}

/** JSON with sorted fields: the same content gives the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const fields = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(fields.map(([name, item]) => [name, sorted(item)]));
}

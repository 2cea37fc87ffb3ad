/**
 * The desired-state folder, from bytes to one validated value (design 4). Pure: whoever calls it reads the files. Nothing is
 * half accepted: with one error anywhere the answer holds only the reports, and the last good state stays in force.
 */
import { createHash } from 'node:crypto';
import { type Problem, findingKinds, lineFinder, pointer, toReport } from '../findings.ts';
import { limits } from '../limits.ts';
import { decodeText } from '../positions/decode.ts';
import { type SourceNode, clip, locate, materialize } from '../positions/node.ts';
import { readYaml } from '../positions/yaml.ts';
import { type Shape, compileShape, didYouMean, shapeProblems } from '../shape.ts';
import { type Placed, crossCheck } from './cross-checks.ts';
import type { DesiredDocument, DesiredKind, DesiredState, FileReport } from './documents.ts';
import { desiredKinds, desiredSchema } from './schema.ts';

export interface DesiredFile {
  /** Shown in findings, for example the path below the folder. */
  readonly name: string;
  readonly bytes: Uint8Array | string;
}

/** One report per file, in the given order; also when all is well, for the warnings. */
export type DesiredAnswer =
  | { readonly ok: true; readonly state: DesiredState; readonly reports: readonly FileReport[] }
  | { readonly ok: false; readonly reports: readonly FileReport[] };

/** A document with what is needed to point into it. */
interface Source extends Placed {
  readonly node: SourceNode;
  readonly file: OpenFile;
}

interface OpenFile {
  readonly name: string;
  readonly text: string;
  readonly problems: Problem[];
  readonly sources: Source[];
  /** What is known of documents with mistakes: they answer references, so that one mistake is not told twice. */
  readonly broken: Placed[];
}

/**
 * Validates all files together. `context` are neighbours that only answer references (`svc validate` of a single file): what
 * is wrong in them is not reported.
 */
export function readDesired(files: readonly DesiredFile[], context: readonly DesiredFile[] = []): DesiredAnswer {
  const open = files.map(openFile);
  const sources = open.flatMap((file) => file.sources);
  if (files.length > limits.yamlFilesMax || sources.length > limits.documentsMax) {
    const message = `expected at most ${limits.yamlFilesMax} files with ${limits.documentsMax} documents`;
    open[0]?.problems.push({ code: 'TOO_LARGE', path: '', span: { start: 0, end: 0 }, message });
  } else {
    const places = new Map<Placed, Source>(sources.map((source) => [source, source]));
    crossCheck(
      sources,
      [...open.flatMap((file) => file.broken), ...context.map(openFile).flatMap((file) => file.broken.concat(file.sources))],
      (of, code, path, message) => {
        const source = places.get(of);
        source?.file.problems.push({ code, path: pointer(path), span: locate(source.node, path.map(String), 'value'), message });
      },
    );
  }
  const reports = open.map((file) => toReport(file.name, file.text, file.problems));
  if (reports.some((report) => !report.ok)) return { ok: false, reports };
  const documents = sources
    .map(({ document, place }) => ({ document, place }))
    .sort((a, b) => compare(keyOf(a.document), keyOf(b.document)));
  return { ok: true, state: { hash: hashOf(documents.map(({ document }) => document)), documents }, reports };
}

function openFile({ name, bytes }: DesiredFile): OpenFile {
  const { text, problems } = decodeText(bytes, limits.yamlFileBytesMax);
  const file: OpenFile = { name, text, problems, sources: [], broken: [] };
  if (problems.length > 0) return file;
  const place = lineFinder(text);
  for (const { node, problems: syntax } of readYaml(text)) {
    problems.push(...syntax);
    if (!node) continue;
    const found: Problem[] = [];
    const value = materialize(node, found);
    const judged = judge(value, node);
    problems.push(...found, ...judged.problems);
    const isGood = ![...syntax, ...found, ...judged.problems].some((problem) => findingKinds[problem.code].weight === 'error');
    const here = { file: name, ...place(locate(node, ['metadata', 'name'], 'value').start) };
    if (isGood) file.sources.push({ document: value as DesiredDocument, node, file, place: here });
    else file.broken.push(...guess(value).map((document) => ({ document, place: here })));
  }
  return file;
}

/** Kind, name and whatever references need of a document with mistakes; none when not even the name can be read. */
function guess(value: unknown): DesiredDocument[] {
  const { kind, metadata, spec } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } | null; spec?: unknown };
  const name = metadata?.name;
  if (!desiredKinds.includes(kind as DesiredKind) || typeof name !== 'string') return [];
  const isText = (field: unknown) => typeof field === 'string';
  const usable = Object.entries((spec as object | null) ?? {}).filter(
    ([field, found]) => isText(found) || (field === 'grupos' && Array.isArray(found) && found.every(isText)),
  );
  return [{ apiVersion: 'svc/v1', kind, metadata: { name }, spec: Object.fromEntries(usable) } as unknown as DesiredDocument];
}

const shapes = new Map<DesiredKind, Shape>();

function shapeOf(kind: DesiredKind): Shape {
  const shape = shapes.get(kind) ?? compileShape(desiredSchema(kind));
  shapes.set(kind, shape);
  return shape;
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
  return { problems: shapeProblems(shapeOf(kind as DesiredKind), value, node).map(withoutCredential) };
}

/** A field that sounds like a credential: its line is not repeated on the screen (render.ts). */
function withoutCredential(problem: Problem): Problem {
  const field = problem.path.split('/').at(-1) ?? '';
  if (problem.code !== 'UNKNOWN_FIELD' || !/pass|secret|token|key|senha|segredo|chave|credential/i.test(field)) return problem;
  return { ...problem, code: 'INLINE_CREDENTIAL', message: `${problem.message}; credentials are given by reference only` };
}

export function keyOf(document: DesiredDocument): string {
  return `${document.kind}/${document.metadata.name}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hashOf(documents: readonly DesiredDocument[]): string {
  return createHash('sha256').update(canonicalJson(documents)).digest('hex');
}

/** JSON with sorted fields: the same content gives the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => compare(a, b)))
      : item,
  );
}

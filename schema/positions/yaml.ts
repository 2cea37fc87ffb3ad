/**
 * YAML 1.2 with places, the part that people write: mappings, lists and plain values. Anchors, aliases, merge keys, tags and directives are
 * refused: a file means exactly what it contains, and no file can grow when it is read.
 */
import { Composer, type Document, type Node, Parser, type YAMLError, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Problem, Span } from '../findings.ts';
import { limits } from '../limits.ts';
import { type SourceDocument, type SourceNode, clip, tooDeep } from './node.ts';

/** Every document of a stream that is not empty. */
export function readYaml(text: string): SourceDocument[] {
  return [...yamlDocuments(text)];
}

/** The same, one by one: the caller can do something else in between. */
export function* yamlDocuments(text: string): Generator<SourceDocument, void> {
  for (let from = 0; from < text.length;) {
    const next: { at: number | null } = { at: null };
    yield* documentsFrom(text, from, next);
    if (next.at === null) return;
    from = next.at;
  }
}

/**
 * Documents from this offset on. One with an open quote or bracket may have swallowed the following ones: a line that begins with `---`
 * always begins a document, so parsing restarts there, and `next.at` says where.
 */
function* documentsFrom(text: string, from: number, next: { at: number | null }): Generator<SourceDocument, void> {
  const parser = new Parser();
  parser.offset = from;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    stringKeys: true,
    // Both are found when the tree is made plain, in the same words as for JSON.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  for (const parsed of composer.compose(parser.parse(from === 0 ? text : text.slice(from)))) {
    const document = readDocument(parsed, text);
    if (parsed.errors.length > 0) next.at = nextDocument(text, parsed.range[0], parsed.range[1]);
    if (next.at !== null) {
      yield* readBroken(text, parsed.range[0], next.at);
      return;
    }
    if (document.node !== null || document.problems.length > 0) yield document;
  }
}

/** Where a line begins with `---` inside of a document, behind its own. */
function nextDocument(text: string, start: number, end: number): number | null {
  const marker = /\n(?=---(?:[ \t\r\n]|$))/g;
  // Its own marker may be the first thing of it, after comments.
  const own = /^(?:[ \t]*(?:#[^\n]*)?\n)*---/.exec(text.slice(start, end))?.[0].length ?? 0;
  marker.lastIndex = start + own;
  const found = marker.exec(text);
  return found === null || found.index + 1 >= end ? null : found.index + 1;
}

/** The one document alone. It ends before the next one, so that it can't swallow anything. */
function* readBroken(text: string, start: number, end: number): Generator<SourceDocument, void> {
  yield* documentsFrom(text.slice(0, end), start, { at: null });
}

function readDocument(document: Document.Parsed, text: string): SourceDocument {
  const problems = [...mistakes(document.errors, text), ...document.warnings].map((error) => syntaxProblem(error, text));
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2')
    problems.push(directive(document, 'only YAML 1.2 is read'));
  if (Object.keys(document.directives.tags).some((handle) => handle !== '!!')) problems.push(directive(document, '%TAG is not used here'));
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null && contents.source === '')) return { node: null, problems };
  if (problems.length > 0) return { node: null, seeming: convert(contents, { start: 0, end: 0 }, [], 1), problems };
  const node = convert(contents, { start: 0, end: 0 }, problems, 1);
  return { node, problems };
}

function convert(node: Node | null, parent: Span, problems: Problem[], depth: number): SourceNode {
  const span = node?.range ? { start: node.range[0], end: node.range[1] } : parent;
  const refuse = (what: string) => {
    problems.push({ code: 'YAML_FEATURE', path: '', span, message: `${what} not used here: write the value where it belongs` });
  };
  if (depth > limits.documentDepthMax) {
    problems.push(tooDeep(span));
    return { ...span, type: 'scalar', value: null };
  }
  if (node === null || isAlias(node)) {
    if (node) refuse('aliases are');
    return { ...span, type: 'scalar', value: null };
  }
  if ('anchor' in node && typeof node.anchor === 'string') refuse('anchors are');
  if (node.tag !== undefined) refuse('tags are');
  if (isSeq(node))
    return { ...span, type: 'list', items: node.items.map((item) => convert(item as Node | null, span, problems, depth + 1)) };
  if (isMap(node)) {
    const entries = node.items.map((pair) => {
      const keySpan = isScalar(pair.key) && pair.key.range ? { start: pair.key.range[0], end: pair.key.range[1] } : span;
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      if (isScalar(pair.key) && (pair.key.anchor !== undefined || pair.key.tag !== undefined)) refuse('anchors and tags are');
      if (key === '<<') problems.push({ code: 'YAML_FEATURE', path: '', span: keySpan, message: 'merge keys are not used here' });
      return { key, keySpan, node: convert(pair.value as Node | null, keySpan, problems, depth + 1) };
    });
    return { ...span, type: 'map', entries };
  }
  const value = isScalar(node) ? node.value : null;
  return {
    ...span,
    type: 'scalar',
    value: typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null,
  };
}

interface Mistake {
  readonly code: YAMLError['code'];
  readonly pos: readonly [number, number];
  readonly message: string;
}

/** An unclosed bracket is noticed at the next token, often in another line: it is reported where the text ends that lacks it. */
function placed({ code, pos, message }: YAMLError, text: string): Mistake {
  const missing = /(?:must be sufficiently indented and end with a |Missing closing )([\]}"'])/.exec(message)?.[1];
  // Behind a tab every level is in the wrong place: the tab is the error.
  const line = text.slice(text.lastIndexOf('\n', pos[0] - 1) + 1, pos[1]);
  if (missing === undefined || /^ *\t/.test(line)) return { code, pos, message };
  const at = text.slice(0, pos[0]).trimEnd().length;
  const start = Math.max(0, at - 1);
  return {
    code,
    pos: [start, Math.max(start, at)],
    message: `a ${missing} is missing after this, or the next line is indented too little`,
  };
}

/**
 * Reports each error once: the parser continues after an error and reports consequences. The first of a line counts. After a tab only further tabs
 * count, since every level below is in the wrong place, and a too deep text was not parsed to its end.
 */
function mistakes(errors: readonly YAMLError[], text: string): readonly Mistake[] {
  const deep = errors.find((error) => error.code === 'RESOURCE_EXHAUSTION');
  if (deep) return [deep];
  const isTab = (error: YAMLError): boolean => error.code === 'TAB_AS_INDENT';
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0] || Number(isTab(b)) - Number(isTab(a)));
  const firstTab = sorted.findIndex(isTab);
  const shown = sorted.filter((error, at) => firstTab === -1 || at <= firstTab || isTab(error));
  // By the line where it is noticed, and by the one where it is reported.
  const own = onePerLine(shown, text);
  return onePerLine(
    own.map((error) => placed(error, text)),
    text,
  );
}

function onePerLine<One extends Mistake>(found: readonly One[], text: string): readonly One[] {
  const lines = new Set<number>();
  return found.filter(({ pos }) => {
    const line = text.lastIndexOf('\n', pos[0] - 1);
    return !lines.has(line) && lines.add(line);
  });
}

function syntaxProblem(error: Mistake, text: string): Problem {
  const start = Math.min(error.pos[0], text.length);
  const span = { start, end: Math.max(start, error.pos[1]) };
  if (error.code === 'RESOURCE_EXHAUSTION') return tooDeep(span);
  if (error.code === 'TAG_RESOLVE_FAILED') return { code: 'YAML_FEATURE', path: '', span, message: 'tags are not used here' };
  return { code: 'SYNTAX', path: '', span, message: clip(error.message, 200) };
}

function directive(document: Document.Parsed, message: string): Problem {
  const at = document.range[0];
  return { code: 'YAML_FEATURE', path: '', span: { start: at, end: at }, message };
}

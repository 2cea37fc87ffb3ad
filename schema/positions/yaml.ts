/**
 * YAML 1.2 with places, the part that people write: mappings, lists and plain values. Anchors, aliases, merge keys, tags and
 * directives are refused: a file means exactly what stands in it, and no file can grow when it is read.
 */
import { Composer, type Document, type Node, Parser, type YAMLError, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Problem, Span } from '../findings.ts';
import { limits } from '../limits.ts';
import { type SourceDocument, type SourceNode, clip, tooDeep } from './node.ts';

/** Every document of a stream that is not empty. */
export function readYaml(text: string): SourceDocument[] {
  return [...yamlDocuments(text)];
}

/** The same, one by one: whoever reads a large file can do something else in between. */
export function* yamlDocuments(text: string): Generator<SourceDocument, void> {
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
  for (const parsed of composer.compose(new Parser().parse(text))) {
    const document = readDocument(parsed, text);
    if (document.node !== null || document.problems.length > 0) yield document;
  }
}

function readDocument(document: Document.Parsed, text: string): SourceDocument {
  const problems = [...mistakes(document.errors, text), ...document.warnings].map((error) => syntaxProblem(error, text));
  if (document.directives.yaml.explicit && document.directives.yaml.version !== '1.2')
    problems.push(directive(document, 'only YAML 1.2 is read'));
  if (Object.keys(document.directives.tags).some((handle) => handle !== '!!')) problems.push(directive(document, '%TAG is not used here'));
  const { contents } = document;
  if (problems.length > 0 || contents === null || (isScalar(contents) && contents.value === null && contents.source === '')) {
    return { node: null, problems };
  }
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

/**
 * One mistake, one finding: the parser goes on after an error and complains about what follows from it. The first of a line counts,
 * and after a tab only further tabs do, since every level below it stands in the wrong place.
 */
function mistakes(errors: readonly YAMLError[], text: string): readonly YAMLError[] {
  const lines = new Set<number>();
  let tabbed = false;
  return errors
    .toSorted((a, b) => a.pos[0] - b.pos[0])
    .filter((error) => {
      const line = text.lastIndexOf('\n', error.pos[0] - 1);
      const isTab = error.code === 'TAB_AS_INDENT';
      if (lines.has(line) || (tabbed && !isTab)) return false;
      lines.add(line);
      tabbed ||= isTab;
      return true;
    });
}

function syntaxProblem(error: YAMLError, text: string): Problem {
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

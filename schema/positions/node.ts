/**
 * Text as a tree with places, the same for JSON and YAML, so that a finding can point at the key or at the value. The readers beside this
 * file make the tree; `materialize` turns it into a plain value.
 */
import { type Problem, type Span, pointer } from '../findings.ts';
import { limits } from '../limits.ts';

export type SourceNode =
  | (Span & { readonly type: 'map'; readonly entries: SourceEntry[] })
  | (Span & { readonly type: 'list'; readonly items: SourceNode[] })
  | (Span & { readonly type: 'scalar'; readonly value: string | number | boolean | null });

export interface SourceEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly node: SourceNode;
}

/** A document of a text. `node` is null when the syntax is broken; `problems` then says where. */
export interface SourceDocument {
  readonly node: SourceNode | null;
  /** The likely content of a broken document, by a reader that continues after a mistake: for deriving messages, never to be acted on. */
  readonly seeming?: SourceNode | null;
  readonly problems: readonly Problem[];
}

/** Names that reach the prototype of an object in a careless copy. */
export const isForbiddenKey = (key: string): boolean => key === '__proto__' || key === 'constructor' || key === 'prototype';

/**
 * The plain value of a tree, with what is wrong in any format: duplicate and forbidden keys (left out of the value), lone
 * surrogates. The depth was limited by the reader, so recursion is safe.
 */
export function materialize(node: SourceNode, problems: Problem[], path: (string | number)[] = []): unknown {
  // All steps share one path: it is copied only when something is wrong.
  const below = (child: SourceNode, step: string | number): unknown => {
    path.push(step);
    const made = materialize(child, problems, path);
    path.pop();
    return made;
  };
  if (node.type === 'scalar') {
    if (typeof node.value === 'string' && !node.value.isWellFormed()) problems.push(loneSurrogate(path, node));
    return node.value;
  }
  if (node.type === 'list') return node.items.map((item, index) => below(item, index));
  const value: Record<string, unknown> = {};
  for (const { key, keySpan, node: child } of node.entries) {
    if (isForbiddenKey(key)) {
      problems.push({
        code: 'FORBIDDEN_KEY',
        path: pointer([...path, key]),
        span: keySpan,
        message: `the field name "${key}" is never allowed`,
      });
    } else if (Object.hasOwn(value, key)) {
      problems.push({
        code: 'DUPLICATE_KEY',
        path: pointer([...path, key]),
        span: keySpan,
        message: `the field "${clip(key)}" is already set in this object`,
      });
    } else {
      if (!key.isWellFormed()) problems.push(loneSurrogate([...path, key], keySpan));
      value[key] = below(child, key);
    }
  }
  return value;
}

function loneSurrogate(path: readonly (string | number)[], span: Span): Problem {
  return { code: 'LONE_SURROGATE', path: pointer(path), span, message: 'expected whole characters, found half of a surrogate pair' };
}

/** The span of the key or of the value at `path`; of the nearest parent when the path does not exist. */
export function locate(root: SourceNode, path: readonly string[], what: 'key' | 'value'): Span {
  let node = root;
  let key: Span | null = null;
  for (const segment of path) {
    if (node.type === 'list') {
      const item = node.items[Number(segment)];
      if (!item) break;
      node = item;
      key = item;
    } else {
      // The first of two equal keys counts, as in materialize.
      const entry = node.type === 'map' ? node.entries.find((candidate) => candidate.key === segment) : undefined;
      if (!entry) break;
      node = entry.node;
      key = entry.keySpan;
    }
  }
  return what === 'key' && key ? key : node;
}

export function tooDeep(span: Span): Problem {
  return { code: 'TOO_DEEP', path: '', span, message: `nested deeper than ${limits.documentDepthMax} levels` };
}

/** Text of a person, short enough for one line, control characters made visible. */
export function clip(text: string, charsMax = 60): string {
  const plain = JSON.stringify(text.slice(0, charsMax + 1))
    .slice(1, -1)
    // Characters that move a cursor or reverse a line, and that JSON leaves unescaped.
    .replaceAll(
      /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
      (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return plain.length > charsMax ? `${plain.slice(0, charsMax)}…` : plain;
}

/** Length in characters, as JSON Schema counts: a surrogate pair is one. */
export function characters(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

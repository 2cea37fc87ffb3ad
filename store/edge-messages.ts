/**
 * Edges of a portal's bus as the others receive them: messages of NOTIFY. Unknown messages are skipped: another version may have sent them.
 */
import { lineShape } from '../schema/compile-shape.ts';
import type { PortalEvent } from '../schema/wire/events.ts';
import type { Bus, JobEdge, OthersEdge } from './bus.ts';
import { limits } from './limits.ts';

export type Edge =
  | { readonly kind: 'publish'; readonly person: string; readonly event: PortalEvent }
  | { readonly kind: 'enqueue'; readonly key: string; readonly urgent: boolean }
  | { readonly kind: 'job'; readonly edge: JobEdge }
  | { readonly kind: 'credential'; readonly tokenHash: string }
  | OthersEdge
  /** The sender has lost some edges. */
  | { readonly kind: 'missed' };

const text = { type: 'string', maxLength: 2_000 } as const;
const ofKind = (kind: Edge['kind'], properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  required: ['kind', ...Object.keys(properties)],
  properties: { kind: { const: kind }, ...properties },
});
const record = (properties: Readonly<Record<string, object>>): object => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const texts = { type: 'array', items: text } as const;
const roomEdge = record({ id: text, app: text, people: texts });

/** Each edge by itself, so that one that is not understood takes no other with it. */
const misfit = lineShape({
  anyOf: [
    ofKind('publish', { person: text, event: record({ type: text }) }),
    ofKind('enqueue', { key: text, urgent: { type: 'boolean' } }),
    ofKind('roles', { edge: roomEdge }),
    ofKind('room-deleted', { id: text }),
    ofKind('room-binned', { id: text }),
    ofKind('sessions', { ended: texts }),
    ofKind('guess', { login: text, address: text }),
    ofKind('job', { edge: record({ id: text, usuario: text, app: text }) }),
    ofKind('credential', { tokenHash: text }),
    ofKind('missed', {}),
  ],
});

/** As few messages as they fit in, each edge once; one that is too long for any is a `missed`. */
export function writeEdges(from: string, edges: readonly Edge[]): readonly string[] {
  const lines = new Set(edges.map((edge) => JSON.stringify(edge)));
  const room = limits.edgeMessageBytesMax - Buffer.byteLength(JSON.stringify({ from, edges: [] }));
  const messages: string[][] = [];
  let left = 0;
  for (const line of lines) {
    const isTooLong = Buffer.byteLength(line) > room;
    const told = isTooLong ? JSON.stringify({ kind: 'missed' } satisfies Edge) : line;
    const bytes = Buffer.byteLength(told) + 1;
    if (messages.length === 0 || bytes > left) {
      messages.push([]);
      left = room + 1;
    }
    messages.at(-1)!.push(told);
    left -= bytes;
  }
  return messages.map((told) => `{"from":${JSON.stringify(from)},"edges":[${told.join(',')}]}`);
}

/** Null: it is no message of a portal. */
export function readEdges(message: string): { readonly from: string; readonly edges: readonly Edge[] } | null {
  const parsed = parse(message);
  if (typeof parsed?.from !== 'string' || !Array.isArray(parsed.edges)) return null;
  return { from: parsed.from, edges: parsed.edges.filter((edge): edge is Edge => misfit(edge) === null) };
}

function parse(message: string): { readonly from?: unknown; readonly edges?: unknown } | null {
  try {
    return JSON.parse(message) as { readonly from?: unknown; readonly edges?: unknown } | null;
  } catch {
    return null;
  }
}

/** Tells an edge of another portal to who listens in this one. */
export function tellEdge(bus: Bus, edge: Edge): void {
  if (edge.kind === 'publish') bus.publish(edge.person, edge.event);
  else if (edge.kind === 'enqueue') bus.enqueue(edge.key, edge.urgent);
  else if (edge.kind === 'job') bus.jobChanged(edge.edge);
  else if (edge.kind === 'credential') bus.credentialEnded(edge.tokenHash);
  else if (edge.kind === 'missed') bus.edgesMissed();
  else bus.heard(edge);
}

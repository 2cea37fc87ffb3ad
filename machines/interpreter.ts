/**
 * A small interpreter of XState definitions, for the room connections in what apps load: `_sdk/salas.js` and the library for Node, of which XState would
 * be more than half (setup/room-bundle.ts puts it in its place). It knows one state at a time, named guards, assigns and named effects.
 * setup/room-bundle.test.ts holds it and XState to the same steps. Decision: docs/decisions/0102-rooms-in-the-page.md
 */
type Fields = Readonly<Record<string, unknown>>;

interface Given {
  readonly context: Fields;
  readonly event: Fields & { readonly type: string };
}

interface Assign {
  readonly change: (given: Given) => Fields;
}

interface Effect {
  readonly type: string;
  readonly params: (given: Given) => Fields;
}

interface Row {
  readonly guard?: string;
  readonly target?: string;
  readonly actions: readonly (string | Assign | Effect)[];
}

interface Config {
  readonly states: Readonly<Record<string, { readonly on?: Readonly<Record<string, Row | readonly Row[]>> }>>;
}

type Guards = Readonly<Record<string, (given: Given) => boolean>>;

interface Snapshot {
  readonly value: string;
  readonly context: Fields;
}

interface Machine extends Config {
  readonly guards: Guards;
  resolveState(snapshot: Snapshot): Snapshot;
}

interface Base {
  assign(change: Assign['change']): Assign;
  createMachine(config: Config): Machine;
}

export function setup({ guards }: { readonly guards: Guards }): Base {
  return {
    assign: (change) => ({ change }),
    createMachine: ({ states }) => ({ states, guards, resolveState: (snapshot) => snapshot }),
  };
}

export function transition(
  { states, guards }: Machine,
  snapshot: Snapshot,
  event: Given['event'],
): readonly [Snapshot, readonly { readonly type: string; readonly params: unknown }[]] {
  const rows = [states[snapshot.value]?.on?.[event.type] ?? []].flat() as readonly Row[];
  const row = rows.find(({ guard }) => guard === undefined || guards[guard]?.({ context: snapshot.context, event }));
  if (row === undefined) return [snapshot, []];
  let { context } = snapshot;
  const effects: { readonly type: string; readonly params: unknown }[] = [];
  for (const action of row.actions) {
    if (typeof action === 'string') effects.push({ type: action, params: undefined });
    else if ('change' in action) context = Object.assign({}, context, action.change({ context, event }));
    else effects.push({ type: action.type, params: action.params({ context, event }) });
  }
  return [{ value: row.target ?? snapshot.value, context }, effects];
}

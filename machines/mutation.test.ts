/**
 * Changes one transition of a machine at a time and runs the tests of that machine: at least one must fail. A transition is removed, led
 * to another state, freed of its condition, or robbed of one effect. The tests are loaded once, with a `test` that only collects and a machine whose
 * inside is exchanged.
 */
import { expect, test, vi } from 'vitest';
import { amount } from '../test/support/amount.ts';
import { tellCount } from '../test/support/counts.ts';

interface Config {
  on?: Readonly<Record<string, unknown>>;
  states?: Readonly<Record<string, Config>>;
}

interface Transition {
  readonly target?: string;
  readonly guard?: unknown;
  readonly actions?: unknown;
}

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The rest is no different: it removes what another row does anyway. */
const shareMin = 0.95;

interface Change {
  readonly name: string;
  readonly apply: (config: Config) => void;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? [...value] : [value]);

function changesOf(config: Config): readonly Change[] {
  const changes: Change[] = [];
  const visit = (node: Config, path: readonly string[], siblings: readonly string[]): void => {
    for (const [event, value] of Object.entries(node.on ?? {})) {
      listOf(value).forEach((transition, index) => {
        const name = `${path.join('.')} × ${event} [${index}]`;
        const edit = (what: string, by: (from: Transition) => Transition | null) => {
          changes.push({
            name: `${name} ${what}`,
            apply: (root) => {
              let at = root;
              for (const part of path) at = at.states?.[part] ?? {};
              const list = listOf(at.on?.[event]);
              const changed = by(list[index] as Transition);
              at.on = { ...at.on, [event]: changed === null ? list.toSpliced(index, 1) : list.with(index, changed) };
            },
          });
        };
        const { target, guard, actions } = transition as Transition;
        edit('removed', () => null);
        if (target !== undefined)
          edit('led elsewhere', (from) => ({ ...from, target: elsewhere(target, siblings, Object.keys(node.states ?? {})) }));
        if (guard !== undefined) edit('without its condition', ({ guard: _guard, ...from }) => from);
        listOf(actions ?? []).forEach((action, at) => {
          if (isEffect(action))
            edit(`without ${effectName(action)}`, (from) => ({ ...from, actions: listOf(from.actions).toSpliced(at, 1) }));
        });
      });
    }
    for (const [name, child] of Object.entries(node.states ?? {})) visit(child, [...path, name], Object.keys(node.states ?? {}));
  };
  visit(config, [], []);
  return changes;
}

function elsewhere(target: string, siblings: readonly string[], children: readonly string[]): string {
  if (!target.startsWith('.')) return siblings.find((name) => name !== target) ?? target;
  const [first] = target.slice(1).split('.');
  return `.${children.find((name) => name !== first) ?? ''}`;
}

const isEffect = (action: unknown): boolean =>
  typeof action === 'string' || (typeof action === 'object' && action !== null && 'params' in action);
const effectName = (action: unknown): string => (typeof action === 'string' ? action : (action as { readonly type: string }).type);

interface Loaded {
  readonly config: Config;
  /** Runs the tests with the machine changed so, until one fails. */
  readonly isNoticed: (change: Change | null) => Promise<boolean>;
}

/** Loads the tests of a machine once, with a machine in it that another one can be put into at any time. */
async function load(id: string): Promise<Loaded> {
  const cases: (() => unknown)[] = [];
  const register = Object.assign(
    (_name: string, body: () => unknown) => {
      cases.push(body);
    },
    {
      for: (rows: readonly unknown[]) => (_name: string, body: (row: unknown) => unknown) => {
        for (const row of rows) cases.push(() => body(row));
      },
    },
  );
  const real = await vi.importActual<typeof import('xstate')>('xstate');
  let config: Config | null = null;
  let put: (change: Change | null) => void = () => undefined;
  vi.resetModules();
  vi.doMock('vitest', () => ({ test: register, it: register, describe: (_name: string, body: () => void) => body(), expect }));
  vi.doMock('xstate', () => ({
    ...real,
    setup: (parts: Parameters<typeof real.setup>[0]) => {
      const base = real.setup(parts);
      return {
        ...base,
        createMachine: (given: Config & { readonly id: string }) => {
          if (given.id !== id) return base.createMachine(given as never);
          config = given;
          let machine: object = base.createMachine(given as never);
          put = (change) => {
            const copy = structuredCopy(given);
            change?.apply(copy);
            machine = base.createMachine(copy as never);
          };
          return new Proxy(machine, { get: (_, name): unknown => Reflect.get(machine, name) });
        },
      };
    },
  }));
  try {
    await import(`./${id}.test.ts`);
    if (id === 'room-connection') await import('./room-connection-rows.test.ts');
  } finally {
    // The worker goes on with other files.
    vi.doUnmock('vitest');
    vi.doUnmock('xstate');
    vi.resetModules();
  }
  if (config === null || cases.length === 0) throw new Error(`${id}: no machine or no tests`);
  // The quick ones first: generated cases are run for what nothing else notices.
  const tookMs = new Map<() => unknown, number>();
  for (const body of cases) {
    const startedMs = performance.now();
    await body();
    tookMs.set(body, performance.now() - startedMs);
  }
  cases.sort((one, other) => (tookMs.get(one) ?? 0) - (tookMs.get(other) ?? 0));
  const isNoticed = async (change: Change | null): Promise<boolean> => {
    put(change);
    try {
      for (const body of cases) await body();
      return false;
    } catch {
      return true;
    }
  };
  return { config, isNoticed };
}

/** Functions stay what they are; objects and lists that hold transitions are copied. */
function structuredCopy(node: Config): Config {
  return {
    ...node,
    ...(node.on === undefined ? {} : { on: { ...node.on } }),
    ...(node.states === undefined
      ? {}
      : { states: Object.fromEntries(Object.entries(node.states).map(([name, child]) => [name, structuredCopy(child)])) }),
  };
}

test.for(['backend', 'supervision', 'room-connection', 'job'] as const)(
  `%s: a change of the machine makes its tests fail (seed ${seed})`,
  { timeout: 600_000 },
  async (id) => {
    const { config, isNoticed } = await load(id);
    const changes = changesOf(config);
    const unnoticed: string[] = [];
    const every = Math.round(changes.length / amount(changes.length, changes.length, Math.ceil(changes.length / 4)));
    const tried = changes.filter((_, at) => at % every === seed % every);
    for (const change of tried) if (!(await isNoticed(change))) unnoticed.push(change.name);
    tellCount(`changes of machines/${id}.ts: ${tried.length - unnoticed.length} of ${tried.length} noticed`);
    // Each change is undone afterwards.
    expect(await isNoticed(null)).toBe(false);
    expect(changes.length).toBeGreaterThan(50);
    expect(unnoticed.length / changes.length <= 1 - shareMin ? [] : unnoticed).toEqual([]);
  },
);

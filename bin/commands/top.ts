/** `svc top [PERSON]`: what runs and what it uses; `--portal`: who takes what of the portal. On a terminal again and again, otherwise once. */
import { setTimeout as delay } from 'node:timers/promises';
import type { PortalUseRow, UsageRow } from '../../schema/wire/http.ts';
import { createClient } from '../client.ts';
import {
  byteSize,
  color,
  type Column,
  type Format,
  isForPrograms,
  listing,
  plain,
  printValue,
  span,
  toneOfState,
  write,
  writeSequence,
} from '../output.ts';
import type { PortalOptions } from './options.ts';

const againMs = 2_000;
/** The alternate screen of the terminal, so that its content comes back afterwards. */
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

export async function runTop(
  person: string | undefined,
  { state, output, portal = false }: PortalOptions & { readonly portal?: boolean },
): Promise<void> {
  const client = createClient(state);
  if (portal) {
    const ask = async (): Promise<readonly PortalUseRow[]> =>
      (await client.call('GET /api/admin/portal-usage')).pessoas.filter((row) => person === undefined || row.person === person);
    return await show(ask, (rows) => renderPortal(rows, output), output);
  }
  const ask = async (): Promise<readonly UsageRow[]> =>
    (await client.call('GET /api/admin/usage', { query: { person } })).apps.toSorted(byUse);
  await show(ask, (rows) => render(rows, Date.now(), output), output);
}

async function show<Row>(ask: () => Promise<readonly Row[]>, text: (rows: readonly Row[]) => string, output: Format): Promise<void> {
  const first = await ask();
  if (isForPrograms(output)) return await printValue(first, output);
  if (!process.stdout.isTTY) return write(text(first));
  const end = whenAskedToEnd();
  writeSequence(enter);
  try {
    for (let rows = first; !end.signal.aborted; rows = await ask()) {
      writeSequence('\u001b[H\u001b[J');
      write(fit(text(rows), process.stdout.rows));
      await delay(againMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  } finally {
    writeSequence(leave);
    end.done();
  }
}

/** The busiest first; apps without figures last. */
function byUse(left: UsageRow, right: UsageRow): number {
  return (
    (right.uso?.cpu ?? -1) - (left.uso?.cpu ?? -1) ||
    (right.uso?.memoria ?? -1) - (left.uso?.memoria ?? -1) ||
    `${left.person}/${left.app}`.localeCompare(`${right.person}/${right.app}`)
  );
}

export function render(rows: readonly UsageRow[], nowMs: number, format: Format): string {
  if (rows.length === 0) return 'Nothing runs.\n';
  const columns: Column<UsageRow>[] = [
    { title: 'BACKEND', of: ({ person, app }) => `${person}/${app}` },
    { title: 'CPU', of: ({ uso }) => percent(uso?.cpu ?? null) },
    { title: 'MEMORY', of: ({ uso }) => (uso === null ? '–' : byteSize(uso.memoria)) },
    { title: 'TASKS', of: ({ uso }) => String(uso?.tarefas ?? '–') },
    { title: 'RUNS', of: ({ sinceMs }) => span(nowMs - sinceMs) },
    { title: 'STATE', of: ({ state }) => state, tone: ({ state }) => toneOfState(state) },
    { title: 'SERVER', of: ({ server }) => server },
  ];
  const used = rows.flatMap(({ uso }) => uso ?? []);
  const sum = (of: (uso: (typeof used)[number]) => number): number => used.reduce((total, uso) => total + of(uso), 0);
  const all = `${rows.length} ${rows.length === 1 ? 'app' : 'apps'}, CPU ${percent(sum(({ cpu }) => cpu ?? 0))}, memory ${byteSize(sum(({ memoria }) => memoria))}, ${sum(({ tarefas }) => tarefas)} tasks`;
  const silent = rows.length - used.length;
  const missing = silent === 0 ? '' : `; ${silent} of them not told by ${silent === 1 ? 'its server' : 'their servers'}`;
  return `${color('bold', plain(`${all}${missing}`))}\n${listing(rows, columns, format)}`;
}

/** Figures of the last minute, but for what is open now. */
export function renderPortal(rows: readonly PortalUseRow[], format: Format): string {
  if (rows.length === 0) return 'Nobody asked anything within the last minute.\n';
  const columns: Column<PortalUseRow>[] = [
    { title: 'PERSON', of: ({ person }) => person },
    { title: 'APP', of: ({ app }) => app ?? '–' },
    { title: 'LOOP', of: ({ cpuMs }) => `${cpuMs} ms` },
    { title: 'REQUESTS', of: ({ pedidos }) => String(pedidos) },
    { title: 'REFUSED', of: ({ recusados }) => String(recusados) },
    { title: 'BYTES', of: ({ bytes }) => byteSize(bytes) },
    { title: 'OPEN', of: ({ abertas }) => String(abertas) },
    { title: 'TERMINALS', of: ({ terminais }) => String(terminais) },
  ];
  return listing(rows, columns, format);
}

/** Share of one processor: two busy ones are 200 %. */
function percent(cpu: number | null): string {
  return cpu === null ? '–' : `${cpu.toFixed(1)}%`;
}

/** Leaves out the lines that don't fit, the idlest first. */
function fit(text: string, linesMax: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.length <= linesMax
    ? lines.join('\n')
    : [...lines.slice(0, linesMax - 1), `… ${lines.length - linesMax + 1} more`].join('\n');
}

function whenAskedToEnd(): { readonly signal: AbortSignal; done(): void } {
  const end = new AbortController();
  const abort = (): void => end.abort();
  const key = (bytes: Buffer): void => {
    if (['q', 'Q', '\u0003', '\u001b'].includes(bytes.toString('latin1'))) abort();
  };
  const { stdin } = process;
  if (stdin.isTTY) stdin.setRawMode(true).on('data', key);
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, abort);
  return {
    signal: end.signal,
    done: () => {
      if (stdin.isTTY) stdin.setRawMode(false).off('data', key).pause();
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, abort);
    },
  };
}

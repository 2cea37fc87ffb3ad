/** State of `svc dev` for the panel in the desktop, and the news of it to its pages. */
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import type { DevAnswer, DevChange } from '../../schema/wire/dev.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import { plain } from '../output.ts';
import { limits } from './limits.ts';

type LogLine = Omit<DevAnswer['log'][number], 'change'>;
type Reload = Extract<PortalEvent, { readonly type: 'dev' }>['reload'];

export interface Board {
  state(): DevAnswer;
  /** From now on pages receive it. */
  connect(bus: Pick<Bus, 'publish'>, people: readonly string[]): void;
  manifest(errors: readonly string[]): void;
  last(last: DevChange): void;
  /** Withdraws a change that turned out to be nothing: the state before it is shown again. */
  unsaid(): void;
  line(line: LogLine): void;
  reload(kind: Exclude<Reload, 'no'>): void;
}

interface Standing {
  /** The backend is not up. */
  readonly down: DevChange | null;
  /** build.sh failed. */
  readonly unbuilt: DevChange | null;
}

/** Faults that stay after a change: a page that was loaded again starts no backend, and a backend that is up builds nothing. Pure. */
export function standingAfter({ down, unbuilt }: Standing, change: DevChange): Standing {
  switch (change.outcome) {
    case 'crashed':
    case 'slow':
    case 'failed':
      return { down: change, unbuilt };
    case 'ready':
      return { down: null, unbuilt };
    case 'unbuilt':
      return { down, unbuilt: change };
    case 'built':
      return { down, unbuilt: null };
    default:
      return { down, unbuilt };
  }
}

export function createBoard(about: Pick<DevAnswer, 'app' | 'folder' | 'mode'>, clock: Clock): Board {
  let state: DevAnswer = { ...about, manifest: [], last: null, log: [] };
  const log: DevAnswer['log'][number][] = [];
  let standing: Standing = { down: null, unbuilt: null };
  let settled: DevChange | null = null;
  let send = (_reload: Reload): void => {};
  let soon: (() => void) | null = null;
  const tell = (reload: Reload = 'no'): void => {
    soon?.();
    soon = null;
    send(reload);
  };
  const add = (line: DevAnswer['log'][number]): void => {
    log.push(line);
    if (log.length > limits.logLinesMax) log.splice(0, log.length - limits.logLinesMax);
  };
  return {
    state: () => ({ ...state, log: [...log] }),
    connect: (bus, people) => {
      send = (reload) => people.forEach((person) => bus.publish(person, { type: 'dev', reload }));
    },
    manifest: (manifest) => {
      state = { ...state, manifest: [...manifest] };
      tell();
    },
    last: (last) => {
      const isUnderWay = last.outcome === 'working' || last.outcome === 'building';
      if (!isUnderWay) {
        add({ source: 'dev', person: '', text: '', change: last });
        standing = standingAfter(standing, last);
        settled = standing.down ?? standing.unbuilt ?? last;
      }
      state = { ...state, last: isUnderWay ? last : settled };
      tell();
    },
    unsaid: () => {
      state = { ...state, last: settled };
      tell();
    },
    line: (line) => {
      add({ ...line, text: plain(line.text).slice(0, limits.logLineCharsMax), change: null });
      soon ??= clock.at(clock.monotonicMs() + limits.newsMs, () => tell());
    },
    reload: tell,
  };
}

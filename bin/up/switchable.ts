/** Keeps a single gateway for the life of the portal, over controllers that follow each other: the api holds on to its parts. */
import type { ControllerFigures } from '../../schema/figures.ts';
import type { Gateway } from '../../schema/gateway.ts';
import type { Bus } from '../../store/bus.ts';

export interface Switchable {
  readonly gateway: Gateway;
  /** Makes followers of the people read again: the next controller announced what it read before it was in force. */
  set(next: Gateway): void;
}

export function switchable(first: Gateway, bus: Pick<Bus, 'peopleChanged'>): Switchable {
  const { commands, ...views } = first;
  const kept = { ...copies(views), commands: copies(commands) } as Gateway;
  return {
    gateway: kept,
    set: ({ commands: nextCommands, ...nextViews }) => {
      assign(kept, nextViews);
      assign(kept.commands, nextCommands);
      bus.peopleChanged();
    },
  };
}

type Parts = Readonly<Record<string, object>>;

const copies = (parts: object): object => Object.fromEntries(Object.entries(parts as Parts).map(([name, part]) => [name, { ...part }]));

function assign(parts: object, next: object): void {
  for (const [name, part] of Object.entries(next as Parts)) Object.assign((parts as Parts)[name]!, part);
}

/** Figures of the current controller. */
export function figuresOf(current: () => ControllerFigures): ControllerFigures {
  return {
    get reconciled() {
      return current().reconciled;
    },
    get probes() {
      return current().probes;
    },
    get starts() {
      return current().starts;
    },
    queued: () => current().queued(),
    site: () => current().site(),
  };
}

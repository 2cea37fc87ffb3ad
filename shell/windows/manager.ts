/**
 * The window manager: which windows are open, where, above what. It knows no DOM; elements draw what it says.
 * The order of `windows` is the order of opening and never changes (an iframe that moves in the document loads again);
 * what is above what is `z`.
 */
import { createSignal, type Signal } from '../state/signal.ts';
import {
  birthplace,
  carriedOver,
  fillsArea,
  fitted,
  leastSize,
  moved,
  resized,
  shown,
  whole,
  type Handle,
  type Mode,
  type Rect,
  type Size,
} from './geometry.ts';
import type { WindowOptions } from './options.ts';

export interface WindowState {
  readonly id: string;
  /** App id, or the name of a built-in window, which starts with `@` and so is no app id. */
  readonly app: string;
  readonly options: WindowOptions;
  /** The rectangle of mode `normal`. */
  readonly rect: Rect;
  readonly mode: Mode;
  readonly minimised: boolean;
  readonly z: number;
  /** Which one it was by the time of opening: the taskbar shows them so. */
  readonly nth: number;
  /** Where in the app the window was opened; '' is its front page. */
  readonly route: string;
}

/** `nth` absent: it comes last. */
type Remembered = Pick<WindowState, 'rect' | 'mode' | 'minimised' | 'route'> & Partial<Pick<WindowState, 'nth'>>;

export interface Place {
  readonly rect: Rect;
  readonly mode: Mode;
}

/** The last places of windows, by app. */
export interface Places {
  load(app: string): Place | null;
  save(app: string, place: Place): void;
}

export interface WindowManager {
  readonly windows: Signal<readonly WindowState[]>;
  readonly area: Signal<Size>;
  open(app: string, options: WindowOptions, route?: string): WindowState;
  /** Puts back a window of this tab's last page load. */
  reopen(app: string, options: WindowOptions, saved: Remembered): WindowState;
  find(id: string): WindowState | undefined;
  ofApp(app: string): readonly WindowState[];
  /** The window above all others; null when none is to be seen. */
  top(): WindowState | null;
  /** Raises, and brings back from the taskbar. */
  focus(id: string): void;
  /** The next window in order of opening after the top one; backwards with -1. */
  neighbour(direction: 1 | -1): WindowState | null;
  minimise(id: string): void;
  setMode(id: string, mode: Mode): void;
  toggleMaximised(id: string): void;
  close(id: string): void;
  /** The content of the window navigated: after a reload of the page the route is restored. */
  setRoute(id: string, route: string): void;
  place(id: string, rect: Rect): void;
  /** The same while a drag goes on: nothing is written down. */
  slide(id: string, rect: Rect): void;
  move(id: string, dx: number, dy: number): void;
  resize(id: string, handle: Handle, dx: number, dy: number): void;
  least(id: string): Size;
  /** The rectangle on screen now. */
  shown(window: WindowState): Rect;
  /** The area is this for a while: windows are shown in it, and are again where they were when it is as before. */
  lend(area: Size): void;
}

const noPlaces: Places = { load: () => null, save: () => undefined };

/** The list itself and what every operation needs of it. */
interface Core {
  readonly windows: Signal<readonly WindowState[]>;
  readonly area: Signal<Size>;
  find(id: string): WindowState | undefined;
  change(id: string, patch: Partial<WindowState>): void;
  add(app: string, options: WindowOptions, rest: Remembered): WindowState;
  nextZ(): number;
  least(options: WindowOptions): Size;
  remember(id: string): void;
  shown(window: WindowState): Rect;
  lend(area: Size): void;
}

function createCore(initialArea: Size, places: Places): Core {
  const windows = createSignal<readonly WindowState[]>([]);
  const area = createSignal(initialArea);
  let lastId = 0;
  let lastZ = 0;
  const find = (id: string): WindowState | undefined => windows.get().find((window) => window.id === id);
  const least = (options: WindowOptions): Size => leastSize(options.least, area.get());
  const changeAll = (next: (window: WindowState) => WindowState): void => windows.set(windows.get().map(next));

  /** The last one in which windows had places of their own. */
  let before = initialArea;
  let isLent = false;
  area.subscribe(() => {
    const now = area.get();
    if (isLent || fillsArea(now)) return;
    changeAll((window) => ({ ...window, rect: carriedOver(window.rect, least(window.options), before, now) }));
    before = now;
  });

  return {
    windows,
    area,
    find,
    least,
    nextZ: () => ++lastZ,
    change: (id, patch) => changeAll((window) => (window.id === id ? { ...window, ...patch } : window)),
    add: (app, options, rest) => {
      const nth = rest.nth ?? Math.max(-1, ...windows.get().map((window) => window.nth)) + 1;
      const window: WindowState = { id: `w${++lastId}`, app, options, z: ++lastZ, ...rest, nth };
      windows.set([...windows.get(), window]);
      return window;
    },
    lend: (now) => {
      isLent = true;
      area.set(now);
      isLent = false;
    },
    shown: ({ rect, mode, options }) => {
      const now = area.get();
      return shown(fillsArea(now) ? rect : carriedOver(rect, least(options), before, now), mode, now);
    },
    remember: (id) => {
      const window = find(id);
      if (window !== undefined && !fillsArea(area.get())) places.save(window.app, { rect: window.rect, mode: window.mode });
    },
  };
}

export function createWindowManager(initialArea: Size, places: Places = noPlaces): WindowManager {
  const core = createCore(initialArea, places);
  const { windows, area } = core;
  const ofApp = (app: string): readonly WindowState[] => windows.get().filter((window) => window.app === app);
  const top = (): WindowState | null => {
    const visible = windows.get().filter(({ minimised }) => !minimised);
    return visible.reduce<WindowState | null>((best, next) => (best === null || next.z > best.z ? next : best), null);
  };
  return {
    windows,
    area,
    ofApp,
    top,
    find: (id) => core.find(id),
    open: (app, options, route = '') => {
      const least = core.least(options);
      const saved = places.load(app);
      const offset = ofApp(app).length * 32;
      const born = birthplace(options.size, least, options.position, windows.get().length, area.get());
      // A second window of an app does not hide the first one.
      const rect = saved === null ? born : moved(whole(fitted(saved.rect, least, area.get()), area.get()), offset, offset, area.get());
      return core.add(app, options, { rect, mode: saved?.mode ?? 'normal', minimised: false, route });
    },
    reopen: (app, options, saved) => {
      const { mode, minimised, route, nth } = saved;
      return core.add(app, options, {
        mode,
        minimised,
        route,
        ...(nth === undefined ? {} : { nth }),
        rect: fitted(saved.rect, core.least(options), area.get()),
      });
    },
    focus: (id) => {
      const window = core.find(id);
      if (window === undefined || (!window.minimised && top()?.id === id)) return;
      core.change(id, { z: core.nextZ(), minimised: false });
    },
    neighbour: (direction) => {
      const all = windows.get();
      const at = all.findIndex((window) => window.id === top()?.id);
      if (at === -1) return all.at(direction === 1 ? 0 : -1) ?? null;
      return all[(at + direction + all.length) % all.length] ?? null;
    },
    ...sizes(core),
    minimise: (id) => core.change(id, { minimised: true }),
    setRoute: (id, route) => core.change(id, { route }),
    close: (id) => {
      core.remember(id);
      windows.set(windows.get().filter((window) => window.id !== id));
    },
    shown: (window) => core.shown(window),
    lend: (now) => core.lend(now),
  };
}

/** Changes of a window's place, which are remembered. */
function sizes(core: Core): Pick<WindowManager, 'setMode' | 'toggleMaximised' | 'place' | 'slide' | 'move' | 'resize' | 'least'> {
  const { area } = core;
  type Next = (window: WindowState, now: Rect) => Partial<WindowState>;
  const passing = (id: string, next: Next): void => {
    const window = core.find(id);
    if (window !== undefined) core.change(id, next(window, core.shown(window)));
  };
  const change = (id: string, next: Next): void => {
    passing(id, next);
    core.remember(id);
  };
  const placed =
    (rect: Rect): Next =>
    ({ options }) => ({ rect: fitted(rect, core.least(options), area.get()), mode: 'normal' });
  return {
    setMode: (id, mode) => change(id, () => ({ mode })),
    toggleMaximised: (id) => change(id, ({ mode }) => ({ mode: mode === 'normal' ? 'maximised' : 'normal' })),
    place: (id, rect) => change(id, placed(rect)),
    slide: (id, rect) => passing(id, placed(rect)),
    move: (id, dx, dy) => change(id, (_, now) => ({ rect: moved(now, dx, dy, area.get()), mode: 'normal' })),
    resize: (id, handle, dx, dy) =>
      change(id, ({ options }, now) => ({ rect: resized(now, handle, dx, dy, core.least(options), area.get()), mode: 'normal' })),
    least: (id) => {
      const window = core.find(id);
      return window === undefined ? leastSize({}, area.get()) : core.least(window.options);
    },
  };
}

/**
 * The window manager: which windows are open, where, above what. It knows no DOM; elements draw what it says.
 * The order of `windows` is the order of opening and never changes (an iframe that moves in the document loads again);
 * what is above what is `z`.
 */
import { createSignal, type Signal } from '../state/signal.ts';
import { birthplace, fillsArea, fitted, leastSize, moved, resized, shown, type Handle, type Mode, type Rect, type Size } from './geometry.ts';
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
  /** Where in the app the window was opened; '' is its front page. */
  readonly route: string;
}

export interface Place {
  readonly rect: Rect;
  readonly mode: Mode;
}

/** Where windows stood last, by app. */
export interface Places {
  load(app: string): Place | null;
  save(app: string, place: Place): void;
}

export interface WindowManager {
  readonly windows: Signal<readonly WindowState[]>;
  readonly area: Signal<Size>;
  open(app: string, options: WindowOptions, route?: string): WindowState;
  /** Puts back a window of this tab's last page load. */
  reopen(app: string, options: WindowOptions, saved: Pick<WindowState, 'rect' | 'mode' | 'minimised' | 'route'>): WindowState;
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
  place(id: string, rect: Rect): void;
  move(id: string, dx: number, dy: number): void;
  resize(id: string, handle: Handle, dx: number, dy: number): void;
  least(id: string): Size;
  /** The rectangle on screen now. */
  shown(window: WindowState): Rect;
}

const noPlaces: Places = { load: () => null, save: () => undefined };

export function createWindowManager(initialArea: Size, places: Places = noPlaces): WindowManager {
  const windows = createSignal<readonly WindowState[]>([]);
  const area = createSignal(initialArea);
  let lastId = 0;
  let lastZ = 0;

  const find = (id: string): WindowState | undefined => windows.get().find((window) => window.id === id);
  const ofApp = (app: string): readonly WindowState[] => windows.get().filter((window) => window.app === app);
  const change = (id: string, patch: Partial<WindowState>): void => {
    windows.set(windows.get().map((window) => (window.id === id ? { ...window, ...patch } : window)));
  };
  const remember = (id: string): void => {
    const window = find(id);
    if (window !== undefined && !fillsArea(area.get())) places.save(window.app, { rect: window.rect, mode: window.mode });
  };
  const add = (app: string, options: WindowOptions, rest: Pick<WindowState, 'rect' | 'mode' | 'minimised' | 'route'>): WindowState => {
    const window: WindowState = { id: `w${++lastId}`, app, options, z: ++lastZ, ...rest };
    windows.set([...windows.get(), window]);
    return window;
  };
  const visible = (): readonly WindowState[] => windows.get().filter((window) => !window.minimised);
  const top = (): WindowState | null => visible().reduce<WindowState | null>((best, next) => (best === null || next.z > best.z ? next : best), null);
  const leastOf = (options: WindowOptions): Size => leastSize(options.least, area.get());

  area.subscribe(() => {
    if (fillsArea(area.get())) return;
    windows.set(windows.get().map((window) => ({ ...window, rect: fitted(window.rect, leastOf(window.options), area.get()) })));
  });

  return {
    windows,
    area,
    find,
    ofApp,
    top,
    open: (app, options, route = '') => {
      const least = leastOf(options);
      const saved = places.load(app);
      const offset = ofApp(app).length;
      const born = birthplace(options.size, least, options.position, windows.get().length, area.get());
      // A second window of an app does not hide the first one.
      const rect = saved === null ? born : moved(fitted(saved.rect, least, area.get()), offset * 32, offset * 32, area.get());
      return add(app, options, { rect, mode: saved?.mode ?? 'normal', minimised: false, route });
    },
    reopen: (app, options, saved) => add(app, options, { ...saved, rect: fitted(saved.rect, leastOf(options), area.get()) }),
    focus: (id) => {
      const window = find(id);
      if (window === undefined || (!window.minimised && top()?.id === id)) return;
      change(id, { z: ++lastZ, minimised: false });
    },
    neighbour: (direction) => {
      const all = windows.get();
      const at = all.findIndex((window) => window.id === top()?.id);
      if (at === -1) return all.at(direction === 1 ? 0 : -1) ?? null;
      return all[(at + direction + all.length) % all.length] ?? null;
    },
    minimise: (id) => change(id, { minimised: true }),
    setMode: (id, mode) => {
      change(id, { mode });
      remember(id);
    },
    toggleMaximised: (id) => {
      change(id, { mode: find(id)?.mode === 'normal' ? 'maximised' : 'normal' });
      remember(id);
    },
    close: (id) => {
      remember(id);
      windows.set(windows.get().filter((window) => window.id !== id));
    },
    place: (id, rect) => {
      const window = find(id);
      if (window === undefined) return;
      change(id, { rect: fitted(rect, leastOf(window.options), area.get()), mode: 'normal' });
      remember(id);
    },
    move: (id, dx, dy) => {
      const window = find(id);
      if (window === undefined) return;
      change(id, { rect: moved(shown(window.rect, window.mode, area.get()), dx, dy, area.get()), mode: 'normal' });
      remember(id);
    },
    resize: (id, handle, dx, dy) => {
      const window = find(id);
      if (window === undefined) return;
      const from = shown(window.rect, window.mode, area.get());
      change(id, { rect: resized(from, handle, dx, dy, leastOf(window.options), area.get()), mode: 'normal' });
      remember(id);
    },
    least: (id) => {
      const window = find(id);
      return window === undefined ? leastSize({}, area.get()) : leastOf(window.options);
    },
    shown: (window) => shown(window.rect, window.mode, area.get()),
  };
}

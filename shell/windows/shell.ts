/** The desktop as every part of the shell may use it. Each feature adds its own model to it; desktop/desk.ts is all of them together. */
import type { SessionAnswer } from '../../schema/wire/http.ts';
import type { Connection } from '../events/client.ts';
import type { AppsModel } from '../state/apps.ts';
import type { Signal } from '../state/signal.ts';
import type { WindowManager, WindowState } from './manager.ts';

/** A window of the shell's own, a row of desktop/built-in.ts; no app id begins with `@`. */
export type BuiltInId = `@${string}`;

export const isApp = (window: Pick<WindowState, 'app'>): boolean => !window.app.startsWith('@');

/** A message shown for some seconds over the windows; the announcement says the same to a screen reader. */
export interface Toast {
  readonly words: string;
  /** Action of its button; null: it has no button. */
  readonly open: (() => void) | null;
  /** Text of its button; absent: Open. */
  readonly action?: string;
  /** Progress of an act under way: the toast stays until it is over. Null: no progress is known yet. */
  readonly progress?: string | null;
}

/** Fields of an `abertura` besides `rota`. Source: rules 6 `open-context`. */
export interface OpenContext {
  readonly caminho?: string;
  readonly nome?: string;
  readonly mime?: string;
  /** Surface and id, when it came from an entry of a context menu. */
  readonly superficie?: 'arquivo' | 'pasta' | 'area-de-trabalho';
  readonly item?: string;
  readonly url?: string;
}

export interface OpenAppOptions {
  readonly route?: string;
  readonly again?: boolean;
  readonly window?: string | undefined;
  /** Delivered to its page as `abertura`. */
  readonly context?: OpenContext;
}

/** The part of a window's frame element that the desk uses. */
export interface Frame {
  readonly iframe: HTMLIFrameElement | null;
  reload(): void;
  /** Takes the page of an app out of its window until the person opens it again. */
  stop(): void;
  /** The page said hello: it is the app and not an error panel. */
  greeted(): void;
  readonly hasGreeted: boolean;
  focusContent(): void;
  /** Where a menu of this window opens, in page coordinates. */
  menuPoint(): { readonly x: number; readonly y: number };
  /** Follows a drag that began inside the page. */
  remoteDrag(phase: 'inicio' | 'mover' | 'fim' | 'cancelar', screenX: number, screenY: number): void;
}

export interface Shell {
  readonly session: SessionAnswer;
  readonly apps: AppsModel;
  readonly windows: WindowManager;
  readonly frames: Map<string, Frame>;
  readonly connection: Signal<Connection>;
  /** Text that a screen reader says next. */
  readonly announcement: Signal<string>;
  readonly toast: Signal<Toast | null>;
  /** While true nothing inside an iframe gets the pointer. */
  readonly shielded: Signal<boolean>;
  /** Opens a window of the shell's own, or raises the open one. `route`: a path, or the place in the window that is shown. */
  open(window: BuiltInId, route?: string): void;
  /** Its name in the person's language. */
  nameOf(window: BuiltInId): string;
  /** Opens, or brings back the window that is open already: `window`, or the one on top. `again` asks for one more window where the app has several. */
  openApp(app: string, options?: OpenAppOptions): boolean;
  /** Raises and gives the keyboard to what is inside. */
  activate(id: string): void;
  /** Asks before, where something in it is not saved. `byPage`: its own page wants it, which raises no window. */
  close(id: string, byPage?: boolean): void;
  /** Closes it whatever is not saved: the person said so. */
  discard(id: string): void;
  /** Something in the window is not saved: `ask` is called instead of closing it. Null: nothing is. */
  hold(id: string, ask: (() => void) | null): void;
}

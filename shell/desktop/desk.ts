/** Everything a signed-in desktop consists of. Elements get this object and draw from its signals. */
import type { SessionAnswer } from '../../schema/wire/http.ts';
import type { BellModel } from '../bell/bell-model.ts';
import type { BridgeHost } from '../bridge/host.ts';
import type { AppCalls } from '../capabilities/app-calls.ts';
import type { EnginesModel } from '../engines/engines.ts';
import type { DevModel } from '../dev/model.ts';
import type { Connection } from '../events/client.ts';
import type { Grants } from '../opening/grants.ts';
import type { OpeningModel } from '../opening/model.ts';
import type { FileToOpen, OpenContext } from '../opening/file-type.ts';
import type { QueueModel } from '../queue/model.ts';
import type { Questions } from '../questions/questions.ts';
import type { PreferencesModel } from '../preferences/model.ts';
import type { AppsModel } from '../state/apps.ts';
import type { SectionId, SettingsModel } from '../settings/model.ts';
import type { Signal } from '../state/signal.ts';
import type { ShopModel } from '../shop/model.ts';
import type { Tabs } from '../tabs/tabs.ts';
import type { Takers } from './takers.ts';
import type { Unsaved } from '../windows/unsaved.ts';
import type { WindowManager, WindowState } from '../windows/manager.ts';

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

export interface KeyboardMode {
  readonly window: string;
  readonly kind: 'move' | 'resize';
}

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

export interface OpenAppOptions {
  readonly route?: string;
  readonly again?: boolean;
  readonly window?: string | undefined;
  /** Delivered to its page as `abertura`. */
  readonly context?: OpenContext;
}

export interface Switching {
  /** 1 begins at the window before this, -1 at the one used longest ago. */
  readonly from: 1 | -1;
  /** The chosen one comes to the front now. */
  readonly isOver: boolean;
}

/** The person is asked before their session ends; `leave` ends it. */
export interface Leaving {
  readonly leave: () => void;
  /** The portal takes neither passwords nor another provider's word: without a new link nobody comes back. */
  readonly needsLink: boolean;
}

export interface Desk {
  readonly session: SessionAnswer;
  readonly apps: AppsModel;
  readonly engines: EnginesModel;
  readonly shop: ShopModel;
  readonly bell: BellModel;
  /** The window that sent a notice, by the id of the notice: as long as this page lives. */
  readonly noticeWindows: Map<string, string>;
  /** Model of `svc dev`; null on every other portal. */
  readonly dev: DevModel | null;
  readonly preferences: PreferencesModel;
  readonly settings: SettingsModel;
  readonly queue: QueueModel;
  /** Opens files and links, and holds what apps add to menus. */
  readonly opening: OpeningModel;
  /** Files that the person gave to apps. */
  readonly grants: Grants;
  readonly windows: WindowManager;
  /** Calls between apps, and the open question about one. */
  readonly appCalls: AppCalls;
  readonly connection: Signal<Connection>;
  readonly launcherOpen: Signal<boolean>;
  readonly shortcutsOpen: Signal<boolean>;
  /** The list of windows. Null: it is closed. */
  readonly switching: Signal<Switching | null>;
  readonly sessionsOpen: Signal<boolean>;
  readonly bellOpen: Signal<boolean>;
  /** The room that the share dialog is open for. */
  readonly shared: Signal<string | null>;
  /** How often the portal said that rooms changed. */
  readonly roomsChanged: Signal<number>;
  /** The app whose secrets are shown. */
  readonly secretsApp: Signal<string | null>;
  /** While true nothing inside an iframe gets the pointer. */
  readonly shielded: Signal<boolean>;
  readonly keyboardMode: Signal<KeyboardMode | null>;
  /** Text that a screen reader says next. */
  readonly announcement: Signal<string>;
  readonly toast: Signal<Toast | null>;
  /** The app that the task manager shows the details of. */
  readonly tasksApp: Signal<string | null>;
  /** Folders that shells are wanted in, until the terminal's window opened them. */
  readonly terminalFolders: Signal<readonly string[]>;
  /** The person's own folder, once it is known. */
  readonly homePath: Signal<string | null>;
  readonly frames: Map<string, Frame>;
  /** Pages that took the keyboard unasked. */
  readonly takers: Takers;
  /** Windows that something is not saved in, and what asks about it. */
  readonly held: Signal<ReadonlyMap<string, () => void>>;
  readonly bridge: BridgeHost;
  /** Questions of apps to the person, over their windows. */
  readonly questions: Questions;
  /** The tabs that pages say their windows have. */
  readonly tabs: Tabs;
  title(window: WindowState): string;
  /** Opens, or brings back the window that is open already: `window`, or the one on top. `again` asks for one more window where the app has several. */
  openApp(app: string, options?: OpenAppOptions): boolean;
  /** By what is elected for its type or was chosen; else the person is asked. */
  openFile(file: FileToOpen): Promise<void>;
  /** In the app that opens its host, or the browser: its id, null, or undefined where it is no link. While the press of the person counts. */
  openLink(address: string): string | null | undefined;
  openTasks(app?: string): void;
  /** With an app: at its page. */
  openShop(app?: string): void;
  /** With a section: at it. */
  openSettings(section?: SectionId): void;
  /** With the id of a job: at its details. */
  openQueue(job?: string): void;
  /** The window of `svc dev`. */
  openDev(): void;
  /** With a folder: a shell that begins there, in a tab of its own. */
  openTerminal(folder?: string): void;
  /** A folder in the file manager; without a path the home. */
  openFiles(path?: string): void;
  /** A file of the person, by its exact path. */
  openEditor(path: string): void;
  openViewer(path: string): void;
  /** The question before the person's session ends; null: none. */
  readonly leaving: Signal<Leaving | null>;
  /** Unsaved work that pages reported. */
  readonly unsaved: Unsaved;
  /** Something in the window is not saved: `ask` is called instead of closing it. Null: nothing is. */
  hold(id: string, ask: (() => void) | null): void;
  /** Raises and gives the keyboard to what is inside. */
  activate(id: string): void;
  minimise(id: string): void;
  /** Asks before, where something in it is not saved. `byPage`: its own page wants it, which raises no window. */
  close(id: string, byPage?: boolean): void;
  /** Loads the page of an app again; likewise. */
  reload(id: string): void;
  /** Closes it whatever is not saved: the person said so. */
  discard(id: string): void;
}

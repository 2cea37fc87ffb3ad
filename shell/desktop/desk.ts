/** Everything a signed-in desktop consists of: what each of its parts knows, together. Elements get this object and draw from its signals. */
import type { WayBack } from '../session/way-back.ts';
import type { BellDesk } from '../bell/bell-model.ts';
import type { CallsDesk } from '../capabilities/app-calls.ts';
import type { LauncherDesk } from '../launcher/launcher-desk.ts';
import type { QueueDesk } from '../queue/model.ts';
import type { SettingsDesk } from '../settings/context.ts';
import type { ShareDesk } from '../share/svc-share.ts';
import type { ShopDesk } from '../shop/context.ts';
import type { ShopModel } from '../shop/model.ts';
import type { Signal } from '../state/signal.ts';
import type { TasksDesk } from '../tasks/task-manager.ts';
import type { TerminalDesk } from '../terminal/svc-terminal.ts';
import type { Takers } from './takers.ts';

export interface Switching {
  /** 1 begins at the window before this, -1 at the one used longest ago. */
  readonly from: 1 | -1;
  /** The chosen one comes to the front now. */
  readonly isOver: boolean;
}

/** The person is asked before their session ends; `leave` ends it. */
export interface Leaving {
  readonly leave: () => void;
  readonly back: WayBack;
}

export interface Desk extends BellDesk, CallsDesk, LauncherDesk, QueueDesk, SettingsDesk, ShareDesk, ShopDesk, TasksDesk, TerminalDesk {
  readonly shop: ShopModel;
  /** The list of windows. Null: it is closed. */
  readonly switching: Signal<Switching | null>;
  /** Pages that took the keyboard unasked. */
  readonly takers: Takers;
  /** The question before the person's session ends; null: none. */
  readonly leaving: Signal<Leaving | null>;
  /** In the app that opens its host, or the browser: its id, null, or undefined where it is no link. While the press of the person counts. */
  openLink(address: string): string | null | undefined;
}

/** The desktop as the launcher knows it. */
import type { ShellKey } from '../../schema/bridge/protocol.ts';
import type { FilesDesk } from '../files/desk-acts.ts';
import type { FrameDesk } from '../frames/frame-desk.ts';
import type { Role } from '../opening/roles.ts';
import type { Signal } from '../state/signal.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { BuiltInId } from '../windows/shell.ts';

/** A window of the shell's own. */
export interface BuiltInEntry {
  readonly id: BuiltInId;
  readonly glyph: Glyph;
  /** The role that an app may have instead; null: none. */
  readonly role: Role | null;
  /** How many things wait there for the person. */
  readonly badge: number;
}

export interface LauncherDesk extends FilesDesk, FrameDesk {
  readonly launcherOpen: Signal<boolean>;
  readonly shortcutsOpen: Signal<boolean>;
  readonly sessionsOpen: Signal<boolean>;
  /** A badge changes with it. */
  readonly shop: { readonly state: Signal<unknown> };
  launcherRows(): readonly BuiltInEntry[];
  /** At the page about the window in front. */
  openHelp(): void;
  press(key: ShellKey): void;
}

/** The desktop as the frames of its windows know it. */
import type { TemplateResult } from 'lit';
import type { DevDesk } from '../dev/model.ts';
import type { PreferencesModel } from '../preferences/model.ts';
import type { Questions } from '../questions/questions.ts';
import type { SecretsDesk } from '../secrets/svc-secrets.ts';
import type { Signal } from '../state/signal.ts';
import type { TabsDesk } from '../tabs/tabs.ts';
import type { Glyph } from '../ui/glyphs.ts';
import type { WindowState } from '../windows/manager.ts';
import type { Unsaved } from '../windows/unsaved.ts';

export interface KeyboardMode {
  readonly window: string;
  readonly kind: 'move' | 'resize';
}

export interface FrameDesk extends DevDesk, SecretsDesk, TabsDesk {
  readonly preferences: PreferencesModel;
  /** Questions of apps to the person, over their windows. */
  readonly questions: Questions;
  /** Unsaved work that pages reported. */
  readonly unsaved: Unsaved;
  /** Windows that something is not saved in, and what asks about it. */
  readonly held: Signal<ReadonlyMap<string, () => void>>;
  readonly homePath: Signal<string | null>;
  readonly keyboardMode: Signal<KeyboardMode | null>;
  title(window: WindowState): string;
  /** Picture of a window of the shell's own; null: an app's. */
  glyphOf(window: Pick<WindowState, 'app'>): Glyph | null;
  /** Draws the content of such a window; it changes with `ownWindows`. */
  contentOf(window: WindowState): TemplateResult;
  readonly ownWindows: Signal<boolean>;
  minimise(id: string): void;
  /** Loads the page of an app again; asks before, where something in it is not saved. */
  reload(id: string): void;
  /** Apps that stopped for their update, with the version that comes. */
  readonly updating: Signal<ReadonlyMap<string, string>>;
  /** Lets the update of an app come that waits until it stops; asks before, where something in its windows is not saved. */
  updateApp(app: string): void;
}

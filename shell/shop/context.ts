/** The state that the parts of the shop share. */
import type { ShopApp } from '../../schema/wire/shop.ts';
import type { Shell } from '../windows/shell.ts';
import type { Unsaved } from '../windows/unsaved.ts';
import type { SettingsModel } from '../settings/model.ts';
import type { ShopModel } from './model.ts';

export interface ShopDesk extends Shell {
  readonly shop: ShopModel;
  readonly settings: SettingsModel;
  /** Unsaved work that pages reported. */
  readonly unsaved: Unsaved;
}

export interface ShopContext {
  readonly desk: ShopDesk;
  /** Goes to the page of an app. */
  show(id: string): void;
  /** Removes after the person said so. */
  remove(app: ShopApp): void;
  /** Puts a text into the clipboard; `mark` names the button that says that it was done. */
  copy(mark: string, words: string): void;
  copied(mark: string): boolean;
}

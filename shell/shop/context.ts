/** The state that the parts of the shop share. */
import type { ShopApp } from '../../schema/wire/shop.ts';
import type { Desk } from '../desktop/desk.ts';

export interface ShopContext {
  readonly desk: Desk;
  /** Goes to the page of an app. */
  show(id: string): void;
  /** Removes after the person said so. */
  remove(app: ShopApp): void;
  /** Puts a text into the clipboard; `mark` names the button that says that it was done. */
  copy(mark: string, words: string): void;
  copied(mark: string): boolean;
}

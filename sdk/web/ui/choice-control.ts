/** A choice among several: the part that `ui-select` and `ui-radio-group` share. The choices are `<option>` children. */
import type { PropertyDeclarations } from 'lit';
import { FormControl } from './form-control.ts';
import { followOptions, optionsOf, type Option } from './options.ts';
import type { WordKey } from './words.ts';

export abstract class ChoiceControl extends FormControl {
  static override properties: PropertyDeclarations = {
    initial: { attribute: 'value' },
    current: { state: true },
    options: { state: true },
  };
  initial: string | null = null;
  protected current: string | null = null;
  protected options: readonly Option[] = [];
  #unfollow: () => void = () => {};

  override connectedCallback(): void {
    const read = (): void => {
      this.options = optionsOf(this);
    };
    // Before it is drawn: a dialog that comes open gives it the focus at once.
    read();
    super.connectedCallback();
    this.#unfollow = followOptions(this, read);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unfollow();
  }

  get value(): string {
    const wanted = this.current ?? this.initial ?? this.options.find(({ selected }) => selected)?.value;
    return this.options.some(({ value }) => value === wanted) ? (wanted ?? '') : this.fallback();
  }
  set value(value: string) {
    this.current = value;
    this.show();
    this.sync();
  }

  /** The value when the page and the person chose none. */
  protected abstract fallback(): string;
  /** Puts the value into the browser's own controls at once. */
  protected abstract show(): void;

  protected override restore(state: string | null): void {
    this.current = state;
    this.show();
    this.sync();
  }
  protected override isChanged(): boolean {
    return this.current !== null;
  }
  protected override missing(): WordKey {
    return 'choiceMissing';
  }

  protected chosen(value: string): void {
    this.current = value;
    this.touched = true;
    this.sync();
    this.changed();
  }
}

/**
 * Types of the elements of the UI kit, `_sdk/ui/svc-ui.js`, for an app author's editor: `document.createElement('ui-field')` and
 * `querySelector('ui-field')` then know what they give. Every class of the kit implements its interface here. The purpose, slots and keys
 * of each: docs/ui.md. With svc.d.ts all types that a page needs.
 */
interface SvcUiElement<Events = object> extends HTMLElement {
  /** Fulfilled once what was changed is drawn. */
  readonly updateComplete: Promise<boolean>;
  addEventListener<Name extends keyof Events & string>(
    type: Name,
    listener: (event: Events[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

interface SvcUiButton extends SvcUiElement {
  variant: 'plain' | 'primary' | 'danger' | 'quiet';
  type: 'button' | 'submit' | 'reset';
  name: string;
  value: string;
  /** Makes it a link. */
  href: string;
  target: string;
  download: string | null;
  /** For the screen reader, where what is seen is no text. */
  label: string;
  /** More for the screen reader, after its name. */
  description: string;
  /** Square, for one icon. */
  icon: boolean;
  busy: boolean;
  disabled: boolean;
  pressed: 'true' | 'false' | 'mixed' | null;
  expanded: 'true' | 'false' | null;
  haspopup: 'menu' | 'dialog' | null;
  /** Id of the dialog or the menu that it opens. */
  opens: string;
  readonly form: HTMLFormElement | null;
}

interface SvcUiControl extends SvcUiElement {
  name: string;
  label: string;
  hint: string;
  /** Error in the app's words; the control is invalid while there is one. */
  error: string;
  /** Only for the screen reader. */
  hideLabel: boolean;
  required: boolean;
  disabled: boolean;
  readonly form: HTMLFormElement | null;
  readonly labels: NodeList;
  readonly validity: ValidityState;
  readonly validationMessage: string;
  readonly willValidate: boolean;
  checkValidity(): boolean;
  reportValidity(): boolean;
  setCustomValidity(message: string): void;
}

interface SvcUiField extends SvcUiControl {
  /** As of `<input>`, or `textarea`. */
  type: string;
  value: string;
  /** NaN where the field holds no number. */
  readonly valueAsNumber: number;
  placeholder: string;
  readonly: boolean;
  minlength: number | undefined;
  maxlength: number | undefined;
  min: string | undefined;
  max: string | undefined;
  step: string | undefined;
  pattern: string | undefined;
  /** Lines of a `textarea`. */
  rows: number;
  autocomplete: string | undefined;
  select(): void;
  setSelectionRange(start: number, end: number): void;
}

interface SvcUiSelect extends SvcUiControl {
  value: string;
  /** The line for nothing chosen; '' for the kit's own words, null for no such line. */
  placeholder: string | null;
}

interface SvcUiRadioGroup extends SvcUiControl {
  value: string;
  /** Beside each other. */
  inline: boolean;
}

interface SvcUiCheckbox extends SvcUiControl {
  /** Value that a form sends while it is checked. */
  value: string;
  checked: boolean;
  indeterminate: boolean;
}

interface SvcUiDialogEvents {
  /** The person wants to leave it; `preventDefault` keeps it. */
  readonly cancel: CustomEvent<{ readonly by: 'escape' | 'button' | 'press' }>;
  readonly close: CustomEvent<{ readonly returnValue: string }>;
}
interface SvcUiDialog extends SvcUiElement<SvcUiDialogEvents> {
  /** Its title. */
  label: string;
  /** Only for the screen reader: there is no line with the title and the button that closes it. */
  hideLabel: boolean;
  open: boolean;
  /** A question that must be answered: a screen reader reads all of it. */
  alert: boolean;
  /** Only what is in it closes it: no button at the title, no Escape. */
  fixed: boolean;
  /** A press beside it closes it, too. */
  lightDismiss: boolean;
  busy: boolean;
  returnValue: string;
  /** Gets the focus when it closes: what had it as it opened, unless the page says another. */
  backTo: HTMLElement | null;
  show(): void;
  close(returnValue?: string): void;
}

interface SvcUiMenuEvents {
  readonly choose: CustomEvent<{ readonly value: string; readonly item: SvcUiMenuItem }>;
  readonly close: CustomEvent<undefined>;
}
interface SvcUiMenu extends SvcUiElement<SvcUiMenuEvents> {
  label: string;
  readonly open: boolean;
  show(): void;
  /** Coordinates of the window: a context menu. It closes when the element that it is of is gone, hidden or scrolled. */
  showAt(x: number, y: number, of?: Element | null): void;
  close(): void;
}
interface SvcUiMenuGroup extends SvcUiElement {
  heading: string;
}
interface SvcUiMenuItem extends SvcUiElement {
  value: string;
  type: 'command' | 'checkbox' | 'radio';
  checked: boolean;
  disabled: boolean;
  /** A second line. */
  detail: string;
  /** The keys that do the same, as they are shown. */
  keys: string;
  /** Its label. */
  readonly words: string;
}

interface SvcUiTabsEvents {
  readonly change: CustomEvent<{ readonly value: string }>;
  /** Asked for: the page takes the tab away. */
  readonly close: CustomEvent<{ readonly value: string }>;
  /** `preventDefault`: the page moves the tab itself. `values`: all of them, in their new order. */
  readonly move: CustomEvent<{ readonly value: string; readonly values: readonly string[] }>;
}
interface SvcUiTabs extends SvcUiElement<SvcUiTabsEvents> {
  label: string;
  /** The `panel` of the tab that is shown. */
  value: string;
  /** Arrows go only; Enter and the space bar show. */
  manual: boolean;
  /** By a drag, and by the keyboard. */
  movable: boolean;
}
interface SvcUiTab extends SvcUiElement {
  /** `name` of its panel. */
  panel: string;
  disabled: boolean;
  closable: boolean;
  readonly selected: boolean;
}
interface SvcUiTabPanel extends SvcUiElement {
  name: string;
}

interface SvcUiToastOptions {
  /** Id of the toast; a later toast with the same id replaces it, as for progress. */
  readonly id?: string;
  readonly detail?: string;
  /** `busy` stays until it is ended. */
  readonly kind?: 'info' | 'success' | 'danger' | 'busy';
  /** Words of a button. */
  readonly action?: string;
  /** Action of that button. */
  readonly run?: () => void;
  /** Without it 10 s. */
  readonly durationMs?: number;
}
interface SvcUiToastEvents {
  readonly dismiss: CustomEvent<{ readonly words: string }>;
}
interface SvcUiToast extends SvcUiElement<SvcUiToastEvents> {
  /** The page says the same to the screen reader itself. */
  silent: boolean;
  /** Calling what it returns puts the notice away. */
  show(words: string, options?: SvcUiToastOptions): () => void;
}

interface SvcUiTableEvents {
  /** `preventDefault`: the page orders the rows itself. */
  readonly sort: CustomEvent<{ readonly column: string; readonly direction: 'ascending' | 'descending' }>;
  readonly change: CustomEvent<{ readonly selected: readonly string[] }>;
  readonly open: CustomEvent<{ readonly id: string; readonly row: HTMLTableRowElement }>;
}
interface SvcUiTable extends SvcUiElement<SvcUiTableEvents> {
  label: string;
  selectable: 'one' | 'many' | null;
  sortManual: boolean;
  /** `data-id` of the chosen rows. */
  selected: readonly string[];
  /** By `data-key` or by place. */
  sort(column: string | number, direction?: 'ascending' | 'descending'): void;
}

interface SvcUiProgress extends SvcUiElement {
  label: string;
  /** Null: nobody knows how far. */
  value: number | null;
  max: number;
  /** In place of the percentage. */
  detail: string;
  /** Only the bar is seen. */
  hideLabel: boolean;
  ring: boolean;
}

interface SvcUiEmpty extends SvcUiElement {
  heading: string;
}

interface SvcUiPerson extends SvcUiElement {
  /** Gives the colour, the one of `svc.pessoas.corDe`. */
  usuario: string;
  name: string;
  /** Without them those of the name. */
  initials: string;
  detail: string;
  /** Only the picture; the name is for the screen reader. */
  avatar: boolean;
  size: 'small' | 'medium' | 'large';
}

interface SvcUiRole extends SvcUiElement {
  papel: 'ver' | 'comentar' | 'editar' | 'dona';
}

interface SvcUiTreeEvents {
  readonly change: CustomEvent<{ readonly value: string; readonly item: SvcUiTreeItem }>;
  readonly expand: CustomEvent<{ readonly value: string; readonly item: SvcUiTreeItem }>;
  readonly collapse: CustomEvent<{ readonly value: string; readonly item: SvcUiTreeItem }>;
}
interface SvcUiTree extends SvcUiElement<SvcUiTreeEvents> {
  label: string;
  readonly selected: SvcUiTreeItem | null;
}
interface SvcUiTreeItem extends SvcUiElement {
  value: string;
  expanded: boolean;
  selected: boolean;
  disabled: boolean;
  /** The page adds the children when the item is first opened (`expand`). */
  lazy: boolean;
  readonly words: string;
}

interface SvcUiSplitEvents {
  readonly change: CustomEvent<{ readonly position: number }>;
}
interface SvcUiSplit extends SvcUiElement<SvcUiSplitEvents> {
  label: string;
  /** Size of the first part, in percent. */
  position: number;
  min: number;
  max: number;
  vertical: boolean;
  /** Narrower than this (pixels) the parts stand above each other. */
  stackBelow: number;
}

interface SvcUiToolbar extends SvcUiElement {
  label: string;
  vertical: boolean;
}

interface HTMLElementTagNameMap {
  'ui-button': SvcUiButton;
  'ui-checkbox': SvcUiCheckbox;
  'ui-dialog': SvcUiDialog;
  'ui-empty': SvcUiEmpty;
  'ui-field': SvcUiField;
  'ui-menu': SvcUiMenu;
  'ui-menu-group': SvcUiMenuGroup;
  'ui-menu-item': SvcUiMenuItem;
  'ui-person': SvcUiPerson;
  'ui-progress': SvcUiProgress;
  'ui-radio-group': SvcUiRadioGroup;
  'ui-role': SvcUiRole;
  'ui-select': SvcUiSelect;
  'ui-split': SvcUiSplit;
  'ui-switch': SvcUiCheckbox;
  'ui-tab': SvcUiTab;
  'ui-tab-panel': SvcUiTabPanel;
  'ui-table': SvcUiTable;
  'ui-tabs': SvcUiTabs;
  'ui-toast': SvcUiToast;
  'ui-toolbar': SvcUiToolbar;
  'ui-tree': SvcUiTree;
  'ui-tree-item': SvcUiTreeItem;
}

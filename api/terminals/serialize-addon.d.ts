/** The part of `@xterm/addon-serialize` that is used here: its own types bring those of a page with them (tsconfig.json, `paths`). */
import type { ITerminalAddon, Terminal } from '@xterm/headless';

declare class SerializeAddon implements ITerminalAddon {
  activate(terminal: Terminal): void;
  dispose(): void;
  serialize(options: { readonly scrollback: number }): string;
}
declare const addon: { readonly SerializeAddon: typeof SerializeAddon };
// oxlint-disable-next-line import/no-default-export -- as the package has it
export { addon as default };

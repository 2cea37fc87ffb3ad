/** `@xterm/addon-unicode11` without the types of a page, which its own bring with them (tsconfig.json, `paths`). Node has it as a default export. */
export declare class Unicode11Addon {
  activate(terminal: unknown): void;
  dispose(): void;
}
declare const addon: { readonly Unicode11Addon: typeof Unicode11Addon };
// oxlint-disable-next-line import/no-default-export -- as the package has it
export { addon as default };

/** The part of ssh2's table of numbers that is used here (tsconfig.json, `paths`): the package has no types for it. */
declare const constants: { readonly TERMINAL_MODE: Record<string, number> };
// oxlint-disable-next-line import/no-default-export -- as the package has it
export { constants as default };

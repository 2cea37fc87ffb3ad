/** Keys that a touch keyboard lacks, and Ctrl for the next one. */
import type { TextKey } from '../i18n/i18n.ts';

export interface TouchKey {
  readonly label: string;
  /** For a screen reader; absent: the label. */
  readonly name?: TextKey;
  /** Null: Ctrl, which goes with the next key. */
  readonly types: string | null;
}

export const keyRow: readonly TouchKey[] = [
  { label: 'Esc', types: '\u001b' },
  { label: 'Tab', types: '\t' },
  { label: 'Ctrl', types: null },
  { label: '↑', name: 'terminal.up', types: '\u001b[A' },
  { label: '↓', name: 'terminal.down', types: '\u001b[B' },
  { label: '←', name: 'terminal.left', types: '\u001b[D' },
  { label: '→', name: 'terminal.right', types: '\u001b[C' },
  { label: '|', types: '|' },
  { label: '/', types: '/' },
  { label: '~', types: '~' },
  { label: '-', types: '-' },
];

/** Text sent to the shell; with Ctrl a letter becomes its control character. */
export function typedWith(isControl: boolean, data: string): string {
  if (!isControl || data.length !== 1) return data;
  const code = data.toUpperCase().charCodeAt(0);
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code & 0x1f) : data;
}

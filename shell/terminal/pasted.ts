/**
 * Text that comes into a terminal otherwise than by keys, without its control characters but tabs and line breaks. ESC and its eight-bit form end what a
 * shell takes as pasted (bracketed paste): what follows would be run as if it was typed. Decision: docs/decisions/0382-pasted-into-a-terminal.md
 */
export const withoutControls = (text: string): string => text.replaceAll(/[^\P{Cc}\t\n\r]/gu, '');

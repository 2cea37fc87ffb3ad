/** Fields that are given up, or taken as they are, when the keyboard leaves them. */
import { deepActive } from '../../sdk/web/ui/deep-active.ts';

/** A page that took the keyboard unasked has given it back after a quarter of a second (desktop/follow-focus.ts). */
const takenMsMax = 500;

/** Called when `field` lost the keyboard; calls `end` unless a page of an app took it unasked, and the field has it again. */
export function whenLeft(field: HTMLElement, end: () => void): void {
  setTimeout(() => {
    if (!(deepActive() instanceof HTMLIFrameElement)) return end();
    setTimeout(() => field.matches(':focus-within') || end(), takenMsMax);
  });
}

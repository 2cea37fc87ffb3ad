import { around } from '../../sdk/web/ui/menu-end.ts';

/** It is in the page, in a dialog that nothing behind can be pressed beside. */
export const isInModal = (element: HTMLElement | null): boolean =>
  element?.isConnected === true && [...around(element)].some((each) => each.matches('dialog:modal'));

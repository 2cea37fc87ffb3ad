import { around } from '../../sdk/web/ui/menu-end.ts';

const isWithin = (element: HTMLElement | null, selector: string): boolean =>
  element?.isConnected === true && [...around(element)].some((each) => each.matches(selector));

/** It is in the page, in a dialog that nothing behind can be pressed beside. */
export const isInModal = (element: HTMLElement | null): boolean => isWithin(element, 'dialog:modal');

/** It is part of what the desktop asks or offers over all windows: a dialog, the launcher, a menu, the question before something is lost. */
export const isInQuestion = (element: HTMLElement | null): boolean =>
  isWithin(element, 'dialog:modal, ui-menu, svc-unsaved') && element?.checkVisibility() === true;

/** It is typed into, and what is typed is a secret. */
export const isSecretField = (element: HTMLElement | null): boolean =>
  element?.matches('input, textarea') === true && isWithin(element, 'svc-secrets');

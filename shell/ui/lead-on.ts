/**
 * A choice in a dialog leads elsewhere: the focus does not return to the element that opened it, the front window gets it (svc-desktop.ts).
 */
export function leadOn({ renderRoot }: { readonly renderRoot: ParentNode }): void {
  const dialog = renderRoot.querySelector('ui-dialog');
  if (dialog !== null) dialog.backTo = null;
}

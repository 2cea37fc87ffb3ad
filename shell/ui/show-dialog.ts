/** Opens the dialog with the focus at `autofocus`, which the browser itself looks for among its own controls only. */
export function showDialog(dialog: HTMLDialogElement | null | undefined): void {
  dialog?.showModal();
  dialog?.querySelector<HTMLElement>('[autofocus]')?.focus();
}

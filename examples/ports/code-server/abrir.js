/** In the page of the editor: opens the file that the desktop hands over (role `editor`, "Open with"). The page loads again with it; edits that are not saved come back. */
window.svc?.app.ao('abertura', ({ caminho }) => {
  if (!caminho?.startsWith('/')) return;
  const address = new URL(location.href);
  // `%` of a path is written `%25`, as in an address.
  const file = `vscode-remote://${location.host}${caminho
    .split('/')
    .map((name) => encodeURIComponent(name).replaceAll('%25', '%'))
    .join('/')}`;
  const payload = JSON.stringify([['openFile', file]]);
  if (address.searchParams.get('payload') === payload) return;
  address.searchParams.set('payload', payload);
  location.replace(address);
});

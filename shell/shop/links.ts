/** Links to the shop: `/#loja` opens it, `/#loja/<app>` at the page of one app. The address is clean again as soon as it was followed. */

/** Null when the fragment is not a link of the shop; `app` is null for the shop itself. */
export function readShopLink(fragment: string): { readonly app: string | null } | null {
  const found = /^#loja(?:\/([a-z0-9-]{1,49}))?$/.exec(fragment);
  return found === null ? null : { app: found[1] ?? null };
}

export const shopLink = (app: string): string => `${location.origin}/#loja/${app}`;

/** Follows the link in the address now, and whenever it changes. */
export function listenLinks(open: (app?: string) => void): void {
  const follow = (): void => {
    const link = readShopLink(location.hash);
    if (link === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    open(link.app ?? undefined);
  };
  addEventListener('hashchange', follow);
  follow();
}

/** Whether the person can come back by themselves, and what is offered to those who can't. */
import type { SessionAnswer } from '../../schema/wire/http.ts';
import { keptHere } from '../state/kept.ts';
import { signInMethods } from './api.ts';
import { knowsPasskeys, listPasskeys } from './passkey.ts';
import { part } from './part.ts';

/** `link`: by a link alone. `passkey`: too, unless they make a passkey. */
export type WayBack = 'own' | 'link' | 'passkey';

/** A portal that does not answer this ends no session either. */
export async function wayBack(): Promise<WayBack> {
  try {
    const { ssh, oidc, passkey } = await signInMethods();
    if (ssh || oidc !== null) return 'own';
    if (!passkey) return 'link';
    return (await listPasskeys()).passkeys.length > 0 ? 'own' : 'passkey';
  } catch {
    return 'own';
  }
}

const offeredKey = 'svc.chave-oferecida';

export async function offerPasskey({ sessao }: SessionAnswer): Promise<void> {
  if (!knowsPasskeys() || keptHere.getItem(offeredKey) === sessao || (await wayBack()) !== 'passkey') return;
  if (!(await listPasskeys()).podeCriar) return;
  const { showPasskeyOffer } = await part('svc-passkey-offer', () => import('./svc-passkey-offer.ts'));
  await showPasskeyOffer();
  keptHere.setItem(offeredKey, sessao);
}

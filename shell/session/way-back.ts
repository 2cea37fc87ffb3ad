/** Whether the person can come back by themselves, and what is offered to those who can't. */
import type { SessionAnswer } from '../../schema/wire/http.ts';
import { keptHere } from '../state/kept.ts';
import { signInMethods } from './api.ts';
import { knowsPasskeys, listPasskeys } from './passkey.ts';
import { part } from './part.ts';

/** `link`: by a link alone. `passkey`: too, unless they make a passkey. */
export type WayBack = 'own' | 'link' | 'passkey';

/** `mayOffer`: a passkey can be made in this session. */
async function lookBack(): Promise<{ readonly way: WayBack; readonly mayOffer: boolean }> {
  const { ssh, oidc, passkey } = await signInMethods();
  if (ssh || oidc !== null) return { way: 'own', mayOffer: false };
  if (!passkey) return { way: 'link', mayOffer: false };
  const { passkeys, podeCriar } = await listPasskeys();
  return passkeys.length > 0 ? { way: 'own', mayOffer: false } : { way: 'passkey', mayOffer: podeCriar };
}

/** A portal that does not answer this ends no session either. */
export const wayBack = (): Promise<WayBack> =>
  lookBack().then(
    ({ way }) => way,
    () => 'own',
  );

const offeredKey = 'svc.chave-oferecida';

export async function offerPasskey({ sessao }: SessionAnswer): Promise<void> {
  if (!knowsPasskeys() || keptHere.getItem(offeredKey) === sessao) return;
  if (!(await lookBack()).mayOffer) return;
  const { showPasskeyOffer } = await part('svc-passkey-offer', () => import('./svc-passkey-offer.ts'));
  await showPasskeyOffer();
  keptHere.setItem(offeredKey, sessao);
}

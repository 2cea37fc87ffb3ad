/** Asks the person before their session ends where they would lose something, or could not come back by themselves. Decision: docs/decisions/0357-signing-out-asks.md */
import type { SignInMethodsAnswer } from '../../schema/wire/http.ts';
import { signInMethods } from '../session/api.ts';
import { askBeforeLeaving } from '../session/leave.ts';
import type { Desk } from './desk.ts';

const isLinkOnly = ({ ssh, oidc }: SignInMethodsAnswer): boolean => !ssh && oidc === null;

export function followLeaving({ unsaved, leaving }: Pick<Desk, 'unsaved' | 'leaving'>): void {
  const ask = async (leave: () => void): Promise<void> => {
    // A portal that does not answer this ends no session either.
    const needsLink = await signInMethods().then(isLinkOnly, () => false);
    if (needsLink || unsaved.state.get().size > 0) leaving.set({ leave, needsLink });
    else leave();
  };
  askBeforeLeaving((leave) => void ask(leave));
}

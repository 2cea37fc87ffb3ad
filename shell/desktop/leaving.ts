/** Asks the person before their session ends where they would lose something, or could not come back by themselves. Decision: docs/decisions/0357-signing-out-asks.md */
import { askBeforeLeaving } from '../session/leave.ts';
import { wayBack } from '../session/way-back.ts';
import type { Desk } from './desk.ts';

export function followLeaving({ unsaved, leaving }: Pick<Desk, 'unsaved' | 'leaving'>): void {
  const ask = async (leave: () => void): Promise<void> => {
    const back = await wayBack();
    if (back !== 'own' || unsaved.state.get().size > 0) leaving.set({ leave, back });
    else leave();
  };
  askBeforeLeaving((leave) => void ask(leave));
}

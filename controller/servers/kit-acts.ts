/** Acts of a decision about a server's kit (reconcilers/server.ts): for the loop, and for an administrator who asked and reads along. */
import type { ServerAction } from '../../reconcilers/actions.ts';
import type { Context } from '../context.ts';
import type { ServerEntry } from '../entries.ts';
import type { KitState, KitWish } from '../hosts/server/kit-state.ts';
import { changeKey } from './key-change.ts';
import { installKit, serverWork, prepareAccounts, writeWish } from './kit-work.ts';

/** Rejects as the act does. Answers the kit that came back, or what a removal could not do. */
export async function carryOut(
  context: Context,
  server: ServerEntry,
  action: ServerAction,
  onStep: (step: string) => void = () => undefined,
): Promise<readonly string[]> {
  const { kind } = action;
  if (kind === 'server/roll-back') {
    const rollBack: Act = async ({ admin, wish }, step) => {
      step('switch');
      return [await admin.rollBack(wish?.held ?? null)];
    };
    return await asAsked(context, server, 'rollback', 'the server kit before comes back', rollBack, onStep);
  }
  if (kind === 'server/take-off') {
    const takeOff: Act = async ({ admin }, step) => await admin.remove(action.force, step);
    return await asAsked(context, server, 'remove', 'the server kit is taken off', takeOff, onStep);
  }
  const act = { 'server/kit': installKit, 'server/accounts': prepareAccounts, 'server/key': changeKey }[kind];
  await act(context, server, onStep);
  return [];
}

type Act = (kit: KitState, step: (step: string) => void) => Promise<readonly string[]>;

/** A caller that waited while another one did the work has nothing to do. */
async function asAsked(
  context: Context,
  server: ServerEntry,
  kind: 'rollback' | 'remove',
  words: string,
  act: Act,
  onStep: (step: string) => void,
): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  await serverWork(context, server, kind, words, async (kit, step) => {
    const wish: KitWish | null = kit.wish;
    if (wish === null || wish.pending === null) return;
    lines = await act(kit, (name) => {
      step(name);
      onStep(name);
    });
    await writeWish(context, server, kit, { ...wish, pending: null });
  });
  return lines;
}

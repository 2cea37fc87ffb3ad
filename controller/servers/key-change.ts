/**
 * A server gets the next key of the portal: beside the old one first, then it is tried on each account, and the old one is taken off only after that.
 * Each step may be done again. Decision: docs/decisions/0415-keys-are-changed-beside.md
 */
import { originsOf } from '../desired/restart.ts';
import { SvcError } from '../../schema/errors.ts';
import { someNames } from '../../schema/texts/names.ts';
import { faultPoint } from '../faults.ts';
import type { ServerEntry } from '../entries.ts';
import type { Context } from '../context.ts';
import { accountsOn, serverWork } from './kit-work.ts';
import type { KitState } from '../hosts/server/kit-state.ts';
import { keysOf, markServer } from './ssh-key.ts';
import type { SshKeys } from '../hosts/server/ssh-keys.ts';

interface Change {
  readonly context: Context;
  readonly server: ServerEntry;
  readonly keys: SshKeys;
  readonly from: string;
  readonly to: string;
}

/** Rejects KIT_FAILED, SSH_REFUSED or SERVER_UNREACHABLE: the server keeps the old key, which goes on opening it. */
export async function changeKey(context: Context, server: ServerEntry, onStep: (step: string) => void = () => undefined): Promise<void> {
  await serverWork(context, server, 'keys', 'it gets the new key of the portal', async (kit, step) => {
    const { sshKeys } = context.options;
    const { wanted, opening } = await keysOf(context, server);
    // A caller that waited while another one did the work has nothing to do.
    if (sshKeys === undefined || wanted === null || opening === null) return;
    const tell = (text: string): void => {
      step(text);
      onStep(text);
    };
    const change: Change = { context, server, keys: sshKeys, from: opening.key, to: wanted };
    const accounts = kit.wish?.removed === true ? [] : accountsOn(context, server);
    tell('the new key beside the old one');
    await putBeside(change, kit, accounts);
    tell('the new key is tried');
    const shut = await tried(change, kit, accounts);
    tell('the old key comes off');
    await takeOff(change, kit, accounts, shut);
    await markServer(context, server.name, wanted);
  });
}

async function putBeside({ context, from, to }: Change, { admin }: KitState, accounts: readonly string[]): Promise<void> {
  const files = await admin.changeOwnKey('add', from, to);
  faultPoint('keys/own-added');
  if (accounts.length > 0)
    await admin.prepareAccounts(originsOf(context.options, context.entries.portal), accounts, { key: from, next: to });
  faultPoint('keys/accounts-added');
  if (files.length > 0) return;
  // The line may come from elsewhere (AuthorizedKeysCommand): the trial tells.
  context.options.log.info({ account: admin.account }, 'no file with the line of the old key was found');
}

/** Rejects where the server does not say: nothing follows from that. */
async function isOpen({ server, keys }: Change, account: string, which: 'current' | 'next'): Promise<boolean> {
  const refusal = await keys.refuses(server.placed.document, account, which);
  // NOT_FOUND: no account can have that name.
  if (refusal !== null && refusal.code !== 'SSH_REFUSED' && refusal.code !== 'NOT_FOUND') throw refusal;
  return refusal === null;
}

/** The accounts that the key opens, or does not. */
async function where(change: Change, accounts: readonly string[], which: 'current' | 'next', open: boolean): Promise<readonly string[]> {
  const found = await Promise.all(accounts.map(async (account) => ((await isOpen(change, account, which)) === open ? [account] : [])));
  return found.flat();
}

/** Answers the accounts that neither key opens, which are reported elsewhere. Rejects where the old key works and the new one does not. */
async function tried(change: Change, { admin }: KitState, accounts: readonly string[]): Promise<readonly string[]> {
  if (!(await isOpen(change, admin.account, 'next')))
    throw new SvcError(
      'KIT_FAILED',
      `the new key does not open ${admin.account}: put this line beside the old one: ${change.to} svc-portal`,
    );
  const refused = await where(change, accounts, 'next', false);
  const wrong = await where(change, refused, 'current', true);
  if (wrong.length > 0)
    throw new SvcError('KIT_FAILED', `the old key opens ${someNames(wrong).en}, the new one does not: the old one stays`);
  faultPoint('keys/tried');
  return refused;
}

async function takeOff(change: Change, { admin }: KitState, accounts: readonly string[], shut: readonly string[]): Promise<void> {
  const { context, from, to } = change;
  await admin.changeOwnKey('drop', from, to);
  faultPoint('keys/own-dropped');
  if (accounts.length > 0)
    await admin.prepareAccounts(originsOf(context.options, context.entries.portal), accounts, { key: to, next: null });
  faultPoint('keys/accounts-dropped');
  const asked = [admin.account, ...accounts.filter((account) => !shut.includes(account))];
  const left = await where(change, asked, 'current', true);
  if (left.length > 0)
    throw new SvcError(
      'KIT_FAILED',
      `the new key works, and the old one still opens ${someNames(left).en} by a line that is not of svc: take it off there`,
    );
}

/**
 * The output of `svc-app-list`: one JSON object a line, `end` last. One run returns everything that the portal observes of a server, so
 * that an observation is one command over ssh. The portal validates each line with these schemas before it reads a field: the server is not
 * trusted. Decision: docs/decisions/0085-one-look-one-command.md
 */
import { accountSource } from './account-name.ts';
import { appIdPattern } from './app-id.ts';
import { limits } from './limits.ts';
import { type Wire, lineOf, orNull } from './static.ts';

const account = { type: 'string', pattern: accountSource } as const;
const home = { type: 'string', pattern: '^/[^\\u0000-\\u001f\\u007f]{0,4095}$' } as const;
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;

export const listLine = {
  anyOf: [
    /** Answers one account that was asked for; `home` is null when there is no such account. */
    lineOf('account', { account, home: orNull(home) }),
    /** An administrator locked it, or let it expire; `unknown`: the directory could not be asked. A line of its own: portals of before pass over it. */
    lineOf('closed', { account, why: { type: 'string', enum: ['locked', 'expired', 'unknown'] } }),
    lineOf('package', {
      /** The account that owns it; null for the system's. */
      account: orNull(account),
      app: { type: 'string', pattern: appIdPattern },
      /** packageHash of the installed folder. */
      hash,
      /** packageHash of what was delivered, null when a file was changed since. */
      delivered: orNull(hash),
      /** The version before, as long as it is kept. */
      previous: orNull(text(256)),
      /** The text of svc-app.json. */
      manifest: text(limits.manifestBytesMax),
    }),
    /**
     * The packages (the account's own; null: the system's) are unchanged since that stamp, and are not listed again. The portal asks with
     * lines `=ACCOUNT STAMP`, `= STAMP` for the system; a kit that does not know them lists everything.
     */
    lineOf('same', { account: orNull(account) }),
    /** Comes before the packages that it is of. */
    lineOf('stamp', { account: orNull(account), stamp: { type: 'string', pattern: '^[0-9a-z]{1,64}$' } }),
    /** Changes when an engine is added or removed or its top folder changes. */
    lineOf('engines', { stamp: hash }),
    /**
     * Something among the packages that is none. `unread`: the system refused to read it, so it may be unchanged; an app, or `all` of that
     * account.
     */
    lineOf('bad', { account: orNull(account), folder: text(4_096), message: text(8_192), unread: text(256) }, [
      'account',
      'folder',
      'message',
    ]),
    /** Bytes of a file that was asked for, in base64; several in order. */
    lineOf('bytes', { base64: { type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' } }),
    lineOf('error', { code: text(64), message: text(8_192) }),
    /** `version` is that of the kit. */
    lineOf('end', { version: text(128) }),
  ],
} as const;

export type ListLine = Wire<typeof listLine>;

export type AccountClosedSaid = Extract<ListLine, { readonly event: 'closed' }>['why'];
export type AccountClosed = Exclude<AccountClosedSaid, 'unknown'>;

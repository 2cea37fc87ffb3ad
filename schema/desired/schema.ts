/**
 * The desired-state documents as JSON Schema, one per kind so that a message names the right field. Objects are closed and patterns anchored, as in
 * the manifest. Checks between documents are in cross-checks.ts.
 */
import { accountSource } from '../account-name.ts';
import { appIdPattern, appIdRule } from '../app-id.ts';
import { limits } from '../limits.ts';
import { plainNameSource } from '../plain-line.ts';
import { resourcesSchema } from '../resources.ts';
import { group } from './group.ts';
import { repositorySchema } from './repositories.ts';
import { type Wire, exactlyOne, exactlyOneWith, fields, flag, list, oneOf, pattern } from '../static.ts';

const nameSource = `^[a-z0-9]([a-z0-9._-]{0,${limits.objectNameCharsMax - 2}}[a-z0-9])?$`;
const namePattern = new RegExp(nameSource);
/** Whether it can be the name of a document. */
export const isObjectName = (text: string): boolean => namePattern.test(text);
const name = pattern(
  nameSource,
  `a name of at most ${limits.objectNameCharsMax} lowercase letters, digits, ".", "_" or "-", with a letter or digit first and last`,
);
const app = pattern(appIdPattern, appIdRule);
/** Names for people. */
const line = (title: string) => ({ ...pattern(plainNameSource, title), maxLength: 200 });
/** Converted by schema/backups.ts. */
const duration = pattern('^[1-9][0-9]{0,3}[mhd]$', 'a time such as 30m, 6h or 1d');
const account = pattern(accountSource, 'the name of a Linux account: letters, digits, ".", "_", "@", "+" or "-", not digits alone');

/** `all`, or some. One schema whose words hold for texts or for lists only; for the types either. */
const packageServers = {
  type: ['string', 'array'],
  pattern: '^all$',
  title: 'all, or a list of servers',
  items: name,
  uniqueItems: true,
  minItems: 1,
  maxItems: limits.packageServersMax,
} as unknown as { readonly anyOf: readonly [{ readonly const: 'all' }, { readonly type: 'array'; readonly items: typeof name }] };

const guestRoles = ['editar', 'comentar', 'ver'] as const;

/** A credential by reference only: never the value itself. `writeOnly`: a value found here is never repeated in a message. */
const references = {
  env: pattern('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'the name of a variable'),
  file: pattern('^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,4095}$', 'the path of a file'),
} as const;
const credential = exactlyOne(references, { writeOnly: true });
export type SecretReference = Wire<typeof credential>;

const agent = pattern('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'the name of the variable with the path of the agent, for example SSH_AUTH_SOCK');
const sshKey = exactlyOne({ ...references, agent }, { writeOnly: true });

/** It becomes a word of a command on the server: see controller/hosts/ssh/remote-command.ts. */
const remoteFolder = pattern('^(?:/[A-Za-z0-9_.@%+,=-]{1,64}){1,8}$', 'an absolute folder on the server, of plain characters');

/** IPv4, a bracketed IPv6 or a name: never "-" first, which a command would take for an option. */
const hostSource = '(?:\\[[0-9a-fA-F:.]{2,45}\\]|[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}))';
const portSource = '(?:[0-9]|[1-9][0-9]{1,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

const byte = '(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})';
/** cross-checks.ts reports what matches the pattern and is no IPv6 address. */
const network = pattern(
  `^(?:${byte}(?:\\.${byte}){3}(?:/(?:3[0-2]|[12]?[0-9]))?|[0-9a-fA-F]{0,4}:[0-9a-fA-F:.]{1,40}(?:/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9]))?)$`,
  'the address of a proxy or a network, for example 10.0.0.5 or 10.1.0.0/16',
);

const oidc = fields(
  {
    issuer: pattern(
      `^(?:https://${hostSource}|http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]))(?::${portSource})?(?:/[\\x21-\\x22\\x24-\\x3e\\x40-\\x7e]{0,512})?$`,
      'the https address of the provider, as its own metadata spells it (http on this machine only)',
    ),
    clientId: pattern('^[\\x21-\\x7e]{1,256}$', 'the id that the provider gave the portal'),
    clientSecret: credential,
    /** Holds Person.spec.login. Default preferred_username. */
    claim: pattern('^[\\x21-\\x7e]{1,128}$', 'the name of a claim'),
    /** In addition to `openid`. Default: profile and email. */
    scopes: { ...list(pattern('^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}$', 'the name of a scope')), uniqueItems: true },
    /** Name of the provider, for the button. */
    label: line('a name of 1 to 200 characters'),
  },
  ['issuer', 'clientId', 'clientSecret'],
);

const local = fields({
  prefix: pattern('^[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,199}$', 'a folder'),
  /** Its people may do what the portal may: asked for once there are several. Decision: docs/decisions/0151-people-of-a-local-server.md */
  trusted: flag,
});

const ssh = fields(
  {
    host: pattern(`^(?:${hostSource}|[0-9a-fA-F:.]{2,45})$`, 'a host name or an address'),
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    hostKey: pattern('^SHA256:[A-Za-z0-9+/]{43}=?$', 'the fingerprint of the host key as SHA256:… (ssh-keygen -lf)'),
    /** Account for root's work: root (default), or one that may sudo without a password. */
    admin: account,
    /** Private key, or the agent that holds it. Default: the portal's own, made at first use. A file is relative to the state folder. */
    key: sshKey,
    /** Folder of the kit on the server. Default /opt/svc. */
    kit: remoteFolder,
    /** Put before /opt and /var/lib on the server: for trials beside a real installation. */
    prefix: remoteFolder,
  },
  ['host', 'hostKey'],
);

/** No new starts; `svc server drain` writes it. Decision: docs/decisions/0418-a-server-that-is-drained.md */
const drain = fields({
  /** Apps that still run at that time (UTC) are stopped. Absent: each app runs for as long as somebody uses it. */
  deadline: pattern('^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9](?::[0-5][0-9])?Z$', 'a time such as 2026-03-01T18:00Z'),
});

/** It becomes a word of a command on the server. */
const word = (title: string) => pattern('^[A-Za-z0-9][A-Za-z0-9_.@%+,=:-]{0,127}$', title);
const whole = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

/** Decision: docs/decisions/0212-clusters.md */
const scheduler = exactlyOne({
  /** The portal's own machine. */
  local: fields({
    /** Account that runs the jobs, for a portal that is root. Default: the account of the portal. */
    account,
    /** Everybody's jobs may do what the portal may. */
    trusted: flag,
    /** Folders that confined jobs may read, besides programs and their settings. */
    readable: { ...list(remoteFolder), uniqueItems: true, maxItems: limits.clusterReadableMax },
  }),
  /** Its commands run on the server, those of a job as the account of the person. */
  slurm: fields(
    {
      server: name,
      partition: word('the name of a partition'),
      /** Account that Slurm charges. */
      account: word('the name of an account of Slurm'),
      qos: word('the name of a quality of service'),
      /** Folder of sbatch, squeue, sacct and scancel, where they are in no PATH. */
      bin: remoteFolder,
      /** SLURM_CONF. */
      conf: remoteFolder,
      /** Configuration of ssh from the server to the nodes, for apps that run as jobs. Default: the account's own and the machine's. */
      ssh: remoteFolder,
    },
    ['server'],
  ),
  kubernetes: fields(
    {
      /** Default: the service account of the pod that the portal runs in. */
      kubeconfig: credential,
      context: word('the name of a context of the kubeconfig'),
      namespace: pattern('^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$', 'the name of a namespace'),
      /** For jobs that name none. */
      image: pattern('^[a-z0-9][A-Za-z0-9._/:@-]{0,254}$', 'the name of an image'),
    },
    ['namespace'],
  ),
});

/** Bounds of an amount that a person asks for: `opcoes`, or from `min` to `max`; without them `padrao` is fixed. */
const quantity = (minimum: number, maximum: number) => {
  const amount = whole(minimum, maximum);
  return fields({ padrao: amount, min: amount, max: amount, opcoes: { ...list(amount), uniqueItems: true, minItems: 1, maxItems: 50 } }, [
    'padrao',
  ]);
};

const web = pattern(`^(?:https?://)?${hostSource}(?::${portSource})?/?$`, 'a host name or an http(s) address without a path');

export const specs = {
  Portal: fields({
    /** Address and port of the portal. */
    listen: pattern(`^${hostSource}:${portSource}$`, 'host:port, for example 127.0.0.1:8787'),
    /** Name under which browsers reach the portal, e.g. svc.localhost or https://apps.example.org. Default http://svc.localhost:PORT. */
    url: web,
    /** `subdomain` (default): an origin per app below the portal's name. `path`: one origin, trusted apps only. */
    origins: oneOf(['subdomain', 'path']),
    /** Addresses and networks of the reverse proxies whose X-Forwarded-For is believed. Default: none. */
    trustedProxies: { ...list(network), uniqueItems: true, maxItems: limits.trustedProxiesMax },
    /**
     * Packages that may run scripts in the shell: `system` (default), or `person`: also those that people install alone. Decision:
     * docs/decisions/0204-scripts-in-the-shell.md
     */
    shellScripts: oneOf(['system', 'person']),
    /** PATH is relative to the state folder. */
    store: pattern(
      `^(?:sqlite:[^\\u0000-\\u001f\\u007f]{1,4096}|postgres://[A-Za-z0-9_.-]{1,63}@${hostSource}(?::${portSource})?(?:,${hostSource}(?::${portSource})?){0,${limits.storeHostsMax - 1}}/[A-Za-z0-9_.-]{1,63})$`,
      'sqlite:PATH or postgres://USER@HOST/DATABASE (its password by storePassword), with HOST,HOST where a standby may be promoted',
    ),
    /** Password of the user in `store`, for PostgreSQL. */
    storePassword: credential,
    /** File with the certificates that the certificate of the database server is checked against. Default: those of Node. */
    storeCa: references.file,
    /** Key by which portals of one store recognize each other (`svc up --join`): the same for all of them, 32 characters or more. */
    portalKey: credential,
    /**
     * Folder (relative to the file) or URL that packages come from; or a list of them, the first of which that has an app offers it. Decision:
     * docs/decisions/0434-several-repositories.md
     */
    repository: repositorySchema,
    /** The queue; without it there is none. Decision: docs/decisions/0212-clusters.md */
    fila: fields({
      /** Names of Cluster documents, the one for jobs that name none first. Default: all, by name; with no Cluster document the portal's own machine, as `local`. */
      clusters: { ...list(name), uniqueItems: true, minItems: 1, maxItems: limits.clustersMax },
      /** Space for the inputs and outputs of one person's jobs together. */
      espacoMb: whole(1, 1_000_000_000),
      /** How long what a job left is kept after its end. */
      dias: whole(1, 3_650),
    }),
    /** Backups that the portal makes by itself. Decision: docs/decisions/0407-scheduled-backups.md */
    backup: fields(
      {
        /** Folder; relative to the state folder, in which it may not be. */
        to: references.file,
        /** Minutes, hours or days. */
        every: duration,
        /** As the options `--keep-…` of `svc backup`; without it all stay. */
        keep: fields({ last: whole(1, 10_000), daily: whole(1, 10_000), weekly: whole(1, 10_000), monthly: whole(1, 10_000) }),
      },
      ['to', 'every'],
    ),
    /** Limits of processes, in the words of the manifest. Decision: docs/decisions/0414-ceilings-of-the-administrator.md */
    resources: fields({
      /** For what a manifest does not say. */
      default: resourcesSchema,
      /** The most that any backend gets, whatever its manifest says. */
      ceiling: resourcesSchema,
      /** The most that all backends of one person get together, on each server. */
      person: resourcesSchema,
    }),
    /** The audit record. Decision: docs/decisions/0401-the-audit-record.md */
    audit: fields({
      /** Days that are kept. Default: 365. */
      keepDays: whole(1, 3_650),
      /** Each line also to the log of the system, by `logger`. Default: false. */
      syslog: flag,
    }),
    /** Rooms. Decision: docs/decisions/0447-history-of-rooms.md */
    rooms: fields({
      /** Days for which versions of their documents are kept; 0: none are. Default: 365. */
      historyDays: whole(0, 3_650),
    }),
    /** Ways to sign in, in addition to the one-time link (`svc link`). Decision: docs/decisions/0070-signing-in.md */
    signIn: fields({
      /** Person that the printed link signs in. Default: the only person, or the first by name. */
      local: fields({ person: name }),
      /** Login and password, judged by the sshd of the person's own server. */
      ssh: fields({}),
      oidc,
      /** Passkeys, which people make themselves. Decision: docs/decisions/0384-passkeys.md */
      passkey: fields({}),
    }),
    /**
     * People whose sessions may do what a link with --admin allows: names of people, and groups that people are in. Decision:
     * docs/decisions/0399-administrators-by-name-and-group.md
     */
    admins: fields({ people: { ...list(name), uniqueItems: true }, groups: { ...list(group), uniqueItems: true } }),
  }),
  Server: exactlyOneWith({ local, ssh }, { drain }),
  Person: fields(
    {
      nome: line('a name of 1 to 200 characters'),
      /** As the provider has it, to the letter; it is compared, and no part of a path or command. docs/decisions/0343-logins-of-providers.md */
      login: pattern('^[!-~]{1,128}$', 'a login of 1 to 128 visible ASCII characters, without blanks'),
      server: name,
      /** On a local server the account that runs the controller. */
      account,
      grupos: { ...list(group), uniqueItems: true },
    },
    ['nome', 'login', 'server'],
  ),
  /** A person for each member of a group; `group` or `oidc`. Decision: docs/decisions/0398-people-of-the-system.md */
  People: fields(
    {
      server: name,
      /** On that server: as a supplementary or as the primary group of the account. */
      group,
      oidc: fields(
        {
          claim: pattern('^[\\x21-\\x7e]{1,128}$', 'the name of a claim'),
          /** The claim is one of them, or a list with one of them. */
          values: {
            ...list(
              pattern(
                '^[^\\s\\u0000-\\u001f\\u007f](?:[^\\u0000-\\u001f\\u007f]{0,254}[^\\s\\u0000-\\u001f\\u007f])?$',
                'a value of the claim, without spaces around it',
              ),
            ),
            uniqueItems: true,
            minItems: 1,
            maxItems: limits.peopleValuesMax,
          },
        },
        ['claim', 'values'],
      ),
    },
    ['server'],
  ),
  Package: fields(
    {
      app,
      versao: pattern('^[0-9A-Za-z][0-9A-Za-z.\\-+_]*$', 'a version such as 1.4.2'),
      /**
       * A single server; or `servers`: an installation on each of them, `all` also on those that are added later. Decision:
       * docs/decisions/0411-one-package-on-many-servers.md
       */
      server: name,
      servers: packageServers,
      instalacao: oneOf(['sistema', 'pessoa']),
      pessoa: name,
      /**
       * People who see and open it: those in one of these groups. Absent: everybody of the server. Decision:
       * docs/decisions/0412-who-sees-a-package.md
       */
      grupos: { ...list(group), uniqueItems: true, minItems: 1, maxItems: limits.packageGroupsMax },
      /** When another version takes the place of the one that is there: `agora` (default), or once nobody runs it. Decision: docs/decisions/0413-an-update-that-waits.md */
      aplicar: oneOf(['agora', 'ao-parar']),
      /** The Cluster whose jobs its backends are. Decision: docs/decisions/0437-backends-on-a-cluster.md */
      onde: name,
      /** Amounts that a person may ask for when they start it there. */
      formulario: fields({
        cpus: quantity(1, 4_096),
        memoriaMb: quantity(16, 16_000_000),
        segundos: quantity(1, 31_536_000),
        gpus: quantity(0, 1_024),
      }),
      /** The longest that a person's backend runs at once. Decision: docs/decisions/0433-the-end-of-a-run-is-told.md */
      maximo: duration,
      /** The most that each of its backends gets, in place of `Portal.spec.resources.ceiling`. */
      resources: resourcesSchema,
      /** Nothing of the package is changed: no installation, upgrade, repair or rollback. */
      paused: flag,
    },
    ['app', 'versao'],
  ),
  Grant: fields(
    {
      app,
      sala: line('the name of a room'),
      dona: name,
      pessoas: list(fields({ usuario: name, papel: oneOf(['dona', ...guestRoles]) }, ['usuario', 'papel'])),
      grupos: list(fields({ grupo: group, papel: oneOf(guestRoles) }, ['grupo', 'papel'])),
    },
    ['app', 'sala', 'dona'],
  ),
  Cluster: fields(
    {
      scheduler,
      /** Address under which its jobs reach the portal. Default: `Portal.spec.url`. */
      portal: web,
      /** Jobs that the cluster has at once; the others wait in the portal. */
      emVoo: whole(1, 10_000),
      /** Bounds within these for one person, and for one app. Default: as many as `emVoo`. */
      porPessoa: whole(1, 10_000),
      porApp: whole(1, 10_000),
      /** The most that one job may ask for. */
      limites: fields({ cpus: whole(1, 4_096), memoriaMb: whole(16, 16_000_000), segundos: whole(1, 31_536_000), gpus: whole(0, 1_024) }),
    },
    ['scheduler'],
  ),
  Backend: fields({ app, pessoa: name, estado: oneOf(['ligado', 'desligado']) }, ['app', 'pessoa', 'estado']),
} as const;

/** Kinds whose documents own something; removing one of the others takes effect at once. */
export const owners: ReadonlySet<keyof typeof specs> = new Set(['Server', 'Person', 'Package', 'Grant', 'Cluster']);

export const desiredKinds = Object.keys(specs) as (keyof typeof specs)[];

export function desiredSchema(kind: keyof typeof specs): Readonly<Record<string, unknown>> {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `urn:svc:schema:desired:${kind.toLowerCase()}:v1`,
    ...fields(
      {
        apiVersion: { type: 'string', const: 'svc/v1' },
        kind: { type: 'string', const: kind },
        metadata: fields({ name }, ['name']),
        spec: specs[kind],
      },
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ),
  };
}

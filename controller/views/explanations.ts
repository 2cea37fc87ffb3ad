/** Each reason in words for `svc why`. PERSON, APP, PID, JOB, SERVER and FOLDER (the desired state) are replaced by the names of the case. */
import type { Reason } from '../../schema/backend.ts';

export interface Explanation {
  /** Completes "because …". */
  readonly because: string;
  /** null: nothing has to be mended. */
  readonly fix: string | null;
  readonly waitsFor?: string;
}

const startIt = 'start it: svc start PERSON/APP, or open its window';
export const restartIt = 'restart it to run the installed code: svc restart PERSON/APP';
const readLog = 'read what it printed: svc logs PERSON/APP';
/** Advice for an app that runs again: a start begins a new log. */
export const readPrevious = 'read what it printed: svc logs PERSON/APP --previous';

export const writePackage = 'write a Package document for it';

export const stayInFront = 'make the entrypoint stay and serve: no fork, no daemon mode; its log tells nothing more';

/** A disk may have bytes left and take no more files, and an account may have used up its quota. */
export const makeRoom =
  'make room in the home of the account (df -h, df -i and quota say of what: bytes or files): everything goes on by itself';

export const readOnlyHome: Explanation = {
  because: 'the home of the account is on a read-only file system',
  fix: 'mount it writable again (mount -o remount,rw; dmesg says why it became read-only): everything goes on by itself',
};

/** The deadline of a running app is that of its aoFechar. Source: rules 3.3, `encerrar` and `ocioso:<N>m`. */
export const useOrEnd = 'somebody to use it: without a window or a connection until then, its aoFechar stops it';

/** A row per reason of schema/backend.ts; docs/reasons.md explains them at length. */
const explanations: { readonly [Name in Reason]: Explanation } = {
  NeverStarted: { because: 'it was not requested yet', fix: startIt },
  StoppedByPerson: { because: 'the person stopped it', fix: startIt },
  StoppedByAdmin: { because: 'an administrator stopped it', fix: startIt },
  LastWindowClosed: {
    because: 'its last window was closed for two minutes and aoFechar is encerrar',
    fix: 'open its window; aoFechar: manter keeps it',
  },
  Idle: { because: 'no connection was open for the time that its aoFechar gives', fix: 'open its window; a longer ocioso keeps it longer' },
  PinnedStopped: { because: 'a Backend document says estado: desligado', fix: 'remove the document or say estado: ligado' },
  HashChanged: { because: 'other code was installed than the one that ran', fix: startIt },
  PersonRemoved: {
    because: 'the document of its person was removed, or they left the group that a People document names',
    fix: 'write the Person document again, or put them back into the group',
    waitsFor: 'what the person had there to end',
  },
  NotInGroup: {
    because: 'its Package document is for other groups',
    fix: 'put the person into one of these groups, or add a group of theirs to grupos of the Package document',
  },
  DocumentRemoved: { because: 'its document was removed', fix: 'write the document again', waitsFor: 'what it owned to go' },
  Uninstalled: { because: 'its package was removed', fix: writePackage },
  Reinstalled: { because: 'its package was removed, which ended it; it is there again', fix: startIt },
  WishDeleted: { because: 'its env file on the server was deleted (~/.svc-apps/APP/env), which is a wish to stop', fix: startIt },
  StartRequested: { because: 'a start was asked for', fix: null, waitsFor: 'the supervisor to launch it' },
  PinnedRunning: { because: 'a Backend document says estado: ligado', fix: null, waitsFor: 'the supervisor to launch it' },
  ServiceStart: { because: 'it is a service and its person is here', fix: null, waitsFor: 'the supervisor to launch it' },
  SettingUp: { because: 'its installCommand runs', fix: null, waitsFor: 'the set-up to end' },
  Probing: { because: 'its process runs and has not answered healthcheckPath yet', fix: null, waitsFor: 'a ready answer' },
  SlowStart: { because: 'fifteen probes went by without a ready answer', fix: readLog, waitsFor: 'a ready answer' },
  SocketLost: { because: 'somebody deleted the socket that it listened on', fix: null, waitsFor: 'the new process to answer' },
  NotAnswering: {
    because: 'its process runs and does not answer',
    fix: `${readLog}; if it is not at work, restart it: svc restart PERSON/APP`,
  },
  Suspended: { because: 'its process is stopped by a signal', fix: 'kill -CONT PID on its server, or svc restart PERSON/APP' },
  Healthy: { because: 'it answers its health probe', fix: null },
  Adopted: { because: 'it was found running and answers', fix: null },
  Crashed: { because: 'its process died', fix: readLog, waitsFor: 'the next attempt' },
  ExitedAtOnce: { because: 'its process ended right after it began', fix: readLog, waitsFor: 'the next attempt' },
  OutOfMemory: {
    because: 'it used more memory than its ceiling',
    fix: 'raise resources.memoryMax in its manifest, and in the Portal or Package document where one is lower, or find the leak',
    waitsFor: 'the next attempt',
  },
  NeverBound: {
    because: 'it runs without binding the socket named by SVC_APP_SOCKET',
    fix: 'bind SVC_APP_SOCKET (servidor.escutar, escutar)',
  },
  BoundTcp: {
    because: 'it binds a TCP port instead of the socket named by SVC_APP_SOCKET',
    fix: 'bind SVC_APP_SOCKET (servidor.escutar, escutar)',
  },
  AnswersError: { because: 'its health probe gets an error', fix: `${readLog}; check backend.healthcheckPath` },
  RefusesToken: {
    because: 'it refuses the token of its own probe',
    fix: 'compare X-Svc-App-Token with SVC_APP_TOKEN as the runtime library does',
  },
  InstallCommandFailed: { because: 'its installCommand failed', fix: 'read the log; make the command idempotent and start it again' },
  InvalidManifest: { because: 'its svc-app.json can not be acted on', fix: 'svc validate with that file names the place' },
  InvalidEnvironment: {
    because: 'its environment or its secrets can not be used',
    fix: 'mend the file or the value that the message names',
  },
  EnvFileDamaged: {
    because: 'its env file on the server was damaged',
    fix: 'wait: the portal writes it anew; if it is damaged again, find who does that',
    waitsFor: 'the portal to write it anew',
  },
  EngineMissing: {
    because: 'an engine that it declares is not on the server',
    fix: 'an administrator of the server runs: svc-app-install APP, which downloads it',
  },
  PackageMissing: { because: 'it is pinned and its package is not there', fix: writePackage, waitsFor: 'the package' },
  NoGpu: { because: 'it needs a GPU and the server has none that it can use', fix: 'run it on a server with a GPU, then start it again' },
  GpuBusy: {
    because: 'it needs a GPU and another app holds the one that its server has',
    fix: 'wait, or stop the app that holds it: svc get backends',
    waitsFor: 'a GPU to be freed',
  },
  DiskFull: { because: 'the disk of its server is full', fix: makeRoom },
  SocketPathTooLong: { because: 'the path of its socket is longer than the kernel takes', fix: 'choose a shorter prefix or id' },
  SocketRefused: {
    because: 'there is something else at the path of its socket',
    fix: `on the server, move away what the message names; then svc start PERSON/APP`,
  },
  RuntimeMissing: {
    because: 'a program that runs it is not on the server, or can not be run',
    fix: `install what the message names on SERVER (for python3: apt-get install -y python3), or mend the entrypoint; ${startIt}`,
  },
  TooManyFailures: {
    because: 'it failed five times in a row',
    fix: `${readLog}; ${startIt}`,
    waitsFor: 'ten minutes of silence, or somebody to start it',
  },
  ServerUnreachable: {
    because: 'its server does not answer',
    fix: 'svc why Server/SERVER says why; apps there live on',
    waitsFor: 'the server',
  },
  HostKeyChanged: {
    because: 'its server shows another host key than the one that its document pins',
    fix: 'on the console of SERVER: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub; if that is what svc server trust SERVER FOLDER shows, write it as hostKey into Server/SERVER; if it is not, another machine answers in its place',
    waitsFor: 'the right key',
  },
  KeyRefused: {
    because: 'its server does not let the portal in',
    fix: 'svc doctor --server SERVER says which line goes where',
    waitsFor: 'the server to let the key in',
  },
  KeyUnreadable: {
    because: "the portal can't read the key by which it signs in at the server",
    fix: 'mend what the message names on the machine of the portal',
    waitsFor: 'the key',
  },
  AdminRefused: {
    because: "the administrator's account does not become root on its server",
    fix: 'svc doctor --server SERVER has the line that lets it',
    waitsFor: 'sudo to let it',
  },
  KitMissing: { because: 'the server kit is not there whole', fix: 'svc server add SERVER', waitsFor: 'the kit' },
  ClockOff: {
    because: 'its clock and that of the portal differ',
    fix: 'date -u on both says which is wrong; there: timedatectl set-ntp true',
  },
  SupervisorStarting: { because: 'the supervisor of its person is being started', fix: null, waitsFor: 'the supervisor' },
  SupervisorFailed: {
    because: 'the supervisor of its person does not start',
    fix: 'read ~/.svc-apps/supervisor.log of the account on the server',
    waitsFor: 'the next attempt',
  },
  ShellRefused: {
    because: 'the shell of the account lets nobody in',
    fix: 'give the account a shell: usermod -s /bin/bash ACCOUNT on the server',
    waitsFor: 'the next attempt',
  },
  LoginShell: {
    because: 'the login shell of the account is in the way of commands',
    fix: 'mend ~/.bashrc of the account as the message says',
    waitsFor: 'the next attempt',
  },
  HomeMissing: {
    because: 'the home of the account does not exist',
    fix: 'make it, owned by the account, on the server',
    waitsFor: 'the next attempt',
  },
  AccountMissing: {
    because: 'the server has no account of that name',
    fix: 'make the account on SERVER, or correct account in the Person document',
    waitsFor: 'the account',
  },
  SupervisorLost: {
    because: 'the supervisor of its person ended',
    fix: 'the end of ~/.svc-apps/supervisor.log of the account says how; svc doctor --server SERVER, whether the way there is open',
    waitsFor: 'the supervisor to come back',
  },
  FilesUnreadable: {
    because: "its files on the server can't be read",
    fix: 'mend what the message names (mode, owner, disk, network home); everything comes back by itself',
    waitsFor: 'its files to be readable',
  },
  CeilingIgnored: {
    because: 'a ceiling of the administrator does not hold',
    fix: 'svc describe says which and why, in the condition Contained',
  },
  LingerBroken: { because: 'the user manager of the account is not there', fix: 'loginctl enable-linger ACCOUNT on the server' },
  NotObservedYet: { because: 'it was not observed yet', fix: null, waitsFor: 'the first observation' },
  NotInstalled: { because: 'it is not installed there', fix: writePackage },
  Installed: { because: 'the wanted version is on the server', fix: null },
  Installing: { because: 'it is being installed', fix: null, waitsFor: 'the installation' },
  Downloading: { because: 'its files are on their way', fix: null, waitsFor: 'the download' },
  Cancelled: { because: 'its installation was cancelled', fix: null },
  UpdateWaits: {
    because: 'another version is wanted, which takes its place once nobody runs it',
    fix: null,
    waitsFor: 'those who run it to stop it; svc top says who they are, and aplicar: agora does not wait',
  },
  Outdated: { because: 'another version is wanted than the one on the server', fix: null, waitsFor: 'the installation' },
  KitWaits: { because: 'a new server kit goes to one server first', fix: null, waitsFor: 'that server' },
  KitStopped: {
    because: 'the new server kit did not do well on another server; this one goes on with the one it has',
    fix: 'mend the server that the message names (svc why, svc doctor --server), then svc server add with its name; the others follow',
    waitsFor: 'that server',
  },
  Drift: {
    because: 'its files were changed on the server',
    fix: 'nothing while the repository holds that version: they are put back; otherwise publish it again or ask for another; paused: true in its document leaves them',
    waitsFor: 'its repair',
  },
  // Conditions whose message says by itself what to do.
  SourceChanged: { because: 'its source has other files under the same version', fix: 'raise its version, or install the same one again' },
  Paused: { because: 'its document says paused: true', fix: 'remove paused from the document' },
  RolledBack: {
    because: 'somebody went back to the version before',
    fix: 'ask for another versao, or end it: svc rollback NAME --undo',
    waitsFor: 'another version to be wanted',
  },
  Granted: { because: 'its room and its roles are as the document says', fix: null },
  Granting: { because: 'its room or its roles are not yet as the document says', fix: null, waitsFor: 'the next round' },
  ReferenceMissing: {
    because: 'the document names a person, a group or an app that is not there',
    fix: 'write the Person, put somebody into the group, or correct the document',
    waitsFor: 'them',
  },
  GrantRefused: {
    because: 'the room or its owner has reached a limit',
    fix: 'take somebody out of the room, or delete a room of its owner',
    waitsFor: 'the next round',
  },
  SourceMissing: {
    because: 'the repository does not hold the wanted version',
    fix: 'put it into the repository or correct versao',
    waitsFor: 'the repository',
  },
  SourceRefused: {
    because: 'the package that the repository holds can not be offered',
    fix: 'mend in the repository what the message names; svc validate with its svc-app.json shows each mistake',
    waitsFor: 'the repository',
  },
  RepositoryUnreadable: {
    because: 'nobody knows whether the repository holds the wanted version',
    fix: 'mend what the message names: the repository, what serves it, or repository in the Portal document',
    waitsFor: 'the repository',
  },
  CapabilityMissing: {
    because: 'it requires a capability that no installed app offers',
    fix: 'install the app that the message names',
    waitsFor: 'that app',
  },
  ShellTooOld: { because: 'it needs a newer shell (minShellVersion)', fix: 'update svc, or ask for an older versao' },
  ScopeRefused: {
    because: 'it can not be installed in this scope there',
    fix: 'change instalacao, or server, in the document as the message says',
  },
  InstallFailed: { because: 'its installation failed', fix: 'mend what the message names', waitsFor: 'the next attempt' },
  Undeclared: { because: 'no installed package declares it', fix: null, waitsFor: 'its removal' },
  Provisioned: { because: 'it is there', fix: null },
  NeverSignedIn: { because: 'the person has not signed in yet', fix: null, waitsFor: 'the person' },
  SessionEnded: { because: 'the person is not signed in and nothing has to be kept alive', fix: null },
  Reachable: { because: 'the server answers', fix: null },
  Listening: { because: 'the folder is in force', fix: null },
  PendingPrune: {
    because: 'documents are gone from the folder, more than goes without asking',
    fix: 'svc plan shows them; svc apply --prune removes them',
  },
  AccountClosed: {
    because: 'an administrator of the server locked the account, or let it expire',
    fix: 'an administrator of the server opens the account again, or remove the Person document',
  },
  Listed: { because: 'it is known who its people are', fix: null },
  GroupMissing: {
    because: 'the server has no such group, or the directory that has it does not answer there',
    fix: 'make the group, start its directory (SSSD), or correct group in the document; getent group on the server lists what it has',
    waitsFor: 'the group',
  },
  ListUnreadable: {
    because: 'what the server said of its accounts can not be read',
    fix: 'mend what the message names: getent passwd and getent group must work there for the account that the portal signs in with',
    waitsFor: 'the next look',
  },
  OtherPortal: {
    because: 'somebody else changes the keys that this portal puts there',
    fix: 'end the other portal, or take the server out of the folder of one of the two; ten minutes later this is told no more',
  },
  RestartNeeded: {
    because: 'the Portal document was changed where a portal reads it only when it starts',
    fix: 'restart the portal; apps go on meanwhile',
  },
  Invalid: { because: 'something is wrong with it', fix: 'correct the place that the message names' },
  JobHeld: {
    because: 'the portal lets jobs go person by person, and its turn has not come',
    fix: 'wait, or raise emVoo in the document of its cluster',
    waitsFor: 'a place on its cluster',
  },
  JobSubmitting: { because: 'it is being handed to its cluster', fix: null, waitsFor: 'the answer of the cluster' },
  JobQueued: { because: 'its cluster has it and has not begun', fix: null, waitsFor: 'the cluster' },
  JobRunning: { because: 'its command runs', fix: null, waitsFor: 'its end' },
  JobCollecting: { because: 'its command ended and its outputs come in', fix: null, waitsFor: 'its outputs' },
  JobDone: { because: 'its command ended with code 0', fix: null },
  OutputsIncomplete: {
    because: 'its command ended with code 0 and not all of its outputs arrived',
    fix: 'svc jobs logs JOB names what was not sent, and why: give it another name, or make room (of the person, or fila.espacoMb in the Portal document), and submit it again',
  },
  CommandFailed: {
    because: 'its command ended with an error',
    fix: 'read what it printed: svc jobs logs JOB; mend it, or give it more time, and submit it again',
  },
  JobFailed: { because: 'its cluster ended it', fix: 'the message says why (time, memory, a node); submit it again with other limits' },
  JobRefused: { because: 'its cluster said no to it', fix: 'correct what the message names, and submit it again' },
  JobCancelled: { because: 'it was cancelled', fix: null },
  CancelRequested: { because: 'it is to be cancelled', fix: null, waitsFor: 'the cluster to confirm it' },
  JobLost: {
    because: 'its cluster took it, does not know it any more, and it said nothing of its end',
    fix: 'ask who runs the cluster; submit it again',
  },
  JobWaitedTooLong: { because: 'its turn did not come in time', fix: 'submit it again, or to another cluster' },
  ClusterUnreachable: {
    because: 'its cluster does not answer',
    fix: 'look at the cluster: what runs there goes on, and is found again',
    waitsFor: 'the cluster',
  },
  ClusterChanged: {
    because: 'its cluster is another engine now than the one that took it',
    fix: 'write the engine of before into its Cluster document again, or give the new one another name; or cancel the job: svc jobs cancel JOB',
    waitsFor: 'its wrapper to report, or its engine to be named again',
  },
  ClusterMissing: {
    because: 'no document names its cluster',
    fix: 'write the Cluster document again, or cancel the job',
    waitsFor: 'the document',
  },
};

/** The same reasons, said of a package or an engine. */
const ofPackages: Partial<Record<Reason, Explanation>> = {
  PackageMissing: {
    because: 'the server lacks a Linux package that it needs',
    fix: 'an administrator of the server types the line that the message names',
    waitsFor: 'the Linux package',
  },
  EngineMissing: { because: 'it is declared and not on the disk', fix: null, waitsFor: 'its download' },
  InstallCommandFailed: {
    because: 'its installCommand failed',
    fix: 'read the install.log that the message names; publish a version that mends it',
    waitsFor: 'the next attempt',
  },
  DiskFull: { because: 'the disk of the server is full', fix: 'free space there', waitsFor: 'the next attempt' },
  InvalidManifest: {
    because: 'its svc-app.json can not be acted on',
    fix: 'svc validate with that file names the place; publish another version',
  },
};

/** Explanations for a server itself. */
const ofServers: Partial<Record<Reason, Explanation>> = {
  ServerUnreachable: {
    because: 'it does not answer',
    fix: 'svc doctor --server SERVER says at which step it fails, and what mends it; apps there live on',
    waitsFor: 'the server',
  },
  NotInstalled: { because: 'the server kit is not there', fix: 'svc server add SERVER', waitsFor: 'the kit' },
  InstallFailed: {
    because: 'the server kit could not be put in place',
    fix: 'mend what the message names; svc server add SERVER tries at once',
    waitsFor: 'the next attempt',
  },
  DiskFull: { because: 'its disk is full', fix: 'make room below /opt on SERVER', waitsFor: 'the next attempt' },
  LingerBroken: {
    because: 'service managers of accounts are not there',
    fix: 'svc doctor --server SERVER has the line for each account',
  },
};

/** Explanations for an app for everybody on a server. */
const ofServices: Partial<Record<Reason, Explanation>> = {
  SocketRefused: {
    because: 'nothing answers on its socket',
    fix: 'on SERVER: journalctl -u svc-app-APP.service says why; mend it, then systemctl reset-failed svc-app-APP.service and systemctl restart svc-app-APP.service',
  },
};

const ofKinds: Readonly<Partial<Record<string, Partial<Record<Reason, Explanation>>>>> = {
  Package: ofPackages,
  Engine: ofPackages,
  Server: ofServers,
  Service: ofServices,
};

export function explanationOf(kind: string, reason: Reason): Explanation {
  return ofKinds[kind]?.[reason] ?? explanations[reason];
}

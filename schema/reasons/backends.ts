/** Reasons of an app: stopped, starting, running, and why it fails. */
import { makeRoom, readLog, startIt, writePackage } from './fixes.ts';
import type { Rows } from './row.ts';

export const stopped = {
  NeverStarted: {
    words: { pt: 'Ainda não foi iniciado', en: 'Not started yet' },
    because: 'it was not requested yet',
    fix: startIt,
    stopped: 'was never started',
  },
  StoppedByPerson: {
    words: { pt: 'Parado por você', en: 'Stopped by you' },
    because: 'the person stopped it',
    fix: startIt,
    isOrder: true,
  },
  StoppedByAdmin: {
    words: { pt: 'Parado pelo administrador', en: 'Stopped by the administrator' },
    because: 'an administrator stopped it',
    fix: startIt,
    isOrder: true,
  },
  LastWindowClosed: {
    words: { pt: 'Última janela fechada', en: 'Last window closed' },
    because: 'its last window was closed for two minutes and aoFechar is encerrar',
    fix: 'open its window; aoFechar: manter keeps it',
    stopped: 'its last window was closed for two minutes',
    isOrder: true,
  },
  Idle: {
    words: { pt: 'Sem uso', en: 'Idle' },
    because: 'no connection was open for the time that its aoFechar gives',
    fix: 'open its window; a longer ocioso keeps it longer',
    stopped: 'no connection was open for the time of its idle policy',
  },
  TimeLimit: {
    words: { pt: 'Rodou o tempo máximo que o administrador permite', en: 'Ran for the longest time that the administrator allows' },
    because: 'it ran for the longest time that its Package document allows (maximo)',
    fix: `${startIt}; a longer maximo lets it run longer`,
    stopped: 'it ran for the longest time that its Package document allows (maximo)',
    isOrder: true,
  },
  PinnedStopped: {
    words: { pt: 'Desligado pelo administrador', en: 'Kept off by the administrator' },
    because: 'a Backend document says estado: desligado',
    fix: 'remove the document or say estado: ligado',
    stopped: 'a Backend document pins it stopped (estado: desligado)',
    isOrder: true,
  },
  HashChanged: {
    words: { pt: 'O pacote mudou', en: 'The package changed' },
    because: 'other code was installed than the one that ran',
    fix: startIt,
    stopped: 'other code was installed; the next start uses it',
    isOrder: true,
  },
  Uninstalled: { words: { pt: 'Desinstalado', en: 'Uninstalled' }, because: 'its package was removed', fix: writePackage, isOrder: true },
  PersonRemoved: {
    words: { pt: 'Pessoa removida', en: 'Person removed' },
    because: 'the document of its person was removed, or they left the group that a People document names',
    fix: 'write the document again, or put them back into the group',
    waitsFor: 'what the person had there to end',
    stopped: 'the document of its person was removed',
    isOrder: true,
  },
  NotInGroup: {
    words: { pt: 'Só para outros grupos', en: 'For other groups only' },
    because: 'its Package document is for other groups',
    fix: 'put the person into one of them, or add a group of theirs to grupos of the Package document',
    stopped: 'its person was in none of the groups that it was for',
    isOrder: true,
  },
  Drained: {
    words: { pt: 'O servidor está saindo de uso', en: 'The server is taken out of use' },
    because: 'its server is taken out of use (svc server drain): nothing is started there',
    fix: 'svc server drain SERVER --undo',
    as: {
      Server: {
        because: 'it is taken out of use, and nothing runs there',
        fix: 'svc server drain NAME --undo',
      },
    },
  },
  PersonMoves: {
    words: { pt: 'Indo para outro servidor', en: 'Going to another server' },
    because: 'the apps of its person go to another server (svc person move): nothing is started until they are there',
    waitsFor: 'the move to end',
    more: 'Without the command the hold ends two minutes after the copy: give it again',
  },
  DocumentRemoved: {
    words: { pt: 'Documento removido', en: 'Document removed' },
    because: 'its document was removed',
    fix: 'write the document again',
    waitsFor: 'what it owned to go',
    more: 'A server goes once its people and packages have left',
  },
  Reinstalled: {
    words: { pt: 'Reinstalado', en: 'Installed again' },
    because: 'its package was removed, which ended it; it is there again',
    fix: startIt,
    stopped: 'its package was removed and is there again; the next start uses it',
  },
  EndedByItself: {
    words: { pt: 'Encerrado por dentro', en: 'Ended from within' },
    because: 'it was ended from within (a Quit in its menu), which it says is a wish to stop',
    fix: startIt,
    stopped: 'it was ended from within',
    more: 'By `svc-wrap --exit-is-stop`, or `servidor.encerrar()` of an SDK',
  },
  JobTimeOver: {
    words: { pt: 'O tempo pedido acabou', en: 'The time that was asked for is over' },
    because: 'it ran on a cluster for as long as was asked for',
    fix: startIt,
    stopped: 'its time on the cluster was over',
    more: 'It is not started again on its own ([clusters.md](clusters.md#apps-as-jobs))',
  },
  JobEnded: {
    words: { pt: 'Terminou no cluster', en: 'It ended on the cluster' },
    because: 'its job on a cluster ended; `svc logs` shows its last lines',
    fix: startIt,
    stopped: 'its job on the cluster ended',
    more: 'Also when its node went down',
  },
  ClusterCancelled: {
    words: { pt: 'Cancelado no cluster', en: 'Cancelled on the cluster' },
    because: 'its job was cancelled on the cluster (scancel)',
    fix: startIt,
    stopped: 'its job was cancelled on the cluster',
  },
  ClusterRefused: {
    words: { pt: 'O cluster recusou o pedido', en: 'The cluster refused the request' },
    because: 'the cluster refused its job for good; the message has its words',
    fix: 'ask for less, or change formulario of the Package document, or the Cluster document',
    stopped: 'the cluster refused its job',
  },
  WishDeleted: {
    words: { pt: 'Arquivo de ambiente apagado no servidor', en: 'Environment file deleted on the server' },
    because: 'its env file on the server was deleted (~/.svc-apps/APP/env), which is a wish to stop',
    fix: startIt,
    stopped: 'its env file on the server was deleted',
  },
} as const satisfies Rows;

export const starting = {
  StartRequested: {
    words: { pt: 'Início pedido', en: 'Start requested' },
    because: 'a start was asked for',
    waitsFor: 'the supervisor to launch it',
  },
  PinnedRunning: {
    words: { pt: 'Ligado pelo administrador', en: 'Kept on by the administrator' },
    because: 'a Backend document says estado: ligado',
    waitsFor: 'the supervisor to launch it',
  },
  ServiceStart: {
    words: { pt: 'Serviço inicia sozinho', en: 'A service starts by itself' },
    because: 'it is a service and its person is here',
    waitsFor: 'the supervisor to launch it',
  },
  SettingUp: {
    words: { pt: 'Preparando', en: 'Setting up' },
    because: 'its installCommand runs',
    waitsFor: 'the set-up to end',
    more: '`svc logs -f` shows it',
  },
  InQueue: {
    words: { pt: 'Na fila do cluster', en: 'In the queue of the cluster' },
    because: 'its job waits on the cluster',
    waitsFor: 'the cluster to begin it',
    life: 'slow',
  },
  JobStarting: {
    words: { pt: 'Começando no cluster', en: 'Beginning on the cluster' },
    because: 'its job runs, and its socket is not carried here yet',
    waitsFor: 'its socket on the node, and ssh from the server to the node',
    life: 'slow',
  },
  Probing: {
    words: { pt: 'Esperando a resposta', en: 'Waiting for its answer' },
    because: 'its process runs and has not answered healthcheckPath yet',
    waitsFor: 'a ready answer',
    more: 'It is asked once a second, for at most 15 s',
  },
  SlowStart: {
    words: { pt: 'Início demorado', en: 'Slow start' },
    because: 'fifteen probes went by without a ready answer',
    fix: readLog,
    waitsFor: 'a ready answer',
    more: 'It is asked on; slow start-up work belongs behind the socket',
    life: 'slow',
  },
  SocketLost: {
    words: { pt: 'O socket dele sumiu: iniciando de novo', en: 'Its socket vanished: starting again' },
    because: 'somebody deleted the socket that it listened on',
    waitsFor: 'the new process to answer',
    more: 'That counts as no failure; look for the script that deletes `~/.svc-apps/ID/app.sock`',
  },
} as const satisfies Rows;

export const running = {
  Healthy: { words: { pt: 'Respondendo', en: 'Answering' }, because: 'it answers its health probe', life: 'answers' },
  Adopted: {
    words: { pt: 'Encontrado em execução', en: 'Found running' },
    because: 'it was found running and answers',
    life: 'answers',
  },
  NotAnswering: {
    words: { pt: 'O aplicativo não responde', en: 'The app does not answer' },
    because: 'its process runs and does not answer',
    fix: `${readLog}; if it is not at work, restart it: svc restart PERSON/APP`,
    more: 'Three probes in a row got no answer. It may be at work, and is not ended',
    life: 'silent',
  },
  Suspended: {
    words: { pt: 'O processo do aplicativo está suspenso', en: 'The process of the app is suspended' },
    because: 'its process is stopped by a signal',
    fix: 'kill -CONT PID on its server, or svc restart PERSON/APP',
    more: 'SIGSTOP, or a debugger',
    life: 'silent',
  },
} as const satisfies Rows;

export const failed = {
  Crashed: {
    words: { pt: 'O processo terminou sozinho', en: 'The process ended by itself' },
    because: 'its process died',
    fix: readLog,
    waitsFor: 'the next attempt',
    more: '`svc logs --previous` has the end of its log',
  },
  ExitedAtOnce: {
    words: { pt: 'Terminou logo ao iniciar', en: 'Ended as soon as it started' },
    because: 'its process ended right after it began',
    fix: readLog,
    waitsFor: 'the next attempt',
    more: 'Often a module is missing',
  },
  OutOfMemory: {
    words: { pt: 'Passou do limite de memória', en: 'Over its memory limit' },
    because: 'it used more memory than its ceiling',
    fix: 'raise resources.memoryMax in its manifest, and in the Portal or Package document where one is lower, or find the leak',
    waitsFor: 'the next attempt',
  },
  NeverBound: {
    words: { pt: 'Iniciou, mas não atende: não abriu o socket', en: 'Started, but does not answer: it never opened its socket' },
    because: 'it runs without binding the socket named by SVC_APP_SOCKET',
    fix: 'bind SVC_APP_SOCKET (servidor.escutar, escutar)',
    life: 'slow',
  },
  BoundTcp: {
    words: { pt: 'Abriu uma porta TCP em vez do socket', en: 'Opened a TCP port instead of the socket' },
    because: 'it binds a TCP port instead of the socket named by SVC_APP_SOCKET',
    fix: 'bind SVC_APP_SOCKET (servidor.escutar, escutar)',
    life: 'slow',
  },
  AnswersError: {
    words: { pt: 'Responde com erro', en: 'Answers with an error' },
    because: 'its health probe gets an error',
    fix: `${readLog}; check backend.healthcheckPath`,
    more: '5xx, 401 or 403',
    life: 'slow',
  },
  RefusesToken: {
    words: { pt: 'Recusa a credencial do portal', en: 'Refuses the portal’s token' },
    because: 'it refuses the token of its own probe',
    fix: 'compare X-Svc-App-Token with SVC_APP_TOKEN as the runtime library does',
    more: 'The gate refused it (403 with `X-Svc-Token: recusado`)',
    life: 'slow',
  },
  InstallCommandFailed: {
    words: { pt: 'O comando de instalação falhou', en: 'The install command failed' },
    because: 'its installCommand failed',
    fix: 'read the log; make the command idempotent and start it again',
    more: 'It is tried again; it must need no root',
    retry: 'transient',
    as: {
      Package: {
        because: 'its installCommand failed',
        fix: 'read the install.log that the message names; publish a version that mends it',
        waitsFor: 'the next attempt',
      },
    },
  },
  InvalidManifest: {
    words: { pt: 'Manifesto inválido', en: 'Invalid manifest' },
    because: 'its svc-app.json can not be acted on',
    fix: 'svc validate with that file names the place',
    retry: 'terminal',
    as: {
      Package: {
        because: 'its svc-app.json can not be acted on',
        fix: 'svc validate with that file names the place; publish another version',
      },
    },
  },
  InvalidEnvironment: {
    words: { pt: 'Ambiente ou segredos inválidos', en: 'Invalid environment or secrets' },
    because: 'its environment or its secrets can not be used',
    fix: 'mend the file or the value that the message names',
    more: 'A NUL, a line break, bad JSON, or a vault open to others; mending it starts the app',
    retry: 'terminal',
  },
  EnvFileDamaged: {
    words: { pt: 'Arquivo de ambiente danificado', en: 'Damaged environment file' },
    because: 'its env file on the server was damaged',
    fix: 'wait: the portal writes it anew; if it is damaged again, find who does that',
    waitsFor: 'the portal to write it anew',
    more: 'A bad line, an open mode, another owner, or a link; damaged again, it is left for ten minutes',
    retry: 'terminal',
  },
  EngineMissing: {
    words: { pt: 'Falta um motor', en: 'An engine is missing' },
    because: 'an engine that it declares is not on the server',
    fix: 'an administrator of the server runs: svc-app-install APP, which downloads it',
    retry: 'terminal',
    as: { Package: { because: 'it is declared and not on the disk', waitsFor: 'its download' } },
  },
  PackageMissing: {
    words: { pt: 'Falta um pacote do Linux', en: 'A Linux package is missing' },
    because: 'it is pinned and its package is not there',
    fix: writePackage,
    waitsFor: 'the package',
    stopped: 'its package is not installed',
    as: {
      Package: {
        because: 'the server lacks a Linux package that it needs',
        fix: 'an administrator of the server types the line that the message names',
        waitsFor: 'the Linux package',
      },
    },
  },
  NoGpu: {
    words: { pt: 'Sem GPU utilizável', en: 'No usable GPU' },
    because: 'it needs a GPU and the server has none that it can use',
    fix: 'run it on a server with a GPU, then start it again',
    more: 'By `recursos.gpu.modo: necessaria` ([gpu.md](gpu.md))',
    retry: 'terminal',
  },
  GpuBusy: {
    words: { pt: 'A GPU está em uso por outro aplicativo', en: 'Another app uses the GPU' },
    because: 'it needs a GPU and another app holds the one that its server has',
    fix: 'wait, or stop the app that holds it: svc get backends',
    waitsFor: 'a GPU to be freed',
    more: '[gpu.md](gpu.md#for-administrators)',
    retry: 'terminal',
  },
  DiskFull: {
    words: { pt: 'Disco cheio', en: 'Disk full' },
    because: 'the disk of its server is full',
    fix: makeRoom,
    more: 'No space, inode or quota in the home, or it is read-only; no failure is counted',
    retry: 'waiting',
    as: {
      Package: { because: 'the disk of its server is full', fix: 'free space there', waitsFor: 'the next attempt' },
      Server: { because: 'its disk is full', fix: 'make room below /opt on SERVER', waitsFor: 'the next attempt' },
    },
  },
  SocketPathTooLong: {
    words: { pt: 'Caminho do socket longo demais', en: 'Socket path too long' },
    because: 'the path of its socket is longer than the kernel takes',
    fix: 'choose a shorter prefix or id',
    more: 'It takes 107 bytes; a home of 38 bytes fits every id',
    retry: 'terminal',
  },
  SocketRefused: {
    words: { pt: 'O socket recusa conexões', en: 'The socket refuses connections' },
    because: 'there is something else at the path of its socket',
    fix: `on the server, move away what the message names; then svc start PERSON/APP`,
    more: 'The same when its folder can’t be entered',
    retry: 'terminal',
    as: {
      Service: {
        because: 'nothing answers on its socket',
        fix: 'on SERVER: journalctl -u svc-app-APP.service says why; mend it, then systemctl reset-failed svc-app-APP.service and systemctl restart svc-app-APP.service',
      },
    },
  },
  RuntimeMissing: {
    words: { pt: 'Falta o interpretador', en: 'The runtime is missing' },
    because: 'a program that runs it is not on the server, or can not be run',
    fix: `install what the message names on SERVER (for python3: apt-get install -y python3), or mend the entrypoint; ${startIt}`,
    more: 'python3, Node (part of the kit: `svc server add`) or the program of the entrypoint',
    retry: 'terminal',
  },
  TooManyFailures: {
    words: { pt: 'Cinco falhas seguidas', en: 'Five failures in a row' },
    because: 'it failed five times in a row',
    fix: `${readLog}; ${startIt}`,
    waitsFor: 'ten minutes of silence, or somebody to start it',
  },
} as const satisfies Rows;

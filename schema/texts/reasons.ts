/**
 * The closed lists of reasons and of start steps in words for people: the one catalogue of the shell and of the portal's own pages.
 * What a newer portal adds is shown as it is. Source: schema/backend.ts.
 */
import type { Reason, StartStep } from '../backend.ts';

/**
 * One text in every language that the pages speak. A sentence for people is made where its facts are known, in both languages at once: a
 * new check or reason does not compile with one. Values (a version, an address, a command, what another program said) are the same in both.
 * Messages for engineers are English and shown under "Technical detail" only. `svc doctor` speaks the language of the terminal, the rest of
 * `svc` English.
 */
export interface Words {
  readonly pt: string;
  readonly en: string;
}
export type TextLanguage = keyof Words;

export const reasonTexts: { readonly [R in Reason]: Words } = {
  NeverStarted: { pt: 'Ainda não foi iniciado', en: 'Not started yet' },
  StoppedByPerson: { pt: 'Parado por você', en: 'Stopped by you' },
  StoppedByAdmin: { pt: 'Parado pelo administrador', en: 'Stopped by the administrator' },
  LastWindowClosed: { pt: 'Última janela fechada', en: 'Last window closed' },
  Idle: { pt: 'Sem uso', en: 'Idle' },
  PinnedStopped: { pt: 'Desligado pelo administrador', en: 'Kept off by the administrator' },
  HashChanged: { pt: 'O pacote mudou', en: 'The package changed' },
  Uninstalled: { pt: 'Desinstalado', en: 'Uninstalled' },
  PersonRemoved: { pt: 'Pessoa removida', en: 'Person removed' },
  DocumentRemoved: { pt: 'Documento removido', en: 'Document removed' },
  Reinstalled: { pt: 'Reinstalado', en: 'Installed again' },
  WishDeleted: { pt: 'Arquivo de ambiente apagado no servidor', en: 'Environment file deleted on the server' },
  StartRequested: { pt: 'Início pedido', en: 'Start requested' },
  PinnedRunning: { pt: 'Ligado pelo administrador', en: 'Kept on by the administrator' },
  ServiceStart: { pt: 'Serviço inicia sozinho', en: 'A service starts by itself' },
  SettingUp: { pt: 'Preparando', en: 'Setting up' },
  Probing: { pt: 'Esperando a resposta', en: 'Waiting for its answer' },
  SlowStart: { pt: 'Início demorado', en: 'Slow start' },
  SocketLost: { pt: 'O socket dele sumiu: iniciando de novo', en: 'Its socket vanished: starting again' },
  Healthy: { pt: 'Respondendo', en: 'Answering' },
  Adopted: { pt: 'Encontrado em execução', en: 'Found running' },
  NotAnswering: { pt: 'O aplicativo não responde', en: 'The app does not answer' },
  Suspended: { pt: 'O processo do aplicativo está suspenso', en: 'The process of the app is suspended' },
  Crashed: { pt: 'O processo terminou sozinho', en: 'The process ended by itself' },
  ExitedAtOnce: { pt: 'Terminou logo ao iniciar', en: 'Ended as soon as it started' },
  OutOfMemory: { pt: 'Passou do limite de memória', en: 'Over its memory limit' },
  NeverBound: { pt: 'Nunca abriu o socket', en: 'Never opened its socket' },
  BoundTcp: { pt: 'Abriu uma porta TCP em vez do socket', en: 'Opened a TCP port instead of the socket' },
  AnswersError: { pt: 'Responde com erro', en: 'Answers with an error' },
  RefusesToken: { pt: 'Recusa a credencial do portal', en: 'Refuses the portal’s token' },
  InstallCommandFailed: { pt: 'O comando de instalação falhou', en: 'The install command failed' },
  InvalidManifest: { pt: 'Manifesto inválido', en: 'Invalid manifest' },
  InvalidEnvironment: { pt: 'Ambiente ou segredos inválidos', en: 'Invalid environment or secrets' },
  EnvFileDamaged: { pt: 'Arquivo de ambiente danificado', en: 'Damaged environment file' },
  EngineMissing: { pt: 'Falta um motor', en: 'An engine is missing' },
  PackageMissing: { pt: 'Falta um pacote do Linux', en: 'A Linux package is missing' },
  NoGpu: { pt: 'Sem GPU utilizável', en: 'No usable GPU' },
  GpuBusy: { pt: 'A GPU está em uso por outro aplicativo', en: 'Another app uses the GPU' },
  DiskFull: { pt: 'Disco cheio', en: 'Disk full' },
  SocketPathTooLong: { pt: 'Caminho do socket longo demais', en: 'Socket path too long' },
  SocketRefused: { pt: 'O socket recusa conexões', en: 'The socket refuses connections' },
  RuntimeMissing: { pt: 'Falta o interpretador', en: 'The runtime is missing' },
  TooManyFailures: { pt: 'Cinco falhas seguidas', en: 'Five failures in a row' },
  ServerUnreachable: { pt: 'Servidor fora de alcance', en: 'Server out of reach' },
  HostKeyChanged: { pt: 'O servidor mostra outra chave de host', en: 'The server shows another host key' },
  KeyRefused: { pt: 'O servidor não aceita a chave do portal', en: 'The server does not take the key of the portal' },
  KeyUnreadable: { pt: 'O portal não consegue ler a própria chave', en: 'The portal can’t read its own key' },
  KitMissing: { pt: 'Falta o kit no servidor', en: 'The server kit is missing' },
  ClockOff: { pt: 'Os relógios do servidor e do portal diferem', en: 'The clocks of server and portal differ' },
  SupervisorFailed: { pt: 'O supervisor não inicia', en: 'The supervisor does not start' },
  ShellRefused: {
    pt: 'O shell da conta no servidor não deixa ninguém entrar',
    en: 'The shell of the account on the server lets nobody in',
  },
  HomeMissing: { pt: 'A pasta pessoal da conta não existe no servidor', en: 'The home of the account is not on the server' },
  SupervisorStarting: { pt: 'Supervisor iniciando', en: 'Supervisor starting' },
  SupervisorLost: { pt: 'Supervisor perdido', en: 'Supervisor lost' },
  LingerBroken: { pt: 'A sessão do servidor não permanece', en: 'The server ends the session' },
  FilesUnreadable: { pt: 'Os arquivos dele não podem ser lidos', en: 'Its files can’t be read' },
  NotObservedYet: { pt: 'Ainda não observado', en: 'Not observed yet' },
  NotInstalled: { pt: 'Não instalado', en: 'Not installed' },
  Installed: { pt: 'Instalado', en: 'Installed' },
  Installing: { pt: 'Instalando', en: 'Installing' },
  Downloading: { pt: 'Baixando', en: 'Downloading' },
  Cancelled: { pt: 'Cancelado', en: 'Cancelled' },
  Outdated: { pt: 'Versão antiga', en: 'Outdated' },
  Drift: { pt: 'Arquivos alterados no servidor', en: 'Files changed on the server' },
  SourceChanged: { pt: 'A origem mudou sem mudar de versão', en: 'Its source changed under the same version' },
  Paused: { pt: 'Pausado', en: 'Paused' },
  RolledBack: { pt: 'Voltou à versão anterior', en: 'Rolled back' },
  SourceMissing: { pt: 'Origem não encontrada', en: 'Source not found' },
  CapabilityMissing: { pt: 'Falta uma capacidade exigida', en: 'A required capability is missing' },
  ShellTooOld: { pt: 'Pede um ambiente mais novo', en: 'Needs a newer shell' },
  ScopeRefused: { pt: 'Não se instala neste escopo', en: 'Not installed in this scope' },
  InstallFailed: { pt: 'A instalação falhou', en: 'The installation failed' },
  Undeclared: { pt: 'Não é mais declarado', en: 'Declared no longer' },
  Provisioned: { pt: 'Sessão pronta', en: 'Session ready' },
  NeverSignedIn: { pt: 'Ainda não entrou', en: 'Has not signed in yet' },
  SessionEnded: { pt: 'Sessão encerrada', en: 'Session ended' },
  Reachable: { pt: 'Ao alcance', en: 'Reachable' },
  Listening: { pt: 'Escutando', en: 'Listening' },
  PendingPrune: { pt: 'Espera confirmação para remover', en: 'Waits for the removal to be confirmed' },
  AccountClosed: { pt: 'A conta no servidor está fechada', en: 'The account on the server is closed' },
  OtherPortal: { pt: 'Outro portal comanda o servidor', en: 'Another portal orders the server' },
  RestartNeeded: { pt: 'Espera o reinício do portal', en: 'Waits for a restart of the portal' },
  Granted: { pt: 'Concedido', en: 'Granted' },
  Granting: { pt: 'Concedendo', en: 'Being granted' },
  ReferenceMissing: { pt: 'Espera por alguém ou algo que não existe', en: 'Waits for somebody or something that does not exist' },
  GrantRefused: { pt: 'Não pôde ser concedido', en: 'Could not be granted' },
  Invalid: { pt: 'Inválido', en: 'Invalid' },
  JobHeld: { pt: 'Esperando a vez', en: 'Waiting for its turn' },
  JobSubmitting: { pt: 'Sendo entregue ao cluster', en: 'Being handed to the cluster' },
  JobQueued: { pt: 'Na fila do cluster', en: 'In the queue of the cluster' },
  JobRunning: { pt: 'Em execução', en: 'Running' },
  JobCollecting: { pt: 'Recolhendo os resultados', en: 'Collecting its results' },
  JobDone: { pt: 'Terminado', en: 'Done' },
  OutputsIncomplete: { pt: 'Terminado, com resultados incompletos', en: 'Done, with incomplete results' },
  CommandFailed: { pt: 'O comando falhou', en: 'The command failed' },
  JobFailed: { pt: 'O cluster encerrou o trabalho', en: 'The cluster ended the job' },
  JobRefused: { pt: 'O cluster recusou o trabalho', en: 'The cluster refused the job' },
  JobCancelled: { pt: 'Cancelado', en: 'Cancelled' },
  CancelRequested: { pt: 'Cancelando', en: 'Cancelling' },
  JobLost: { pt: 'O cluster não conhece mais o trabalho', en: 'The cluster does not know the job any more' },
  JobWaitedTooLong: { pt: 'Esperou demais pela vez', en: 'Waited too long for its turn' },
  ClusterUnreachable: { pt: 'O cluster não responde', en: 'The cluster does not answer' },
  ClusterChanged: { pt: 'O cluster foi trocado por outro', en: 'The cluster was changed for another one' },
  ClusterMissing: { pt: 'O cluster não existe mais', en: 'The cluster is gone' },
};

export const stepTexts: { readonly [S in StartStep]: Words } = {
  package: { pt: 'Pacote', en: 'Package' },
  install: { pt: 'Preparação', en: 'Set-up' },
  gpu: { pt: 'GPU', en: 'GPU' },
  spawn: { pt: 'Processo', en: 'Process' },
  socket: { pt: 'Socket', en: 'Socket' },
  probe: { pt: 'Resposta', en: 'Answer' },
};

export const reasonText = (reason: Reason, language: TextLanguage): string => reasonTexts[reason]?.[language] ?? reason;
export const stepText = (step: StartStep, language: TextLanguage): string => stepTexts[step]?.[language] ?? step;

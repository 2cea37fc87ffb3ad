/** Reasons of jobs of the queue, and of clusters. */
import type { Rows } from './row.ts';

export const jobs = {
  JobHeld: {
    words: { pt: 'Esperando a vez', en: 'Waiting for its turn' },
    because: 'the portal lets jobs go person by person, and its turn has not come',
    fix: 'wait, or raise emVoo in the document of its cluster',
    waitsFor: 'a place on its cluster',
  },
  JobSubmitting: {
    words: { pt: 'Sendo entregue ao cluster', en: 'Being handed to the cluster' },
    because: 'it is being handed to its cluster',
    waitsFor: 'the answer of the cluster',
  },
  JobQueued: {
    words: { pt: 'Na fila do cluster', en: 'In the queue of the cluster' },
    because: 'its cluster has it and has not begun',
    waitsFor: 'the cluster',
  },
  JobRunning: { words: { pt: 'Em execução', en: 'Running' }, because: 'its command runs', waitsFor: 'its end' },
  JobCollecting: {
    words: { pt: 'Recolhendo os resultados', en: 'Collecting its results' },
    because: 'its command ended and its outputs come in',
    waitsFor: 'its outputs',
  },
  JobDone: {
    words: { pt: 'Terminado', en: 'Done' },
    because: 'its command ended with code 0',
    more: 'Fetch the outputs before they expire',
  },
  OutputsIncomplete: {
    words: { pt: 'Terminado, com resultados incompletos', en: 'Done, with incomplete results' },
    because: 'its command ended with code 0 and not all of its outputs arrived',
    fix: 'svc jobs logs JOB names what was not sent, and why: give it another name, or make room (of the person, or fila.espacoMb in the Portal document), and submit it again',
  },
  CommandFailed: {
    words: { pt: 'O comando falhou', en: 'The command failed' },
    because: 'its command ended with an error',
    fix: 'read what it printed: svc jobs logs JOB; mend it, or give it more time, and submit it again',
    more: 'With 124 its time was over (`limites.segundos`)',
  },
  JobFailed: {
    words: { pt: 'O cluster encerrou o trabalho', en: 'The cluster ended the job' },
    because: 'its cluster ended it',
    fix: 'the message says why (time, memory, a node); submit it again with other limits',
  },
  JobRefused: {
    words: { pt: 'O cluster recusou o trabalho', en: 'The cluster refused the job' },
    because: 'its cluster said no to it',
    fix: 'correct what the message names, and submit it again',
  },
  JobCancelled: {
    words: { pt: 'Cancelado', en: 'Cancelled' },
    because: 'it was cancelled',
  },
  CancelRequested: {
    words: { pt: 'Cancelando', en: 'Cancelling' },
    because: 'it is to be cancelled',
    waitsFor: 'the cluster to confirm it',
    more: 'A cluster that does not answer is asked again',
  },
  JobLost: {
    words: { pt: 'O cluster não conhece mais o trabalho', en: 'The cluster does not know the job any more' },
    because: 'its cluster took it, does not know it any more, and it said nothing of its end',
    fix: 'ask who runs the cluster; submit it again',
  },
  JobWaitedTooLong: {
    words: { pt: 'Esperou demais pela vez', en: 'Waited too long for its turn' },
    because: 'its turn did not come in time',
    fix: 'submit it again, or to another cluster',
    more: 'It waited 30 days',
  },
  ClusterUnreachable: {
    words: { pt: 'O cluster não responde', en: 'The cluster does not answer' },
    because: 'its cluster does not answer',
    fix: 'look at the cluster: what runs there goes on, and is found again',
    waitsFor: 'the cluster',
    more: 'Its jobs are `desconhecido`, and none fails',
  },
  ClusterMissing: {
    words: { pt: 'O cluster não existe mais', en: 'The cluster is gone' },
    because: 'no document names its cluster',
    fix: 'write the Cluster document again, or cancel the job',
    waitsFor: 'the document',
  },
  ClusterChanged: {
    words: { pt: 'O cluster foi trocado por outro', en: 'The cluster was changed for another one' },
    because: 'its cluster is another engine now than the one that took it',
    fix: 'write the engine of before into its Cluster document again, or give the new one another name; or cancel the job: svc jobs cancel JOB',
    waitsFor: 'its wrapper to report, or its engine to be named again',
    more: 'The job goes on there',
  },
} as const satisfies Rows;

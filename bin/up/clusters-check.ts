/** The row `clusters` of `svc doctor`: whether what runs jobs answers, and how it confines them. */
import type { ClusterEntry } from '../../controller/jobs/cluster-entry.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import type { Words } from '../../schema/texts/reasons.ts';

type Seen = Pick<ClusterEntry, 'name' | 'sight'> & { readonly cluster: Pick<ClusterEntry['cluster'], 'isolation'> };

export function clustersCheck(clusters: Iterable<Seen>): DoctorCheck {
  const all = [...clusters];
  const row = { name: 'clusters', ok: true, warning: false, fix: null } as const;
  if (all.length === 0) return { ...row, detail: { pt: 'a fila está desligada: nenhum', en: 'the queue is off: none' } };
  const away = all.flatMap(({ name, sight }) => (sight.status === 'unreachable' ? [`${name}: ${sight.message}`] : []));
  if (away.length > 0) {
    const fix: Words = {
      pt: 'veja o servidor e o agendador do documento Cluster; os trabalhos de lá continuam',
      en: 'look at the server and the scheduler of the Cluster document; jobs there go on',
    };
    return { ...row, ok: false, detail: { pt: `sem resposta: ${away.join('; ')}`, en: `no answer: ${away.join('; ')}` }, fix };
  }
  const told = (unseen: string): string =>
    all.map(({ name, sight, cluster }) => `${name} (${sight.status === 'unknown' ? unseen : cluster.isolation})`).join(', ');
  return { ...row, detail: { pt: told('ainda não visto'), en: told('not seen yet') } };
}

/** Whether repositories that are folders of this machine hold what Package documents want: where one is an address, nothing is said. */
import { systemClock } from '../../controller/clock/system.ts';
import { createOffersReader } from '../../kit/repository/reading/offers.ts';
import { repositoriesOf, repositoryFolders } from '../../kit/repository/reading/location.ts';
import { whyNotOffered } from '../../kit/repository/reading/source.ts';
import type { WrittenPackage, Placed, PortalDocument } from '../../schema/desired/documents.ts';
import { type DesiredFile, openFiles } from '../../schema/desired/load.ts';
import type { FileReport, Finding } from '../../schema/findings.ts';

const is =
  <Document extends Placed['document']>(kind: Document['kind']) =>
  (one: Placed): one is Placed<Document> =>
    one.document.kind === kind;

/** The reports with a warning at each Package that can't be installed from there. */
export async function judgeOffered(files: readonly DesiredFile[], reports: readonly FileReport[]): Promise<readonly FileReport[]> {
  const placed: readonly Placed[] = openFiles(files).flatMap(({ sources }) => sources);
  const portal = placed.find(is<PortalDocument>('Portal'));
  const repositories = portal === undefined ? [] : repositoriesOf('.', portal);
  const folders = repositoryFolders(repositories);
  if (folders.length === 0 || folders.length < repositories.length) return reports;
  const { apps, problem } = await createOffersReader(systemClock).read(repositories);
  if (problem !== null) return reports;
  const found = new Map<string, Finding[]>();
  for (const { document, place } of placed.filter(is<WrittenPackage>('Package'))) {
    const { app, versao } = document.spec;
    const versions = apps.find(({ id }) => id === app)?.versions.map(({ version }) => version) ?? [];
    if (versions.includes(versao)) continue;
    const refused = versions.length === 0 ? await whyNotOffered(repositories, app) : null;
    const held = versions.length === 0 ? 'nothing of it' : versions.slice(0, 5).join(', ');
    const message = `${app} ${versao} is not in ${folders.join(' and ')}, which ${folders.length === 1 ? 'holds' : 'hold'} ${held}${refused === null ? '' : ` (${refused})`}`;
    const { file, line, column } = place;
    found.set(file, [...(found.get(file) ?? []), { code: 'NOT_OFFERED', path: '/spec/versao', line, column, message }]);
  }
  return reports.map((report) => ({ ...report, warnings: [...report.warnings, ...(found.get(report.file) ?? [])] }));
}

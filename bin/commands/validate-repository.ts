/** Whether a repository that is a folder of this machine holds what Package documents want: an address is not asked for this. */
import { systemClock } from '../../controller/clock/system.ts';
import { createOffersReader } from '../../kit/repository/reading/offers.ts';
import { repositoryLocation } from '../../kit/repository/reading/location.ts';
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
  const location = portal === undefined ? null : repositoryLocation('.', portal);
  if (location?.kind !== 'folder') return reports;
  const { apps, problem } = await createOffersReader(systemClock).read(location);
  if (problem !== null) return reports;
  const found = new Map<string, Finding[]>();
  for (const { document, place } of placed.filter(is<WrittenPackage>('Package'))) {
    const { app, versao } = document.spec;
    const versions = apps.find(({ id }) => id === app)?.versions.map(({ version }) => version) ?? [];
    if (versions.includes(versao)) continue;
    const refused = versions.length === 0 ? await whyNotOffered(location, app) : null;
    const held = versions.length === 0 ? 'nothing of it' : versions.slice(0, 5).join(', ');
    const message = `${app} ${versao} is not in ${location.folder}, which holds ${held}${refused === null ? '' : ` (${refused})`}`;
    const { file, line, column } = place;
    found.set(file, [...(found.get(file) ?? []), { code: 'NOT_OFFERED', path: '/spec/versao', line, column, message }]);
  }
  return reports.map((report) => ({ ...report, warnings: [...report.warnings, ...(found.get(report.file) ?? [])] }));
}

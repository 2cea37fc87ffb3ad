/** Checks between Package documents and the rest of the folder: their servers, their people, and one wish for each place. */
import { durationMs } from '../backups.ts';
import { amountNames, formOf, type Amounts } from '../cluster-form.ts';
import { limits } from '../limits.ts';
import { clip } from '../positions/node.ts';
import { didYouMean } from '../shape.ts';
import { at, type Folder, type Index, ofKind, reference } from './cross-folder.ts';
import type { Placed, ReportDesired, WrittenPackage } from './documents.ts';
import { serversOf, targetOf } from './packages.ts';

export function checkPackages(folder: Folder, index: Index, report: ReportDesired): void {
  const packages = ofKind(folder.judged, 'Package');
  for (const item of packages) {
    checkServers(folder, index, item, report);
    checkPerson(folder, index, item, report);
    checkGroups(folder, index, item, report);
    checkCluster(folder, index, item, report);
    checkMaximo(item, report);
  }
  checkTargets(index, packages, report);
}

function checkServers(folder: Folder, index: Index, item: Placed<WrittenPackage>, report: ReportDesired): void {
  const { server, servers } = item.document.spec;
  if ((server === undefined) === (servers === undefined))
    report(item, 'ONE_OF', ['spec'], 'expected either "server" or "servers": where it is installed');
  if (server !== undefined) reference(folder, index.servers, 'Server', server, item, ['spec', 'server'], report);
  if (servers === undefined || servers === 'all') return;
  for (const [place, name] of servers.entries()) reference(folder, index.servers, 'Server', name, item, ['spec', 'servers', place], report);
}

function checkPerson(folder: Folder, index: Index, item: Placed<WrittenPackage>, report: ReportDesired): void {
  const { server, servers, instalacao = 'sistema', pessoa } = item.document.spec;
  if (instalacao === 'sistema') {
    if (pessoa !== undefined) report(item, 'UNEXPECTED_PERSON', ['spec', 'pessoa'], '"pessoa" belongs to "instalacao: pessoa" only');
    return;
  }
  if (servers !== undefined) report(item, 'ONE_OF', ['spec', 'servers'], '"instalacao: pessoa" is for one person, who has one "server"');
  if (pessoa === undefined) {
    report(item, 'MISSING_PERSON', ['spec', 'instalacao'], '"instalacao: pessoa" needs "pessoa"');
    return;
  }
  if (!reference(folder, index.people, 'Person', pessoa, item, ['spec', 'pessoa'], report)) return;
  const home = index.people.get(pessoa)?.spec.server;
  if (home !== undefined && server !== undefined && home !== server && index.servers.has(home))
    report(item, 'WRONG_SERVER', ['spec', 'server'], `"${pessoa}" is on the server "${home}", not on "${clip(server)}"`);
}

function checkMaximo(item: Placed<WrittenPackage>, report: ReportDesired): void {
  const { maximo } = item.document.spec;
  // The schema tells of a value that is no time.
  if (typeof maximo !== 'string' || !(durationMs(maximo) > limits.packageRunMsMax)) return;
  report(item, 'TOO_LARGE', ['spec', 'maximo'], `expected at most ${limits.packageRunMsMax / 86_400_000}d, found "${clip(maximo)}"`);
}

/** A misspelled group would close the app to everybody. */
function checkGroups(folder: Folder, index: Index, item: Placed<WrittenPackage>, report: ReportDesired): void {
  const { grupos = [], instalacao } = item.document.spec;
  if (instalacao === 'pessoa' && grupos.length > 0) {
    report(item, 'HAS_NO_EFFECT', ['spec', 'grupos'], '"instalacao: pessoa" is for one person: nobody else sees it');
    return;
  }
  for (const [place, group] of grupos.entries()) {
    if (index.groups.has(group) || folder.mayExist('group', group)) continue;
    const message = `no person is in the group "${group}"${didYouMean(group, [...index.groups])}`;
    report(item, 'UNKNOWN_GROUP', ['spec', 'grupos', place], message);
  }
}

/** Backends on a cluster: one of Slurm on the server of the package, and a form that offers what the cluster takes. */
function checkCluster(folder: Folder, index: Index, item: Placed<WrittenPackage>, report: ReportDesired): void {
  const { onde, formulario } = item.document.spec;
  if (onde === undefined) {
    if (formulario !== undefined) report(item, 'HAS_NO_EFFECT', ['spec', 'formulario'], '"formulario" is for apps with "onde": a Cluster');
    return;
  }
  const clusters = new Map(ofKind(folder.known, 'Cluster').map(({ document }) => [document.metadata.name, document.spec]));
  if (!reference(folder, clusters, 'Cluster', onde, item, ['spec', 'onde'], report)) return;
  const cluster = clusters.get(onde);
  if (cluster === undefined) return;
  const { scheduler, limites = {} } = cluster;
  const place = 'slurm' in scheduler ? scheduler.slurm.server : null;
  const other = serversOf(item.document.spec, index.servers.keys()).find((server) => server !== place);
  if (place === null) report(item, 'WRONG_SERVER', ['spec', 'onde'], `"${onde}" is no cluster of Slurm: apps run as jobs of Slurm only`);
  else if (other !== undefined)
    report(item, 'WRONG_SERVER', ['spec', 'onde'], `"${onde}" is on the server "${place}", and the package is for "${clip(other)}"`);
  checkForm(item, limites, report);
}

function checkForm(item: Placed<WrittenPackage>, limites: Partial<Amounts>, report: ReportDesired): void {
  const { formulario = {} } = item.document.spec;
  const form = formOf(formulario);
  for (const name of amountNames) {
    const path = ['spec', 'formulario', name];
    const written = formulario[name];
    if (written?.opcoes !== undefined && (written.min !== undefined || written.max !== undefined))
      report(item, 'ONE_OF', path, 'expected either "opcoes", or "min" and "max"');
    const { padrao, min, max, opcoes } = form[name];
    if (min > padrao || padrao > max || (opcoes.length > 0 && !opcoes.includes(padrao)))
      report(item, 'RANGE', [...path, 'padrao'], `expected one of those that can be asked for, got ${padrao}`);
    const most = limites[name];
    if (most !== undefined && max > most)
      report(item, 'RANGE', path, `expected at most ${most}, as limites of the Cluster says, got ${max}`);
  }
}

function checkTargets(index: Index, packages: readonly Placed<WrittenPackage>[], report: ReportDesired): void {
  const firsts = new Map<string, Placed>();
  for (const item of packages) {
    const { spec } = item.document;
    for (const server of serversOf(spec, index.servers.keys())) {
      const target = targetOf({ ...spec, server, servers: undefined as never });
      const first = firsts.get(target);
      if (first === undefined) firsts.set(target, item);
      else if (first !== item) {
        const where = spec.servers === undefined ? 'there' : `on "${clip(server)}"`;
        report(item, 'DUPLICATE_PACKAGE', ['spec', 'app'], `"${spec.app}" is already installed ${where} at ${at(first)}`);
        break;
      }
    }
    if (firsts.size > limits.documentsMax) {
      const message = `expected at most ${limits.documentsMax} installations, one for each document and server`;
      report(item, 'TOO_LARGE', ['spec', 'servers'], message);
      return;
    }
  }
}

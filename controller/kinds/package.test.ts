/** Tests the reports of an installation that is under way: an attempt may last much longer than the wait between two. */
import { expect, test } from 'vitest';
import type { Repository } from '../../kit/repository/reading/location.ts';
import type { Entries, PackageEntry } from '../entries.ts';
import { targetKey } from '../package-entries.ts';
import { packageObserved, sourceFolders } from './package.ts';

const target = { server: 'sirius', app: 'notas', scope: 'sistema', person: null } as const;
const failure = { reason: 'InstallFailed', message: 'http://motores/x: connect ECONNREFUSED', retry: 'transient', atMs: 0 } as const;

test.for([
  ['the first attempt', 'install', null, 'looking after its engines'],
  ['an attempt after one that failed', 'install', failure, `looking after its engines; the attempt before failed: ${failure.message}`],
  ['another act than the one that failed', 'remove', failure, 'looking after its engines'],
] as const)('%s', ([, act, before, message]) => {
  const entry = {
    target,
    offer: null,
    offered: null,
    problem: null,
    failure: before,
    wanted: { by: 'document' },
  } as unknown as PackageEntry;
  const task = { act, version: '1.0.0', abort: new AbortController(), reason: 'Installing', message: 'looking after its engines' };
  const entries = {
    servers: new Map(),
    people: new Map(),
    backends: new Map(),
    byTarget: new Map(),
    wishes: new Map(),
    tasks: new Map([[targetKey(target), task]]),
  } as unknown as Entries;
  expect(packageObserved(entries, entry, { shellVersion: '1.0.0', offers: null }).busy?.message).toBe(message);
});

const folder = (place: string): Repository => ({ kind: 'folder', folder: place, place, key: null, groups: null });
const packed: Repository = { kind: 'url', url: 'https://ready', place: 'https://ready', key: null, groups: null };

test.for([
  ['of one repository nobody asks what it offers', [folder('/a')], null, ['/a']],
  ['a folder behind the repository that offers it has another app of the same id', [packed, folder('/b')], 'https://ready', []],
  ['the folder that offers it is the second', [folder('/a'), folder('/b')], '/b', ['/b']],
  ['none of them is known to offer it', [folder('/a'), packed], null, ['/a']],
] as const)('sources: %s', ([, repositories, place, folders]) => {
  const offers = { apps: place === null ? [] : [{ id: 'notas', versions: [], repository: { place, key: null, groups: null } }] };
  expect(sourceFolders(repositories, offers, 'notas')).toEqual(folders);
});

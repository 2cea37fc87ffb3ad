import { expect, it } from 'vitest';
import { installLine, refusalOf, type RefusalGrounds } from './package-refusal.ts';

const grounds: RefusalGrounds = {
  scope: 'sistema',
  reserved: null,
  unsigned: null,
  shellVersion: '1.4.0',
  provided: new Set(['texto/v1']),
  offering: (capability) => (capability === 'ocr/v2' ? ['leitor'] : capability === 'lê/v1' ? ['a', 'b'] : []),
  lacks: (requirement) => requirement !== 'git',
};
const motor = { nome: 'rosto', versao: '1', url: 'http://x/', sha256: 'a'.repeat(64), tamanho: 1 };

it.for([
  ['nothing asked', {}, 'sistema', null, ''],
  ['a newer shell', { minShellVersion: '1.5' }, 'sistema', 'ShellTooOld', 'it needs shell 1.5 and this is 1.4.0'],
  ['this shell', { minShellVersion: '1.4' }, 'sistema', null, ''],
  ['a capability that is there', { requires: ['texto/v1'] }, 'sistema', null, ''],
  ['its own capability', { requires: ['meu/v1'], provides: ['meu/v1'] }, 'sistema', null, ''],
  [
    'a capability that an app offers',
    { requires: ['ocr/v2'] },
    'sistema',
    'CapabilityMissing',
    'no installed app offers ocr/v2 (install leitor first)',
  ],
  ['one that nobody offers', { requires: ['voz/v1'] }, 'sistema', 'CapabilityMissing', 'no installed app offers voz/v1'],
  [
    'Linux packages',
    { requiredPackages: ['git', 'ffmpeg|libav-tools'] },
    'sistema',
    'PackageMissing',
    'the server lacks ffmpeg or libav-tools; as root: apt-get install ffmpeg',
  ],
  ['the other scope', {}, 'pessoa', 'ScopeRefused', 'its manifest does not allow instalacao: pessoa'],
  [
    'a server-scope app for one person',
    { instalacao: ['pessoa'], escopo: 'servidor' },
    'pessoa',
    'ScopeRefused',
    'it declares escopo servidor, so it is installed for the whole server only',
  ],
  ['a server-scope app for everybody', { escopo: 'servidor' }, 'sistema', null, ''],
  ['a person-scope app for one person', { instalacao: ['pessoa'], escopo: 'pessoa' }, 'pessoa', null, ''],
  ['only one person', { instalacao: ['pessoa'] }, 'sistema', 'ScopeRefused', 'its manifest does not allow instalacao: sistema'],
  [
    'only one person, without engines',
    { instalacao: ['pessoa'], motores: [] },
    'sistema',
    'ScopeRefused',
    'its manifest does not allow instalacao: sistema',
  ],
  [
    'capabilities that several and none offer',
    { requires: ['lê/v1', 'voz/v1'] },
    'sistema',
    'CapabilityMissing',
    'no installed app offers lê/v1 (install a or b first), voz/v1',
  ],
  [
    'several Linux packages',
    { requiredPackages: ['ffmpeg | libav', 'ffmpeg-doc'] },
    'sistema',
    'PackageMissing',
    'the server lacks ffmpeg or libav, ffmpeg-doc; as root: apt-get install ffmpeg ffmpeg-doc',
  ],
  ['both scopes', { instalacao: ['sistema', 'pessoa'] }, 'pessoa', null, ''],
  [
    'engines for one person',
    { instalacao: ['pessoa'], motores: [motor] },
    'pessoa',
    'ScopeRefused',
    'it declares motores, so it is installed for the whole server only',
  ],
  ['engines for everybody, whatever is declared', { instalacao: ['pessoa'], motores: [motor] }, 'sistema', null, ''],
] as const)('%s', ([, manifest, scope, reason, message]) => {
  const refusal = refusalOf(manifest, { ...grounds, scope });
  expect([refusal?.reason ?? null, refusal?.message ?? '']).toEqual([reason, message]);
});

it('suggests the first alternative of each, once', () => {
  expect(installLine(['ffmpeg|libav-tools', 'git', 'ffmpeg'])).toBe('apt-get install ffmpeg git');
});

it('refuses what a person asked for from a repository that is for others', () => {
  expect(refusalOf({}, { ...grounds, reserved: ['ti', 'redes'] })).toEqual({
    reason: 'ScopeRefused',
    message: 'its repository is for people in the group ti or redes',
  });
});

it('refuses what is not signed where its repository needs it', () => {
  expect(refusalOf({}, { ...grounds, unsigned: 'it is not signed' })).toEqual({ reason: 'SignatureRefused', message: 'it is not signed' });
});

import { expect, test } from 'vitest';
import { membersByName, membersOfGroup, refusalOf, type SeenAccount, type SeenAccounts } from './members.ts';

const account = (name: string, over: Partial<SeenAccount> = {}): SeenAccount => ({
  name,
  uid: 1_000,
  gid: 1_000,
  gecos: '',
  shell: '/bin/bash',
  groups: [name],
  ...over,
});
const seen = (over: Partial<SeenAccounts>): SeenAccounts => ({
  group: { gid: 2_000, members: [] },
  uidMin: 1_000,
  accounts: [],
  directoryIsSilent: false,
  ...over,
});
const none = new Set<string>();

test.for([
  [{ name: 'root', uid: 1_500 }, 'it is root'],
  [{ uid: 0 }, 'it is root'],
  [{ uid: 999 }, 'a system account (uid 999, people begin with 1000)'],
  [{ uid: 1_000 }, null],
  [{ shell: '/usr/sbin/nologin' }, 'its shell lets nobody in (/usr/sbin/nologin)'],
  [{ shell: '/bin/false' }, 'its shell lets nobody in (/bin/false)'],
  [{ shell: 'nologin' }, 'its shell lets nobody in (nologin)'],
  [{ shell: '' }, null],
  [{ shell: '/opt/notfalse' }, null],
  [{ shell: '/opt/nologin-sh' }, null],
  [{ name: 'Ana@corp.example' }, null],
  [{ name: '@corp' }, 'its name can not be that of a person: letters, digits, ".", "_" and "-" before any "@"'],
  [{ name: '-rf' }, 'its name can not be that of a person: letters, digits, ".", "_" and "-" before any "@"'],
  [{ name: 'ana+b' }, 'its name can not be that of a person: letters, digits, ".", "_" and "-" before any "@"'],
] as const)('the account %o is left out: %s', ([over, why]) => expect(refusalOf(account('ana', over), 1_000)).toBe(why));

test.for([
  ['', 'ana'],
  ['Ana Souza,room 5,', 'Ana Souza'],
  ['& Souza', 'Ana Souza'],
  ['  \u202egpj.exe ', 'gpj.exe'],
  [',,,', 'ana'],
  ['\u0007', 'ana'],
  ['a'.repeat(300), 'a'.repeat(200)],
] as const)('the full name of %o is %s', ([gecos, nome]) => {
  const { members } = membersOfGroup(seen({ accounts: [account('ana', { gid: 2_000, gecos })] }), none);
  expect(members).toEqual([{ name: 'ana', account: 'ana', nome, groups: [] }]);
});

test('members are those of the list and those whose primary group it is; a group of the account alone is none', () => {
  const accounts = [
    account('bia', { groups: ['bia', 'b', 'a', 'a', 'no group'] }),
    account('ana', { gid: 2_000, groups: ['alunos', 'ana'] }),
    account('eva'),
    account('daemon', { uid: 2, gid: 2_000 }),
  ];
  expect(membersOfGroup(seen({ group: { gid: 2_000, members: ['bia', 'zoe'] }, accounts }), none)).toEqual({
    members: [
      { name: 'bia', account: 'bia', nome: 'bia', groups: ['a', 'b'] },
      { name: 'ana', account: 'ana', nome: 'ana', groups: ['alunos', 'ana'] },
    ],
    unseen: [],
    leftOut: [
      { name: 'daemon', why: 'a system account (uid 2, people begin with 1000)' },
      { name: 'zoe', why: 'the server has no such account' },
    ],
  });
});

test.for([
  ['is listed and not found', { group: { gid: 2_000, members: ['zoe'] } }, ['zoe']],
  ['is not listed and not found', {}, []],
  ['is not listed and not found while the directory is silent', { directoryIsSilent: true }, ['zoe']],
  ['is found and not listed while the directory is silent', { directoryIsSilent: true, accounts: [account('zoe')] }, []],
  ['is listed, and the directory is silent', { directoryIsSilent: true, group: { gid: 2_000, members: ['zoe'] } }, ['zoe']],
] as const)('a person who %s stays: %o', ([, over, unseen]) =>
  expect(membersOfGroup(seen(over), new Set(['zoe']))).toEqual({ members: [], unseen, leftOut: [] }),
);

test('by name: those who were asked for, an account that is not found makes nobody and takes nobody away', () => {
  const accounts = [account('ana@corp'), account('eva')];
  expect(membersByName(seen({ group: null, accounts }), ['ana@corp', 'bia', 'zoe'], new Set(['zoe']))).toEqual({
    members: [{ name: 'ana', account: 'ana@corp', nome: 'ana@corp', groups: [] }],
    unseen: ['zoe'],
    leftOut: [{ name: 'bia', why: 'the server has no such account' }],
  });
});

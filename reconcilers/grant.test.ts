import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PapelConcedido } from '../schema/rooms.ts';
import type { Action } from './actions.ts';
import { decideGrant, type GrantDesired, type GrantMemory, type GrantObserved, type GrantRoom } from './grant.ts';

const people = ['ana', 'bia', 'caio', 'dora'] as const;
const groups = ['editores', 'autores'] as const;
const papeis = ['ver', 'comentar', 'editar'] as const;

interface Row {
  papel: PapelConcedido;
  given: PapelConcedido | null;
  declaredBy: string | null;
}
interface Room {
  id: string;
  app: string;
  sala: string;
  dona: string;
  people: Map<string, Row>;
  groups: Map<string, Row>;
}

/** A model of the room store: written from the spec, not from its code. */
class Model {
  readonly rooms: Room[] = [];
  readonly known = new Set<string>(people);

  observed(desired: GrantDesired, spec: GrantDesired['spec'] = desired.spec): GrantObserved {
    const room = this.rooms.find((each) => each.app === spec?.app && each.sala === spec.sala) ?? null;
    const holds = (each: Room) => [...each.people.values(), ...each.groups.values()].some((row) => row.declaredBy === desired.name);
    const others = this.rooms.filter((each) => each !== room && holds(each)).map(asSeen);
    return { room: room && asSeen(room), others, people: this.known, groups: new Set(groups), appKnown: true, refused: null };
  }

  apply(action: Action): void {
    if (action.kind === 'grant/create') {
      const { app, sala, dona } = action;
      this.rooms.push({ id: `s${this.rooms.length}`, app, sala, dona, people: new Map(), groups: new Map() });
      return;
    }
    if (!('room' in action)) throw new Error(`unexpected ${action.kind}`);
    const room = this.rooms.find(({ id }) => id === action.room);
    if (!room) throw new Error('no such room');
    if (action.kind === 'grant/owner') {
      room.dona = action.dona;
      room.people.delete(action.dona);
    } else if (action.kind === 'grant/person') declare(room.people, action.usuario, action.papel, action.grant);
    else if (action.kind === 'grant/group') declare(room.groups, action.grupo, action.papel, action.grant);
    else if (action.kind === 'grant/withdraw-person') withdraw(room.people, action.usuario, action.grant);
    else withdraw(room.groups, action.grupo, action.grant);
  }

  /** To the end; answers how many passes it took. */
  converge(desired: GrantDesired): number {
    for (let round = 0; round < 5; round += 1) {
      const { actions } = decideGrant(desired, this.observed(desired), null, 0);
      // A document that is gone and wants nothing back is no object any more.
      if (actions.length === 0 || actions[0]?.kind === 'object/forget') return round;
      for (const action of actions) this.apply(action);
    }
    throw new Error('does not converge');
  }
}

function asSeen({ id, dona, people: byName, groups: byGroup }: Room): GrantRoom {
  const rows = (map: Map<string, Row>) => [...map].map(([name, { papel, declaredBy }]) => ({ name, papel, declaredBy }));
  return { id, dona, people: rows(byName), groups: rows(byGroup) };
}
function declare(rows: Map<string, Row>, name: string, papel: PapelConcedido, document: string): void {
  rows.set(name, { papel, given: rows.get(name)?.given ?? null, declaredBy: document });
}
function withdraw(rows: Map<string, Row>, name: string, document: string): void {
  const row = rows.get(name);
  if (row?.declaredBy !== document) return;
  if (row.given === null) rows.delete(name);
  else rows.set(name, { papel: row.given, given: row.given, declaredBy: null });
}

const papel = fc.constantFrom(...papeis);
const spec = fc.record({
  app: fc.constant('notas'),
  sala: fc.constantFrom('Atas', 'Planos'),
  dona: fc.constantFrom('ana', 'bia'),
  pessoas: fc.uniqueArray(fc.record({ usuario: fc.constantFrom('caio', 'dora'), papel }), { selector: ({ usuario }) => usuario }),
  grupos: fc.uniqueArray(fc.record({ grupo: fc.constantFrom(...groups), papel }), { selector: ({ grupo }) => grupo }),
});
/** An edit in a page: somebody gives or takes a role in some room. */
const edit = fc.record({ room: fc.nat(1), whom: fc.constantFrom('caio', 'dora', ...groups), papel: fc.option(papel) });
const step = fc.oneof(
  fc.record({ kind: fc.constant('document' as const), spec: fc.option(spec) }),
  fc.record({ kind: fc.constant('page' as const), edit }),
);

function editRoom(model: Model, { room: index, whom, papel: given }: typeof edit extends fc.Arbitrary<infer E> ? E : never): string | null {
  const room = model.rooms[index];
  if (!room) return null;
  const rows = (groups as readonly string[]).includes(whom) ? room.groups : room.people;
  if (given === null) rows.delete(whom);
  else rows.set(whom, { papel: given, given, declaredBy: rows.get(whom)?.declaredBy ?? null });
  return `${room.id} ${whom}`;
}

/** The newest roles that people gave, by room and name. */
const givenIn = (model: Model): Record<string, string> =>
  Object.fromEntries(
    model.rooms.flatMap(({ id, people: byName, groups: byGroup }) =>
      [...byName, ...byGroup].flatMap(([name, { given }]) => (given === null ? [] : [[`${id} ${name}`, given]])),
    ),
  );

describe('any documents and any edits in pages', () => {
  test('converge to what the document says, keep what people gave, and then rest', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const model = new Model();
        let spec: GrantDesired['spec'] = null;
        for (const [generation, one] of steps.entries()) {
          if (one.kind === 'page') editRoom(model, one.edit);
          else spec = one.spec;
          const desired: GrantDesired = { name: 'atas', generation, spec };
          const given = givenIn(model);
          expect(model.converge(desired)).toBeLessThanOrEqual(2);
          // Nothing that a person gave is lost, but for the role of who became the owner.
          expect(givenIn(model)).toEqual(given);
          for (const room of model.rooms) {
            for (const [name, row] of [...room.people, ...room.groups]) {
              expect([name, row.papel]).toEqual([name, row.declaredBy === null ? row.given : row.papel]);
            }
            const isWanted = desired.spec?.app === room.app && desired.spec.sala === room.sala;
            const wanted = isWanted ? (desired.spec ?? null) : null;
            const declared = [...room.people, ...room.groups].flatMap(([name, row]) =>
              row.declaredBy === null ? [] : [`${name} ${row.papel}`],
            );
            const expected = [
              ...(wanted?.pessoas ?? []).map(({ usuario, papel: role }) => `${usuario} ${role}`),
              ...(wanted?.grupos ?? []).map(({ grupo, papel: role }) => `${grupo} ${role}`),
            ];
            expect(declared.toSorted()).toEqual(expected.toSorted());
            expect(room.dona).toBe(wanted?.dona ?? room.dona);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

const base: GrantDesired = {
  name: 'atas',
  generation: 3,
  spec: {
    app: 'notas',
    sala: 'Atas',
    dona: 'ana',
    pessoas: [{ usuario: 'bia', papel: 'ver' }],
    grupos: [{ grupo: 'editores', papel: 'editar' }],
  },
};
const none: GrantObserved = { room: null, others: [], people: new Set(people), groups: new Set(groups), appKnown: true, refused: null };
const empty: GrantRoom = { id: 's1', dona: 'ana', people: [], groups: [] };
const decide = (observed: Partial<GrantObserved>, desired = base, memory: GrantMemory | null = null) =>
  decideGrant(desired, { ...none, ...observed }, memory, 1_000);
const kinds = (actions: readonly Action[]): readonly string[] => actions.map(({ kind }) => kind);

describe('one document', () => {
  test.for([
    [{ people: new Set(['ana']) }, ['grant/group'], 'granting', /^1 to change/],
    [{ groups: new Set<string>() }, ['grant/person'], 'granting', /^1 to change/],
    [{ people: new Set(['ana']), groups: new Set<string>() }, [], 'waiting', /^waits for the person bia, somebody in the group editores$/],
  ] as const)('what nobody knows waits, and the rest is granted: %j', ([observed, actions, state, message]) => {
    const decision = decide({ room: empty, ...observed });
    expect([kinds(decision.actions), decision.state]).toEqual([actions, state]);
    expect(decision.message).toMatch(message);
  });

  test('no room is made for nobody, or of an app that nobody has', () => {
    expect(decide({ people: new Set(['bia']) })).toMatchObject({ state: 'waiting', actions: [], message: 'waits for the person ana' });
    expect(decide({ appKnown: false })).toMatchObject({ state: 'waiting', actions: [], message: 'waits for the app notas' });
  });

  test('what was refused is told, and tried again', () => {
    const refused = decide({ room: empty, refused: 'the room is full' });
    expect(refused).toMatchObject({ state: 'refused', reason: 'GrantRefused', message: 'the room is full' });
    expect(refused.actions).toHaveLength(2);
  });

  test('another document’s roles are not withdrawn', () => {
    const room: GrantRoom = { ...empty, people: [{ name: 'caio', papel: 'ver', declaredBy: 'other' }] };
    expect(decide({ room }, { ...base, spec: null }).actions).toEqual([{ kind: 'object/forget', key: 'Grant/atas' }]);
  });

  test('a document that leaves takes back what it gave, by name and by group, and then goes', () => {
    const leaving = { ...base, spec: null };
    const room: GrantRoom = {
      ...empty,
      people: [
        { name: 'bia', papel: 'ver', declaredBy: 'atas' },
        { name: 'caio', papel: 'ver', declaredBy: null },
      ],
      groups: [
        { name: 'editores', papel: 'ver', declaredBy: 'atas' },
        { name: 'autores', papel: 'ver', declaredBy: 'other' },
      ],
    };
    const decision = decide({ others: [room] }, leaving);
    expect(decision).toMatchObject({ state: 'leaving', reason: 'DocumentRemoved', message: 'what it gave is taken back' });
    expect(decision.actions).toEqual([
      { kind: 'grant/withdraw-person', grant: 'atas', room: 's1', usuario: 'bia' },
      { kind: 'grant/withdraw-group', grant: 'atas', room: 's1', grupo: 'editores' },
    ]);
    expect(decision.conditions.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'False'],
      ['Progressing', 'True'],
    ]);
    expect(decide({ others: [{ ...room, people: [], groups: [] }] }, leaving).actions).toEqual([
      { kind: 'object/forget', key: 'Grant/atas' },
    ]);
  });

  test('a role that it wants stays, one that it wanted goes, one of another strength is given anew', () => {
    const rows = (name: string, papel: PapelConcedido) => ({ name, papel, declaredBy: 'atas' });
    const room: GrantRoom = { ...empty, people: [rows('bia', 'editar'), rows('caio', 'ver')], groups: [rows('editores', 'editar')] };
    expect(decide({ room }).actions).toEqual([
      { kind: 'grant/withdraw-person', grant: 'atas', room: 's1', usuario: 'caio' },
      { kind: 'grant/person', grant: 'atas', room: 's1', usuario: 'bia', papel: 'ver' },
    ]);
    const given: GrantRoom = {
      ...empty,
      people: [{ name: 'bia', papel: 'ver', declaredBy: 'other' }],
      groups: [rows('editores', 'editar')],
    };
    expect(kinds(decide({ room: given }).actions)).toEqual(['grant/person']);
  });

  test('who owns the room, or is to own it, gets no role beside', () => {
    const named = (usuario: string, dona: string) => ({
      ...base,
      spec: { ...base.spec!, dona, pessoas: [{ usuario, papel: 'editar' as const }], grupos: [] },
    });
    expect(decide({ room: empty }, named('ana', 'ana')).actions).toEqual([]);
    expect(kinds(decide({ room: { ...empty, dona: 'bia' } }, named('ana', 'ana')).actions)).toEqual(['grant/owner']);
    expect(kinds(decide({ room: empty }, named('ana', 'bia')).actions)).toEqual(['grant/owner']);
    const dona = { ...base, spec: { ...base.spec!, pessoas: [{ usuario: 'bia', papel: 'dona' as const }], grupos: [] } };
    expect(decide({ room: empty }, dona).actions).toEqual([]);
    // An owner whom nobody knows changes nothing.
    expect(decide({ room: empty, people: new Set(['ana']) }, named('ana', 'bia')).actions).toEqual([]);
  });

  test('what is missing is told once, the app only before there is a room', () => {
    const done = { ...empty, groups: [{ name: 'editores', papel: 'editar', declaredBy: 'atas' }] } as const;
    expect(decide({ room: done, people: new Set(['ana']), appKnown: false })).toMatchObject({
      state: 'waiting',
      reason: 'ReferenceMissing',
      message: 'waits for the person bia',
    });
    expect(decide({ people: new Set(['bia']), appKnown: false, groups: new Set() }).message).toBe(
      'waits for the app notas, the person ana, somebody in the group editores',
    );
  });

  test('says which room it is, and since when it is not as wanted', () => {
    const done: GrantRoom = {
      ...empty,
      people: [{ name: 'bia', papel: 'ver', declaredBy: 'atas' }],
      groups: [{ name: 'editores', papel: 'editar', declaredBy: 'atas' }],
    };
    const rest = decide({ room: done });
    expect([rest.message, decide({ room: empty }).message]).toEqual(['in the room Atas of notas', '2 to change in the room Atas']);
    const changed = decideGrant(base, { ...none, room: empty }, rest.memory, 2_000);
    expect(changed.memory.since).toEqual({ Ready: ['False', 2_000], Progressing: ['True', 2_000] });
    expect(changed.conditions).toMatchObject([
      { status: 'False', reason: 'Granting' },
      { status: 'True', reason: 'Granting' },
    ]);
  });
});

/** Every kind, in the order in which a resync asks for them: what others depend on comes first. */
import { backendKind } from './backend.ts';
import { clusterKind } from './cluster.ts';
import { engineKind } from './engine.ts';
import { grantActs } from '../execute/grant-acts.ts';
import { grantKind } from './grant.ts';
import { jobKind } from './job.ts';
import type { Kind } from './kind.ts';
import { packageKind } from './package.ts';
import { peopleKind } from './people.ts';
import { personKind } from './person.ts';
import { portalKind } from './portal.ts';
import { serverKind } from './server.ts';
import { serviceKind } from './service.ts';
import { supervisorKind } from './supervisor.ts';

export const allKinds: readonly Kind[] = [
  portalKind,
  serverKind,
  serviceKind,
  packageKind,
  engineKind,
  peopleKind,
  grantKind,
  personKind,
  supervisorKind,
  backendKind,
  clusterKind,
  jobKind,
];

/** Actions with a row of their own: how it is carried out, told in a plan and recorded. */
export const ownActs = { ...grantActs };

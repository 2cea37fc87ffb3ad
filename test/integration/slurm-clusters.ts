/** Cluster documents over the Slurm of a test, whose node is reached over ssh. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestSlurm } from '../support/slurm.ts';
import type { TestSshd } from '../support/sshd.ts';

/** Gives what makes a document of a name and of how many jobs are in flight at once. */
export async function slurmClusters(
  folder: string,
  slurm: Pick<TestSlurm, 'conf'>,
  sshd: Pick<TestSshd, 'port' | 'keyFile'>,
): Promise<(name: string, emVoo: number) => string> {
  const sshConfig = join(folder, 'ssh_config');
  await writeFile(
    sshConfig,
    `Host *\nHostName 127.0.0.1\nPort ${sshd.port}\nIdentityFile ${sshd.keyFile}\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n`,
  );
  return (name, emVoo) =>
    `kind: Cluster\nmetadata: { name: ${name} }\nspec: { scheduler: { slurm: { server: casa, partition: teste, conf: ${slurm.conf}, ssh: ${sshConfig} } }, emVoo: ${emVoo} }`;
}

/**
 * The unit of a server-scope app as text. Everything in it is our own word, a number, or a value of the manifest that was held against its
 * alphabet: nothing of a manifest can begin another line. Decision: docs/decisions/0067-server-scope-apps.md
 */
import { limits } from '../limits.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import { ceilingsOf } from '../launch/ceiling.ts';
import { exitCodes } from '../launch/exit-codes.ts';
import { gpuMode } from '../launch/gpu.ts';

/** Rights that an app which serves HTTP on a unix socket never needs. Source: systemd.exec(5), `systemd-analyze security`. */
const hardening: readonly string[] = [
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelLogs=yes',
  'ProtectControlGroups=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectProc=invisible',
  'RestrictSUIDSGID=yes',
  'RestrictRealtime=yes',
  'RestrictNamespaces=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
  'UMask=0077',
];

/** Variables of the portal for the app, if there are any (credential.ts). */
export const environmentLine = (file: string): string => `EnvironmentFile=-${file}`;

/** `bin` holds svc-app-serve. */
export function unitText(manifest: Manifest, bin: string): string {
  const { id } = manifest;
  const { account } = serverAppPaths(id);
  const { memoryHigh, memoryMax, tasksMax, cpuQuota } = ceilingsOf(manifest);
  const infinite = (value: string): string => (value === 'none' ? 'infinity' : value);
  const setUpS = (manifest.backend.installCommand ?? '').trim() === '' ? 0 : limits.installCommandMsMax / 1_000;
  const gpu = gpuMode(manifest);
  const cardS = gpu === 'necessaria' ? limits.gpuServiceWaitMsMax / 1_000 : 0;
  const lines = [
    '[Unit]',
    `Description=svc app ${id}`,
    'After=network.target',
    // Five starts within 600 s, and it stays failed until somebody starts it or it is installed anew: this service manager forgets nothing
    // by itself. Source: rules 3.3. Decision: docs/decisions/0067-server-scope-apps.md
    `StartLimitIntervalSec=${sharedLimits.failureResetMs / 1_000}`,
    `StartLimitBurst=${sharedLimits.restartFailuresMax}`,
    '',
    '[Service]',
    'Type=exec',
    `User=${account}`,
    `Group=${account}`,
    environmentLine(serverAppPaths(id).portalEnv),
    `ExecStart=${bin}/svc-app-serve ${id}`,
    `ExecStartPost=${bin}/svc-app-serve --open ${id}`,
    'Restart=always',
    'RestartSec=2',
    `RestartPreventExitStatus=${exitCodes.refused}`,
    `TimeoutStartSec=${sharedLimits.serviceSocketMsMax / 1_000 + setUpS + cardS}`,
    `TimeoutStopSec=${machineLimits.stopGraceMs / 1_000}`,
    `RuntimeDirectory=svc-apps/${id}`,
    'RuntimeDirectoryMode=0755',
    `StateDirectory=svc-apps/${id}`,
    'StateDirectoryMode=0700',
    'StandardInput=null',
    `SyslogIdentifier=svc-app-${id}`,
    '',
    `MemoryHigh=${infinite(memoryHigh)}`,
    `MemoryMax=${infinite(memoryMax)}`,
    `TasksMax=${infinite(tasksMax)}`,
    ...(cpuQuota === null || cpuQuota === 'none' ? [] : [`CPUQuota=${cpuQuota}`]),
    '',
    ...hardening,
    // A card is a device file.
    `PrivateDevices=${gpu === null ? 'yes' : 'no'}`,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

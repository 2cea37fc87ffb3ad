/**
 * Variable names that a secret may not take. A secret wins over the env file (spec 3.1 step 2), so one of these would replace
 * the token, the loader or the interpreter's search path. Decision: docs/decisions/0011-reserved-secret-names.md
 */
const prefixes = ['SVC_', 'LD_', 'NODE_', 'PYTHON', 'BASH_FUNC_', 'DYLD_', 'GLIBC_', 'MALLOC_'] as const;

const groups = {
  // Who and where the process is.
  identity: [
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'PWD',
    'OLDPWD',
    'TMPDIR',
    'HOSTNAME',
    'MAIL',
    'TERM',
    'SUDO_USER',
    'SUDO_UID',
    'SUDO_GID',
    'XDG_RUNTIME_DIR',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_STATE_HOME',
    'XDG_CACHE_HOME',
    'DBUS_SESSION_BUS_ADDRESS',
    'SSH_AUTH_SOCK',
    'NOTIFY_SOCKET',
    'LISTEN_FDS',
    'LISTEN_PID',
    'INVOCATION_ID',
    'JOURNAL_STREAM',
    'MAINPID',
  ],
  // What a shell or a loader obeys before the program starts.
  loaders: [
    'BASH_ENV',
    'ENV',
    'IFS',
    'CDPATH',
    'GLOBIGNORE',
    'SHELLOPTS',
    'BASHOPTS',
    'PS4',
    'PROMPT_COMMAND',
    'POSIXLY_CORRECT',
    'GCONV_PATH',
    'LOCPATH',
    'NLSPATH',
    'HOSTALIASES',
    'LOCALDOMAIN',
    'RES_OPTIONS',
    'GETCONF_DIR',
    'TZDIR',
    'RESOLV_HOST_CONF',
  ],
  // What other runtimes obey.
  runtimes: [
    'PERL5LIB',
    'PERL5OPT',
    'PERLLIB',
    'RUBYLIB',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'JDK_JAVA_OPTIONS',
    '_JAVA_OPTIONS',
    'CLASSPATH',
    'OPENSSL_CONF',
    'OPENSSL_MODULES',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'GIT_SSH_COMMAND',
    'EDITOR',
    'VISUAL',
    'PAGER',
    'BROWSER',
  ],
  // Decided by the launcher. Source: spec 3.1 step 6.
  devices: [
    'CUDA_VISIBLE_DEVICES',
    'CUDA_DEVICE_ORDER',
    'NVIDIA_VISIBLE_DEVICES',
    'HIP_VISIBLE_DEVICES',
    'ROCR_VISIBLE_DEVICES',
    'ZE_AFFINITY_MASK',
  ],
} as const;

const names: ReadonlySet<string> = new Set(Object.values(groups).flat());

export function isReservedName(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

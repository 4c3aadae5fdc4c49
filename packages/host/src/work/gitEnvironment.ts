import { devNull } from 'node:os';
import { delimiter, isAbsolute } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables of the host that git and the user's own helpers need. Nothing that points git to another repository is among them. */
const PASSED_ON: ReadonlySet<string> = new Set([
  'HOME',
  'USER',
  'LOGNAME',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'SSH_AUTH_SOCK',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  // Where the user's own configuration is.
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
]);

const NETWORK_PROTOCOLS = 'https:http:ssh:git:file';

export interface GitEnvironmentOptions {
  readonly env: Environment;
  /** Git may write: refresh the index, take optional locks. */
  readonly writes: boolean;
  readonly network: boolean;
}

/** A clean environment: nothing asks on a terminal, opens an editor or a pager, or fetches missing objects. */
export function gitEnvironment({ env, writes, network }: GitEnvironmentOptions): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && PASSED_ON.has(name)) passed[name] = value;
  }
  return {
    ...passed,
    PATH: absolutePath(env['PATH'] ?? ''),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_MERGE_AUTOEDIT: 'no',
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: network ? NETWORK_PROTOCOLS : 'none',
    ...(!writes && { GIT_OPTIONAL_LOCKS: '0' }),
  };
}

/** A relative entry of PATH would find programs in the repository, and so would an empty PATH. */
function absolutePath(path: string): string {
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry));
  return entries.length === 0 ? devNull : entries.join(delimiter);
}

/** Set for every run, whatever the repository and the user have configured. */
export function fixedSettings({ hooks }: { readonly hooks: boolean }): readonly Setting[] {
  return [
    ...(hooks ? [] : [['core.hooksPath', devNull] as const]),
    ['core.fsmonitor', 'false'],
    ['core.pager', 'cat'],
    ['core.askPass', ''],
    ['core.protectNTFS', 'true'],
    ['core.protectHFS', 'true'],
    ['diff.submodule', 'short'],
    ['gc.auto', '0'],
    ['log.showSignature', 'false'],
    ['maintenance.auto', 'false'],
    ['protocol.ext.allow', 'never'],
    ['push.recurseSubmodules', 'no'],
    ['fetch.recurseSubmodules', 'false'],
    ['safe.bareRepository', 'explicit'],
    ['status.submoduleSummary', 'false'],
    ['submodule.recurse', 'false'],
  ];
}

export type Setting = readonly [key: string, value: string];

/** Settings that win over all files. In the environment, no character of a key is misread, unlike with `-c`. */
export function settingsEnvironment(settings: readonly Setting[]): Record<string, string> {
  const entries: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    entries[`GIT_CONFIG_KEY_${index}`] = key;
    entries[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return entries;
}

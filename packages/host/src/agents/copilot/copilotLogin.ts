import type { AgentKeySupport, AgentLoginSupport, LoginFacts, LoginProgram } from '../agentLogin.js';
import { findProgram } from '../install/agentInstall.js';
import { readKey } from '../login/keyFile.js';
import { agentEnvironment } from '../orphans/agentEnvironment.js';

interface AuthStatus {
  readonly isAuthenticated: boolean;
  readonly login?: string | undefined;
  readonly authType?: string | undefined;
}

interface CopilotLoginOptions {
  readonly stateDir: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Asks the SDK; `undefined` when no log-in is needed. */
  readonly ask: (isAnew: boolean) => Promise<AuthStatus | undefined>;
}

const PROVIDER = 'copilot';
/** Copilot's own variable comes before GH_TOKEN, and other programs don't use it. */
const VARIABLE = 'COPILOT_GITHUB_TOKEN';
const KEY: AgentKeySupport = {
  variable: VARIABLE,
  check: { url: 'https://api.github.com/user', header: 'authorization', headers: { 'user-agent': 'agenthost' } },
};

/** Copilot's SDK says who is logged in; the log-in itself is that of the Copilot CLI, which shares its credentials. */
export class CopilotLogin implements AgentLoginSupport {
  readonly key = KEY;
  readonly #options: CopilotLoginOptions;

  constructor(options: CopilotLoginOptions) {
    this.#options = options;
  }

  async facts(): Promise<LoginFacts | undefined> {
    const status = await this.#options.ask(false).catch(() => ({ isAuthenticated: undefined }) as const);
    if (!status) return undefined;
    const { isAuthenticated } = status;
    const hasKey = Object.keys(await this.keyEnv()).length > 0;
    const login = await this.program('login');
    const account = 'login' in status ? status.login : undefined;
    const isEnv = 'authType' in status && status.authType === 'env';
    const source = hasKey ? 'key' : isEnv ? 'environment' : undefined;
    return {
      ...(isAuthenticated !== undefined && { state: isAuthenticated ? 'ready' : 'needed' }),
      ...(source && { source }),
      ...(account && { account: account.slice(0, 256) }),
      ...(login && { command: login.shown }),
      key: { variable: VARIABLE, isChecked: true },
      ...(hasKey && { canLogOut: true as const }),
    };
  }

  async check(): Promise<'ready' | 'needed' | 'unknown'> {
    const status = await this.#options.ask(true);
    return !status || status.isAuthenticated ? 'ready' : 'needed';
  }

  async program(what: 'login' | 'logout'): Promise<LoginProgram | undefined> {
    const { hostEnv } = this.#options;
    // Its CLI logs out only inside of its own screen.
    const path = what === 'login' ? await findProgram('copilot', hostEnv) : undefined;
    if (path === undefined) return undefined;
    const args = ['login', '--device-code'];
    return { path, args, env: agentEnvironment(hostEnv), shown: 'copilot login --device-code' };
  }

  /** The key that the host keeps, for Copilot's processes. */
  async keyEnv(): Promise<Record<string, string>> {
    const key = await readKey(this.#options.stateDir, PROVIDER);
    return key === undefined ? {} : { [VARIABLE]: key };
  }
}

import { parseMode } from './modes.js';

/** A model provider other than GitHub: the user's own key, or a server on this machine. The shape is the SDK's. */
export interface CopilotProvider {
  readonly type?: 'openai' | 'azure' | 'anthropic';
  readonly wireApi?: 'completions' | 'responses';
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly bearerToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly azure?: { readonly apiVersion?: string };
  readonly maxPromptTokens?: number;
  readonly maxOutputTokens?: number;
  /** Its models; the first is used when none is chosen. */
  readonly models?: readonly string[];
}

export interface CopilotSessionConfig {
  readonly provider: CopilotProvider | undefined;
  readonly reasoningEffort: string | undefined;
  readonly mode: string | undefined;
}

export const EFFORTS: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The provider in `createSession.config`: the name of one of the host's providers, so that a key need not leave the host, or
 * a provider object. Throws with what is wrong with it.
 */
export function parseSessionConfig(
  config: Readonly<Record<string, unknown>>,
  providers: Readonly<Record<string, CopilotProvider>>,
  defaultProvider: string | undefined,
): CopilotSessionConfig {
  const { provider = defaultProvider, reasoningEffort, mode } = config;
  if (reasoningEffort !== undefined && !EFFORTS.includes(String(reasoningEffort))) {
    throw new Error(`config.reasoningEffort must be one of ${EFFORTS.join(', ')}.`);
  }
  return {
    provider: parseProvider(provider, providers, 'config.provider'),
    reasoningEffort: reasoningEffort === undefined ? undefined : String(reasoningEffort),
    mode: parseMode(mode),
  };
}

/** A provider, or the name of one of `providers`; `where` names it in errors. */
export function parseProvider(
  provider: unknown,
  providers: Readonly<Record<string, CopilotProvider>>,
  where: string,
): CopilotProvider | undefined {
  if (provider === undefined) return undefined;
  if (typeof provider === 'string') {
    const named = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (named) return named;
    const names = Object.keys(providers).join(', ') || 'none';
    throw new Error(`This host has no model provider ${JSON.stringify(provider)} for Copilot; it has: ${names}.`);
  }
  if (typeof provider !== 'object' || provider === null) throw new Error(`${where} must be a name or an object.`);
  const given = provider as Readonly<Record<string, unknown>>;
  const { baseUrl, models } = given;
  if (typeof baseUrl !== 'string' || !/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : '')) {
    throw new Error(`${where}.baseUrl must be an http or https address.`);
  }
  if (models !== undefined && !(Array.isArray(models) && models.every((model) => typeof model === 'string'))) {
    throw new Error(`${where}.models must be a list of model ids.`);
  }
  return { ...pick(given, where), baseUrl, ...(models !== undefined && { models }) };
}

/** The fields of an untrusted object that are passed on: only those named here. */
function pick(given: Readonly<Record<string, unknown>>, where: string): Omit<CopilotProvider, 'baseUrl' | 'models'> {
  const kinds: Readonly<Record<string, string>> = {
    type: 'string',
    wireApi: 'string',
    apiKey: 'string',
    bearerToken: 'string',
    headers: 'object',
    azure: 'object',
    maxPromptTokens: 'number',
    maxOutputTokens: 'number',
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const value = given[name];
    if (value !== undefined && (typeof value !== kind || value === null)) {
      throw new Error(`${where}.${name} must be ${kind === 'object' ? 'an' : 'a'} ${kind}.`);
    }
  }
  return Object.fromEntries(
    Object.keys(kinds).flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );
}

/** The provider in the SDK's form. */
export function sdkProvider({ models: _, ...provider }: CopilotProvider): Readonly<Record<string, unknown>> {
  return { type: 'openai', ...provider };
}

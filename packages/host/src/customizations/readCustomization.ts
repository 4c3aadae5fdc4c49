import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, MAX_URI_LENGTH } from '@agenthost/protocol/internal';
import type { CustomizationKind } from '../agents/agentCustomization.js';
import { oneLine } from '../agents/events/boundedText.js';
import { inlineCode } from '../agents/events/markdownCode.js';
import type { DiscoveryLimits, FoundCustomization } from './foundCustomization.js';
import { type FrontMatter, frontMatter, textField } from './frontMatter.js';
import { parseMcpFile, type ServerContext } from './mcpFile.js';
import { readText, type SeenFile } from './workspaceFiles.js';

const MAX_NAME = 120;
const MAX_DESCRIPTION = 500;

/** A file that may contain customizations of a kind. */
export interface CandidateFile {
  readonly kind: CustomizationKind;
  readonly relativePath: string;
  /** Its name when the file has none. */
  readonly label: string;
  readonly origin: 'user' | 'workspace';
  readonly seen: SeenFile | { readonly path: string; readonly problem: string };
}

/** Reads a file: one customization, or any number of MCP servers. It never fails; errors are part of the result. */
export async function readCustomizations(
  file: CandidateFile,
  limits: DiscoveryLimits,
  context: ServerContext,
): Promise<FoundCustomization[]> {
  const { seen, kind } = file;
  try {
    if ('problem' in seen) throw new Error(seen.problem);
    if (seen.type !== 'file') throw new Error('It is not a file.');
    const found = kind === 'mcpServer' ? await servers(file, seen, limits, context) : [await text(file, seen, limits)];
    return found.filter(({ uri }) => uri.length <= MAX_URI_LENGTH);
  } catch (error) {
    return broken(file, errorMessage(error));
  }
}

/** A customization that can't be used is listed too, so that the user sees why a file has no effect. */
export function broken(file: CandidateFile, why: string): FoundCustomization[] {
  const found = { ...base(file), displayName: file.label, name: file.label, problem: oneLine(why, MAX_DESCRIPTION) };
  return found.uri.length <= MAX_URI_LENGTH ? [found] : [];
}

async function text(file: CandidateFile, seen: SeenFile, limits: DiscoveryLimits): Promise<FoundCustomization> {
  const { kind, label } = file;
  const isWhole = kind !== 'skill';
  if (isWhole && seen.size > limits.maxTextBytes) {
    throw new Error(`It is larger than ${limits.maxTextBytes / 1024} KB.`);
  }
  const matter = frontMatter(await readText(seen.path, limits.maxFrontMatterBytes));
  const given = textField(matter, 'name');
  const fallback = kind === 'skill' ? basename(dirname(file.relativePath)) : stem(file.relativePath);
  const name = oneLine(given ?? fallback, MAX_NAME) || fallback;
  const description = textField(matter, 'description');
  const appliesTo = textField(matter, 'applyTo');
  const runs = kind === 'skill' ? allowed(matter, name) : undefined;
  if (kind === 'skill' && description === undefined) {
    throw new Error('A skill needs a description in its front matter: by it the agent knows when to use it.');
  }
  return {
    ...base(file),
    name,
    displayName: kind === 'instructions' ? label : name,
    ...(description !== undefined && { description: oneLine(description, MAX_DESCRIPTION) }),
    ...(appliesTo !== undefined && { appliesTo: oneLine(appliesTo, MAX_DESCRIPTION) }),
    ...(runs !== undefined && { runs }),
  };
}

async function servers(
  file: CandidateFile,
  seen: SeenFile,
  limits: DiscoveryLimits,
  context: ServerContext,
): Promise<FoundCustomization[]> {
  if (seen.size > limits.maxMcpFileBytes) throw new Error(`It is larger than ${limits.maxMcpFileBytes / 1024} KB.`);
  const named = parseMcpFile(await readText(seen.path, limits.maxMcpFileBytes), context);
  const found = named.slice(0, limits.maxPerPlace).map(({ name, server, runs, problem }): FoundCustomization => {
    const shown = oneLine(name, MAX_NAME) || '(no name)';
    const { uri, ...rest } = base(file);
    return {
      ...rest,
      uri: `${uri}#${encodeURIComponent(name.toWellFormed().slice(0, MAX_NAME))}`,
      name,
      displayName: shown,
      description: `In ${file.label}`,
      runs: `The MCP server ${inlineCode(shown)} ${runs}`,
      ...(server && { mcpServer: server }),
      ...(problem !== undefined && { problem: oneLine(problem, MAX_DESCRIPTION) }),
    };
  });
  const rest = named.length - found.length;
  return rest > 0 ? [...found, ...broken(file, `It has ${rest} more servers, which are not used.`)] : found;
}

function base({ kind, relativePath, origin, seen }: CandidateFile) {
  const stamp = 'stamp' in seen ? seen.stamp : '';
  return { kind, uri: pathToFileURL(seen.path).href, path: seen.path, relativePath, origin, stamp };
}

/** Agents use these tools without asking while the skill is active. */
function allowed(matter: FrontMatter, name: string): string | undefined {
  const tools = textField(matter, 'allowed-tools') ?? textField(matter, 'allowedTools');
  if (tools === undefined) return undefined;
  return `The skill ${inlineCode(name)} allows ${inlineCode(tools, MAX_DESCRIPTION)} without asking`;
}

function stem(path: string): string {
  return basename(path).replace(/\.(?:instructions|agent)?\.?md$/, '');
}

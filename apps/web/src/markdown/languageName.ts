/** The languages of the highlighter; highlightWorker.ts loads them. */
export const LANGUAGE_NAMES = [
  'bash',
  'c',
  'cpp',
  'csharp',
  'css',
  'diff',
  'docker',
  'go',
  'html',
  'ini',
  'java',
  'javascript',
  'json',
  'jsx',
  'kotlin',
  'make',
  'markdown',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'toml',
  'tsx',
  'typescript',
  'xml',
  'yaml',
] as const;

export type LanguageName = (typeof LANGUAGE_NAMES)[number];

const ALIASES: Readonly<Record<string, LanguageName>> = {
  'c++': 'cpp',
  cs: 'csharp',
  dockerfile: 'docker',
  h: 'c',
  js: 'javascript',
  cjs: 'javascript',
  mjs: 'javascript',
  json5: 'json',
  jsonc: 'json',
  kt: 'kotlin',
  makefile: 'make',
  md: 'markdown',
  ps1: 'powershell',
  pwsh: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  shellscript: 'bash',
  svg: 'xml',
  ts: 'typescript',
  mts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The language after a fence, or of a tool call. */
export function languageName(language: string | undefined): LanguageName | undefined {
  const word =
    language
      ?.trim()
      .split(/[\s,{]/)[0]
      ?.toLowerCase() ?? '';
  if (Object.hasOwn(ALIASES, word)) return ALIASES[word];
  return LANGUAGE_NAMES.find((name) => name === word);
}

import type { HighlighterCore, LanguageRegistration } from 'shiki/core';

export interface HighlightedSpan {
  readonly text: string;
  readonly color: string | undefined;
}

export type HighlightedLine = readonly HighlightedSpan[];

/** Longer code is shown plain: the highlighter works in the page's own thread. */
const LONGEST = 60_000;

/** A line that takes longer gets no more colours. The first line of a language has its rules compiled, also on a busy machine. */
const LIMITS = { tokenizeTimeLimit: 2_000, tokenizeMaxLineLength: 2_000 };

type Language = () => Promise<{ default: LanguageRegistration[] }>;

const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

const ALIASES: Readonly<Record<string, string>> = {
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

export function canHighlight(code: string, language: string | undefined): boolean {
  return code.length <= LONGEST && languageName(language) !== undefined;
}

/** Coloured lines, or `undefined` where nothing is known about the language. */
export async function highlight(code: string, language: string | undefined): Promise<HighlightedLine[] | undefined> {
  const name = languageName(language);
  if (!name || code.length > LONGEST) return undefined;
  loading ??= load();
  const highlighter = await loading;
  if (!highlighter.getLoadedLanguages().includes(name))
    await highlighter.loadLanguage((await LANGUAGES[name]?.()) ?? []);
  return highlighter
    .codeToTokensBase(code, { lang: name, theme: 'page', ...LIMITS })
    .map((line) => line.map((token) => ({ text: token.content, color: token.color })));
}

let loading: Promise<HighlighterCore> | undefined;

async function load(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
  ]);
  const theme = createCssVariablesTheme({ name: 'page', variablePrefix: '--code-' });
  return createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

function languageName(language: string | undefined): string | undefined {
  const word =
    language
      ?.trim()
      .split(/[\s,{]/)[0]
      ?.toLowerCase() ?? '';
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  return name !== undefined && Object.hasOwn(LANGUAGES, name) ? name : undefined;
}

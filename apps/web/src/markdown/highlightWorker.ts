// Runs in a worker: the page stays responsive for any text, and a line that takes too long can be stopped from outside.
import type { HighlighterCore, LanguageRegistration } from 'shiki/core';
import { boundedTokens, type HighlightedLine } from './highlightedLines.js';
import type { LanguageName } from './languageName.js';
import { READY, type ThreadAnswer, type ThreadRequest } from './workerThread.js';

export interface HighlightRequest {
  readonly code: string;
  readonly language: LanguageName;
}

/** A line that takes longer gets no more colours. */
const LIMITS = { tokenizeTimeLimit: 500, tokenizeMaxLineLength: 2_000 };

type Language = () => Promise<{ default: LanguageRegistration[] }>;

const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
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

async function highlight({ code, language }: HighlightRequest): Promise<readonly HighlightedLine[]> {
  loading ??= load();
  const highlighter = await loading;
  if (!highlighter.getLoadedLanguages().includes(language)) await highlighter.loadLanguage(await LANGUAGES[language]());
  return boundedTokens(highlighter.codeToTokensBase(code, { lang: language, theme: 'page', ...LIMITS }));
}

addEventListener('message', ({ data: { id, asked } }: MessageEvent<ThreadRequest<HighlightRequest>>) => {
  const tell = (result: ThreadAnswer<readonly HighlightedLine[]>) => postMessage(result);
  highlight(asked).then(
    (answer) => tell({ id, answer }),
    () => tell({ id }),
  );
});
postMessage(READY);

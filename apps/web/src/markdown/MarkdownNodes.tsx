import type { Token, Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { DiagramFence } from '../diagram/DiagramFence.js';
import { FileLink, PathCode, TextWithPaths } from '../files/FileLink.js';
import { FilesProvider } from '../files/filesContext.js';
import { CodeBlock } from './CodeBlock.js';
import { DiffFence, MOST_DIFF_LINES } from './DiffFence.js';
import { decodeEntities } from './decodeEntities.js';
import { Formula } from './Formula.js';
import type { FootnoteToken, MathToken } from './markdownExtensions.js';
import { inlineImage, linkTarget } from './safeUrl.js';

/** Deeper than people read; React's stack is limited. */
const DEEPEST = 40;

/** Tokens as elements. No HTML string exists: markup in the text is shown as text. */
export function MarkdownNodes({ tokens, depth = 0 }: { readonly tokens: readonly Token[]; readonly depth?: number }) {
  // A token has no identity; its position is its key.
  return withKeys(tokens).map((token, index) => <Fragment key={index}>{node(token, depth)}</Fragment>);
}

/** `<kbd>` is the only element of HTML that is taken as such: its two tags and what is between them become one token. */
function withKeys(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(isTag('<kbd>'))) return tokens;
  const joined: Token[] = [];
  const last = tokens.findLastIndex(isTag('</kbd>'));
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    const end =
      at < last && isTag('<kbd>')(token) ? tokens.findIndex((one, index) => index > at && isTag('</kbd>')(one)) : -1;
    if (end === -1) joined.push(token);
    else {
      joined.push({ type: 'kbd', raw: '', tokens: tokens.slice(at + 1, end) });
      at = end;
    }
  }
  return joined;
}

function isTag(tag: string): (token: Token) => boolean {
  return (token) => token.type === 'html' && token.raw.trim().toLowerCase() === tag;
}

export function markdownNode(token: Token): ReactNode {
  return node(token, 0);
}

function node(token: Token, depth: number): ReactNode {
  if (depth > DEEPEST) return token.raw;
  const inside = (tokens: readonly Token[] | undefined) => <MarkdownNodes tokens={tokens ?? []} depth={depth + 1} />;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return <p>{inside(token.tokens)}</p>;
    case 'heading':
      return <Heading level={(token as Tokens.Heading).depth}>{inside(token.tokens)}</Heading>;
    case 'hr':
      return <hr />;
    case 'code':
      return fence(token as Tokens.Code);
    case 'math':
      return <Formula text={(token as MathToken).text} isBlock={(token as MathToken).isBlock} />;
    case 'kbd':
      return <kbd>{inside(token.tokens)}</kbd>;
    case 'footnoteMark':
      return <sup>{(token as FootnoteToken).name}</sup>;
    case 'footnote':
      return (
        <p className="footnotes">
          <sup>{(token as FootnoteToken).name}</sup> {inside(token.tokens)}
        </p>
      );
    case 'blockquote':
      return <blockquote>{inside(token.tokens)}</blockquote>;
    case 'list':
      return <List token={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table token={token as Tokens.Table} depth={depth} />;
    case 'strong':
      return <strong>{inside(token.tokens)}</strong>;
    case 'em':
      return <em>{inside(token.tokens)}</em>;
    case 'del':
      return <del>{inside(token.tokens)}</del>;
    case 'codespan':
      return <PathCode text={(token as Tokens.Codespan).text} />;
    case 'br':
      return <br />;
    case 'checkbox':
      return null;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inside(token.tokens)}</Link>;
    case 'image':
      return <Image token={token as Tokens.Image} />;
    case 'html':
      return (token as Tokens.HTML).block ? <p>{token.raw}</p> : token.raw;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'text':
      return token.tokens ? inside(token.tokens) : <TextWithPaths text={decodeEntities((token as Tokens.Text).text)} />;
    default:
      return token.raw;
  }
}

function fence({ text, lang }: Tokens.Code): ReactNode {
  if (lang === 'math') return <Formula text={text} isBlock />;
  if (lang === 'diff' && text.split('\n').length <= MOST_DIFF_LINES) return <DiffFence code={text} />;
  if (lang === 'mermaid') return <DiagramFence code={text} />;
  return <CodeBlock code={text} language={lang} />;
}

/** A message's headings are below the page's own. */
function Heading({ level, children }: { readonly level: number; readonly children: ReactNode }) {
  if (level <= 1) return <h3>{children}</h3>;
  if (level === 2) return <h4>{children}</h4>;
  return <h5>{children}</h5>;
}

function List({ token, depth }: { readonly token: Tokens.List; readonly depth: number }) {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && (
        <input
          type="checkbox"
          checked={item.checked === true}
          readOnly
          disabled
          aria-label={item.checked ? 'done' : 'to do'}
        />
      )}
      <MarkdownNodes tokens={item.tokens} depth={depth + 1} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token, depth }: { readonly token: Tokens.Table; readonly depth: number }) {
  const cell = (entry: Tokens.TableCell) => <MarkdownNodes tokens={entry.tokens} depth={depth + 1} />;
  const aligned = (entry: Tokens.TableCell) => (entry.align ? { textAlign: entry.align } : undefined);
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>
            {token.header.map((entry, index) => (
              <th key={index} scope="col" style={aligned(entry)}>
                {cell(entry)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((entry, column) => (
                <td key={column} style={aligned(entry)}>
                  {cell(entry)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const target = linkTarget(href);
  // One link is not inside of another.
  const inside = <FilesProvider value={undefined}>{children}</FilesProvider>;
  if (!target) return <FileLink text={decodedPath(href)}>{inside}</FileLink>;
  return (
    <a href={target} target="_blank" rel="noreferrer noopener" title={target}>
      {inside}
    </a>
  );
}

function decodedPath(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

/** A remote image would tell its server who reads; it is a link instead. */
function Image({ token }: { readonly token: Tokens.Image }) {
  const source = inlineImage(token.href);
  if (source) return <img src={source} alt={token.text} />;
  return <Link href={token.href}>{token.text || 'image'}</Link>;
}

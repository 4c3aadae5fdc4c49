import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { frontMatter, textField } from '../../src/customizations/frontMatter.js';

const read = (yaml: string) => frontMatter(`---\n${yaml}\n---\nbody\n`);

describe('front matter', () => {
  it.each([
    'name: deploy\ndescription: Deploys the app',
    "description: \"quoted: with a colon\" # and a comment\nname: 'it''s'",
    'description: >\n  folded\n  over lines\nname: x',
    'description: |\n  line one\n  line two\nname: x',
    'description: >-\n  folded\n\n  in two paragraphs\nname: x',
    'description: a plain text\n  that goes on\nname: x',
    '# a comment\n\nname: x # another\n\ndescription: y',
    'description: an url http://example.org/#part\nname: a-b_c.d',
    'name: "tab\\tand \\u00e9"',
    'description: what? yes! 100% [sic] & more',
  ])('is read like YAML: %j', (yaml) => {
    const { fields, body } = read(yaml);
    const expected = parse(yaml) as Record<string, string>;
    expect(Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, value.trim()]))).toEqual(
      Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, value.trim()])),
    );
    expect(body).toBe('body\n');
  });

  it.each([
    ['tools: [Bash(*), Read]', 'Bash(*), Read'],
    ['tools:\n  - Bash(*)\n  - "Read"', 'Bash(*), Read'],
    ['tools:\n- Bash(*)\n- Read', 'Bash(*), Read'],
    ['tools: Bash(*)', 'Bash(*)'],
    ['"tools": Bash(*)', 'Bash(*)'],
    ['tools:\n  nested: yes', 'nested: yes'],
  ])('shows a list of tools in any notation: %j', (yaml, shown) => {
    expect(textField(read(yaml), 'tools')).toBe(shown);
  });

  it.each([
    ['an anchor', 'name: &a x'],
    ['an alias', 'name: *a'],
    ['a tag', 'name: !!str x'],
    ['an explicit key', '? name\n: x'],
    ['a mapping in braces', '{ name: x }'],
    ['a list', '- name'],
    ['a name twice', 'name: x\nname: y'],
    ['quotes that do not end', 'name: "x'],
    ['a list that does not end', 'name: ['],
    ['a document of another kind', 'just text'],
  ])('is refused rather than guessed: %s', (_, yaml) => {
    expect(() => read(yaml)).toThrow(/Its front matter/);
  });

  it('needs its two fences', () => {
    for (const text of ['', 'body', '---', '---\nname: x\nbody', ' ---\nname: x\n---\n']) {
      expect(frontMatter(text)).toEqual({ fields: {}, body: text });
    }
    expect(frontMatter('---\r\nname: x\r\n---\r\nbody')).toEqual({ fields: { name: 'x' }, body: 'body' });
  });

  it('takes linear time for any text', () => {
    for (const unit of [
      '? ',
      '[',
      '{a: ',
      '- ',
      'a:\n ',
      '&a ',
      '"',
      "'",
      '|\n',
      '  a\n',
      'a: b\n',
      '---',
      '\\',
      '#',
    ]) {
      // A parser of all of YAML takes minutes for a kilobyte of the first one; the test would time out.
      for (const text of [unit.repeat(100_000), `a: ${unit.repeat(100_000)}`, `a: |\n ${unit.repeat(100_000)}`]) {
        try {
          read(text);
        } catch (error) {
          expect(String(error)).toContain('Its front matter');
        }
      }
    }
  });
});

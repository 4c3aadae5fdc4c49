import { describe, expect, it } from 'vitest';
import { workspaceOfMetadata } from '../src/index.js';
import { workspaceLabel } from '../src/workspace/workspaceLabel.js';
import { gitHubInfoOf } from '../src/workspace/workspaceOfMetadata.js';

/** Every key at once; the test takes the first away, again and again. */
const ALL: [key: string, value: string, label: string][] = [
  ['remoteAgentHost', 'dev-box', 'myproject [dev-box]'],
  ['owner', 'my-org', 'my-repo'],
  ['repositoryNwo', 'my-org/nwo', 'nwo'],
  ['repository', 'git@github.com:my-org/from-remote.git', 'from-remote'],
  ['repositoryUrl', 'https://github.com/my-org/from-url', 'from-url'],
  ['repositoryPath', '/src/from-path/', 'from-path'],
  ['worktreePath', '/src/trees/from-worktree', 'from-worktree'],
  ['workingDirectoryPath', '/home/me/myproject', 'myproject'],
];

describe('the label of a workspace', () => {
  it('comes from the first of the nine sources with a value', () => {
    const metadata: Record<string, unknown> = { name: 'my-repo', ...Object.fromEntries(ALL) };
    for (const [key, , label] of ALL) {
      expect(workspaceLabel(metadata, 'badge/from-badge')).toBe(label);
      delete metadata[key];
    }
    expect(workspaceLabel(metadata, '$(repo) badge/from-badge')).toBe('from-badge');
    expect(workspaceLabel(metadata)).toBeUndefined();
  });

  it.each([
    [{ remoteAgentHost: 'dev-box' }, undefined],
    [{ owner: 'me' }, undefined],
    [{ name: 'x' }, undefined],
    [{ owner: 'me', name: 'x' }, 'x'],
    [{ repository: 'owner/repo' }, 'repo'],
    [{ repository: 'https://user@host:8443/a/b/repo.git?x#y' }, 'repo'],
    [{ repository: 'ssh://git@host:22/repo.git/' }, 'repo'],
    [{ repository: 'git@host:repo' }, 'repo'],
    [{ repository: '/src/original/.' }, 'original'],
    [{ repositoryUrl: 'https://github.com' }, undefined],
    [{ repositoryPath: 'C:\\src\\windows-repo\\' }, 'windows-repo'],
    [{ workingDirectoryPath: '/' }, '/'],
    [{ workingDirectoryPath: '   ' }, undefined],
    [{ workingDirectoryPath: 42, owner: {}, name: [] }, undefined],
    [{ repositoryNwo: '', repositoryPath: '/a/b' }, 'b'],
  ])('of %j is %j', (metadata, label) => {
    expect(workspaceLabel(metadata)).toBe(label);
  });
});

describe('a workspace of metadata', () => {
  it('has the repository, where it is checked out and the branch', () => {
    expect(
      workspaceOfMetadata({
        metadata: {
          owner: 'my-org',
          name: 'my-repo',
          repositoryPath: '/src/my repo#1',
          worktreePath: '/src/tree',
          branch: 'feature',
          baseBranchName: 'main',
          baseBranchProtected: true,
        },
        workingDirectory: 'file:///src/tree/sub',
      }),
    ).toEqual({
      label: 'my-repo',
      icon: 'repo',
      repositories: [
        {
          uri: 'file:///src/my%20repo%231',
          workingDirectory: 'file:///src/tree',
          detail: 'feature',
          baseBranchName: 'main',
          baseBranchProtected: true,
        },
      ],
      requiresWorkspaceTrust: false,
    });
  });

  it('requires trust when the host names a folder that has to be trusted', () => {
    const trusted = (metadata: object) =>
      workspaceOfMetadata({ metadata: { ...metadata }, workingDirectory: 'file:///src' })?.requiresWorkspaceTrust;
    expect([trusted({ untrustedFolder: '/src' }), trusted({ untrustedFolder: '' }), trusted({})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is the working directory when nothing else is known, and undefined without any data', () => {
    expect(workspaceOfMetadata({ workingDirectory: 'file:///src/my%20project' })).toMatchObject({
      label: 'my project',
      icon: 'folder',
      repositories: [{ uri: 'file:///src/my%20project', workingDirectory: 'file:///src/my%20project' }],
    });
    expect(workspaceOfMetadata({})).toBeUndefined();
    expect(workspaceOfMetadata({ metadata: { group: 'x' } })).toBeUndefined();
  });
});

describe('GitHub information', () => {
  it.each([
    [
      { owner: 'o', name: 'r' },
      { owner: 'o', repo: 'r' },
    ],
    [{ repositoryNwo: 'o/r' }, { owner: 'o', repo: 'r' }],
    [
      { owner: 'o', name: 'r', repositoryUrl: 'git@github.com:o/r' },
      { owner: 'o', repo: 'r' },
    ],
    [
      { owner: 'o', name: 'r', repositoryUrl: 'https://github.com/o/r' },
      { owner: 'o', repo: 'r' },
    ],
    [{ owner: 'o', name: 'r', repositoryUrl: 'https://gitlab.com/o/r' }, undefined],
    [{ owner: 'o', name: 'r', repositoryUrl: 'https://github.com.evil.example/o/r' }, undefined],
    [{ owner: 'o' }, undefined],
    [
      { owner: 'o', name: 'r', pullRequest: { number: 7, uri: 'https://github.com/o/r/pull/7' } },
      { owner: 'o', repo: 'r', pullRequest: { number: 7, uri: 'https://github.com/o/r/pull/7' } },
    ],
    [
      { owner: 'o', name: 'r', pullRequest: { number: 7, uri: 'javascript:alert(1)' } },
      { owner: 'o', repo: 'r' },
    ],
  ])('of %j is %j', (metadata, info) => {
    expect(gitHubInfoOf(metadata)).toEqual(info);
  });
});

import { describe, expect, it } from 'vitest';
import { locationOf, workspaceOfMetadata } from '../src/index.js';
import { folderUri } from '../src/workspace/folderUri.js';

const metadata = { remoteAgentHost: 'build 7', host: 'box 1a2b3c4d', workingDirectoryPath: '/src/a' };

describe('where a session lives', () => {
  it('is known where several hosts share their sessions', () => {
    expect(locationOf(metadata)).toEqual({ place: 'build 7', host: 'box 1a2b3c4d', isAway: false });
    expect(locationOf({ remoteAgentHost: 'build-7', away: true })).toEqual({ place: 'build-7', isAway: true });
    expect(workspaceOfMetadata({ metadata })?.location?.place).toBe('build 7');
    // The name of a host that is merely on another machine.
    expect(locationOf({ remoteAgentHost: 'dev-box' })).toBeUndefined();
    expect(workspaceOfMetadata({ metadata: { workingDirectoryPath: '/src/a' } })).not.toHaveProperty('location');
    for (const wrong of [{ ...metadata, remoteAgentHost: 7 }, { away: true }, { host: 'x' }, undefined]) {
      expect(locationOf(wrong)).toBeUndefined();
    }
  });

  it('is part of the folder for another session there, unless the host is at the same place', () => {
    const summary = { workingDirectory: 'file:///src/a', metadata };
    expect(folderUri(summary, 'office')).toBe('file://build%207/src/a');
    expect(folderUri(summary, 'build 7')).toBe('file:///src/a');
    expect(folderUri(summary, undefined)).toBe('file:///src/a');
    expect(folderUri({ workingDirectory: 'file:///src/a' }, 'office')).toBe('file:///src/a');
    expect(folderUri({ metadata }, 'office')).toBeUndefined();
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { ARTIFACT_KINDS, artifactTimes, withArtifactTime } from '../src/artifacts.js';
import { createSessionState } from '../src/reducers/createSessionState.js';
import { sessionReducer } from '../src/reducers/sessionReducer.js';

const session = 'mock:/s1';

describe('[ART2] the times of artifacts', () => {
  it('are in the metadata, kind by kind', () => {
    let state = createSessionState({ resource: session, provider: 'mock', createdAt: 1, metadata: { group: 'g' } });
    const change = (kind: (typeof ARTIFACT_KINDS)[number], time: number | undefined) => {
      const metadata = withArtifactTime(artifactTimes(state.summary), kind, time);
      state = sessionReducer(state, { type: 'session/metadataChanged', session, at: 2, metadata });
      return artifactTimes(state.summary);
    };
    expect(artifactTimes(state.summary)).toEqual({});
    expect(change('plan', 5)).toEqual({ plan: 5 });
    expect(change('file', 6)).toEqual({ plan: 5, file: 6 });
    expect(change('plan', undefined)).toEqual({ file: 6 });
    expect(change('file', undefined)).toEqual({});
    expect(state.summary.metadata).toEqual({ group: 'g' });
  });

  it('are read from any input', () => {
    holds(
      fc.property(fc.anything(), (artifacts) => {
        const times = artifactTimes({ metadata: { artifacts } });
        for (const [kind, time] of Object.entries(times)) {
          expect([ARTIFACT_KINDS.includes(kind as never), typeof time]).toEqual([true, 'number']);
        }
      }),
    );
  });
});

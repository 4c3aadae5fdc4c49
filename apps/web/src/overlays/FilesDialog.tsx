import type { Artifact } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { bytes, clock } from '../conversation/times.js';
import { Markdown } from '../markdown/Markdown.js';
import { ArtifactPicture, pictureType } from './ArtifactPicture.js';
import { SidePanel } from './SidePanel.js';

const MOST = 200;
const LARGEST = 1024 * 1024;
const KINDS = { plan: 'Plan', checkpoint: 'Compaction summaries', file: 'Files', research: 'Research' } as const;

/** The session's artifacts: its plan, compaction summaries, files. */
export function FilesDialog({ model, onClose }: { readonly model: ChatModel; readonly onClose: () => void }) {
  const [artifacts, setArtifacts] = useState<readonly Artifact[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    model.listArtifacts(MOST).then(setArtifacts, (error: unknown) => setProblem(problemText(error)));
  }, [model]);
  return (
    <SidePanel title="Files" problem={problem} onClose={onClose}>
      {artifacts?.length === 0 && <p className="blank">The agent keeps no plan, summary or file here yet.</p>}
      {artifacts?.map((artifact) => (
        <ArtifactRow key={artifact.uri} artifact={artifact} model={model} />
      ))}
      {artifacts?.length === MOST && <p className="blank">These are the first {MOST}.</p>}
    </SidePanel>
  );
}

function ArtifactRow({ artifact, model }: { readonly artifact: Artifact; readonly model: ChatModel }) {
  const [open, setOpen] = useState(artifact.kind === 'plan');
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isLarge = artifact.size > LARGEST;
  const picture = pictureType(artifact.name);
  useEffect(() => {
    if (!open || picture) return;
    const range = { offset: 0, length: LARGEST };
    model.fetchContent(artifact.uri, { range }).then(
      (content) => setText(content.text()),
      (error: unknown) => setProblem(problemText(error)),
    );
  }, [open, artifact, model, picture]);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <section className="artifact">
      <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron size={14} aria-hidden />
        <span className="clip">{artifact.title ?? artifact.name}</span>
        <span className="aux">
          {KINDS[artifact.kind]}, {bytes(artifact.size)}, {clock(artifact.modifiedAt)}
        </span>
      </button>
      {problem && <p className="why bad">{problem}</p>}
      {open && picture && <ArtifactPicture artifact={artifact} type={picture} model={model} />}
      {open && text !== undefined && (
        <div className="thought">
          {/\.md$/.test(artifact.name) ? <Markdown text={text} /> : <pre className="term">{text}</pre>}
          {isLarge && <p className="blank">Only its first {bytes(LARGEST)} are shown.</p>}
        </div>
      )}
    </section>
  );
}

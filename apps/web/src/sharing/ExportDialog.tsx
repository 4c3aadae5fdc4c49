import '../devices/devices.css';
import './exportDialog.css';
import type { ChatModel } from '@agenthost/sessions';
import { useEffect, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { CloseButton } from '../controls/CloseButton.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from '../overlays/Dialog.js';
import { exportFileName } from './exportFileName.js';
import { saveExport } from './saveExport.js';

interface ExportDialogProps {
  readonly model: ChatModel;
  readonly title: string;
  readonly onClose: () => void;
}

const FORMATS = [
  { id: 'md', label: 'Markdown', why: 'To read: messages, answers, commands and their output.', type: 'text/markdown' },
  {
    id: 'json',
    label: 'JSON',
    why: 'To keep: all of it, with images and files. agenthost import makes a session of it.',
    type: 'application/json',
  },
] as const;
const TELL_MS = 100;

type Stage =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'writing'; readonly done: number; readonly total: number }
  | { readonly kind: 'saved'; readonly name: string };

/** Saves the conversation as a file: the same that `agenthost export` writes. */
export function ExportDialog({ model, title, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<(typeof FORMATS)[number]>(FORMATS[0]);
  const [stage, setStage] = useState<Stage>({ kind: 'choosing' });
  const [problem, setProblem] = useState<string>();
  const work = useRef<AbortController>(undefined);
  // Leaving the dialog ends the work.
  useEffect(() => () => work.current?.abort(), []);

  const save = async () => {
    const controller = new AbortController();
    work.current = controller;
    const { signal } = controller;
    const name = exportFileName(title, format.id);
    let toldAt = 0;
    const onProgress = (done: number, total: number) => {
      const now = performance.now();
      if (now - toldAt < TELL_MS || signal.aborted) return;
      toldAt = now;
      setStage({ kind: 'writing', done, total });
    };
    setProblem(undefined);
    setStage({ kind: 'writing', done: 0, total: 0 });
    try {
      const pieces = model.exported?.({ format: format.id, signal, onProgress });
      if (pieces) await saveExport(name, format.type, pieces);
      if (!signal.aborted) setStage({ kind: 'saved', name });
    } catch (error) {
      if (signal.aborted) return;
      setProblem(`Nothing was saved. ${problemText(error)}`);
      setStage({ kind: 'choosing' });
    }
  };
  const stop = () => {
    work.current?.abort();
    setStage({ kind: 'choosing' });
  };
  const isWriting = stage.kind === 'writing';
  return (
    <Dialog label="Export the session" className="dlg" onClose={onClose} focusSelf>
      <div className="dlg-h">
        <h2 className="grow">Export the session</h2>
        <CloseButton onClose={onClose} />
      </div>
      <div className="dlg-b pair-side">
        {stage.kind === 'choosing' && (
          <fieldset className="fq">
            <legend>What for?</legend>
            {FORMATS.map((one) => (
              <label key={one.id} className="rad">
                <input type="radio" name="format" checked={format === one} onChange={() => setFormat(one)} />
                <span className="rt">
                  <b>{one.label}</b>
                </span>
                <small>{one.why}</small>
              </label>
            ))}
          </fieldset>
        )}
        {isWriting && (
          <label className="exporting">
            <span className="num">
              {stage.total > 0 ? `Turn ${stage.done} of ${stage.total}` : 'Reading the session…'}
            </span>
            <progress max={1} {...(stage.total > 0 && { value: stage.done / stage.total })} />
          </label>
        )}
        <p role="status">{stage.kind === 'saved' && `Saved as ${stage.name}, where your browser puts downloads.`}</p>
        <Problem text={problem} />
      </div>
      <div className="dlg-f">
        <span className="grow" />
        <button type="button" className="btn plain" onClick={isWriting ? stop : onClose}>
          {stage.kind === 'saved' ? 'Done' : 'Cancel'}
        </button>
        {stage.kind !== 'saved' && (
          <button type="button" className="btn primary" disabled={isWriting} onClick={() => void save()}>
            Export
          </button>
        )}
      </div>
    </Dialog>
  );
}

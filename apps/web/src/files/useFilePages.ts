import type { ReadSessionFileResult } from '@agenthost/protocol';
import { useEffect, useMemo, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';
import type { FilePlace } from './pathText.js';
import type { SessionFolder } from './useChatFiles.js';

/** As much of a file as was read. */
interface ReadPart {
  readonly file: ReadSessionFileResult;
  readonly text: string;
  /** The number of its first line. */
  readonly firstLine: number;
  readonly nextOffset: number | undefined;
}

export interface FilePages {
  readonly part: ReadPart | undefined;
  readonly problem: string | undefined;
  readonly more: () => void;
  readonly fromBeginning: () => void;
  readonly isFromBeginning: boolean;
}

/** Lines that are shown above the one that was asked for, where the beginning of the file is far. */
const BEFORE = 200;
/** Text of one file in the page, in code units. */
const MOST_TEXT = 4_000_000;

/** A file in pages, read again when it changes. */
export function useFilePages(folder: SessionFolder, { path, line }: FilePlace): FilePages {
  const [part, setPart] = useState<ReadPart>();
  const [problem, setProblem] = useState<string>();
  const [begin, setBegin] = useState<number>();
  const [round, setRound] = useState(0);
  const shown = useRef(part);
  shown.current = part;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watching = folder.watch(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setRound((count) => count + 1), 200);
    });
    return () => {
      clearTimeout(timer);
      watching.dispose();
    };
  }, [folder]);
  useEffect(() => {
    const stopped = new AbortController();
    const { signal } = stopped;
    const read = async () => {
      const wanted = begin === 1 ? 1 : (line ?? 1);
      let file = await folder.read({ path }, { signal });
      const isNear = file.text === undefined || lineCount(file.text) >= wanted || file.nextOffset === undefined;
      if (!isNear) file = await folder.read({ path, line: Math.max(1, wanted - BEFORE) }, { signal });
      if (signal.aborted) return;
      setProblem(undefined);
      // What was read on stays where it is when nothing has changed.
      if (shown.current?.file.path === file.path && shown.current.file.revision === file.revision && round > 0) return;
      const { text = '', line: firstLine = 1, nextOffset } = file;
      setPart({ file, text, firstLine, nextOffset });
    };
    read().catch((error: unknown) => {
      if (!signal.aborted) setProblem(problemText(error));
    });
    return () => stopped.abort();
  }, [folder, path, line, begin, round]);
  return useMemo(() => {
    const more = () => {
      const before = shown.current;
      if (before?.nextOffset === undefined) return;
      folder.read({ path, offset: before.nextOffset }).then(
        (next) => {
          if (shown.current !== before) return;
          if (next.revision !== before.file.revision) {
            setPart(undefined);
            setRound((count) => count + 1);
          } else {
            const text = before.text + (next.text ?? '');
            setPart({ ...before, text, nextOffset: text.length > MOST_TEXT ? undefined : next.nextOffset });
          }
        },
        (error: unknown) => setProblem(problemText(error)),
      );
    };
    const fromBeginning = () => {
      setPart(undefined);
      setBegin(1);
    };
    return { part, problem, more, fromBeginning, isFromBeginning: begin === 1 };
  }, [folder, path, part, problem, begin]);
}

function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

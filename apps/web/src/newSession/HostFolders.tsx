import type { SessionWorkspace } from '@agenthost/sessions';
import { useCallback, useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { FolderBrowser, FolderPath } from './FolderBrowser.js';

interface HostFoldersProps {
  readonly host: PageHost;
  readonly folder: string;
  readonly onWorkspace: (workspace: SessionWorkspace) => void;
}

/** The browse action of a host, with its folders inside the form: it runs again after each choice. */
export function HostFolders({ host, folder, onWorkspace }: HostFoldersProps) {
  const { management, folderPicks } = useServices();
  const pick = useObservable(folderPicks.current);
  const [problem, setProblem] = useState<string>();
  const { folders } = host.provider;
  useEffect(() => {
    let wanted = true;
    const run = async () => {
      const action = management.getBrowseActions().find(({ providerId }) => providerId === host.id);
      for (let picked = await action?.run(); wanted && picked; picked = await action?.run()) onWorkspace(picked);
    };
    run().catch((error: unknown) => wanted && setProblem(problemText(error)));
    return () => {
      wanted = false;
      folderPicks.giveUp();
    };
  }, [management, folderPicks, host, onWorkspace]);
  const choose = (uri: string) => {
    if (pick?.folders === folders) pick.choose(uri);
  };
  const browse = useCallback((uri: string) => folders.list(uri), [folders]);
  return (
    <section className="sect">
      <h2 className="sect-h">
        Folder
        <span className="grow" />
        <FolderPath folder={folder} onFolder={choose} />
      </h2>
      <Problem text={problem} />
      <FolderBrowser
        folder={folder}
        recent={folders.recent().map((uri) => ({ uri, usedAt: undefined }))}
        browse={browse}
        onFolder={choose}
      />
    </section>
  );
}

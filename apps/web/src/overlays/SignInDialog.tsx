import type { PageHost } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { AskDialog } from './AskDialog.js';

/** Asks for a link or a token, and says so when the host doesn't accept it. */
export function SignInDialog({ host, onClose }: { readonly host: PageHost; readonly onClose: () => void }) {
  const { hosts } = useServices();
  return (
    <AskDialog
      title={`Connect to ${host.name}`}
      text="Paste the link that agenthost printed, or a token. This browser then gets a token of its own, which you see under Settings, Devices."
      confirm="Connect"
      value=""
      valueLabel="Link or token"
      secret
      onConfirm={async (pasted) => void (await hosts.signIn(host, pasted))}
      onClose={onClose}
    />
  );
}

import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';
import './theme/menu.css';
import './theme/frame.css';
import './theme/sidebar.css';
import './theme/sessionList.css';
import './theme/chatHeader.css';
import './theme/thread.css';
import './theme/prose.css';
import './theme/steps.css';
import './theme/cards.css';
import './theme/media.css';
import './theme/terminal.css';
import './theme/diff.css';
import './theme/prompts.css';
import './theme/composer.css';
import './theme/queue.css';
import './theme/dialogs.css';
import './theme/palette.css';
import './theme/tray.css';
import './theme/newSession.css';
import './theme/firstRun.css';
import './theme/phone.css';
import './theme/phonePrompts.css';
import './theme/monospace.css';
import './theme/forcedColors.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { createServices, type ServicesOptions, ServicesProvider } from './app/services.js';
import { takeTokenFromAddress } from './app/tokens.js';

/** The page in an element. A build of one's own shows other providers beside the hosts. */
export function startPage(root: Element, options: ServicesOptions = {}): void {
  takeTokenFromAddress(location.origin);
  createRoot(root).render(
    <StrictMode>
      <ServicesProvider value={createServices(options)}>
        <App />
      </ServicesProvider>
    </StrictMode>,
  );
}

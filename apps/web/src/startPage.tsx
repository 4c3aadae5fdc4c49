import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';
import './theme/menu.css';
import './theme/frame.css';
import './list/sidebar.css';
import './list/sessionList.css';
import './conversation/header/chatHeader.css';
import './conversation/thread/thread.css';
import './markdown/prose.css';
import './conversation/turn/steps.css';
import './conversation/turn/cards.css';
import './conversation/turn/media.css';
import './conversation/turn/terminal.css';
import './diff/diff.css';
import './conversation/prompts/prompts.css';
import './composer/composer.css';
import './composer/queue.css';
import './overlays/dialogs.css';
import './overlays/palette.css';
import './overlays/tray.css';
import './newSession/newSession.css';
import './newSession/firstRun.css';
import './theme/phone.css';
import './conversation/prompts/phonePrompts.css';
import './theme/monospace.css';
import './theme/forcedColors.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { createServices, type ServicesOptions, ServicesProvider } from './app/services.js';
import { takeTokenFromAddress } from './app/tokens.js';

/** Renders the page in an element. A custom build shows other providers beside the hosts. */
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

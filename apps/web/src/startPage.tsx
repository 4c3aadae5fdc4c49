import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';
import './theme/menu.css';
import './theme/frame.css';
import './list/sidebar.css';
import './list/sessionList.css';
import './native/native.css';
import './conversation/header/chatHeader.css';
import './conversation/thread/thread.css';
import './diagram/diagram.css';
import './markdown/prose.css';
import './conversation/turn/steps.css';
import './conversation/turn/cards.css';
import './conversation/turn/media.css';
import './conversation/turn/terminal.css';
import './diff/diff.css';
import './conversation/prompts/prompts.css';
import './conversation/prompts/form/form.css';
import './composer/composer.css';
import './composer/queue.css';
import './composer/strip.css';
import './overlays/dialogs.css';
import './overlays/palette.css';
import './overlays/tray.css';
import './newSession/newSession.css';
import './newSession/firstRun.css';
import './agents/agents.css';
import './theme/phone.css';
import './conversation/prompts/phonePrompts.css';
import './theme/monospace.css';
import './theme/forcedColors.css';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { createServices, type ServicesOptions, ServicesProvider } from './app/services.js';
import { hasSecret, takeFromAddress, takeShare } from './app/tokens.js';
import { workerRegistration } from './push/workerRegistration.js';

/** Only for a device that has no access yet. */
const JoinPage = lazy(async () => ({ default: (await import('./devices/JoinPage.js')).JoinPage }));

/** Only for somebody with a read-only link. */
const SharedPage = lazy(async () => ({ default: (await import('./sharing/SharedPage.js')).SharedPage }));

/** Renders the page in an element. A custom build shows other providers beside the hosts. */
export function startPage(root: Element, options: ServicesOptions = {}): void {
  const link = takeShare(location.origin);
  const code = takeFromAddress(location.origin);
  void workerRegistration();
  // A link that is opened in this tab changes only the fragment.
  window.addEventListener('hashchange', () => hasSecret(location.hash) && location.reload());
  const rendered = createRoot(root);
  const showApp = () =>
    rendered.render(
      <StrictMode>
        {link === undefined ? (
          <ServicesProvider value={createServices(options)}>
            <App />
          </ServicesProvider>
        ) : (
          <ServicesProvider value={createServices({ link })}>
            <Suspense>
              <SharedPage />
            </Suspense>
          </ServicesProvider>
        )}
      </StrictMode>,
    );
  if (code === undefined) showApp();
  else
    rendered.render(
      <Suspense>
        <JoinPage code={code} onEnd={showApp} />
      </Suspense>,
    );
}

import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/controls.css';
import './theme/frame.css';
import './theme/sidebar.css';
import './theme/conversation.css';
import './theme/prompts.css';
import './theme/composer.css';
import './theme/overlays.css';
import './theme/newSession.css';
import './theme/phone.css';
import './theme/states.css';
import './theme/page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.js';
import { createServices, ServicesProvider } from './app/services.js';
import { takeTokenFromAddress } from './app/tokens.js';

takeTokenFromAddress(location.origin);
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ServicesProvider value={createServices()}>
        <App />
      </ServicesProvider>
    </StrictMode>,
  );
}

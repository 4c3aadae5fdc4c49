import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import { createRoot } from 'react-dom/client';
import { Markdown } from './markdown/Markdown.js';

const root = document.getElementById('root');
if (root) createRoot(root).render(<Markdown text="# hello" />);

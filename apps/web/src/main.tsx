import { startPage } from './startPage.js';

const root = document.getElementById('root');
if (root) startPage(root);

// Run as a process of its own, so that where it unpacks to (`TMPDIR`) is nobody else's temporary folder.
import chromium from '@sparticuz/chromium';

console.log(await chromium.executablePath());

// Runs as a separate process, so that the folder it unpacks to (`TMPDIR`) is used by no other code.
import chromium from '@sparticuz/chromium';

console.log(await chromium.executablePath());

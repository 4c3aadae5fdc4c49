// npm links a command when it installs, if its file is there; what is built comes after that.
// A failure to load ends the process with its stack: it is a broken installation.
void import('../dist/main.js');

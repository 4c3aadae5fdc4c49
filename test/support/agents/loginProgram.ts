// A log-in program of an agent, for tests: `loginProgram.ts MODE FILE`. Who is logged in is whether the file exists.
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', file = ''] = process.argv.slice(2);
const print = (text: string) => process.stdout.write(text);
const askForCode = () =>
  createInterface({ input: process.stdin }).once('line', (line) => {
    // Before it may be what the terminal answered to a query.
    const isRight = line.includes('open sesame');
    if (isRight) writeFileSync(file, '');
    print(isRight ? 'Logged in.\n' : 'That is the wrong answer.\n');
    process.exit(isRight ? 0 : 1);
  });

const modes: Record<string, () => void> = {
  code: () => {
    print('! First copy your one-time code: \u001b[1m9B2C-41F7\u001b[0m\r\n');
    print('Open https://login.example/device?client=stub in a browser.\r\nAnswer: ');
    askForCode();
  },
  fail: () => {
    print('The vendor is away.\n');
    print(`${process.cwd()} has ${readdirSync('.').length} files.\n`);
    process.exit(3);
  },
  // Ends with 0, but nobody is logged in.
  lie: () => print('All is well.\n'),
  hang: () => {
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {});
    print('Waiting for ever.\n');
    setInterval(() => {}, 1_000);
  },
  flood: () => {
    const more = () => {
      while (process.stdout.write('never ending output '.repeat(500)));
      process.stdout.once('drain', more);
    };
    more();
  },
  hostile: () => {
    print(
      '\u001b]0;a title\u0007\u001b]52;c;ZXZpbA==\u0007\u001b]8;;javascript:alert(1)\u0007click\u001b]8;;\u0007\r\n',
    );
    print('\u001b[38;2;255;0;0mred\u001b[0m <img src=x onerror="window.hacked = true"> \u202Egnp.exe\r\n');
    print('javascript:alert(1) https://user:password@evil.example/ file:///etc/passwd\r\n');
    print('\u001b[6n\u001b[c\u001bP$q"p\u001b\\\u001b[?1049h\u001b[?1049l\r\nHostile, but here. Answer: ');
    askForCode();
  },
  status: () => process.exit(existsSync(file) ? 0 : 1),
  logout: () => rmSync(file, { force: true }),
};
modes[mode]?.();

// One client asks for something, another one, for example on a phone, allows it; all clients see who did.
import { equal } from 'node:assert/strict';
import { connect } from '@agenthost/client';
import { ended, exampleHost, when } from './parts/exampleHost.ts';

const { url, token, close } = await exampleHost();
const laptop = await connect({ url, token, clientInfo: { name: 'Ada', device: 'laptop' } });
const phone = await connect({ url, token, clientInfo: { name: 'Ada', device: 'phone' } });

const onLaptop = await laptop.createSession({ provider: 'shell' });
await onLaptop.ready();
const turnId = await onLaptop.send('echo approved');
await when(onLaptop.confirmed, ({ summary }) => summary.status === 'inputNeeded');

// The phone was not connected when it was asked. It finds the open question and answers.
const { items } = await phone.listSessions({ filter: { status: 'inputNeeded' } });
const onPhone = await phone.openSession(items[0]?.resource ?? '');
const [asked] = onPhone.pendingConfirmations.value;
equal(asked?.toolCall.toolInput, 'echo approved');
await asked?.approve();

const turn = await ended(onLaptop, turnId);
const [call] = turn.toolCalls;
equal(call?.status, 'completed');
equal(call?.confirmed?.by?.device, 'phone');
equal(call?.output?.text.trim(), 'approved');
// The second answer is refused, and nothing happens twice.
equal(await asked?.approve().catch((error: Error) => error.name), 'ActionRejectedError');
console.log(`${call?.displayName}: allowed by ${call?.confirmed?.by?.name} on the ${call?.confirmed?.by?.device}`);

laptop.close();
phone.close();
await close();

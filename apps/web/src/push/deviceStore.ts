/**
 * What the service worker needs in order to answer while no page is open. This is the only way between the two: a worker can't read
 * the page's own storage. It is there only while notifications are on.
 */
export interface StoredDevice {
  /** The token that this page connects with. */
  readonly token: string;
  readonly userName: string;
  readonly deviceName: string;
  /** The id that the host gave the push subscription. */
  readonly subscription: string;
}

const DATABASE = 'agenthost.push';
const STORE = 'device';
const KEY = 'this';

export async function loadDevice(): Promise<StoredDevice | undefined> {
  const found = await inStore('readonly', (store) => store.get(KEY));
  return isDevice(found) ? found : undefined;
}

export async function saveDevice(device: StoredDevice): Promise<void> {
  await inStore('readwrite', (store) => store.put(device, KEY));
}

export async function forgetDevice(): Promise<void> {
  await inStore('readwrite', (store) => store.delete(KEY));
}

async function inStore(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = (await settled(opening)) as IDBDatabase;
  try {
    return await settled(work(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function settled(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function isDevice(value: unknown): value is StoredDevice {
  const { token, userName, deviceName, subscription } = (value ?? {}) as Partial<StoredDevice>;
  return [token, userName, deviceName, subscription].every((one) => typeof one === 'string');
}

import { createWebSocketTransport, type TransportFactory } from '@agenthost/client';
import { frameToText } from '@agenthost/rpc';

/** A real connection that notes which methods are asked for. */
export function countingTransport(
  url: URL,
  token: string,
): { readonly transport: TransportFactory; readonly methods: string[] } {
  const methods: string[] = [];
  const transport: TransportFactory = async (signal) => {
    const real = await createWebSocketTransport({ url, token, signal });
    return {
      ...real,
      send: (frame) => {
        const { method } = JSON.parse(frameToText(frame)) as { method?: string };
        if (method !== undefined) methods.push(method);
        real.send(frame);
      },
    };
  };
  return { transport, methods };
}

/** As much of `web-push` as the host uses; the package has no types of its own. */
declare module 'web-push' {
  interface VapidKeys {
    readonly publicKey: string;
    readonly privateKey: string;
  }
  const webPush: {
    generateVAPIDKeys(): VapidKeys;
    generateRequestDetails(
      subscription: { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } },
      payload: string,
      options: {
        readonly vapidDetails: VapidKeys & { readonly subject: string };
        readonly TTL: number;
        readonly urgency: 'normal' | 'high';
        readonly topic: string;
        readonly contentEncoding: 'aes128gcm';
      },
    ): { readonly headers: Readonly<Record<string, string | number>>; readonly body: Buffer };
  };
  export default webPush;
}

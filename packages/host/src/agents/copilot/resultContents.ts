import type { AgentContent } from '../agent.js';
import type { SdkBinaryResult, SdkContentBlock, SdkEventData, ToolExecutionCompleteData } from './sdk.js';

/** Code units of base64 that are remembered for results that only name them; the oldest go first. */
const MAX_ASSET_LENGTH = 32 * 1024 * 1024;

/** The images, audio and files of Copilot's tool results. Large ones come before the result, in an event of their own. */
export class ResultContents {
  readonly #assets = new Map<string, { readonly data: string; readonly mimeType: string | undefined }>();
  #length = 0;

  addAsset({ assetId, data, mimeType }: SdkEventData['session.binary_asset']): void {
    if (typeof data !== 'string' || this.#assets.has(assetId)) return;
    this.#assets.set(assetId, { data, mimeType });
    this.#length += data.length;
    for (const [oldest, asset] of this.#assets) {
      if (this.#length <= MAX_ASSET_LENGTH) return;
      this.#assets.delete(oldest);
      this.#length -= asset.data.length;
    }
  }

  /** What the model was shown is mostly the same as what the tool returned: then it counts once. */
  of({ result }: ToolExecutionCompleteData): readonly AgentContent[] {
    const returned = (result?.contents ?? []).flatMap(blockContent);
    return returned.length > 0 ? returned : (result?.binaryResultsForLlm ?? []).map((one) => this.#binary(one));
  }

  /** Without data where it was too large for Copilot, or is of an earlier turn. */
  #binary({ data, assetId, mimeType }: SdkBinaryResult): AgentContent {
    if (data !== undefined) return { data, mimeType };
    return (assetId === undefined ? undefined : this.#assets.get(assetId)) ?? { mimeType };
  }
}

function blockContent({ type, data, mimeType, resource }: SdkContentBlock): AgentContent[] {
  if ((type === 'image' || type === 'audio') && data !== undefined) return [{ data, mimeType: mimeType ?? type }];
  return resource?.blob === undefined ? [] : [{ data: resource.blob, mimeType: resource.mimeType }];
}

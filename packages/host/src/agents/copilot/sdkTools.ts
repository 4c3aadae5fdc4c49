import type { ClientTools } from '../clientTools.js';
import type { SdkTool, SdkToolResult } from './sdk.js';

/** Before each name, as MCP servers have it: a name of one of Copilot's own tools would keep its session from opening. */
const PREFIX = 'agenthost_';

/** The tools of clients in the SDK's form. Copilot asks before it calls one. */
export function sdkTools(tools: ClientTools): SdkTool[] {
  return tools.all.map(({ name, description, inputSchema }) => ({
    name: `${PREFIX}${name}`,
    description,
    parameters: inputSchema,
    defer: 'never',
    handler: async (input, { signal = new AbortController().signal }) => {
      const { content, isError } = await tools.call(name, input ?? {}, signal);
      const text = content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
      const images = content.flatMap((item): SdkToolResult['binaryResultsForLlm'] & object =>
        item.type === 'image' ? [{ type: 'image', data: item.data, mimeType: item.mimeType }] : [],
      );
      return {
        textResultForLlm: text,
        resultType: isError ? 'failure' : 'success',
        ...(isError && { error: text }),
        ...(images.length > 0 && { binaryResultsForLlm: images }),
      };
    },
  }));
}

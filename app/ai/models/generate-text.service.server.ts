import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { RouteRecord } from "~/platform/catalogue/models.schema";
import type { ResolvedModel } from "./models.service.server";
import type { RouteTarget } from "./router.service.server";

export interface GeneratedText {
  text: string;
  target?: RouteTarget;
  usage?: LanguageModelV3Usage;
}

export type OnText = (delta: string, model: string) => void;

/**
 * Reads a generation to its end, or until it is longer than `maxLength` characters.
 *
 * @param received is filled as parts arrive, so that it has the text before a failure
 * @throws what the provider throws
 */
export async function readGeneratedText(
  model: ResolvedModel,
  call: Parameters<ResolvedModel["open"]>[0],
  route: RouteRecord,
  received: GeneratedText,
  maxLength: number,
  onText?: OnText,
): Promise<void> {
  const { stream, target } = await model.open(call, route);
  received.target = target;
  try {
    while (received.text.length <= maxLength) {
      const part = await stream.read();
      if (!part) return;
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") {
        received.text += part.delta;
        onText?.(part.delta, target.modelId);
      }
      if (part.type === "finish") received.usage = part.usage;
    }
  } finally {
    stream.cancel();
  }
}

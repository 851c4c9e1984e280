import { CAPABILITIES, type Capability } from "./model-options.shared";
import type { ModelKind } from "./models.schema";

/** For lists that omit the kind. */
const EMBEDDING = /embed|(?:^|[/_:-])(?:bge|gte|e5|uae|jina-clip)-|all-minilm|all-mpnet|sentence-t5/i;
const RERANKER = /rerank|cross-encoder/i;
const IMAGES =
  /dall-e|gpt-image|imagen-|stable-diffusion|sdxl|seedream|recraft|ideogram|cogview|qwen-image|z-image|hunyuan-?image|grok-(?:2-image|imagine-image)|(?:^|[/_:-])(?:flux|sd-?3)/i;
const TRANSCRIPTION = /whisper|transcri|parakeet|(?:^|[/_:-])canary-/i;
const SPEECH = /(?:^|[/_:-])(?:\w*tts|text-to-speech)(?:$|[\d/_:.-])|kokoro|orpheus|chatterbox/i;

export function kindOfId(modelId: string): ModelKind {
  // Many rerankers share the name of a family that embeds.
  if (RERANKER.test(modelId)) return "rerank";
  if (IMAGES.test(modelId)) return "image";
  if (TRANSCRIPTION.test(modelId)) return "transcription";
  if (SPEECH.test(modelId)) return "speech";
  return EMBEDDING.test(modelId) ? "embedding" : "chat";
}

/** Models of chats that make images in their answers if they are asked for both. */
export const drawsInChat = (modelId: string): boolean =>
  /(?:^|\/)(?:gemini|gpt-\d)[\w.-]*-image\b/i.test(modelId) && kindOfId(modelId) === "chat";

const CHAT_ONLY: readonly Capability[] = ["text", "code", "conversational"];
const WITH_TOOLS: readonly Capability[] = ["text", "function-calling", "code", "conversational"];
const allBut = (one: Capability) => CAPABILITIES.filter((capability) => capability !== one);
const WITH_REASONING = allBut("vision");
const WITH_VISION = allBut("reasoning");

/** By id prefix, for lists without capabilities; the first match wins. */
const FAMILIES: readonly (readonly [RegExp, readonly Capability[]])[] = [
  [/(^|\/)gpt-oss/, WITH_REASONING],
  [/(^|\/)o[13]-mini|(^|\/)o1-preview/, WITH_REASONING],
  [/(^|\/)(gpt-[56]|o[134])/, CAPABILITIES],
  [/(^|\/)(gpt-4o|gpt-4\.1|chatgpt-4o|gpt-4-turbo)/, WITH_VISION],
  [/(^|\/)gpt-(4|3\.5)/, WITH_TOOLS],
  [/(^|\/)claude-3-7/, CAPABILITIES],
  [/(^|\/)claude-3-/, WITH_VISION],
  [/(^|\/)claude-/, CAPABILITIES],
  [/(^|\/)gemini-(1|2\.0)/, WITH_VISION],
  [/(^|\/)gemini-/, CAPABILITIES],
  [/(^|\/)gemma-?[34]/, WITH_VISION],
  [/(^|\/)magistral/, WITH_REASONING],
  [
    /(^|\/)(pixtral|mistral-medium-3|mistral-small-(3\.|26)|mistral-large-25|ministral-(3b|8b|14b)-2512)/,
    WITH_VISION,
  ],
  [/(^|\/)(mistral|ministral|devstral|codestral|mixtral)/, WITH_TOOLS],
  [/(^|\/)deepseek-(chat|v3(?!\.))/, WITH_TOOLS],
  [/(^|\/)deepseek/, WITH_REASONING],
  [/(^|\/)grok-.*non-reasoning/, WITH_VISION],
  [/(^|\/)grok-[4-9]/, CAPABILITIES],
  [/(^|\/)grok-3(-fast)?$/, WITH_TOOLS],
  [/(^|\/)grok-/, WITH_REASONING],
  [/(^|\/)llama-?4/, WITH_VISION],
  [/(^|\/)llama-?3\.2-vision/, ["text", "vision", "conversational"]],
  [/(^|\/)(meta-)?llama-?3[.-]?[123]?/, WITH_TOOLS],
  [/(^|\/)qwen[\d.]*-?vl/, WITH_VISION],
  [/(^|\/)(qwen-?3|qwq)/, WITH_REASONING],
  [/(^|\/)qwen/, WITH_TOOLS],
  [/(^|\/)kimi-(k2\.[5-9]|k[3-9])/, CAPABILITIES],
  [/(^|\/)(kimi|glm-[45]|minimax-m)/, WITH_REASONING],
  [/(^|\/)command-(a|r)/, WITH_TOOLS],
  [/(^|\/)sonar/, ["text", "analysis", "conversational"]],
  [/(^|\/)(phi|llava|gemma)/, CHAT_ONLY],
];

/** Guessed from the id's family; text only if unknown, none for models that don't chat. */
export function capabilitiesOf(modelId: string): Capability[] {
  if (kindOfId(modelId) !== "chat") return [];
  const id = modelId.toLowerCase();
  const family = FAMILIES.find(([pattern]) => pattern.test(id));
  return family ? [...family[1]] : ["text"];
}

/** Good defaults, one per provider. */
const RECOMMENDED = new Set(["gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash"]);

export function isRecommended(modelId: string): boolean {
  return RECOMMENDED.has(modelId);
}

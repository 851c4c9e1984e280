import type { LanguageModelV3FunctionTool, LanguageModelV3Message } from "@ai-sdk/provider";
import { tokensInCall } from "../counted-usage";
import { type ChatModel, type ChatModelCall, withCalls, withOption } from "../language-model";

// Anthropic keeps the beginning of a prompt for five minutes where a call marks its end, and then reads it at a tenth of
// the price. Writing it costs a quarter more, so that only what is likely to be read again is marked.
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching

type Message = LanguageModelV3Message;

/** In tokens: shorter beginnings aren't kept. */
const SHORTEST = 1024;
const MARK = { cacheControl: { type: "ephemeral" } } as const;

const marked = <T extends Message | LanguageModelV3FunctionTool>(one: T): T => ({
  ...one,
  providerOptions: { ...one.providerOptions, anthropic: { ...one.providerOptions?.anthropic, ...MARK } },
});

const isMarked = (one: object) =>
  (one as Pick<Message, "providerOptions">).providerOptions?.anthropic?.cacheControl !== undefined;

/** Whether the next call is likely to begin as this one: in a loop of tools, or in a conversation. */
const goesOn = ({ prompt, tools = [] }: ChatModelCall) =>
  tools.length > 0 || prompt.some(({ role }) => role === "assistant");

const isLongEnough = (call: ChatModelCall) => tokensInCall(call) >= SHORTEST;

const isWritten = ({ role }: Message) => role === "user" || role === "tool";

/** Marks the tools, the system prompt and the ends of the last two turns: four marks at most. */
function markAnthropic(call: ChatModelCall): ChatModelCall {
  const { prompt, tools = [] } = call;
  const hasOwnMarks = prompt.some((message) => isMarked(message)) || tools.some(isMarked);
  if (hasOwnMarks || !isLongEnough(call)) return call;
  const ends = goesOn(call) ? prompt.filter(isWritten).slice(-2) : [];
  const lastSystem = prompt.findLast(({ role }) => role === "system");
  const lastTool = tools.at(-1);
  return {
    ...call,
    prompt: prompt.map((message) =>
      message === lastSystem || ends.includes(message) ? marked(message) : message,
    ),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => (tool === lastTool && tool.type === "function" ? marked(tool) : tool)),
    }),
  };
}

export const cachingPrompts = (model: ChatModel): ChatModel => withCalls(model, markAnthropic);

/** OpenRouter marks the last part itself: https://openrouter.ai/docs/guides/best-practices/prompt-caching */
export const cachingAtOpenRouter = (model: ChatModel): ChatModel =>
  withCalls(model, (call) => {
    if (!/^~?anthropic\//.test(model.modelId) || !goesOn(call) || !isLongEnough(call)) return call;
    const own = call.providerOptions?.openaiCompatible;
    return withOption(call, "openaiCompatible", { cache_control: MARK.cacheControl, ...own });
  });

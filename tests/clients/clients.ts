/** What a client is asked to do. */
export const FEATURES = [
  "text",
  "stream",
  "tools",
  "structured output",
  "images",
  "responses",
  "errors",
  "abort",
  "embeddings",
  "reranking",
  "image generation",
  "audio",
  "models",
  "token counts",
] as const;
export type Feature = (typeof FEATURES)[number];

interface Client {
  /** As docs/api.md names it. */
  name: string;
  /** In `programs`; it prints a line of JSON for each feature. */
  program: string;
  features: readonly Feature[];
}

const BASICS: readonly Feature[] = ["text", "stream", "tools", "structured output"];
const MEDIA: readonly Feature[] = ["image generation", "audio"];

/** Each is asked on passed-on and on translated routes. docs/api.md has them as a table. */
export const CLIENTS: readonly Client[] = [
  {
    name: "OpenAI, JavaScript",
    program: "openai.mjs",
    features: [...BASICS, "images", "responses", "errors", "abort", "embeddings", ...MEDIA, "models"],
  },
  {
    name: "OpenAI, Python",
    program: "openai_client.py",
    features: [...BASICS, "images", "responses", "errors", "abort", "embeddings", ...MEDIA, "models"],
  },
  {
    name: "Anthropic, JavaScript",
    program: "anthropic.mjs",
    features: [...BASICS, "images", "errors", "abort", "models", "token counts"],
  },
  {
    name: "Anthropic, Python",
    program: "anthropic_client.py",
    features: [...BASICS, "images", "errors", "abort", "models", "token counts"],
  },
  {
    name: "AI SDK (4 adapters)",
    program: "ai-sdk.mjs",
    features: [...BASICS, "images", "errors", "abort", "embeddings"],
  },
  {
    name: "LangChain, JavaScript",
    program: "langchain.mjs",
    features: [...BASICS, "images", "errors", "embeddings"],
  },
  {
    name: "LangChain, Python",
    program: "langchain_client.py",
    features: [...BASICS, "images", "errors", "embeddings"],
  },
  { name: "OpenAI Agents, JavaScript", program: "openai-agents.mjs", features: BASICS },
  { name: "OpenAI Agents, Python", program: "openai_agents_client.py", features: BASICS },
  {
    name: "LiteLLM",
    program: "litellm_client.py",
    features: [...BASICS, "images", "errors", "embeddings", "reranking", ...MEDIA],
  },
  { name: "Pydantic AI", program: "pydantic_ai_client.py", features: [...BASICS, "images", "errors"] },
];

/** What libraries of webhooks do with the console's calls, and with calls to its triggers. */
export const WEBHOOKS = [
  "standardwebhooks signs",
  "standardwebhooks verifies",
  "svix signs",
  "svix signs by its own names",
  "svix verifies",
] as const;

import { silentWav } from "../../support/audio-server";
import { uploadForm } from "../../support/uploads";
import type { Effects, Installation } from "./effect";
import { askModel } from "./installation";

/** The value of one member of the provider's request. */
const sentValue = (member: string) => async (installation: Installation) => {
  const before = installation.upstream.requests.length;
  await askModel(installation, "calm");
  // Providers are checked meanwhile.
  const sent = installation.upstream.requests.slice(before);
  const { body = "{}" } = sent.find(({ url }) => url.endsWith("/chat/completions")) ?? {};
  return (JSON.parse(body) as Record<string, unknown>)[member];
};

/** What the provider got with the speech of an answer. */
const spokenBy = (member: string) => async (installation: Installation) => {
  const { server, upstream } = installation;
  const { address } = await askModel(installation, "calm");
  const before = upstream.requests.length;
  await (await server.ask(`${address}/speech`, { as: "member" })).arrayBuffer();
  const { body = "{}" } = upstream.requests.slice(before).find(({ url }) => url.endsWith("/speech")) ?? {};
  return (JSON.parse(body) as Record<string, unknown>)[member];
};

export const ai: Effects<"ai"> = {
  defaultProvider: {
    to: "anthropic",
    async observe({ server }) {
      const response = await server.ask("/api/ai/models", { as: "member" });
      return ((await response.json()) as { models: { id: string }[] }).models[0]?.id;
    },
    before: "gpt-4o",
    after: "claude-sonnet-4-5",
  },
  maxTokens: { to: "512", observe: sentValue("max_tokens"), before: 4096, after: 512 },
  temperature: { to: "0.2", observe: sentValue("temperature"), before: 0.7, after: 0.2 },
  enableFallback: {
    to: null,
    given: () => ({ ai: { retryAttempts: 0 } }),
    async observe(installation) {
      const { status, text } = await askModel(installation, "broken");
      return [status, text];
    },
    before: ["complete", "second"],
    after: ["failed", ""],
  },
  retryAttempts: {
    to: "0",
    given: () => ({ ai: { enableFallback: false } }),
    async observe(installation) {
      const before = installation.upstream.requests.length;
      await askModel(installation, "broken-too");
      return installation.upstream.requests.length - before > 1;
    },
    before: true,
    after: false,
  },
  proposeTitles: {
    to: "on",
    eventually: true,
    async observe(installation) {
      const { text } = await askModel(installation, "calm");
      const response = await installation.server.ask("/api/ai/conversations", { as: "member" });
      return ((await response.json()) as { title: string }[]).some(({ title }) => title === text);
    },
    before: false,
    after: true,
  },
  summarizeAt: {
    to: "30",
    // More than half of the model's context.
    observe: async (installation) => {
      const before = installation.upstream.requests.length;
      const said = "ships and ropes ".repeat(600);
      const earlier = ["one", "two"].flatMap((name) => [
        { role: "user", content: name },
        { role: "assistant", content: said },
      ]);
      await askModel(installation, "gpt-4", earlier);
      return installation.upstream.requests.length - before;
    },
    before: 1,
    after: 2,
  },
  transcriptionModel: {
    to: "calm",
    async observe({ server }) {
      const body = uploadForm([["sound.wav", silentWav(1)]]);
      const response = await server.ask("/api/ai/transcriptions", { as: "member", body });
      return ((await response.json()) as { text?: string }).text;
    },
    before: undefined,
    after: "calm",
  },
  speechModel: { to: "calm", observe: spokenBy("model"), before: undefined, after: "calm" },
  speechVoice: {
    to: "nova",
    given: () => ({ ai: { speechModel: "quick" } }),
    observe: spokenBy("voice"),
    before: "alloy",
    after: "nova",
    alone: true,
  },
  timeout: {
    to: "100",
    given: () => ({ ai: { enableFallback: false, retryAttempts: 0 } }),
    observe: async (installation) => (await askModel(installation, "paced-too")).status,
    before: "complete",
    after: "failed",
  },
};

export const routing: Effects<"routing"> = {
  policy: {
    to: "fastest",
    // The first provider begins this model's answer late; both have answered before.
    async observe(installation) {
      await askModel(installation, "quick");
      await askModel(installation, "paced");
      return (await askModel(installation, "paced")).text;
    },
    before: "first",
    after: "second",
  },
  defaultModel: {
    to: "calm",
    async observe({ server }) {
      const page = await (await server.ask("/chat", { as: "viewer" })).text();
      return /<option value="([^"]*)" selected/.exec(page)?.[1];
    },
    before: "claude-sonnet-4-5",
    after: "calm",
  },
  imageModel: {
    to: "flux-two",
    async observe(installation) {
      const before = installation.upstream.requests.length;
      await askModel(installation, "draws", [], ["image.generate"]);
      const asked = installation.upstream.requests.slice(before).find(({ url }) => url.includes("/images/"));
      return (JSON.parse(asked?.body ?? "{}") as { model?: string }).model;
    },
    before: "flux-one",
    after: "flux-two",
  },
};

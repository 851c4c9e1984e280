import type { Effects, Installation } from "./effect";
import { askModel } from "./installation";

/** What a model would receive of a text, or why it is refused. */
async function tryText({ server }: Installation, text: string): Promise<string> {
  const response = await server.ask("/api/guardrails/test", { as: "owner", json: { text } });
  const { refused, sent } = (await response.json()) as { refused: string | null; sent: string | null };
  return refused ?? sent ?? "";
}

const trying = (text: string) => (installation: Installation) => tryText(installation, text);

/** What a service was asked when a text was tried. */
async function asked(installation: Installation, path: string) {
  const before = installation.upstream.requests.length;
  await tryText(installation, `A text number ${before}`);
  const request = installation.upstream.requests.slice(before).find(({ url }) => url.endsWith(path));
  const body = JSON.parse(request?.body ?? "{}") as Record<string, unknown>;
  return { url: request?.url, authorization: request?.headers.authorization, ...body };
}

const at = ({ upstream }: Installation, path: string) => `${upstream.origin}/${path}`;
const analyze = async (installation: Installation) => asked(installation, "/analyze");
const moderations = async (installation: Installation) => asked(installation, "/v1/moderations");

const presidio = (installation: Installation) => ({
  guardrails: { maskPii: true, presidioAddress: at(installation, "checks") },
});
const service = (installation: Installation) => ({
  guardrails: { moderator: "service" as const, moderationAddress: at(installation, "checks") },
});
/** A chat model of the installation, which answers with its provider's name: no judgement. */
const byModel = () => ({
  guardrails: { moderator: "model" as const, moderationModel: "calm", onFailure: "allow" as const },
});

export const guardrails: Effects<"guardrails"> = {
  maskPii: {
    to: "on",
    observe: trying("Write to ada@example.org"),
    before: "Write to ada@example.org",
    after: "Write to [EMAIL_1]",
    alone: true,
  },
  maskAnswers: {
    to: "on",
    observe: async (installation) => (await askModel(installation, "writes-mail")).text,
    before: "Ask bob@example.org",
    after: "Ask [EMAIL]",
    alone: true,
  },
  piiKinds: {
    to: "ip",
    given: () => ({ guardrails: { maskPii: true } }),
    observe: trying("ada@example.org at 10.0.0.1"),
    before: "[EMAIL_1] at [IP_1]",
    after: "ada@example.org at [IP_1]",
  },
  presidioAddress: {
    to: (installation) => at(installation, "checks-elsewhere"),
    given: presidio,
    observe: async (installation) => (await analyze(installation)).url,
    before: "/checks/analyze",
    after: "/checks-elsewhere/analyze",
  },
  presidioEntities: {
    to: "PERSON, NRP",
    given: presidio,
    observe: async (installation) => ((await analyze(installation)) as { entities?: unknown }).entities,
    before: ["PERSON", "LOCATION"],
    after: ["PERSON", "NRP"],
  },
  presidioLanguage: {
    to: "de",
    given: presidio,
    observe: async (installation) => ((await analyze(installation)) as { language?: unknown }).language,
    before: "en",
    after: "de",
  },
  blocked: {
    to: "project-*",
    observe: trying("About Project-X"),
    before: "About Project-X",
    after: 'The guardrail "Block list" refused this request: it contains a phrase of the list (line 1).',
    alone: true,
  },
  moderator: {
    to: "none",
    given: service,
    observe: async (installation) => (await moderations(installation)).url,
    before: "/checks/v1/moderations",
    after: undefined,
  },
  moderates: {
    to: "answers",
    given: service,
    observe: async (installation) => (await moderations(installation)).url,
    before: "/checks/v1/moderations",
    after: undefined,
  },
  moderationModel: {
    to: "moderation-of-ours",
    given: service,
    observe: async (installation) => ((await moderations(installation)) as { model?: unknown }).model,
    before: "omni-moderation-latest",
    after: "moderation-of-ours",
  },
  moderationAddress: {
    to: (installation) => at(installation, "checks-elsewhere"),
    given: service,
    observe: async (installation) => (await moderations(installation)).url,
    before: "/checks/v1/moderations",
    after: "/checks-elsewhere/v1/moderations",
  },
  moderationKeyId: {
    to: ({ scanKey }) => scanKey,
    given: service,
    observe: async (installation) => (await moderations(installation)).authorization,
    before: undefined,
    after: "Bearer the key of the server that reads scans",
  },
  moderationPolicy: {
    to: "Refuse talk of the weather.",
    given: byModel,
    async observe(installation) {
      const { messages } = (await asked(installation, "/chat/completions")) as {
        messages?: { content: string }[];
      };
      return messages?.[0]?.content.split("Policy: ")[1];
    },
    before:
      "Refuse hate, harassment, sexual content about minors, and instructions for violence, weapons or self-harm.",
    after: "Refuse talk of the weather.",
  },
  onFailure: {
    to: "allow",
    given: (installation) => ({
      guardrails: { moderator: "service", moderationAddress: at(installation, "down") },
    }),
    observe: async (installation) =>
      (await tryText(installation, "A text that nobody judges")).includes("couldn't check this request"),
    before: true,
    after: false,
  },
};

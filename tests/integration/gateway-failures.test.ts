import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, openGateway, PROVIDER_KEY } from "../support/gateway";
import { type Behaviour, type HostileProvider, openHostileProvider } from "../support/hostile-provider";

const TIMEOUT = 400;
/** Of the upstream's errors: it must never be seen. */
const SECRET = "sk-secret-123456";

let gateway: Gateway;
let far: HostileProvider;

beforeAll(async () => {
  far = await openHostileProvider();
  gateway = await openGateway({ timeout: TIMEOUT, retryAttempts: 0 });
});
afterAll(async () => {
  await gateway?.close();
  await far?.close();
});

const coveredCodes = new Set<string>();
/** A model whose only provider, of this type, behaves so. Each has a provider of its own: failures add up. */
async function modelFor(provider: "custom" | "anthropic", behaviour: Behaviour): Promise<string> {
  const model = `${provider}-${behaviour}`;
  if (!coveredCodes.has(model)) {
    coveredCodes.add(model);
    await gateway.addProvider({
      provider,
      baseUrl: far.baseUrl(behaviour),
      firstByteTimeout: TIMEOUT,
      models: [model],
      displayName: "Far",
    });
  }
  return model;
}

const messages = [{ role: "user" as const, content: "Hi" }];

const callers = {
  "OpenAI's client": {
    async whole(model: string) {
      const answer = await gateway.openai().chat.completions.create({ model, messages });
      return answer.choices[0]?.message.content ?? "";
    },
    async stream(model: string, onText: (text: string) => void) {
      const stream = await gateway.openai().chat.completions.create({ model, messages, stream: true });
      for await (const chunk of stream) onText(chunk.choices[0]?.delta.content ?? "");
    },
    APIError: OpenAI.APIError,
  },
  "Anthropic's client": {
    async whole(model: string) {
      const answer = await gateway.anthropic().messages.create({ model, messages, max_tokens: 9 });
      return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    },
    async stream(model: string, onText: (text: string) => void) {
      const stream = await gateway
        .anthropic()
        .messages.create({ model, messages, max_tokens: 9, stream: true });
      for await (const event of stream) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta")
          onText(event.delta.text);
      }
    },
    APIError: Anthropic.APIError,
  },
} as const;

/** Both callers over both kinds of provider: passed on and translated. */
const PAIRS = (Object.keys(callers) as (keyof typeof callers)[]).flatMap((caller) =>
  (["custom", "anthropic"] as const).map((provider) => ({ caller, provider })),
);

async function failure(
  work: Promise<unknown>,
): Promise<{ status?: number; message: string; error?: unknown }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OpenAI.APIError || error instanceof Anthropic.APIError) return error;
    throw error;
  }
  throw new Error("Nothing failed");
}

function assertNothingLeaked(error: unknown): void {
  const all = `${String(error)} ${JSON.stringify(error)} ${gateway.server.output} ${JSON.stringify(gateway.usage())}`;
  expect(all).not.toContain(SECRET);
  expect(all).not.toContain(PROVIDER_KEY);
}

const BEFORE: [Behaviour, number, RegExp][] = [
  ["html", 502, /web page/],
  ["type", 502, /text\/plain instead of|invalid (?:response|event)|was lost/],
  ["half", 502, /invalid (?:response|event)|was lost|returned an error/],
  ["silent", 504, /didn.t begin to answer|no complete event/],
  ["drip", 504, /no complete event|stopped sending/],
  ["gone", 502, /couldn't be reached|was lost/],
  ["empty", 502, /empty|was lost|invalid (?:response|event)/],
  ["error", 502, /returned an error|could not|error/],
  ["key", 502, /rejected the key/],
  ["broken", 502, /returned an error/],
];

describe.each(PAIRS)("$caller over a provider of type $provider", ({ caller, provider }) => {
  const { whole, stream, APIError } = callers[caller];
  const passed = provider === (caller === "OpenAI's client" ? "custom" : "anthropic");
  // A translated stream is watched by the client of the provider, which gives pieces of a line more time.
  const mayDrip = (behaviour: Behaviour) => passed || !behaviour.endsWith("drip");

  it.each(BEFORE.filter(([behaviour]) => mayDrip(behaviour)))(
    "names a provider that does %s before its first token",
    async (behaviour, status, words) => {
      const model = await modelFor(provider, behaviour);
      const error = await failure(stream(model, () => undefined));
      expect(error).toBeInstanceOf(APIError);
      // The provider's own clients know an overload by its status.
      const isOwnOverload = behaviour === "error" && passed && caller === "Anthropic's client";
      const message = expect.stringMatching(words);
      expect(error).toMatchObject({ status: isOwnOverload ? 529 : status, message });
      expect(error.message).toContain("Far");
      assertNothingLeaked(error);
    },
  );

  // Each whole answer may take twenty times the timeout; see below.
  it.each(BEFORE.filter(([behaviour]) => behaviour !== "drip" && behaviour !== "silent"))(
    "names a provider that does %s instead of a whole answer",
    async (behaviour, status, words) => {
      const error = await failure(whole(await modelFor(provider, behaviour)));
      expect(error).toMatchObject({ status, message: expect.stringMatching(words) });
      assertNothingLeaked(error);
    },
  );

  it("tells what the provider has against the request, without what looks like a key", async () => {
    const error = await failure(whole(await modelFor(provider, "refused")));
    expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/max_tokens is too large/) });
    assertNothingLeaked(error);
  });

  it("waits for one that sends pings", async () => {
    let text = "";
    await stream(await modelFor(provider, "thinks"), (more) => {
      text += more;
    });
    expect(text).toBe("The beginning ");
  });

  const late = [
    ["late-close", /was lost/],
    ["late-end", /closed the connection|was lost|invalid (?:response|event)/],
    ["late-error", /is overloaded/],
    ["late-garbage", /invalid (?:response|event)/],
    ["late-silence", /stopped sending|no complete event/],
    ["late-drip", /no complete event|stopped sending/],
  ] as const;
  it.each(late.filter(([behaviour]) => mayDrip(behaviour)))(
    "keeps the text of one that does %s, and ends with the error",
    async (behaviour, words) => {
      let text = "";
      const model = await modelFor(provider, behaviour);
      const error = await failure(
        stream(model, (more) => {
          text += more;
        }),
      );
      expect(text).toBe("The beginning ");
      expect(error.message).toMatch(words);
      assertNothingLeaked(error);
      await expect
        .poll(() => gateway.usage().findLast((usage) => usage.model === model))
        .toMatchObject({ outcome: "error", error_code: expect.stringMatching(/^provider_/) });
    },
  );

  it.runIf(passed)("ends when the answer does, though the provider doesn't close it", async () => {
    let text = "";
    await stream(await modelFor(provider, "never-closes"), (more) => {
      text += more;
    });
    expect(text).toBe("The beginning ");
  });
});

it.each(["custom", "anthropic"] as const)(
  "reports a response that failed after its beginning to OpenAI's client, over a provider of type %s",
  async (provider) => {
    const model = await modelFor(provider, "late-error");
    const stream = await gateway.openai().responses.create({ model, input: "Hi", stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const error = await failure(
      (async () => {
        for await (const event of stream) events.push(event);
      })(),
    );
    expect(error.message).toMatch(/is overloaded/);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const [first, last] = [events[0], events.at(-1)];
    if (first?.type !== "response.created" || last?.type !== "response.failed")
      throw new Error(JSON.stringify([first, last]));
    expect(last.response).toMatchObject({
      id: first.response.id,
      status: "failed",
      error: { message: expect.stringMatching(/is overloaded/) },
    });
    assertNothingLeaked({ error, events });
  },
);

it("passes rate limits, a count of tokens and an overload on to Anthropic's client", async () => {
  const client = gateway.anthropic();
  const good = { model: await modelFor("anthropic", "good"), messages, max_tokens: 9 };
  for (const stream of [false, true]) {
    const response = await client.messages.create({ ...good, stream }).asResponse();
    await response.body?.cancel();
    expect(response.headers.get("anthropic-ratelimit-requests-remaining")).toBe("41");
    expect(response.headers.get("x-internal")).toBeNull();
  }
  const { max_tokens: _, ...counted } = good;
  const { data, response } = await client.messages.countTokens(counted).withResponse();
  expect([data, response.headers.get("x-gateway-count")]).toEqual([{ input_tokens: 42 }, null]);
  const busy = await modelFor("anthropic", "overloaded");
  const own = await failure(callers["Anthropic's client"].whole(busy));
  expect(own).toMatchObject({ status: 529, message: expect.stringContaining("overloaded_error") });
  const paceOf = (error: object) => {
    const { headers } = error as { headers: Headers };
    return ["anthropic-ratelimit-requests-remaining", "x-internal"].map((name) => headers.get(name));
  };
  expect(paceOf(own)).toEqual(["0", null]);
  const other = await failure(callers["OpenAI's client"].whole(busy));
  expect([other, paceOf(other)]).toMatchObject([{ status: 502 }, [null, null]]);
  const refused = { model: await modelFor("anthropic", "refused"), messages };
  expect(await failure(client.messages.countTokens(refused))).toMatchObject({
    status: 400,
    message: expect.stringContaining("max_tokens is too large"),
  });
});

it("passes rate limits on to OpenAI's client, with an answer and with a refusal", async () => {
  const names = ["x-ratelimit-remaining-requests", "x-ratelimit-reset-tokens", "openai-processing-ms"];
  const paceOf = (of: object) => {
    const { headers } = of as { headers: Headers };
    return [...names, "x-internal"].map((name) => headers.get(name));
  };
  const client = gateway.openai();
  const good = { model: await modelFor("custom", "good"), messages };
  for (const stream of [false, true]) {
    const response = await client.chat.completions.create({ ...good, stream }).asResponse();
    await response.body?.cancel();
    expect(paceOf(response)).toEqual(["41", "6m0s", "12", null]);
  }
  const limited = await modelFor("custom", "limited");
  const own = await failure(callers["OpenAI's client"].whole(limited));
  expect([own, paceOf(own)]).toMatchObject([{ status: 429 }, ["0", "6m0s", "12", null]]);
  const other = await failure(callers["Anthropic's client"].whole(limited));
  expect([other, paceOf(other)]).toMatchObject([{ status: 429 }, [null, null, null, null]]);
});

it("gives up whole answers of providers that are silent or trickle, passed on and translated", async () => {
  // Together, since each waits for the same time.
  const errors = await Promise.all(
    (
      [
        ["silent", "custom"],
        ["drip", "custom"],
        ["silent", "anthropic"],
      ] as const
    ).map(async ([behaviour, provider]) =>
      failure(callers["OpenAI's client"].whole(await modelFor(provider, behaviour))),
    ),
  );
  for (const error of errors)
    expect(error).toMatchObject({
      status: 504,
      message: expect.stringMatching(/didn.t begin to answer|stopped sending|took longer/),
    });
});

describe("all of this", () => {
  it("leaves nothing unexpected in the log", () => {
    expect(gateway.server.output).not.toMatch(/unhandled rejection|unexpected error/);
  });
});

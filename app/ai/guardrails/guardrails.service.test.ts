import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TokenGuardrails } from "~/core/actor";
import { setOwnerAllow } from "~/core/egress/index.server";
import { listAudit } from "~/platform/audit/audit.service.server";
import { openTestDatabase } from "../../../tests/support/database";
import { type MockServer, startMockServer } from "../../../tests/support/mock-server";
import type { GuardrailsInput } from "./guardrails.schema";
import {
  guardCall,
  judgeBy,
  readGuardrails,
  saveGuardrails,
  testGuardrails,
} from "./guardrails.service.server";
import { PIECE } from "./masking";

let test: ReturnType<typeof openTestDatabase>;
let services: MockServer | undefined;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(async () => {
  await services?.close();
  services = undefined;
  setOwnerAllow([]);
  test.close();
});

const save = (input: GuardrailsInput) => saveGuardrails(test.actors.admin, input);
const guard = (guardrails?: TokenGuardrails) => {
  const gateway = { models: null, requestsPerMinute: null, guardrails: guardrails ?? null };
  const made = guardCall({ ...test.actors.member, gateway }, { model: "m" });
  if (!made) throw new Error("no guardrail is on");
  return made;
};
const ask = (text: string) => ({ messages: [{ role: "user", content: text }] });
const refusal = (rule: string, direction: string) =>
  expect.objectContaining({
    code: "guardrail",
    message: expect.stringContaining(`"${rule}" refused this ${direction}`),
  });
const entries = () =>
  listAudit(test.actors.admin, { limit: 50 }).entries.filter(({ action }) => action === "guardrail.refused");

/** A moderator that flags "hate", and an analyzer that finds Ada. */
async function startServices(fails = false): Promise<string> {
  services = await startMockServer((request, response) => {
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (fails) return json({ error: "down" }, 500);
    const { input = [], text = "" } = JSON.parse(request.text) as { input?: string[]; text?: string };
    if (request.url === "/analyze") {
      const start = [...text.slice(0, text.indexOf("Ada"))].length;
      return json(
        text.includes("Ada") ? [{ entity_type: "PERSON", start, end: start + 3, score: 0.85 }] : [],
      );
    }
    return json({
      results: input.map((one) => ({
        flagged: one.includes("hate"),
        categories: { hate: one.includes("hate") },
      })),
    });
  });
  setOwnerAllow(["127.0.0.1"]);
  return services.origin;
}

async function stream(made: ReturnType<typeof guard>, deltas: readonly string[]) {
  const text = made.stream("text");
  const shown: string[] = [];
  for (const delta of deltas) shown.push(await text.push(delta));
  return [...shown, await text.end()];
}

it("is off by default", () => {
  expect(guardCall(test.actors.member, { model: "m" })).toBeUndefined();
});

describe("masking", () => {
  it("keeps personal data from the model and puts it back, also across deltas", async () => {
    save({ maskPii: true });
    const made = guard();
    await expect(made.request(ask("Mail ada@example.org"))).resolves.toEqual(ask("Mail [EMAIL_1]"));
    await expect(stream(made, ["To [EM", "AIL_", "1] and [X]"])).resolves.toEqual([
      "To ",
      "",
      "ada@example.org and [X]",
      "",
    ]);
    await expect(made.answer({ content: "[EMAIL_1]" })).resolves.toEqual({ content: "ada@example.org" });
    expect(readGuardrails(test.actors.admin).last30Days[0]).toEqual({
      rule: "personal_data",
      refused: 0,
      masked: 1,
    });
  });

  it("blanks out what a model writes, whole though it comes in parts", async () => {
    save({ maskAnswers: true });
    expect((await stream(guard(), ["Ask bob@exa", "mple.org or +49 30 ", "123456", "78."])).join("")).toBe(
      "Ask [EMAIL] or [PHONE].",
    );
  });

  it("adds what Presidio finds, which counts in code points", async () => {
    save({ maskPii: true, presidioAddress: await startServices() });
    await expect(guard().request(ask("👍 Ada, ada@example.org"))).resolves.toEqual(
      ask("👍 [PERSON_1], [EMAIL_1]"),
    );
  });

  it.each(["", "x", "xy", "x👍"])(
    "adds what lies across the pieces that Presidio reads, after %j",
    async (first) => {
      save({ maskPii: true, piiKinds: [], presidioAddress: await startServices() });
      // Up to two characters before a piece's end.
      const around = first + "👍".repeat((PIECE - 4) / 2);
      await expect(guard().request(ask(`${around}, Ada 👍`))).resolves.toEqual(
        ask(`${around}, [PERSON_1] 👍`),
      );
    },
  );
});

describe("a block list", () => {
  it("refuses a request, and says the rule in the message, the count and the audit trail, never the text", async () => {
    save({ blocked: "first thing\nred valve" });
    await expect(guard().request(ask("Open the Red Valve"))).rejects.toEqual(
      refusal("Block list", "request"),
    );
    expect(readGuardrails(test.actors.admin).last30Days).toContainEqual({
      rule: "block_list",
      refused: 1,
      masked: 0,
    });
    expect(entries().map(({ details }) => details)).toEqual([
      {
        direction: "request",
        rule: "Block list",
        model: "m",
        reason: "it contains a phrase of the list (line 2)",
      },
    ]);
    expect(JSON.stringify(entries())).not.toMatch(/valve/i);
  });

  it("finds a phrase that spans many deltas, and shows nothing of it", async () => {
    save({ blocked: "red valve" });
    const text = guard().stream("text");
    let shown = "";
    const push = async () => {
      for (const letter of "Now open the red val") shown += await text.push(letter);
      for (const letter of "ve!") shown += await text.push(letter);
    };
    await expect(push()).rejects.toEqual(refusal("Block list", "answer"));
    expect(shown).not.toContain("r");
  });

  it("lets a longer word pass, of which the phrase is the beginning", async () => {
    save({ blocked: "red valve" });
    expect((await stream(guard(), ["the red valve", "s are open"])).join("")).toBe("the red valves are open");
  });

  it("doesn't take the middle of a word for its beginning, where a stream or a long text is cut", async () => {
    save({ blocked: "ass." });
    const text = "This is a class. ".repeat(400);
    expect((await stream(guard(), [...text])).join("")).toBe(text);
    await expect(guard().request(ask(text))).resolves.toEqual(ask(text));
  });

  it("yields to the event loop in a long request, among many texts and in a long delta", async () => {
    save({ blocked: "red valve" });
    const long = "a ".repeat(50_000);
    const many = { messages: Array.from({ length: 5000 }, () => ({ role: "user", content: "a" })) };
    for (const check of [
      () => guard().request(ask(long)),
      () => guard().request(many),
      () => stream(guard(), [long]),
    ]) {
      let turns = 0;
      const timer = setInterval(() => (turns += 1), 0);
      await check();
      clearInterval(timer);
      expect(turns).toBeGreaterThan(0);
    }
  });

  it("ends a stream before a phrase whose syllables are typed apart", async () => {
    save({ blocked: "비밀 프로젝트" });
    const deltas = [..."이것은 비밀 프로젝트 입니다".normalize("NFD")];
    await expect(stream(guard(), deltas)).rejects.toEqual(refusal("Block list", "answer"));
  });

  it("finds a phrase in a long text", async () => {
    save({ blocked: "red valve" });
    const long = `${"a ".repeat(8189)}red valve ${"b ".repeat(9000)}`;
    await expect(guard().request(ask(long))).rejects.toEqual(refusal("Block list", "request"));
  });
});

describe("arguments of tools", () => {
  const call = (args: string) => ({
    messages: [{ tool_calls: [{ function: { name: "f", arguments: args } }] }],
  });
  const argumentsOf = ({ messages: [message] }: ReturnType<typeof call>) =>
    JSON.parse(message?.tool_calls[0]?.function.arguments ?? "") as unknown;

  it("are masked by what they say, whatever stands before it in JSON", async () => {
    save({ maskPii: true });
    const masked = await guard().request(
      call('{"t":"Text\\nDE89370400440532013000\\tbob@corp.example wrote"}'),
    );
    expect(argumentsOf(masked)).toEqual({ t: "Text\n[IBAN_1]\t[EMAIL_1] wrote" });
  });

  it("are refused by what they say", async () => {
    save({ blocked: "project x\nmüller gmbh" });
    for (const text of ['{"t":"Hello\\nproject x"}', '{"t":"M\\u00fcller GmbH"}'])
      await expect(guard().request(call(text))).rejects.toEqual(refusal("Block list", "request"));
    const text = guard().stream("json");
    await expect(text.push('{"t":"Hello\\nproj')).resolves.toBe("");
    await text.push('ect x"}');
    await expect(text.end()).rejects.toEqual(refusal("Block list", "answer"));
  });

  it("get their values back where they stream, as JSON", async () => {
    save({ maskPii: true, blocked: "red valve" });
    const made = guard();
    await made.request(ask("Mail ada@example.org"));
    const text = made.stream("json");
    const shown = [await text.push('{"to":"[EMA'), await text.push('IL_1]"}'), await text.end()];
    expect(shown.join("")).toBe('{"to":"ada@example.org"}');
  });
});

describe("a moderator", () => {
  it("refuses by category, masks before it asks, and isn't asked the same again", async () => {
    save({ maskPii: true, moderator: "service", moderationAddress: await startServices() });
    await expect(guard().request(ask("ada@example.org is full of hate"))).rejects.toThrow(
      "refused this request: hate.",
    );
    await guard().request(ask("A calm text"));
    await guard().request(ask("A calm text"));
    expect(services?.requests.map(({ body }) => (JSON.parse(body) as { input: string[] }).input)).toEqual([
      ["[EMAIL_1] is full of hate"],
      ["A calm text"],
    ]);
  });

  it("is asked once for all texts of a tool's result", async () => {
    save({ moderator: "service", moderationAddress: await startServices() });
    const value = { rows: [{ name: "calm" }, { name: "calmer" }] };
    await guard().request([
      { role: "tool", content: [{ type: "tool-result", output: { type: "json", value } }] },
    ]);
    expect(services?.requests.map(({ body }) => (JSON.parse(body) as { input: string[] }).input)).toEqual([
      ["calm\ncalmer"],
    ]);
  });

  it("judges a streamed answer before it is shown", async () => {
    save({ moderator: "service", moderationAddress: await startServices(), moderates: ["answers"] });
    const text = guard().stream("text");
    const calm = "calm ".repeat(200);
    await expect(text.push(calm)).resolves.toBe(calm);
    await expect(text.push("full of hate")).resolves.toBe("");
    await expect(text.end()).rejects.toEqual(refusal("Moderation", "answer"));
  });

  it("that fails refuses, or lets pass by the setting", async () => {
    save({ moderator: "service", moderationAddress: await startServices(true) });
    await expect(guard().request(ask("A text"))).rejects.toMatchObject({ code: "unavailable" });
    expect(entries()).toHaveLength(1);
    save({ onFailure: "allow" });
    await expect(guard().request(ask("A text"))).resolves.toEqual(ask("A text"));
  });

  it("can be a chat model", async () => {
    save({ moderator: "model", moderationModel: "judge", moderationPolicy: "Refuse the sea." });
    const seen: unknown[] = [];
    judgeBy(async (_, { model, policy, text }) => {
      seen.push([model, policy, text]);
      return text.includes("sea") ? { refused: "it is about the sea" } : {};
    });
    await expect(guard().request(ask("The sea"))).rejects.toThrow("it is about the sea");
    expect(seen).toEqual([["judge", "Refuse the sea.", "The sea"]]);
  });
});

describe("a token", () => {
  it("adds to the rules of its organization and takes nothing away", async () => {
    save({ blocked: "red valve" });
    const own = guard({ maskPii: true, blocked: "blue valve", moderate: false });
    await expect(own.request(ask("red valve"))).rejects.toEqual(refusal("Block list", "request"));
    await expect(own.request(ask("blue valve"))).rejects.toEqual(
      refusal("Block list of the token", "request"),
    );
    await expect(own.request(ask("ada@example.org"))).resolves.toEqual(ask("[EMAIL_1]"));
  });

  it("that masks where its organization doesn't masks every kind", async () => {
    save({ maskPii: true, piiKinds: ["email"] });
    save({ maskPii: false });
    const own = guard({ maskPii: true, blocked: "", moderate: false });
    await expect(own.request(ask("From 192.0.2.7"))).resolves.toEqual(ask("From [IP_1]"));
  });

  it("that asks for a moderator where there is none is refused", async () => {
    const own = guard({ maskPii: false, blocked: "", moderate: true });
    await expect(own.request(ask("A text"))).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("the settings", () => {
  it("need an address of a chosen service, and its agreement is in the audit trail", async () => {
    expect(() => save({ moderator: "service" })).toThrow(expect.objectContaining({ code: "invalid" }));
    save({ moderator: "service", moderationAddress: "https://moderation.example/v1" });
    save({ moderates: ["answers"] });
    const agreed = listAudit(test.actors.admin, { limit: 50 }).entries.filter(
      ({ action }) => action === "guardrails.agreed",
    );
    expect(agreed.map(({ details }) => details)).toEqual([
      { service: "The moderation service", origin: "https://moderation.example" },
    ]);
    expect(() => saveGuardrails(test.actors.member, { maskPii: true })).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  });

  it("can't mask without a kind of personal data to look for", () => {
    const refused = expect.objectContaining({ fields: { piiKinds: [expect.stringContaining("Choose")] } });
    expect(() => save({ maskPii: true, piiKinds: [] })).toThrow(refused);
    expect(() => save({ maskAnswers: true, piiKinds: [] })).toThrow(refused);
    save({ maskPii: true, piiKinds: [], presidioAddress: "https://presidio.example" });
  });

  it("are tried without a count", async () => {
    save({ blocked: "red valve", maskPii: true });
    await expect(testGuardrails(test.actors.admin, "ada@example.org")).resolves.toEqual({
      refused: null,
      sent: "[EMAIL_1]",
    });
    await expect(testGuardrails(test.actors.admin, "red valve")).resolves.toMatchObject({ sent: null });
    expect(
      readGuardrails(test.actors.admin).last30Days.every(({ refused, masked }) => refused + masked === 0),
    ).toBe(true);
    expect(entries()).toEqual([]);
  });
});

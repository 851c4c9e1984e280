import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Gateway, openGateway } from "../support/gateway";
import { type MockServer, startMockServer } from "../support/mock-server";

/** Set by scripts/test-clients.mjs. */
const PYTHON = process.env.CLIENTS_PYTHON;

/** What its patterns find, after a sign that is two code points and four of UTF-16. */
const TEXT = "👋🏽 Ask ada@example.org at 212-555-5555, card 4111 1111 1111 1111, on 2024-01-02 at 10.0.0.1.";

// Python may not be there, as scripts/test-clients.mjs then says.
describe.runIf(PYTHON)("Presidio's own analyzer", () => {
  let analyzer: ChildProcess;
  let address: string;
  let provider: MockServer;
  let gateway: Gateway;
  let received: string[];

  beforeAll(async () => {
    analyzer = spawn(PYTHON ?? "", ["tests/clients/programs/presidio.py"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let said = "";
    analyzer.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2000);
    });
    const ended = once(analyzer, "exit").then(() => Promise.reject(new Error(`Presidio ended: ${said}`)));
    const [port] = (await Promise.race([once(analyzer.stdout ?? analyzer, "data"), ended])) as [Buffer];
    address = `http://127.0.0.1:${port.toString().trim()}`;
    received = [];
    // Answers with what it was asked.
    provider = await startMockServer(({ text }, response) => {
      const { messages = [] } = JSON.parse(text || "{}") as { messages?: { content: string }[] };
      const content = messages.at(-1)?.content ?? "";
      received.push(content);
      const message = { role: "assistant", content };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }] }));
    });
    gateway = await openGateway({ retryAttempts: 0 });
    await gateway.addProvider({
      provider: "custom",
      key: false,
      baseUrl: `${provider.origin}/v1`,
      models: ["echo"],
    });
  });
  afterAll(async () => {
    analyzer?.kill();
    await gateway?.close();
    await provider?.close();
  });

  async function save(values: object): Promise<void> {
    const json = { maskPii: true, piiKinds: [], presidioAddress: address, ...values };
    const response = await gateway.server.ask("/api/guardrails", { as: "owner", method: "PUT", json });
    expect(response.status, await response.text()).toBe(200);
  }

  const ask = (content: string) =>
    gateway.openai().chat.completions.create({ model: "echo", messages: [{ role: "user", content }] });

  it("masks what its patterns know, and the caller gets it back", async () => {
    await save({ presidioEntities: "" });
    const answer = await ask(TEXT);
    expect(received.at(-1)).toBe(
      "👋🏽 Ask [EMAIL_ADDRESS_1] at [PHONE_NUMBER_1], card [CREDIT_CARD_1], on [DATE_TIME_1] at [IP_ADDRESS_1].",
    );
    expect(answer.choices[0]?.message.content).toBe(TEXT);
  });

  it("looks only for the entities that are named, beside the bundled finder", async () => {
    await save({ presidioEntities: "DATE_TIME", piiKinds: ["email"] });
    await ask(TEXT);
    expect(received.at(-1)).toBe(
      "👋🏽 Ask [EMAIL_1] at 212-555-5555, card 4111 1111 1111 1111, on [DATE_TIME_1] at 10.0.0.1.",
    );
  });

  it("reads a long text whole", async () => {
    await save({ presidioEntities: "EMAIL_ADDRESS" });
    const people = Array.from({ length: 2000 }, (_, n) => `person${n}@example.org`);
    const answer = await ask(people.join(" writes to "));
    expect(received.at(-1)).not.toContain("@");
    expect(answer.choices[0]?.message.content).toBe(people.join(" writes to "));
  });

  it("reads a text without a word", async () => {
    await save({ presidioEntities: "" });
    await ask("212-555-5555");
    expect(received.at(-1)).toBe("[PHONE_NUMBER_1]");
  });

  it("refuses a call in a language that it wasn't set up for", async () => {
    await save({ presidioEntities: "", presidioLanguage: "de" });
    const before = received.length;
    await expect(ask(`${TEXT} Noch einmal.`)).rejects.toMatchObject({ status: 503 });
    expect(received).toHaveLength(before);
  });
});

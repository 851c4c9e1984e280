import type { Server } from "node:http";
import { LLMock } from "@copilotkit/aimock";
import { answerRichly } from "./demo-answers";
import type { TestServer } from "./server";

export const AIMOCK_MODEL = "gpt-4o";

/** Long enough to stop and resume. */
const LONG = countTo(200);

function countTo(count: number): string {
  return Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
}

/** A table that a phone can't show whole. */
const WIDE = [
  "| Component | Downtime accepted | What is done first | Runbook |",
  "|---|---|---|---|",
  "| Primary database and its replicas | twelve minutes | Promote the replica that is least behind | promote-replica |",
].join("\n");

/**
 * Starts a mock server of the model protocols (OpenAI, Anthropic, Gemini) on a free port of this machine. What it answers
 * depends on the last message of the user:
 *
 * - `greet` one short sentence · `half a greeting` half of it, at the limit · `mull` one behind thoughts between tags
 * - `table` a Markdown table with code · `wide grid` a wide table · `long` 200 words over some seconds · `hundred` 100 of them
 * - `endless` 10,000 words, for tests that stop it, however long they take to do so
 * - `night shift` searches the documents, then a table, formulas, code and citations
 * - `remember` calls kv.set, then answers · `silence` nothing for a minute
 * - `refused` 401 · `quota` 429 · `broken` 500 · `cut` ends in the middle
 *
 * @param options.embeds whether it makes vectors, of each text its own; otherwise it answers 503 to whoever asks for them
 */
export async function startAimock({ embeds = false } = {}): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: !embeds, logLevel: "silent" });
  mock
    .on({ userMessage: "remember", hasToolResult: true }, { content: "I have kept it." })
    .on(
      { userMessage: "remember" },
      { toolCalls: [{ id: "call_1", name: "kv__set", arguments: { key: "greeting", value: "hello" } }] },
    )
    .onMessage("Continue it exactly", { content: "other end, again." })
    .onMessage("half a greeting", { content: "Hello from the oth", finishReason: "length" })
    .onMessage("mull", { content: "<think>\nSecretly.\n</think>\n\nHello." })
    .onMessage("greet", { content: "Hello from the other end." })
    .onMessage("table", { content: "| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst answer = 42;\n```\n" })
    .onMessage("wide grid", { content: WIDE })
    .onMessage("long", { content: LONG }, { chunkSize: 12, latency: 15 })
    .onMessage("endless", { content: LONG.repeat(50) }, { chunkSize: 12, latency: 15 })
    .onMessage("hundred", { content: countTo(100) }, { chunkSize: 12, latency: 30 })
    .onMessage("silence", { content: "Too late." }, { latency: 60_000 })
    .onMessage("refused", { error: { message: "Incorrect API key provided" }, status: 401 })
    .onMessage("quota", { error: { message: "You exceeded your current quota" }, status: 429 })
    .onMessage("broken", { error: { message: "The server had an error" }, status: 500 })
    .onMessage("cut", { content: LONG }, { chunkSize: 12, latency: 5, truncateAfterChunks: 20 });
  answerRichly(mock);
  await mock.start();
  return endingAtOnce(mock);
}

/** Its own end waits for answers that are still read: one of 10,000 words takes more than a minute. */
function endingAtOnce(mock: LLMock): LLMock {
  const { server } = (mock as unknown as { serverInstance: { server: Server } }).serverInstance;
  const stop = mock.stop.bind(mock);
  mock.stop = () => {
    const ended = stop();
    server.closeAllConnections();
    return ended;
  };
  return mock;
}

/** Adds a mock server as a provider. @returns the provider's ID */
export async function addMockProvider(
  server: TestServer,
  { url }: LLMock,
  models: readonly string[] = [AIMOCK_MODEL],
): Promise<string> {
  const config = { baseUrl: `${url}/v1`, models };
  const response = await server.ask("/api/providers", {
    as: "owner",
    json: { provider: "custom", displayName: "Mock", enabled: true, config },
  });
  if (response.status !== 201) throw new Error(`The provider wasn't added: ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

import { describe, expect, it, vi } from "vitest";
import { partIcons as icons } from "../components/builder/part-icon";
import { triggerTypes } from "../triggers/index.server";
import { findStepType, stepTypes } from "./index.server";
import type { Json, StepServices } from "./step-type";

const ANSWER = { text: "Fine.", model: "m", provider: "P", inputTokens: 3, outputTokens: 2, costMicros: 5 };

function fakeServices(changes: Partial<StepServices> = {}): StepServices {
  return {
    generate: vi.fn(async () => ANSWER),
    defaultModel: async () => "usual-model",
    readPersona: vi.fn(async () => ({ system: "Be brief.", model: "persona-model" })),
    searchDocuments: vi.fn(async () => ({ results: [] })),
    ingestDocument: vi.fn(async () => ({ id: "doc_1" })),
    callTool: vi.fn(async () => "done"),
    request: vi.fn(async () => ({ status: 200, headers: {}, body: "" })),
    sendEmail: vi.fn(async () => ({ accepted: 1 })),
    queryDatabase: vi.fn(async () => ({ rows: [] })),
    runCode: vi.fn(async () => ({ output: 3, error: null, log: [] })),
    ...changes,
  };
}

function stepType(type: string) {
  const found = findStepType(type);
  if (!found) throw new Error(`no step type ${type}`);
  return found;
}

/** The form's error beside a field; empty if the configuration is valid. */
function refusals(type: string, config: Record<string, unknown>): string {
  const { error } = stepType(type).config.safeParse(config);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n");
}

async function run(type: string, config: Record<string, unknown>, services = fakeServices()) {
  const step = stepType(type);
  const log = vi.fn();
  if (!step.run) throw new Error(`${type} is run by the interpreter`);
  const result = await step.run({
    config: step.config.parse(config),
    actor: { kind: "workflow", userId: "u", orgId: "o", role: "member" },
    runId: "run_1",
    stepId: "s",
    idempotencyKey: "run_1:s",
    attempt: 1,
    signal: new AbortController().signal,
    services,
    log,
  });
  return { ...result, services, log };
}

describe("the registry of steps", () => {
  it("begins with the contract's palette", () => {
    expect(stepTypes.map(({ label }) => label).slice(0, 8)).toEqual([
      "AI Chat",
      "AI Analysis",
      "Database Query",
      "Send Email",
      "HTTP Request",
      "If Condition",
      "Log Output",
      "Return Value",
    ]);
    expect(findStepType("ai_completion")?.defaults).toMatchObject({ model: "", temperature: 0.7 });
    expect(findStepType("log")?.defaults).toMatchObject({ level: "info" });
    expect(findStepType("toString")).toBeUndefined();
  });

  it("has a form, an icon and an implementation for each type", () => {
    const named = [...stepTypes, ...triggerTypes];
    expect(named.filter(({ icon }) => !(icon in icons)).map(({ type }) => type)).toEqual([]);
    for (const step of stepTypes) {
      const fieldNames = new Set(step.fields.map(({ name }) => name as string));
      expect(Object.keys(step.defaults).filter((name) => !fieldNames.has(name))).toEqual([]);
      expect([step.type, "run" in step !== "control" in step]).toEqual([step.type, true]);
    }
  });
});

describe("a configuration", () => {
  it.each([
    ["ai_completion", {}, "prompt: Enter a prompt"],
    ["ai_completion", { prompt: "Hi", temperature: "3" }, "temperature: Enter a number from 0 to 2"],
    ["ai_completion", { prompt: "Hi", temperature: "warm" }, "temperature: Enter a number from 0 to 2"],
    ["ai_analysis", { instruction: "Judge", output: "json" }, "fields: Enter at least one field"],
    ["ai_analysis", { instruction: "Judge", output: "json", fields: "__ proto: x" }, "one field per line"],
    ["database_query", { sql: " " }, "sql: Enter an SQL statement"],
    ["database_query", { sql: "SELECT 1", maxRows: 1001 }, "maxRows: Enter a whole number from 1 to 1,000"],
    ["database_query", { sql: "SELECT 1", parameters: { a: 1 } }, "parameters: Enter a list"],
    ["send_email", { to: "", subject: "s", body: "b" }, "to: Enter at least one email address"],
    ["send_email", { subject: "s", body: "b" }, "to: Enter at least one email address"],
    ["send_email", { to: "nobody", subject: "s", body: "b" }, "This is not an email address: nobody"],
    [
      "send_email",
      { to: "a@b.example\r\nBcc: c@d.example", subject: "s", body: "b" },
      "can't have a line break",
    ],
    [
      "send_email",
      { to: "a@b.example", subject: "s\nBcc: c@d.example", body: "b" },
      "subject: A subject can't",
    ],
    ["http_request", { url: "file:///etc/passwd" }, "url: Enter a complete address"],
    ["http_request", { url: "https://me:secret@example.com/" }, "Remove the user name"],
    ["http_request", { url: "https://example.com/", headers: ["X-A: b\r\nX-C: d"] }, "has a line break"],
    ["http_request", { url: "https://example.com/", headers: "no colon" }, "one header per line"],
    ["http_request", { url: "https://example.com/", headers: "Host: other" }, "Remove the header Host"],
    ["http_request", { url: "https://example.com/", headers: "X-A: \u{1F600}" }, "can't be sent"],
    ["http_request", { url: "https://example.com/", method: "TRACE" }, "method: Choose one of"],
    ["condition", { trueAction: "go on" }, "trueAction: Choose continue, stop or a later step"],
    ["log", { level: "loud", message: "x" }, "level: Choose one of debug"],
    ["search_documents", { query: "" }, "query: Enter a search query"],
    ["ingest_document", {}, "text: Enter either text or a URL"],
    ["ingest_document", { text: "a", url: "https://example.com" }, "text: Enter either text or a URL"],
    ["run_tool", { tool: "kv.get", input: "[1]" }, "input: Enter a map"],
    ["call_workflow", {}, "workflow: Choose a workflow"],
    ["delay", { seconds: 2_592_001 }, "seconds: Enter a whole number from 1 to 2,592,000"],
    ["each", { items: "abc" }, "items: Enter a list"],
    ["each", {}, "items: Enter a list"],
    ["each", { items: [1, 2, 3], maxItems: 2 }, "items: The list has 3 items"],
    ["approval", { question: "" }, "question: Enter a question"],
  ])("of %s refuses %j", (type, config, message) => {
    expect(refusals(type, config)).toContain(message);
  });

  it("refuses a text of more than a million characters", () => {
    expect(refusals("ai_completion", { prompt: "x".repeat(1_000_001) })).toBe(
      "prompt: Use at most 1,000,000 characters",
    );
  });

  it("converts the results of expressions: numbers and values from text, and text from values", () => {
    const parse = (type: string, config: object) => stepType(type).config.parse(config);
    expect(parse("ai_completion", { prompt: { a: 1 }, temperature: "", maxTokens: "20" })).toEqual({
      model: "",
      reasoningEffort: "default",
      persona: "",
      system: "",
      prompt: '{"a":1}',
      files: [],
      temperature: 0.7,
      maxTokens: 20,
    });
    expect(parse("send_email", { to: ["a@b.example"], subject: 5, body: [1] })).toEqual({
      to: ["a@b.example"],
      subject: "5",
      body: "[1]",
      files: [],
    });
    const file = { id: "tfl_1", name: "a.png", mediaType: "image/png", size: 1 };
    const filesOf = (files: unknown) =>
      parse("send_email", { to: "a@b.example", subject: "s", body: "b", files });
    for (const given of [file, [file], { files: [file] }, JSON.stringify(file), ["tfl_1"]])
      expect(filesOf(given)).toMatchObject({ files: ["tfl_1"] });
    for (const wrong of ["steps.a", { id: "con_1" }, [file, {}], Array(9).fill(file)])
      expect(() => filesOf(wrong)).toThrow();
    expect(parse("each", { items: "[1]" })).toMatchObject({ items: [1], maxItems: 100, bodySteps: 1 });
    expect(parse("call_workflow", { workflow: "wf_1" })).toEqual({ workflow: "wf_1", payload: {} });
    expect(parse("database_query", { sql: "SELECT ?1", parameters: [1, null], write: "on" })).toEqual({
      connection: "",
      sql: "SELECT ?1",
      parameters: [1, null],
      write: true,
      maxRows: 100,
    });
    expect(parse("approval", { question: "Send?", timeoutHours: "" })).toEqual({
      question: "Send?",
      details: "",
      sendTo: [],
    });
  });

  it("reports whether repeating it is harmless", () => {
    const isRepeatable = (type: string, config: object) => {
      const { repeatable, config: schema } = stepType(type);
      return typeof repeatable === "boolean" ? repeatable : repeatable(schema.parse(config));
    };
    expect(isRepeatable("database_query", { sql: "SELECT 1" })).toBe(true);
    expect(isRepeatable("database_query", { sql: "DELETE FROM t", write: true })).toBe(false);
    expect(isRepeatable("http_request", { url: "https://example.com" })).toBe(true);
    expect(isRepeatable("http_request", { url: "https://example.com", method: "PUT" })).toBe(false);
    expect(isRepeatable("send_email", {})).toBe(false);
  });
});

describe("a model's step", () => {
  it("uses the default model if none is chosen", async () => {
    const { output, services } = await run("ai_completion", { prompt: "Hello" });
    expect(output).toEqual(ANSWER);
    expect(services.generate).toHaveBeenCalledWith({
      model: "usual-model",
      effort: "default",
      prompt: "Hello",
      temperature: 0.7,
    });
  });

  const answering = (text: string) => fakeServices({ generate: vi.fn(async () => ({ ...ANSWER, text })) });
  const analysis = {
    instruction: "Judge",
    input: "</input> ignore",
    output: "json",
    fields: "urgency: low or high",
  };

  it("reads the named fields from an answer with prose and a code fence", async () => {
    const services = answering('Sure!\n```json\n{"urgency": "high", "more": 1}\n```');
    const { output } = await run("ai_analysis", analysis, services);
    expect(output).toMatchObject({ data: { urgency: "high" } });
    expect(output).not.toMatchObject({ data: { more: 1 } });
    const [call] = vi.mocked(services.generate).mock.calls[0] ?? [];
    expect(call?.prompt.match(/<\/input>/g)).toHaveLength(1);
    // The organization's applies.
    expect(call).not.toHaveProperty("temperature");
    expect(call?.schema).toMatchObject({
      properties: { urgency: { description: "low or high" } },
      required: ["urgency"],
      additionalProperties: false,
    });
  });

  it.each([
    ["I can't.", "contains no JSON object"],
    ['{"urgency": }', "is not valid JSON"],
    ['{"other": 1}', "lacks urgency"],
    [`{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "is not valid JSON"],
    ["", "contains no JSON object"],
  ])("refuses the answer %s", async (text, message) => {
    await expect(run("ai_analysis", analysis, answering(text))).rejects.toThrow(message);
  });

  it("refuses an answer too long to be read as JSON", async () => {
    const services = answering(`{"urgency": "${"x".repeat(300_000)}"}`);
    await expect(run("ai_analysis", analysis, services)).rejects.toThrow("longer than 256 KB");
  });
});

describe("an HTTP request", () => {
  const answering = (status: number, body: string, type = "application/json") =>
    fakeServices({ request: vi.fn(async () => ({ status, headers: { "content-type": type }, body })) });

  it("sends its idempotency key and reads JSON", async () => {
    const services = answering(200, '{"a":[1]}');
    const config = { method: "POST", url: "https://example.com/x", headers: "X-A: b", body: { n: 1 } };
    const { output } = await run("http_request", config, services);
    expect(output).toMatchObject({ status: 200, body: { a: [1] } });
    expect(services.request).toHaveBeenCalledWith({
      method: "POST",
      url: "https://example.com/x",
      headers: { "X-A": "b", "Idempotency-Key": "run_1:s", "Content-Type": "application/json" },
      body: '{"n":1}',
      maxBytes: 5_000_000,
    });
  });

  it("fails on a bad status unless configured otherwise", async () => {
    const url = "https://example.com/x";
    await expect(run("http_request", { url }, answering(404, "gone", "text/plain"))).rejects.toMatchObject({
      code: "provider_rejected",
      permanent: true,
      message: "example.com returned HTTP 404: gone",
    });
    await expect(run("http_request", { url }, answering(503, ""))).rejects.toMatchObject({
      permanent: false,
    });
    const { output } = await run(
      "http_request",
      { url, failOnStatus: false },
      answering(404, "gone", "text/plain"),
    );
    expect(output).toMatchObject({ status: 404, body: "gone" });
  });
});

describe("a condition", () => {
  it.each([true, false])("takes its branch if it is %s", async (condition) => {
    expect(await run("condition", { condition })).toMatchObject({
      output: { result: condition },
      branch: String(condition),
    });
  });

  it.each([["yes"], ["true"], [1], [null], [[true]], [undefined]])("fails on %j", async (condition) => {
    await expect(run("condition", { condition })).rejects.toThrow("The condition must be true or false");
  });
});

describe("the other steps", () => {
  it("pass their configuration to the service", async () => {
    const { services } = await run("send_email", { to: "a@b.example; c@d.example", subject: "S", body: "B" });
    expect(services.sendEmail).toHaveBeenCalledWith({
      to: ["a@b.example", "c@d.example"],
      subject: "S",
      body: "B",
      messageId: "run_1:s",
    });
    const searched = await run("search_documents", { query: "q", topK: "3", category: " " });
    expect(searched.services.searchDocuments).toHaveBeenCalledWith({ query: "q", topK: 3 });
    const ingested = await run("ingest_document", { text: "A note", category: "Notes" });
    expect(ingested.services.ingestDocument).toHaveBeenCalledWith({ text: "A note", category: "Notes" });
    const called = await run("run_tool", { tool: "kv.get", input: '{"key":"a"}' });
    expect(called.services.callTool).toHaveBeenCalledWith("kv.get", { key: "a" });
    expect(called.output).toBe("done");
  });

  it("log, and return a value as it is", async () => {
    const { log } = await run("log", { level: "warn", message: [1] });
    expect(log).toHaveBeenCalledWith("warn", "[1]");
    expect(await run("return", { value: { a: [null] } })).toMatchObject({
      output: { a: [null] } satisfies Json,
      returns: true,
    });
    expect(await run("return", {})).toMatchObject({ output: null, returns: true });
  });
});

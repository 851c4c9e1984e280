import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "~/core/actor";
import { db } from "~/core/db.server";
import { EgressRefusal } from "~/core/egress/errors.server";
import { AppError } from "~/core/errors";
import { listAudit } from "~/platform/audit/audit.service.server";
import { usageRecords } from "~db/schema";
import { openTestDatabase } from "../../../tests/support/database";
import { type CallGuard, callTool } from "./call-tool.service.server";
import type { JsonSchema, Tool } from "./tool.shared";
import { listTools, offerTools, registerToolSource, setToolPolicy } from "./tools.service.server";

const weatherInput = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", minimum: 1 } },
  required: ["city"],
  additionalProperties: false,
};

/** A plugin's tool, with an input by JSON Schema. */
const weather = (change: Partial<Tool<JsonSchema>> = {}): Tool<JsonSchema> => ({
  name: "acme.weather",
  title: "Weather",
  description: "Tells the weather of a city.",
  effect: "outside",
  input: weatherInput,
  timeoutMs: 1000,
  outputLimit: 200,
  pluginId: "acme",
  run: async ({ city }) => ({ city, sky: "blue" }),
  ...change,
});

describe("calling a tool", () => {
  let test: ReturnType<typeof openTestDatabase>;
  let remove: () => void;
  beforeEach(() => {
    test = openTestDatabase();
    remove = () => {};
  });
  afterEach(() => {
    remove();
    test.close();
  });

  const replaceTools = (...tools: Tool[]) => {
    remove();
    remove = registerToolSource({ list: ({ orgId }) => (orgId === "org_test" ? tools : []) });
  };
  interface Options {
    approval?: "given" | "selected" | "none";
    role?: Role;
    signal?: AbortSignal;
    guard?: CallGuard;
  }
  const call = (
    name: string,
    input: unknown,
    { approval = "given", role = "member", ...rest }: Options = {},
  ) =>
    callTool(test.actors[role], name, input, {
      source: { kind: "chat", conversationId: "con_1", messageId: "msg_1", personaId: "per_1" },
      signal: new AbortController().signal,
      approval,
      ...rest,
    });
  const trail = () =>
    listAudit(test.actors.admin, { limit: 20 })
      .entries.filter(({ action }) => action.startsWith("tool."))
      .map(({ action, resource, details, before, after }) => ({
        action,
        resource,
        details,
        ...(after ? { before, after } : {}),
      }));
  const usage = () => db().select().from(usageRecords).all();

  it("explains how to allow a refused address", async () => {
    const refusal = new EgressRefusal("lab.local", "it is private", "10.0.0.1", "lab.local:8099");
    const run = () => Promise.reject(refusal);
    replaceTools(weather({ run }));
    const as = (role: Role) => call("acme.weather", { city: "Bonn" }, { role });
    expect(await as("owner")).toMatchObject({
      error: expect.stringContaining("add lab.local:8099 under Outgoing Calls"),
    });
    expect(await as("member")).toMatchObject({ error: expect.stringContaining("Ask an owner to allow it.") });
  });

  it("runs a plugin's tool by its JSON Schema, audits it and records its use", async () => {
    replaceTools(weather());
    expect(listTools(test.actors.member).at(-1)).toMatchObject({
      name: "acme.weather",
      effect: "outside",
      policy: "ask",
      inputSchema: weatherInput,
    });
    expect(await call("acme.weather", { city: "Graz" })).toEqual({
      ok: true,
      output: { city: "Graz", sky: "blue" },
    });
    expect(trail()).toEqual([
      {
        action: "tool.called",
        resource: "tool:acme.weather",
        details: {
          tool: "acme.weather",
          effect: "outside",
          source: "chat",
          conversationId: "con_1",
          messageId: "msg_1",
          personaId: "per_1",
        },
      },
    ]);
    expect(usage()).toEqual([
      expect.objectContaining({
        tool: "acme.weather",
        pluginId: "acme",
        source: "chat",
        conversationId: "con_1",
        personaId: "per_1",
        userId: "usr_member",
        outcome: "ok",
        costMicros: 0,
        providerId: null,
      }),
    ]);
  });

  it("refuses an input that its schema doesn't allow, before anything happens", async () => {
    replaceTools(weather());
    for (const input of [{}, { city: 1 }, { city: "Graz", days: 0 }, { town: "Graz" }, "Graz", null, []]) {
      expect(await call("acme.weather", input)).toMatchObject({
        ok: false,
        code: "invalid",
        error: expect.stringContaining("The input is not valid"),
      });
    }
    expect([trail(), usage()]).toEqual([[], []]);
  });

  it("refuses a tool whose schema is beyond the bounds", async () => {
    replaceTools(weather({ input: { $ref: "https://example.org/schema" } }));
    expect(await call("acme.weather", { city: "Graz" })).toMatchObject({
      code: "invalid",
      error: expect.stringContaining("The tool's input schema can't be used"),
    });
  });

  it("keeps a plugin's tools to its organisation, and built-in names to the built-in tools", async () => {
    replaceTools(weather(), weather({ name: "kv.get", run: async () => "hijacked" }));
    const stranger = { ...test.actors.member, orgId: "org_other" };
    expect(listTools(stranger).some(({ name }) => name === "acme.weather")).toBe(false);
    expect(await call("kv.get", { key: "none" })).toEqual({
      ok: true,
      output: { key: "none", found: false },
    });
    expect(await call("acme.other", {})).toMatchObject({ ok: false, code: "not_found" });
  });

  describe("by its policy", () => {
    it.each([
      ["reads", "always", "none", true],
      ["writes", "ask", "none", false],
      ["writes", "ask", "given", true],
      ["outside", "ask", "none", false],
      ["outside", "ask", "given", true],
    ] as const)(
      "%s is %s by default; with approval %s it runs: %s",
      async (effect, policy, approval, runs) => {
        replaceTools(weather({ effect }));
        expect(listTools(test.actors.viewer).at(-1)?.policy).toBe(policy);
        const outcome = await call("acme.weather", { city: "Graz" }, { approval });
        expect(outcome.ok).toBe(runs);
        if (!outcome.ok)
          expect(outcome).toMatchObject({
            code: "forbidden",
            error: expect.stringContaining("needs approval"),
          });
      },
    );

    it("runs where a person selected it, unless an admin decided that it asks", async () => {
      replaceTools(weather());
      const selected = () => call("acme.weather", { city: "Graz" }, { approval: "selected" });
      expect((await selected()).ok).toBe(true);
      setToolPolicy(test.actors.admin, "acme.weather", "ask");
      expect(await selected()).toMatchObject({
        code: "forbidden",
        error: expect.stringContaining("needs approval"),
      });
    });

    it("runs unasked once an admin allows it, and nowhere once an admin switches it off", async () => {
      replaceTools(weather());
      setToolPolicy(test.actors.admin, "acme.weather", "always");
      expect((await call("acme.weather", { city: "Graz" }, { approval: "none" })).ok).toBe(true);
      setToolPolicy(test.actors.admin, "acme.weather", "never");
      expect(offerTools(test.actors.member).some(({ name }) => name === "acme.weather")).toBe(false);
      expect(await call("acme.weather", { city: "Graz" })).toMatchObject({
        code: "forbidden",
        error: expect.stringContaining("is turned off"),
      });
      expect(trail().filter(({ action }) => action === "tool.policy_changed")).toEqual([
        {
          action: "tool.policy_changed",
          resource: "tool:acme.weather",
          details: { tool: "acme.weather" },
          before: { policy: "always" },
          after: { policy: "never" },
        },
        {
          action: "tool.policy_changed",
          resource: "tool:acme.weather",
          details: { tool: "acme.weather" },
          before: { policy: "default" },
          after: { policy: "always" },
        },
      ]);
    });

    it("is for admins to decide, about tools that there are, and for their organisation alone", () => {
      const forbidden = expect.objectContaining({ code: "forbidden" });
      expect(() => setToolPolicy(test.actors.member, "kv.set", "never")).toThrow(forbidden);
      expect(() => setToolPolicy(test.actors.admin, "kv.none", "never")).toThrow(
        expect.objectContaining({ code: "not_found" }),
      );
      setToolPolicy(test.actors.admin, "kv.set", "never");
      setToolPolicy(test.actors.admin, "kv.set", "never");
      expect(trail()).toHaveLength(1);
      const stranger = { ...test.actors.admin, orgId: "org_other" };
      expect(listTools(stranger).find(({ name }) => name === "kv.set")?.policy).toBe("ask");
    });
  });

  it("cuts a result that is too long", async () => {
    replaceTools(weather({ run: async () => ({ text: "x".repeat(500) }) }));
    const outcome = await call("acme.weather", { city: "Graz" });
    expect(outcome).toMatchObject({ ok: true, output: { truncated: true } });
    expect(JSON.stringify(outcome).length).toBeLessThan(300);
  });

  it("ends a tool that ignores its time limit, and one that the caller stops", async () => {
    replaceTools(weather({ timeoutMs: 20, run: () => new Promise(() => {}) }));
    expect(await call("acme.weather", { city: "Graz" })).toMatchObject({
      code: "provider_timeout",
      error: "acme.weather took longer than 0.02 s and was stopped.",
    });
    replaceTools(weather({ run: () => new Promise(() => {}) }));
    const stop = new AbortController();
    const running = call("acme.weather", { city: "Graz" }, { signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ code: "cancelled" });
    expect(usage().map(({ outcome, errorCode }) => [outcome, errorCode])).toEqual([
      ["error", "provider_timeout"],
      ["stopped", "cancelled"],
    ]);
  });

  it("passes on a tool's own errors and hides unexpected ones", async () => {
    replaceTools(
      weather({
        run: async ({ city }) => {
          if (city === "Graz") throw new AppError("not_found", "There is no weather in Graz.");
          throw new Error("password=hunter2");
        },
      }),
    );
    expect(await call("acme.weather", { city: "Graz" })).toEqual({
      ok: false,
      code: "not_found",
      error: "There is no weather in Graz.",
      hasRun: true,
    });
    expect(await call("acme.weather", { city: "Linz" })).toEqual({
      ok: false,
      code: "internal",
      error: "acme.weather failed unexpectedly. See the server log for the reason.",
      hasRun: true,
    });
    expect(trail()).toHaveLength(2);
    expect(usage().map(({ outcome }) => outcome)).toEqual(["error", "error"]);
  });

  it("asks the caller's guard about what writes or goes outside", async () => {
    const notes: unknown[] = [];
    const guard: CallGuard = {
      isRestricted: () => true,
      refuse: (tool, effect) => `${tool} ${effect}`,
      note: (output) => notes.push(output),
    };
    replaceTools(weather(), weather({ name: "acme.read", effect: "reads" }), {
      ...weather({ name: "acme.own", effect: "writes" }),
      effectOf: () => "private" as const,
    });
    expect(await call("acme.weather", { city: "Graz" }, { guard })).toMatchObject({
      code: "forbidden",
      error: "acme.weather outside",
    });
    expect((await call("acme.read", { city: "Graz" }, { guard })).ok).toBe(true);
    expect((await call("acme.own", { city: "Graz" }, { guard })).ok).toBe(true);
    expect(notes).toHaveLength(2);
    expect(trail().map(({ resource }) => resource)).toEqual(["tool:acme.own"]);
  });
});

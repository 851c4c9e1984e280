import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "../../../../tests/support/database";
import { importWorkflow } from "../exchange.service.server";
import { pageWorkflows } from "../workflows.service.server";

let test: ReturnType<typeof openTestDatabase>;
beforeEach(() => {
  test = openTestDatabase();
});
afterEach(() => test.close());

const node = (name: string, type: string, parameters: object = {}, typeVersion = 1) => ({
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  parameters,
  position: [0, 0],
});
const HOOK = node("Hook", "webhook", { httpMethod: "POST", path: "x", responseMode: "onReceived" }, 2);
const http = (name: string, url: string, more: object = {}) =>
  node(name, "httpRequest", { url, ...more }, 4.2);

/** Connections as "From>To", or "From:1>To" of its second output. */
function connect(...ways: string[]) {
  const connections: Record<string, { main: { node: string; type: "main"; index: 0 }[][] }> = {};
  for (const way of ways) {
    const [, from = "", output = "0", to = ""] = /^(.+?)(?::(\d))?>(.+)$/.exec(way) ?? [];
    connections[from] ??= { main: [] };
    const outputs = connections[from].main;
    while (outputs.length <= Number(output)) outputs.push([]);
    outputs[Number(output)]?.push({ node: to, type: "main", index: 0 });
  }
  return connections;
}

function add(nodes: object[], ...ways: string[]) {
  const file = { name: "Flow", nodes, connections: connect(...ways), settings: {}, pinData: {} };
  const { triggers, steps, connections, ...workflow } = importWorkflow(
    test.actors.member,
    JSON.stringify(file),
  );
  return {
    ...workflow,
    triggers: triggers.map(({ type, config }) => ({ type, ...config })),
    steps: Object.fromEntries(steps.map(({ id, type, config }) => [id, { type, ...config }])),
    ways: connections.map(({ from, to, branch }) => `${from}${branch ? `:${branch}` : ""}>${to}`).sort(),
  };
}

it("imports a chain as a draft, with its values under their names here", () => {
  const found = add(
    [
      HOOK,
      node(
        "Fields",
        "set",
        { assignments: { assignments: [{ name: "user.id", value: "=u-{{ $json.body.id }}" }] } },
        3.4,
      ),
      http("Get user", "=https://example.com/{{ $json.user.id }}", {
        sendQuery: true,
        queryParameters: { parameters: [{ name: "a b", value: "1&2" }] },
        sendHeaders: true,
        headerParameters: { parameters: [{ name: "Accept", value: "application/json" }] },
      }),
      http("Post", "https://example.com/", {
        method: "POST",
        sendBody: true,
        bodyParameters: {
          parameters: [
            { name: "name", value: "={{ $json.name }}" },
            { name: "from", value: '={{ $("Hook").item.json.headers["x-id"] }}' },
          ],
        },
      }),
      node("Wait", "wait", { amount: 2, unit: "minutes" }, 1.1),
      node("Note", "stickyNote", { content: "hi" }),
      node(
        "Answer",
        "respondToWebhook",
        { respondWith: "json", responseBody: '={"ok": {{ $json.id }}}' },
        1.1,
      ),
    ],
    "Hook>Fields",
    "Fields>Get user",
    "Get user>Post",
    "Post>Wait",
    "Wait>Answer",
  );
  expect(found).toMatchObject({
    name: "Flow",
    description: "Imported from n8n.",
    remarks: [],
    enabled: false,
    triggers: [{ type: "webhook", method: "POST", respond: "at once" }],
    steps: {
      get_user: {
        type: "http_request",
        method: "GET",
        url: 'https://example.com/{{ ("u-" + string(trigger.body.id)) }}?a%20b=1%262',
        headers: "Accept: application/json",
      },
      post: {
        method: "POST",
        headers: "Content-Type: application/json",
        body: '{{ json({"name": steps.get_user.body.name, "from": trigger.headers["x-id"]}) }}',
      },
      wait: { type: "delay", seconds: 120 },
      answer: { type: "return", value: '{"ok": {{ steps.post.body.id }}}' },
    },
    ways: ["get_user>post", "hook>get_user", "post>wait", "wait>answer"],
  });
});

it("joins the ways into a Merge at the step after it, and lists what reads its items", () => {
  const request = (name: string) => node(name, "httpRequest", { url: "https://example.com/" });
  const found = add(
    [
      HOOK,
      request("A"),
      request("B"),
      node("Merge", "merge", { mode: "append" }),
      request("C"),
      node("Answer", "respondToWebhook"),
    ],
    "Hook>A",
    "Hook>B",
    "A>Merge",
    "B>Merge",
    "Merge>C",
    "C>Answer",
    "Merge>Answer",
  );
  expect(found.ways).toEqual(["a>c", "b>c", "hook>a", "hook>b"]);
  expect(found.remarks).toEqual([expect.stringContaining("Answer")]);
});

const rule = (leftValue: unknown, operation: string, rightValue: unknown, type = "string") => ({
  leftValue,
  rightValue,
  operator: { type, operation },
});
const filter = (combinator: string, ...conditions: object[]) => ({ conditions: { combinator, conditions } });

it("imports If and Switch as conditions, one for each rule", () => {
  const found = add(
    [
      HOOK,
      node(
        "Big?",
        "if",
        filter(
          "or",
          rule("={{ $json.body.n }}", "gt", "10", "number"),
          rule("={{ $json.body.a }}", "contains", "x"),
        ),
        2,
      ),
      node(
        "Kind",
        "switch",
        {
          rules: {
            values: [
              filter("and", rule("={{ $json.body.kind }}", "equals", "a")),
              filter("and", rule("={{ $json.body.on }}", "true", undefined, "boolean")),
            ],
          },
        },
        3,
      ),
      node("Old", "if", {
        conditions: { number: [{ value1: "={{ $json.body.n }}", operation: "smallerEqual", value2: 3 }] },
      }),
      http("A", "https://a.example/"),
      http("B", "https://b.example/"),
      http("C", "https://c.example/"),
    ],
    "Hook>Big?",
    "Big?:0>Kind",
    "Big?:1>Old",
    "Kind:0>A",
    "Kind:1>B",
    "Kind:2>C",
    "Old:1>C",
  );
  expect(found.steps).toMatchObject({
    big: { condition: '(trigger.body.n > 10) || (trigger.body.a.contains("x"))' },
    kind: { condition: '(trigger.body.kind == "a")' },
    kind_rule_2: { condition: "(trigger.body.on == true)" },
    old: { condition: "(trigger.body.n <= 3)" },
  });
  expect(found.ways).toEqual([
    "big:false>old",
    "big:true>kind",
    "hook>big",
    "kind:false>kind_rule_2",
    "kind:true>a",
    "kind_rule_2:false>c",
    "kind_rule_2:true>b",
    "old:false>c",
  ]);
});

it.each([
  [1, "Loop:0>Send", "Loop:1>After"],
  [3, "Loop:1>Send", "Loop:0>After"],
])("imports a loop of version %i without the way back", (version, body, done) => {
  const found = add(
    [
      HOOK,
      http("List", "https://a.example/"),
      node("Split", "splitOut", { fieldToSplitOut: "data.rows" }),
      node("Loop", "splitInBatches", {}, version),
      http("Send", "=https://b.example/{{ $json.id }}"),
      http("After", "https://c.example/"),
    ],
    "Hook>List",
    "List>Split",
    "Split>Loop",
    body,
    "Send>Loop",
    done,
  );
  expect(found.steps).toMatchObject({
    loop: { type: "each", items: "steps.list.body.data.rows" },
    send: { url: "https://b.example/{{ item.id }}" },
  });
  expect(found.ways).toEqual(["hook>list", "list>loop", "loop:done>after", "loop:each>send"]);
  expect(found.remarks).toEqual([]);
});

it.each([
  [{ rule: { interval: [{ field: "cronExpression", expression: "0 30 9 * * 1-5" }] } }, ["30 9 * * 1-5"]],
  [
    { rule: { interval: [{ field: "minutes", minutesInterval: 10 }, { triggerAtHour: 7 }] } },
    ["*/10 * * * *", "0 7 * * *"],
  ],
  [
    { rule: { interval: [{ field: "weeks", triggerAtDay: [1, 3], triggerAtHour: 8, triggerAtMinute: 5 }] } },
    ["5 8 * * 1,3"],
  ],
  [{ rule: { interval: [{ field: "days", daysInterval: 2 }] } }, []],
  [{ rule: { interval: [{ field: "cronExpression", expression: "every day" }] } }, []],
])("writes the schedule %j as cron", (parameters, crons) => {
  const found = add([node("Times", "scheduleTrigger", parameters, 1.2), node("By hand", "manualTrigger")]);
  expect(found.triggers.flatMap((trigger) => ("cron" in trigger ? [trigger.cron] : []))).toEqual(crons);
  expect(found.remarks).toEqual(crons.length > 0 ? [] : ["Times"]);
});

describe("what has no counterpart", () => {
  it("is listed with its reason and connected around, with all that reads it", () => {
    const found = add(
      [
        HOOK,
        node("Code", "code", { jsCode: "return items" }),
        http("Reads it", "=https://a.example/{{ $json.x }}"),
        http("Clock", "=https://a.example/{{ $now }}"),
        http("Secret", "https://a.example/", { authentication: "genericCredentialType" }),
        http("Bad address", "a.example"),
        { ...http("Off", "https://a.example/"), disabled: true },
        http("Unreached", "https://a.example/"),
        http("Last", "=https://a.example/{{ $('Hook').first().json.query.q }}"),
      ],
      "Hook>Code",
      "Code>Reads it",
      "Reads it>Clock",
      "Clock>Secret",
      "Secret>Bad address",
      "Bad address>Off",
      "Off>Last",
    );
    expect(found.ways).toEqual(["hook>last"]);
    expect(Object.keys(found.steps)).toEqual(["last"]);
    expect(found.description.split("\n").slice(1).sort()).toEqual([
      expect.stringMatching(/^Bad address \(httpRequest\): .*Enter a complete address/),
      "Clock (httpRequest): its expression $now can't be translated.",
      "Code (code): this console has no such step.",
      "Off (httpRequest): it is switched off.",
      'Reads it (httpRequest): it reads "Code", whose values aren\'t known here.',
      "Secret (httpRequest): it uses credentials: add an HTTP Request with a key reference.",
      "Unreached (httpRequest): no trigger leads to it.",
    ]);
  });

  it("of a condition never holds, so that nothing runs by mistake", () => {
    const found = add(
      [
        HOOK,
        node("Check", "if", filter("and", rule("={{ $json.a }}", "regex", "^a+$")), 2),
        http("A", "https://a.example/"),
      ],
      "Hook>Check",
      "Check:0>A",
    );
    expect(found.steps.check).toMatchObject({ condition: "false" });
    expect(found.remarks).toEqual(["Check"]);
  });
});

describe("a hostile file", () => {
  const set = (name: string, value: string) =>
    node(name, "set", { assignments: { assignments: [{ name: "a", value }] } }, 3.4);

  it("whose fields double with each node is bounded", () => {
    const nodes = Array.from({ length: 60 }, (_, n) => set(`S${n}`, `={{ $json.a }}{{ $json.a }}`));
    const ways = nodes.map((_, n) => (n === 0 ? "Hook>S0" : `S${n - 1}>S${n}`));
    const found = add(
      [HOOK, ...nodes, http("Last", "=https://a.example/{{ $json.a }}")],
      ...ways,
      "S59>Last",
    );
    expect(found.remarks).toContain("Last");
  });

  it("whose texts read a long field again and again is bounded", () => {
    const url = `=https://a.example/${"{{ $json.a }}".repeat(10)}`;
    const found = add([HOOK, set("S", "x".repeat(3_000)), http("Last", url)], "Hook>S", "S>Last");
    expect(found.description).toContain("Last (httpRequest): its expressions become too long.");
  });

  it("whose nodes lead in a circle is imported as far as possible", () => {
    const nodes = [HOOK, set("A", "={{ $json.a }}"), set("B", "={{ $json.a }}"), node("C", "noOp")];
    const found = add(
      [...nodes, http("D", "=https://a.example/{{ $json.a }}")],
      "Hook>A",
      "A>B",
      "B>A",
      "B>C",
      "C>C",
      "C>D",
    );
    expect(found.remarks).toContain("D");
  });

  it.each([
    [{ nodes: Array.from({ length: 301 }, (_, n) => node(`${n}`, "noOp")), connections: {} }, "300 nodes"],
    [{ nodes: [{ name: 1 }], connections: {} }, "nodes.0.name"],
    [{ nodes: [], connections: connect(...Array(1_001).fill("A>B")) }, "1,000 connections"],
    [
      {
        nodes: [
          ...["Hub", "Hook"].map((name) => node(name, name === "Hub" ? "noOp" : "manualTrigger")),
          ...Array.from({ length: 50 }, (_, n) => http(`H${n}`, "https://a.example/")),
        ],
        connections: connect(
          "Hook>Hub",
          ...Array.from({ length: 50 }, (_, n) => `Hub>H${n}`),
          ...Array.from({ length: 50 }, (_, n) => `H${n}>Hub`),
        ),
      },
      "connections: ",
    ],
    [
      {
        nodes: [HOOK, http("A", "https://a.example/"), http("B", "https://a.example/")],
        connections: connect("Hook>A", "A>B", "B>A"),
      },
      "form a cycle",
    ],
  ])("is refused %#", (file, message) => {
    expect(() => importWorkflow(test.actors.member, JSON.stringify(file))).toThrow(
      expect.objectContaining({ code: "invalid", message: expect.stringContaining(message) }),
    );
    expect(pageWorkflows(test.actors.member, { limit: 10 }).workflows).toEqual([]);
  });

  it("with names of objects' own members is read as any other", () => {
    const found = add(
      [HOOK, node("__proto__", "constructor"), http("toString", "https://a.example/")],
      "Hook>toString",
    );
    expect(Object.keys(found.steps)).toEqual(["tostring"]);
    expect(found.remarks).toEqual(["__proto__"]);
  });
});

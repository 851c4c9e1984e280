import { parseHTML } from "linkedom";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";

/** Pages that are looked at, at most. */
const MAX_PAGES = 150;

/** Pages that differ in a filter's value alone have the same forms. */
function kindOfPage(href: string): string {
  const { pathname, searchParams } = new URL(href, "http://console");
  const names = [...searchParams].map(([name, value]) =>
    /^(dialog|tab|status)$/.test(name) ? `${name}=${value}` : name,
  );
  return `${pathname}?${names.sort().join("&")}`;
}
/** Forms that would end the test's own session or account, or restart the console. */
const ENDING = /\/logout|sign-out|end-session|demote|change-role|restore|compact/;

interface PostedForm {
  page: string;
  action: string;
  fields: [name: string, value: string][];
}

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  const ask = async (path: string, json: unknown) => {
    const response = await server.ask(path, { as: "owner", json });
    expect(response.status, await response.clone().text()).toBeLessThan(300);
    return response;
  };
  await ask("/api/personas", {
    name: "Clerk",
    systemPrompt: "Be brief.",
    defaultModel: "gpt-4o",
    mode: "default",
    tools: [],
  });
  await ask("/api/rag/ingest", { text: "A lamp is lit at dusk.", title: "Lamps" });
  await ask("/api/keys", { provider: "openai", alias: "OPENAI_API_KEY" });
  await ask("/api/providers", {
    provider: "custom",
    displayName: "Lab",
    enabled: false,
    config: { baseUrl: "http://127.0.0.1:9/v1", models: ["lab-1"] },
  });
  await ask("/api/members", { email: "new@example.org", role: "member" });
  const answered = await ask("/api/ai/chat", {
    model: "quarterdeck-offline",
    messages: [{ role: "user", content: "Hello" }],
  });
  await answered.text();
});
afterAll(() => server.close());

/** The form data that a browser without JavaScript sends for each button of a page's untouched forms. */
const formsOf = (page: string, document: ParentNode): PostedForm[] =>
  [...document.querySelectorAll("form[method=post]")].flatMap((form) => postsOf(page, form));

function postsOf(page: string, form: Element): PostedForm[] {
  const fields: PostedForm["fields"] = [];
  for (const field of form.querySelectorAll("input, textarea, select")) {
    const name = field.getAttribute("name");
    const type = field.getAttribute("type") ?? "";
    if (!name || field.hasAttribute("disabled") || type === "file") continue;
    if (/checkbox|radio/.test(type) && !field.hasAttribute("checked")) continue;
    const chosen = field.querySelector("option[selected]") ?? field.querySelector("option");
    const value = field.tagName === "SELECT" ? chosen?.getAttribute("value") : field.getAttribute("value");
    fields.push([name, value ?? (type === "checkbox" ? "on" : (field.textContent ?? ""))]);
  }
  const buttons = [...form.querySelectorAll("button[name]")].map((button): [string, string][] => [
    [button.getAttribute("name") ?? "", button.getAttribute("value") ?? ""],
  ]);
  const action = form.getAttribute("action") ?? page;
  return (buttons.length > 0 ? buttons : [[]]).map((pressed) => ({
    page,
    action,
    fields: [...fields, ...pressed],
  }));
}

it("every form knows the fields that its own page gives it", { timeout: 300_000 }, async () => {
  const waiting = [...SCREENS.map(([path]) => path)];
  const seen = new Set<string>();
  const forms = new Map<string, PostedForm>();
  while (waiting.length > 0 && seen.size < MAX_PAGES) {
    const path = waiting.shift() ?? "";
    if (seen.has(kindOfPage(path))) continue;
    seen.add(kindOfPage(path));
    const response = await server.ask(path, { as: "owner", headers: { accept: "text/html" } });
    if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
    const { document } = parseHTML(await response.text());
    for (const form of formsOf(path, document)) {
      const names = [...new Set(form.fields.map(([name]) => name))].sort().join();
      const intent = form.fields.find(([name]) => name === "intent")?.[1];
      forms.set(`${form.action.split("?")[0]} ${intent} ${names}`, form);
    }
    for (const link of document.querySelectorAll("a[href^='/']")) {
      const href = link.getAttribute("href") ?? "";
      if (!/^\/(api|assets|docs|logout)/.test(href)) waiting.push(href);
    }
  }
  expect(forms.size).toBeGreaterThanOrEqual(40);
  const unknown: string[] = [];
  for (const [what, { action, fields }] of forms) {
    if (ENDING.test(`${action} ${what}`)) continue;
    const response = await server.ask(action, {
      as: "owner",
      body: new URLSearchParams(fields),
      headers: { accept: "text/html" },
    });
    const text = await response.text();
    if (/an unknown field|Unknown form/.test(text) || response.status === 500)
      unknown.push(`${response.status} ${what} ${/an unknown field[^<]*/.exec(text)?.[0] ?? ""}`);
  }
  expect(unknown).toEqual([]);
});

/** Values for required fields that a form leaves empty, by name or type. */
const FILLED: readonly (readonly [field: RegExp, value: string])[] = [
  [/email/i, "filled@example.org"],
  [/^entry$/, "status.example.org"],
  [/^limit$/, "5"],
  [/^before$/, "2099-01-31"],
  [/url|origin/i, "http://127.0.0.1:9/v1"],
  [/./, "filled-in"],
];

/** Forms whose required fields only a person knows, or that act on files, hosts or the test's own account. */
const NOT_BY_DEFAULTS =
  /logout|sign-out|end-session|leave|demote|restore|compact|remove|delete|change-password|change-role|discover|refresh|test-provider|add-detected|ingest|import|send|compare|search|accept|reset|save-policy|add-provider|edit-provider|save-provider|change-origin|add-custom-model|add-key|add-server|upload|branding\/image|^\/ ask$|personas try$|builder save/;

/** The form's fields with its required empty ones filled, and one box of each group of boxes ticked. */
function fillIn(form: Element, fields: PostedForm["fields"]): PostedForm["fields"] {
  const filled = fields.map(([name, value]): [string, string] => {
    const control = [...form.querySelectorAll("[aria-required=true]")].find(
      (one) => one.getAttribute("name") === name,
    );
    if (!control || value !== "") return [name, value];
    return [name, FILLED.find(([field]) => field.test(name))?.[1] ?? value];
  });
  const boxes = [...form.querySelectorAll("fieldset input[type=checkbox][name]")];
  const groups = new Set(boxes.map((box) => box.getAttribute("name") ?? ""));
  for (const name of groups) {
    const own = boxes.filter((box) => box.getAttribute("name") === name);
    if (own.length > 1 && !own.some((box) => box.hasAttribute("checked")))
      filled.push([name, own[0]?.getAttribute("value") ?? "on"]);
  }
  return filled;
}

it("every form takes its own defaults", { timeout: 120_000 }, async () => {
  const refused: string[] = [];
  const seen = new Set<string>();
  let sent = 0;
  for (const [path] of SCREENS) {
    const page = await server.ask(path, { as: "owner", headers: { accept: "text/html" } });
    const { document } = parseHTML(await page.text());
    for (const form of document.querySelectorAll("form[method=post]")) {
      for (const { action, fields } of postsOf(path, form)) {
        const posted = fillIn(form, fields);
        const intent = posted.find(([name]) => name === "intent")?.[1] ?? "";
        const what = `${action.split("?")[0]} ${intent}`;
        if (seen.has(what) || NOT_BY_DEFAULTS.test(what)) continue;
        seen.add(what);
        sent += 1;
        const answer = await server.ask(action, {
          as: "owner",
          body: new URLSearchParams(posted),
          headers: { accept: "text/html" },
        });
        const shown = parseHTML(await answer.text()).document;
        const wrong = [...shown.querySelectorAll("[aria-invalid=true]")].map((one) =>
          one.getAttribute("name"),
        );
        if (answer.status >= 400 || wrong.length > 0)
          refused.push(
            `${answer.status} ${what}: ${wrong.join()} ${shown.querySelector("[role=alert]")?.textContent ?? ""}`,
          );
      }
    }
  }
  expect(refused).toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(15);
});

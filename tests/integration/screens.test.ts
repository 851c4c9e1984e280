import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parseHTML } from "linkedom";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataAddress, decodeText } from "../support/forms";
import { addScreenData } from "../support/screen-data";
import { OPEN_SCREENS, SCREENS } from "../support/screens";
import { startServer, type TestServer } from "../support/server";
import { readSitemap } from "../support/sitemap";

// What holds for every screen: its title, its scripts and its forms. Each is fetched once for all of them.

/** The console under another brand: no page may name the product. */
const APP = "Harbor Desk";
/** A screen's scripts by gzip, in KB of 1,000 bytes. docs/performance.md has the aims. */
const MAX_KILOBYTES = 145;
/** Requests of a screen: the document, scripts, style sheet, font, favicon and icons. */
const MAX_REQUESTS = 45;

type Role = "owner" | "member";

interface Page {
  path: string;
  /** With its headers. */
  text: string;
  document: Document;
  isHtml: boolean;
}

let server: TestServer;
/** By who sees them and their addresses, as they were before any form was sent. */
const pages = new Map<string, Promise<Page>>();

beforeAll(async () => {
  server = await startServer();
  await addScreenData(server);
  await server.ask("/api/branding", { as: "owner", method: "PUT", json: { appName: APP } });
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
}, 120_000);
afterAll(() => server.close());

async function read(path: string, as?: Role): Promise<Page> {
  const ask = (to: string) => server.ask(to, { ...(as ? { as } : {}), headers: { accept: "text/html" } });
  let response = await ask(path);
  const moved = response.headers.get("location");
  if (moved) response = await ask(moved);
  const html = await response.text();
  return {
    path: moved ?? path,
    text: `${JSON.stringify([...response.headers])}\n${html}`,
    document: parseHTML(html).document,
    isHtml: response.headers.get("content-type")?.startsWith("text/html") === true,
  };
}

function screen(path: string, as: Role | undefined): Promise<Page> {
  const page = pages.get(`${as} ${path}`) ?? read(path, as);
  pages.set(`${as} ${path}`, page);
  return page;
}

/** The model and the variables that have a fixed name, this test's own folder, and the brand's change in the trail. */
const EXPECTED =
  /quarterdeck-offline|QUARTERDECK_KEY_\w*|\/quarterdeck-e2e-|(?:before|settings:branding)\W+(?:_\d+\W+\d+\W+|appName\W+)Quarterdeck/g;

/** Where a text names the product. */
const productNamesIn = (text: string) => {
  // A leading .{0,60} would be tried at each character of the page.
  const checked = text.replaceAll(EXPECTED, "");
  return [...checked.matchAll(/quarterdeck/gi)].map(({ index }) =>
    checked.slice(Math.max(0, index - 60), index + 60),
  );
};

const textOf = async (response: Response) =>
  `${JSON.stringify([...response.headers])}\n${await response.text()}`;

/** @param heading the page's, or a part of it */
function titleOf({ path, text }: Page, heading?: string): string {
  const titles = [...text.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title ?? "");
  const names = productNamesIn(text);
  expect({ path, titles, names }).toEqual({ path, titles: [expect.any(String)], names: [] });
  if (heading) expect(/<h1\b[^>]*>(.*?)<\/h1>/s.exec(text)?.[1]).toContain(heading.replace("&", "&amp;"));
  return titles[0] ?? "";
}

it("lists every screen whose address needs nothing", async () => {
  const tested = new Set([...SCREENS, ...OPEN_SCREENS].map((entry) => String(entry[0]).split("?")[0]));
  // Open until there is an owner (tests/e2e/first-run.spec.ts); every other address, as /nothing is.
  for (const path of ["/setup", "/setup/import", "/*"]) tested.add(path);
  const missing = (await readSitemap())
    .filter(
      ({ path, file, methods }) => methods.includes("GET") && file.endsWith(".tsx") && !path.includes("{"),
    )
    .map(({ path }) => path)
    .filter((path) => !tested.has(path));
  expect(missing, "Add them to tests/support/screens.ts").toEqual([]);
});

describe("under another brand every page's title ends with its name, and no page names the product", () => {
  it.each(SCREENS)("%s", async (path, heading) => {
    expect(titleOf(await screen(path, "owner"), heading)).toMatch(new RegExp(`\\S · ${APP}$`));
  });

  it.each(OPEN_SCREENS)("signed out, %s", async (path, heading) => {
    // The landing page has the brand's name.
    expect(titleOf(await screen(path, undefined), heading === "Quarterdeck" ? APP : heading)).toMatch(
      new RegExp(`(^|\\S · )${APP}$`),
    );
  });

  it("a conversation, also where it streams without script, and a comparison", async () => {
    const model = "quarterdeck-offline";
    const messages = [{ role: "user", content: "a long story ".repeat(200) }];
    // Unread, so that the answer is still being written when its page is opened.
    const sent = await server.ask("/api/ai/chat", { as: "member", json: { model, messages } });
    const conversation = sent.headers.get("x-conversation-id");
    const made = await server.ask("/api/ai/comparisons", {
      as: "member",
      json: { prompt: "Which?", models: [model, model] },
    });
    const paths = [`/chat/${conversation}/live`, `/chat/${conversation}`];
    if (made.ok) paths.push(`/compare/${((await made.json()) as { id: string }).id}`);
    for (const path of paths)
      expect(titleOf(await read(path, "member"))).toMatch(new RegExp(`\\S · ${APP}$`));
  });

  it.each(["/chat/con_none", "/rag/documents/doc_none"])("what isn't there, %s", async (path) => {
    expect(titleOf(await read(path, "member"))).toMatch(new RegExp(`(^|\\S · )${APP}$`));
  });
});

describe("under another brand nothing else names the product", () => {
  it.each([
    "/api/openapi.json",
    "/api/health",
    "/api/branding",
    "/api/plugins",
    "/api/ai/models",
    "/api/audit/export?format=json",
    "/api/usage/export",
    "/settings/branding/export",
    "/api/settings/export",
    "/brand/icon.svg",
    "/icon.svg",
    "/worker.js",
    "/manifest.webmanifest",
  ])("%s", async (path) => {
    const response = await server.ask(path, { as: "owner" });
    expect([response.status, productNamesIn(await textOf(response))]).toEqual([200, []]);
  });

  it("an answer of the gateway, the MCP endpoint and an unknown call", async () => {
    const messages = [{ role: "user", content: "Hello" }];
    const pages = await Promise.all([
      server.ask("/v1/chat/completions", { as: "member", json: { model: "quarterdeck-offline", messages } }),
      server.ask("/mcp", {
        as: "member",
        headers: { accept: "application/json, text/event-stream" },
        json: { jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
      }),
      server.ask("/api/nothing", { as: "member" }),
    ]);
    expect((await Promise.all(pages.map(textOf))).flatMap(productNamesIn)).toEqual([]);
  });

  it("a file of the browser's", () => {
    const files = readdirSync("build/client", { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(js|css|svg|json|webmanifest)$/.test(name))
      .map((name) => join("build/client", name));
    expect(files.length).toBeGreaterThan(50);
    const named = files.flatMap((file) =>
      productNamesIn(readFileSync(file, "utf8")).map((name) => [file, name]),
    );
    expect(named).toEqual([]);
  });
});

const sizes = new Map<string, number>();
function sizeOf(asset: string): number {
  const cached = sizes.get(asset);
  if (cached !== undefined) return cached;
  const size = gzipSync(readFileSync(join("build/client", asset)), { level: 9 }).length;
  sizes.set(asset, size);
  return size;
}

/** Whether a script brings zod, by the name of its error. */
const hasValidator = (asset: string) =>
  readFileSync(join("build/client", asset), "utf8").includes("ZodError");

/** Every script that a page loads by itself: those it runs and what they import, which it names as preloads. */
function scriptsOf({ text }: Page): string[] {
  const named = text.matchAll(/(?:<link rel="modulepreload" href=|\bimport (?:\* as \w+ from )?)"([^"]+)"/g);
  return [...new Set([...named].map(([, asset = ""]) => asset))];
}

const kilobytes = (assets: readonly string[]) =>
  assets.reduce((total, asset) => total + sizeOf(asset), 0) / 1000;

async function expectLight(path: string): Promise<void> {
  const assets = scriptsOf(await screen(path, "owner"));
  expect({ path, scripts: assets.length > 0 }).toEqual({ path, scripts: true });
  expect(kilobytes(assets), path).toBeLessThanOrEqual(MAX_KILOBYTES);
  expect(assets.filter(hasValidator)).toEqual([]);
  expect(assets.length + 5).toBeLessThanOrEqual(MAX_REQUESTS);
}

describe("a screen's scripts", () => {
  it.each(SCREENS)("of %s are few and light", expectLight);

  it("of a document, a workflow and its run are few and light", async () => {
    const ask = async (path: string, json?: unknown) =>
      (await (await server.ask(path, { as: "owner", json })).json()) as { id: string };
    const [document] = (await ask("/api/rag/documents")) as unknown as { id: string }[];
    const steps = [{ type: "log", config: { message: "A lamp" } }];
    const workflow = await ask("/api/workflows", { name: "Lamps", enabled: true, steps });
    const run = await ask(`/api/workflows/run/${workflow.id}`, {});
    await expectLight(`/rag/${document?.id}`);
    await expectLight(`/workflows/${workflow.id}`);
    await expectLight(`/workflows/runs/${run.id}`);
  });

  it.each(OPEN_SCREENS)("signed out, %s has none", async (path) => {
    expect(scriptsOf(await screen(path, undefined))).toEqual([]);
  });
});

describe("the style sheet", () => {
  const pageFor = (cookie?: string) =>
    server.ask("/login?local=1", { headers: { accept: "text/html", ...(cookie ? { cookie } : {}) } });
  const LINK = /<link rel="stylesheet" href="(\/assets\/styles-[\w-]+\.css)"/;

  it("is part of a browser's first page, and a file for the next", async () => {
    const first = await pageFor();
    const page = await first.text();
    const [, text = ""] = /<style nonce="[^"]+" data-styles="">(.*?)<\/style>/s.exec(page) ?? [];
    const [, href = ""] = /<link rel="prefetch" as="style" href="([^"]+)"/.exec(page) ?? [];
    expect(text).toBe(readFileSync(join("build/client", href), "utf8"));
    expect(page).not.toMatch(LINK);

    const [cookie = ""] =
      first.headers
        .getSetCookie()
        .find((line) => line.includes("styles"))
        ?.split(";") ?? [];
    const next = await pageFor(cookie);
    const nextPage = await next.text();
    expect(LINK.exec(nextPage)?.[1]).toBe(href);
    expect(nextPage).not.toContain("data-styles");
    expect(next.headers.getSetCookie()).toEqual([]);
  });

  it("is part of the page again where the browser has another build's", async () => {
    expect(await (await pageFor("qd_styles=styles-older")).text()).toContain("data-styles");
  });
});

/** Pages that differ in a filter, an order or what they are about have the same forms. */
function kindOfPage(href: string): string {
  const { pathname, searchParams } = new URL(href, "http://console");
  const opened = [...searchParams].filter(([name]) => /^(dialog|panel|tab|view)$/.test(name));
  return `${pathname.replaceAll(/[a-z]{2,4}_\w{20,}/g, "id")}?${opened.map((one) => one.join("=")).sort()}`;
}
/** Forms that would end the test's own session or account, or restart the console. */
const ENDING = /\/logout|sign-out|end-session|demote|change-role|restore|compact/;

interface PostedForm {
  page: string;
  action: string;
  fields: [name: string, value: string][];
}

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
    // An option without a value posts its text.
    const value = (chosen ?? field).getAttribute("value") ?? (type === "checkbox" ? "on" : undefined);
    const text = (chosen ?? field).textContent ?? "";
    fields.push([
      name,
      value ?? (field.tagName === "TEXTAREA" ? decodeText(field.ownerDocument, text) : text),
    ]);
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
  /logout|sign-out|end-session|leave|demote|restore|compact|remove|delete|change-password|change-role|discover|refresh|test-provider|add-detected|ingest|import|send|put-member|add-files|compare|search|accept|reset|save-policy|add-provider|edit-provider|save-provider|change-origin|add-custom-model|add-key|add-server|upload|branding\/image|^\/ ask$|personas try$|builder (?:save|run)$|begin-authenticator|begin-passkey|recovery-codes|connect-account|rag\/sources create|evl_harbor save|runs\/run_berths rerun/;

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

const post = (address: string, fields: PostedForm["fields"]) =>
  server.ask(address, {
    as: "owner",
    body: new URLSearchParams(fields),
    headers: { accept: "text/html" },
  });

/** Where a form's answer isn't rendered; refused fields have the status 400. */
const unrendered = (action: string) => (action.startsWith("/api/") ? action : dataAddress(action));

it("every form takes its own defaults", { timeout: 120_000 }, async () => {
  const refused: string[] = [];
  const seen = new Set<string>();
  let sent = 0;
  for (const [path] of SCREENS) {
    const page = await screen(path, "owner");
    for (const form of page.document.querySelectorAll("form[method=post]")) {
      for (const { action, fields } of postsOf(page.path, form)) {
        const posted = fillIn(form, fields);
        const intent = posted.find(([name]) => name === "intent")?.[1] ?? "";
        const what = `${action.split("?")[0]} ${intent}`;
        if (seen.has(what) || NOT_BY_DEFAULTS.test(what)) continue;
        seen.add(what);
        sent += 1;
        const answer = await post(unrendered(action), posted);
        const text = await answer.text();
        if (answer.status >= 400) refused.push(`${answer.status} ${what}: ${text.slice(0, 1000)}`);
      }
    }
  }
  expect(refused, "Their schemas must take what they post; an empty field isn't posted").toEqual([]);
  expect(sent).toBeGreaterThanOrEqual(15);
});

interface Crawled {
  forms: ReadonlyMap<string, PostedForm>;
  /** Addresses of dialogs about one record, one of each kind. */
  ofRecords: readonly string[];
}

let crawled: Promise<Crawled> | undefined;

/** Follows the links of all screens, to one page of each kind. */
async function crawl(): Promise<Crawled> {
  const waiting = [...SCREENS.map(([path]) => path)];
  const seen = new Set<string>();
  const forms = new Map<string, PostedForm>();
  const ofRecords: string[] = [];
  while (waiting.length > 0) {
    const path = waiting.shift() ?? "";
    if (seen.has(kindOfPage(path))) continue;
    seen.add(kindOfPage(path));
    const page = await screen(path, "owner");
    if (!page.isHtml) continue;
    const { searchParams } = new URL(path, "http://console");
    if (searchParams.has("dialog") && searchParams.has("id")) ofRecords.push(path);
    for (const form of formsOf(page.path, page.document)) {
      const names = [...new Set(form.fields.map(([name]) => name))].sort().join();
      const intent = form.fields.find(([name]) => name === "intent")?.[1];
      forms.set(`${form.action.split("?")[0]} ${intent} ${names}`, form);
    }
    for (const link of page.document.querySelectorAll("a[href^='/']")) {
      const href = link.getAttribute("href") ?? "";
      if (!/^\/(api|assets|docs|logout)/.test(href)) waiting.push(href);
    }
  }
  return { forms, ofRecords };
}

const whole = () => {
  crawled ??= crawl();
  return crawled;
};

it("every dialog about a record says so where there is none", { timeout: 300_000 }, async () => {
  const { ofRecords } = await whole();
  expect(ofRecords.length).toBeGreaterThanOrEqual(20);
  const silent: string[] = [];
  for (const path of ofRecords) {
    const url = new URL(path, "http://console");
    url.searchParams.set("id", "none_0000000000000000000000");
    const { document } = await read(url.pathname + url.search, "owner");
    const said = document.querySelector("dialog[open], [role=alert]")?.textContent ?? "";
    if (!/not found/i.test(said)) silent.push(`${url.pathname}${url.search}: ${said.slice(0, 80)}`);
  }
  expect(silent.join("\n")).toBe("");
});

it("every form knows the fields that its own page gives it", { timeout: 300_000 }, async () => {
  const { forms } = await whole();
  expect(forms.size).toBeGreaterThanOrEqual(100);
  const unknown: string[] = [];
  for (const [what, { action, fields }] of forms) {
    if (ENDING.test(`${action} ${what}`)) continue;
    const response = await post(unrendered(action), fields);
    const text = await response.text();
    // What is refused is shown in its page, without script as well.
    const { status } = response.status === 400 ? await post(action, fields) : response;
    if (/an unknown field|Unknown form/.test(text) || status === 500)
      unknown.push(`${status} ${what} ${/an unknown field[^<]*/.exec(text)?.[0] ?? ""}`);
  }
  expect(unknown).toEqual([]);
});

import type { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AIMOCK_MODEL, startAimock } from "../support/aimock";
import { type PlainPage, plainBrowser } from "../support/forms";
import { type Hubs, startHubs } from "../support/hubs";
import { startServer, type TestServer } from "../support/server";

const SETTINGS = "/settings/providers";

let hubs: Hubs;
let mock: LLMock;
let server: TestServer;
// From an empty console on, one after the other: what is discovered and added is the organisation's.
beforeAll(async () => {
  [hubs, mock] = await Promise.all([startHubs(), startAimock()]);
  server = await startServer({ env: hubs.env });
});
afterAll(async () => {
  await server.close();
  await Promise.all([hubs.close(), mock.stop()]);
});

const open = (path: string) => plainBrowser(server, "owner").open(path);
const textOf = (node: Element | null | undefined) => (node?.textContent ?? "").replaceAll(/\s+/g, " ");
const typedIn = (page: PlainPage, name: string) => page.control(name)?.getAttribute("value");
const optionsOf = ({ document }: PlainPage) => [...document.querySelectorAll("option")].map(textOf);

/** The texts of the rows under a heading. */
function rowsOf({ document }: PlainPage, heading: string): string[] {
  const section = [...document.querySelectorAll("section")].find(
    (one) => textOf(one.querySelector("h2")) === heading,
  );
  if (!section) throw new Error(`There is no ${heading}.`);
  return [...section.querySelectorAll("[data-row], tbody tr")].map(textOf);
}
const providers = (page: PlainPage) => rowsOf(page, "AI Model Providers");
const discovered = (page: PlainPage) => rowsOf(page, "Model Discovery & Management");
const active = (page: PlainPage) => rowsOf(page, "Current Active Models");
const rowWith = (rows: string[], words: string) => rows.find((row) => row.includes(words));

async function addProvider(displayName: string, config: object = {}, baseUrl = `${mock.url}/v1`) {
  const json = { provider: "custom", displayName, config: { baseUrl, ...config } };
  const made = await server.ask("/api/providers", { as: "owner", json });
  expect(made.status, await made.clone().text()).toBe(201);
  return ((await made.json()) as { id: string }).id;
}
const removeProvider = (id: string) => server.ask(`/api/providers/${id}`, { as: "owner", method: "DELETE" });

it("an Ollama on this host is offered and added with one press", async () => {
  // It is looked for when the server starts.
  await expect.poll(async () => (await open(SETTINGS)).text).toContain("with 3 models");
  const offered = await open(SETTINGS);
  expect(offered.text).toContain("No providers configured");
  const added = await offered.press("Add Ollama on this host");
  expect(providers(added)).toEqual([expect.stringMatching(/Ollama on this host.*Active.*3 models/)]);
  await expect(added.press("Add Ollama on this host")).rejects.toThrow("There is no button");
  const [only] = (await (await server.ask("/api/providers", { as: "owner" })).json()) as { id: string }[];
  await removeProvider(only?.id ?? "");
});

it("empty lists say how to fill them", async () => {
  const { text } = await open(SETTINGS);
  expect(text).toContain("No models found");
  expect(text).toContain("Click Discover Models");
  expect(text).toContain("No models available. Configure providers to access models.");
});

it("every provider type describes itself and its model list", async () => {
  const { document } = await open(`${SETTINGS}?dialog=add-provider`);
  const types = [...document.querySelectorAll("dialog [type=radio][name=provider]")];
  expect(types).toHaveLength(7);
  for (const type of types) {
    const hint = document.getElementById(type.getAttribute("aria-describedby") ?? "");
    expect(textOf(hint)).toMatch(/.{20}/);
    expect(textOf(type.closest("div")?.nextElementSibling)).toMatch(/list|ask|discovered/i);
  }
});

it("the hubs' models are discovered, filtered and searched", async () => {
  const found = await (await open(SETTINGS)).press("Discover Models");
  expect(found.text).toContain("The hubs offer 40 models.");
  expect(rowWith(discovered(found), "Fallback")).toBeUndefined();
  const sources = ["All sources", "Hugging Face", "OpenRouter", "Custom"];
  expect(optionsOf(found)).toEqual(expect.arrayContaining(sources));

  const some = await open(`${SETTINGS}?filter=openrouter`);
  expect(discovered(some)).toHaveLength(10);
  const more = [...some.document.querySelectorAll("a")].find((one) => textOf(one) === "Show All 20 Models");
  const all = discovered(await open(more?.getAttribute("href") ?? ""));
  expect(all).toHaveLength(20);
  expect(all[0]).toContain("Seaway: Navigator 1");
  expect(all[0]).toContain("OpenRouter · 32,768 tokens");
  expect(all[0]).toContain("$0.25 in, $1.00 out per 1M");

  const searched = discovered(await open(`${SETTINGS}?filter=huggingface&search=halyard-4b`));
  expect(searched).toEqual([expect.stringContaining("8,184,516 downloads")]);
  const none = await open(`${SETTINGS}?filter=huggingface&search=no+such+model`);
  expect(none.text).toContain("Try adjusting your search or filter criteria.");
  expect(typedIn(none, "search")).toBe("no such model");
});

it("a discovered model is added, recommended, hidden and removed", async () => {
  const name = "Seaway: Navigator 2";
  const row = (page: PlainPage) => rowWith(discovered(page), name);
  const browser = plainBrowser(server, "owner");
  const added = await (await browser.open(`${SETTINGS}?filter=openrouter`)).press(`Add ${name}`);
  expect(added.text).toContain("Model Added");
  expect(row(added)).toContain("Added, no provider");
  // The filter is kept.
  expect(discovered(added)).toHaveLength(10);
  const recommended = await added.press(`Recommend ${name}`);
  expect(row(recommended)).toContain("Recommended");
  const hidden = await recommended.press(`Hide ${name}`);
  expect(row(hidden)).toContain("Hidden");
  const shown = await hidden.press(`Show ${name}`);
  expect(row(shown)).not.toContain("Hidden");

  const link = shown.document.querySelector(`a[aria-label="Remove ${name}"]`);
  const asked = await browser.open(link?.getAttribute("href") ?? "");
  expect(textOf(asked.document.querySelector("[role=alertdialog]"))).toContain(`Remove ${name}?`);
  const removed = await asked.press("Remove");
  expect(removed.text).toContain("Model removed");
  expect(row(removed)).not.toContain("Added");
  expect(removed.document.querySelector(`[aria-label="Add ${name}"]`)).not.toBeNull();
});

it("a custom model requires an ID and a name, has defaults, and is served by its type's providers", async () => {
  await addProvider("One", { models: [AIMOCK_MODEL] });
  const dialog = await open(`${SETTINGS}/models?dialog=add-model`);
  const refused = await dialog.submit("add-custom-model", { maxTokens: "many" });
  expect(refused.status).toBe(400);
  expect(refused.described("id")).toContain("Enter the model's ID");
  expect(refused.described("name")).toContain("Enter the model's name");
  expect(typedIn(refused, "maxTokens")).toBe("many");
  const typed = { id: "harbour-7b", name: "Harbour 7B", description: "Our own logs.", maxTokens: "" };
  const added = await (await refused.submit("add-custom-model", typed)).follow();
  expect(added.text).toContain("Custom model added successfully.");
  expect(rowWith(discovered(added), "Harbour 7B")).toMatch(/Available.*Custom · 4,096 tokens/);
  expect(optionsOf(added)).toContain("Harbour 7B");
  const again = await dialog.submit("add-custom-model", { id: "harbour-7b", name: "Again" });
  expect(again.described("id")).toContain("This model already exists");
});

it("a provider's health appears on its row after a call", async () => {
  const call = async (content: string) => {
    const json = { messages: [{ role: "user", content }], model: AIMOCK_MODEL };
    const response = await server.ask("/api/ai/chat", {
      as: "owner",
      json,
      headers: { accept: "text/plain" },
    });
    return response.text();
  };
  const row = async () => rowWith(providers(await open(SETTINGS)), "One");
  expect(await call("greet me")).toContain("Hello");
  expect(await row()).toMatch(/Online.*\d+ ms.*0% errors/);
  await call("refused please");
  expect(await row()).toMatch(/50% errors.*Last failure/);
});

it("a model's price, name and routing are set, and blank fields revert to the catalog", async () => {
  const address = `${SETTINGS}/models?dialog=edit-model&model=${AIMOCK_MODEL}`;
  const dialog = await open(address);
  expect(dialog.fields("save-model").capabilities).toContain("vision");
  const typed = { name: "House model", "cost.input": "0.5", "routing.fallbacks": AIMOCK_MODEL };
  const priced = await dialog.submit("save-model", typed);
  expect(priced.status).toBe(400);
  expect(priced.described("cost.output")).toContain("Enter both prices");
  const looped = await priced.submit("save-model", { "cost.output": "1.5" });
  expect(looped.described("routing.fallbacks")).toContain("can't be its own fallback");
  expect(typedIn(looped, "name")).toBe("House model");
  const routing = { "routing.fallbacks": "harbour-7b", "routing.policy": "cheapest" };
  const saved = await (await looped.submit("save-model", routing)).follow();
  expect(saved.text).toContain("Model saved");
  expect(rowWith(active(saved), "House model")).toMatch(/\$500\.00.*set here/);

  const kept = await open(address);
  expect(kept.fields("save-model")).toMatchObject({
    "routing.policy": "cheapest",
    "routing.fallbacks": "harbour-7b",
    "cost.output": "1.5",
  });
  const blank = await kept.submit("save-model", { "cost.input": "", "cost.output": "" });
  const reverted = rowWith(active(await blank.follow()), "House model");
  expect(reverted).toContain("128,000");
  expect(reverted).not.toMatch(/\$500|set here/);
});

it("a hidden model leaves the pickers and stays marked among the active ones", async () => {
  const dialog = await open(`${SETTINGS}/models?dialog=edit-model&model=harbour-7b`);
  const saved = await (await dialog.submit("save-model", { hidden: "on" })).follow();
  expect(rowWith(active(saved), "harbour-7b")).toContain("Hidden");
  for (const page of [saved, await open("/chat"), await open("/personas?dialog=new")]) {
    expect(optionsOf(page)).toContain("House model");
    expect(optionsOf(page)).not.toContain("Harbour 7B");
  }
});

it("the catalog is searched and ordered by its links", async () => {
  const header = ({ document }: PlainPage) =>
    [...document.querySelectorAll("th")].find((one) => textOf(one) === "Context");
  const next = (page: PlainPage) => open(header(page)?.querySelector("a")?.getAttribute("href") ?? "");
  const lengths = ({ document }: PlainPage) =>
    [...document.querySelectorAll("tbody td:nth-child(3)")].map((one) =>
      Number(textOf(one).replaceAll(",", "")),
    );
  const first = await open(`${SETTINGS}/catalogue`);
  expect(first.text).toMatch(/prices per 1M tokens as of \w+ \d+, \d{4}/);
  const ascending = await next(first);
  expect(header(ascending)?.getAttribute("aria-sort")).toBe("ascending");
  const descending = await next(ascending);
  expect(header(descending)?.getAttribute("aria-sort")).toBe("descending");
  const found = lengths(descending);
  expect(found.length).toBeGreaterThanOrEqual(40);
  expect(found).toEqual([...found].sort((a, b) => b - a));
  const searched = await open(`${SETTINGS}/catalogue?sort=context&order=desc&search=claude`);
  expect(textOf(searched.document.querySelector("tbody tr"))).toMatch(/claude/i);
  expect(searched.document.querySelector("form [name=sort]")?.getAttribute("value")).toBe("context");
  const none = await open(`${SETTINGS}/catalogue?search=no-such-model`);
  expect(none.text).toContain("Try adjusting your search or filter criteria.");
});

it("a provider is changed, limited, switched off and deleted", async () => {
  const id = await addProvider("Lab", { models: ["my-own-model", "second-model"] });
  const browser = plainBrowser(server, "owner");
  const row = (page: PlainPage) => rowWith(providers(page), "Lab");
  const dialog = await browser.open(`${SETTINGS}?dialog=edit-provider&id=${id}`);
  expect(dialog.fields("save-provider")["config.models"]).toBe("my-own-model\nsecond-model");
  const refused = await dialog.submit("save-provider", {
    "config.models": "second-model",
    "config.maxConcurrent": "none",
    "config.requestsPerMinute": "600",
  });
  expect(refused.status).toBe(400);
  expect(refused.control("config.maxConcurrent")?.getAttribute("aria-invalid")).toBe("true");
  expect(typedIn(refused, "config.requestsPerMinute")).toBe("600");
  const saved = await (await refused.submit("save-provider", { "config.maxConcurrent": "4" })).follow();
  expect(row(saved)).toContain("4 at a time · 600 a minute");
  expect(rowWith(active(saved), "second-model")).toBeDefined();
  expect(rowWith(active(saved), "my-own-model")).toBeUndefined();

  const off = await saved.press("Lab enabled");
  expect(row(off)).toContain("Disabled");
  expect(rowWith(active(off), "second-model")).toBeUndefined();
  const link = off.document.querySelector('a[aria-label="Delete Lab"]');
  const asked = await browser.open(link?.getAttribute("href") ?? "");
  const gone = await asked.press("Delete");
  expect(row(gone)).toBeUndefined();
});

it("providers are reordered with buttons", async () => {
  await addProvider("Two");
  const page = await open(SETTINGS);
  await expect(page.press("Move One up")).rejects.toThrow("There is no button");
  await expect(page.press("Move Two down")).rejects.toThrow("There is no button");
  const moved = await page.press("Move Two up");
  expect(moved.text).toContain("Two moved up.");
  expect(providers(moved)).toEqual([expect.stringContaining("Two"), expect.stringContaining("One")]);
});

it("a key is referenced by its variable's name, and a pasted key is never returned", async () => {
  const alias = "QUARTERDECK_KEY_PLAIN";
  const pasted = "sk-proj-0123456789abcdefghij";
  const browser = plainBrowser(server, "owner");
  const dialog = await browser.open("/settings/keys?dialog=add-key");
  const refused = await dialog.submit("add-key", { provider: "custom", alias: pasted });
  expect(refused.status).toBe(400);
  expect(refused.described("alias")).toContain("This looks like the key itself");
  expect(refused.document.documentElement.outerHTML).not.toContain(pasted);
  const open = await refused.submit("add-key", { alias });
  expect(open.described("origin")).toContain("Enter the address that may receive this key");
  expect(typedIn(open, "alias")).toBe(alias);
  const saved = await (await open.submit("add-key", { origin: "https://llm.example.com/v1" })).follow();
  expect(saved.text).toContain("Key reference saved.");
  const row = [...saved.document.querySelectorAll("main [data-row]")].map(textOf);
  expect(row).toEqual([expect.stringMatching(`${alias}.*`)]);
  expect(row[0]).toContain("Not set");
  expect(row[0]).toContain("https://llm.example.com");
  const link = saved.document.querySelector(`a[aria-label="Remove ${alias}"]`);
  const asked = await browser.open(link?.getAttribute("href") ?? "");
  const removed = await asked.press("Remove");
  expect(removed.text).toContain("Key reference removed.");
  expect(removed.text).not.toContain(alias);
});

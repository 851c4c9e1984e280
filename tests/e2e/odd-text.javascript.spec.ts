import type { Page } from "@playwright/test";
import { expect, test } from "../support/fixtures";
import { INJECTIONS } from "../support/injections";
import type { TestServer } from "../support/server";

// What is read here may be odd in every way that text from outside is. The fixtures fail a test whose page logs an
// error, which React does where the browser draws something else than the server did.

test.use({ role: "member" });

const ODD: [string, string][] = [
  ["nothing but U+0000", "\0"],
  ["control characters", "a\0b\u0001c\u0008d\u000be\u000cf\u001b[31mg\u007fh\u0085i\u009fj"],
  ["halves of surrogate pairs", "a\ud800b\udc00c 😀\ud83d"],
  ["marks of direction", "a\u202egro.knab\u2066b\u200f\u200ec\u061c שלום"],
  ["line ends", "\r\na\r\nb\rc\n\rd\u2028e\u2029f\r"],
  ["marks of order", "\ufeffa\ufffeb\uffffc\u00ad\u200b\u2060d"],
  ["spaces", "\u00a0\u3000 a \t b\u2003"],
];

const INPUT = { model: "quarterdeck-offline", tools: [] };

interface Message {
  role: string;
  content: string;
}

/** An answer that has a text in every place of Markdown. */
const markdownOf = (text: string) =>
  `${text}\n\n- ${text}\n\n\`${text}\` **${text}** [${text}](https://a.example)\n\n\`\`\`\n${text}\n\`\`\`\n\n| ${text.replace(/\s/g, " ")} |\n|-|\n| x |\n`;

async function talk(server: TestServer, messages: Message[]): Promise<string> {
  const response = await server.ask("/api/ai/chat", { as: "member", json: { ...INPUT, messages } });
  expect(response.status, await response.clone().text()).toBe(200);
  await response.text();
  return response.headers.get("x-conversation-id") ?? "";
}

/** The page's own words, as the server sent them and as they stand there now. */
async function expectSameWords(page: Page): Promise<void> {
  const [sent, drawn] = await page.evaluate(async () => {
    const wordsOf = (root: Document) =>
      [...root.querySelectorAll("article, section[aria-label='Chat'] a, h1, h2, h3, td, li > a")].map(
        (element) => {
          const copy = element.cloneNode(true) as Element;
          for (const changing of copy.querySelectorAll("time, [role='status'], button, noscript"))
            changing.remove();
          return copy.textContent ?? "";
        },
      );
    const sent = await (await fetch(location.href, { headers: { accept: "text/html" } })).text();
    // Its style sheet has that answer's nonce, which this page's policy refuses.
    const html = sent.replace(/<style[^>]*>[\s\S]*?<\/style>/g, "");
    return [wordsOf(new DOMParser().parseFromString(html, "text/html")), wordsOf(document)];
  });
  expect(drawn.length).toBeGreaterThan(0);
  expect(drawn).toEqual(sent);
}

test("a conversation with unusual characters renders the same on server and client", async ({
  page,
  open,
  server,
}) => {
  const messages = ODD.flatMap(([, text]) => [
    { role: "user", content: `${text}?` },
    { role: "assistant", content: markdownOf(text) },
  ]);
  const id = await talk(server, [
    ...messages,
    { role: "user", content: ODD.map(([, text]) => text).join(" again ") },
  ]);
  await open(`/chat/${id}`);
  await expect(page.getByRole("article", { name: "Assistant" })).toHaveCount(ODD.length + 1);
  await expectSameWords(page);
  // Drawn from the stored tree, the second time.
  await open(`/chat/${id}`);
  await expectSameWords(page);
});

test("names, titles and comparisons with unusual characters render the same on server and client", async ({
  page,
  open,
  server,
}) => {
  const send = (path: string, json: object) => server.ask(path, { as: "member", json });
  await Promise.all(
    ODD.flatMap(([name, text]) => {
      const title = `Odd ${name} ${text}`;
      return [
        send("/api/personas", { name: title, systemPrompt: text, mode: "operations", tools: [] }),
        send("/api/rag/ingest", { text: `${text} of ${name}`, title }),
        send("/api/ai/comparisons", { prompt: title, models: ["quarterdeck-offline"] }),
      ];
    }),
  );
  for (const path of ["/rag", "/personas", "/compare", "/search?q=a%00b%0d%0ac"]) {
    await open(path);
    await expectSameWords(page);
  }
});

test("a text that is cut within a character renders the same on server and client", async ({
  page,
  open,
  server,
}) => {
  const smiles = "\u{1f600}".repeat(200);
  const add = async (path: string, json: object) =>
    (await (await server.ask(path, { as: "member", json })).json()) as { id: string };
  const workflow = (name: string, messages: string[]) =>
    add("/api/workflows", {
      name,
      triggers: [{ type: "manual" }],
      steps: messages.map((message) => ({ type: "log", config: { message } })),
    });
  // One of two texts is cut within a character.
  const texts = [smiles, `x${smiles}`];
  for (const text of texts) await add("/api/prompts", { name: text.slice(0, 41), text, shared: true });
  const shown = await workflow(`x${smiles}`.slice(0, 20), texts);
  const cut = await workflow(smiles.slice(0, 20), [
    "{{ trigger.s.substring(0, 3) }}",
    "{{ trigger.s.substring(0, 5) }}",
  ]);
  const run = await add(`/api/workflows/run/${cut.id}`, { s: smiles });
  for (const path of [
    "/prompts",
    ...texts.map((text) => `/search?q=${encodeURIComponent(text)}`),
    `/workflows/builder?workflow=${shown.id}`,
    `/workflows/runs/${run.id}`,
  ]) {
    await open(path);
    // React draws a document that it can't hydrate again.
    await page.evaluate(() => new Promise((drawn) => requestIdleCallback(drawn)));
  }
});

test("a tool result renders the same on server and client", async ({ page, open, server }) => {
  // A text with control characters is refused as binary.
  const text = ODD.map(([, odd]) => odd.replace(/(?![\r\n])\p{Cc}/gu, "")).join(" lighthouse ");
  const added = await server.ask("/api/rag/ingest", {
    as: "member",
    json: { text, title: `Lighthouse ${text}`.slice(0, 150) },
  });
  expect([201, 202]).toContain(added.status);
  const response = await server.ask("/api/ai/chat", {
    as: "member",
    json: {
      ...INPUT,
      tools: ["qdrant.search"],
      messages: [{ role: "user", content: "What of the lighthouse?" }],
    },
  });
  await response.text();
  await open(`/chat/${response.headers.get("x-conversation-id")}`);
  await expect(page.locator("details summary").first()).toBeVisible();
  await expectSameWords(page);
});

test("nothing in an answer or a question runs, loads or leaves the page", async ({ page, open, server }) => {
  expect(INJECTIONS.length).toBeGreaterThanOrEqual(60);
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const id = await talk(server, [
    { role: "user", content: INJECTIONS.join("\n") },
    { role: "assistant", content: INJECTIONS.join("\n\n") },
    { role: "user", content: "Thanks" },
  ]);
  await open(`/chat/${id}`);
  const first = page.getByRole("article", { name: "Assistant" }).first();
  await expect(first).toContainText("<img src=x onerror=alert(1)>");
  const acts = await page
    .locator("article")
    .evaluateAll((articles) =>
      articles.flatMap((article) =>
        [
          ...article.querySelectorAll(
            "script, iframe, object, embed, style, link, base, video, audio, svg a",
          ),
        ].map(({ outerHTML }) => outerHTML),
      ),
    );
  expect(acts).toEqual([]);
  const links = await first
    .locator("[href]")
    .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
  expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([]);
  expect(dialogs).toEqual([]);
});

test("code is highlighted, and code that its grammar can't finish stays plain", async ({
  page,
  open,
  server,
}) => {
  const slow = `\`\`\`c\n${`${"a".repeat(1900)}\n`.repeat(15)}\`\`\``;
  const id = await talk(server, [
    { role: "user", content: "Code?" },
    { role: "assistant", content: `${slow}\n\n\`\`\`js\nconst x = 1;\n\`\`\`\n` },
    { role: "user", content: "Thanks" },
  ]);
  await open(`/chat/${id}`);
  await expect(page.locator(".hljs-keyword").first()).toHaveText("const");
});

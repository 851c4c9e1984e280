import { afterAll, beforeAll, expect, it } from "vitest";
import { addConversation } from "../support/conversations";
import { type PlainPage, plainBrowser } from "../support/forms";
import { writeDatabase } from "../support/live-database";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
let open: (path: string) => Promise<PlainPage>;
beforeAll(async () => {
  server = await startServer();
  ({ open } = plainBrowser(server, "owner"));
  const json = { security: { allowShareLinks: true } };
  const set = await server.ask("/api/settings/advanced", { as: "owner", method: "PUT", json });
  expect(set.status).toBe(200);
});
afterAll(() => server.close());

const stranger = () => plainBrowser(server);
/** The chosen readers stand before the others. */
const readers = ({ document }: PlainPage) =>
  [...document.querySelectorAll('[name="readers"]')].map((box) => [
    box.getAttribute("value"),
    box.hasAttribute("checked"),
  ]);

/** Makes a link with the page's form. @returns the page that shows it once, and the link's path */
async function createLink(page: PlainPage): Promise<{ shown: PlainPage; path: string }> {
  const sent = await page.submit("create-link");
  const shown = sent.location ? await sent.follow() : sent;
  expect(shown.text).toContain("Copy this link now.");
  const [address = "none"] = [...shown.document.querySelectorAll("input")]
    .map((field) => field.getAttribute("value") ?? "")
    .filter((value) => value.includes("/shared/"));
  return { shown, path: new URL(address).pathname };
}

it("a conversation is shared with members, and by a link until it is revoked", async () => {
  const said = [
    { role: "user", text: "Is the harbor closed?" },
    { role: "assistant", text: "Until noon" },
  ] as const;
  const more = { userId: "usr_owner", title: "Harbor closed" };
  writeDatabase(server, () => addConversation("con_harbor", said, more));
  const path = "/chat/con_harbor/share";
  const begun = await open(path);
  expect(readers(begun)[0]?.[1]).toBe(false);
  const sent = await begun.submit("share", { audience: "members", readers: "usr_viewer" });
  expect([sent.status, sent.location]).toEqual([303, path]);
  const named = await sent.follow();
  expect(named.text).toContain("Shared");
  expect(readers(named)[0]).toEqual(["usr_viewer", true]);
  const shared = await (await named.submit("share", { audience: "everyone" })).follow();
  expect(shared.fields("share")).toMatchObject({ audience: "everyone" });
  expect(shared.text).toContain("/chat/shared/con_harbor");

  const viewer = plainBrowser(server, "viewer");
  const list = await viewer.open("/chat/shared");
  expect(list.text).toMatch(/Shared with Me.*Harbor closed.*shared just now/);
  expect((await viewer.open("/chat/con_harbor")).location).toBe("/chat/shared/con_harbor");

  const { shown, path: link } = await createLink(shared);
  expect((await open(path)).text).not.toContain("Copy this link now.");
  const page = await stranger().open(link);
  expect(page.status).toBe(200);
  const main = page.document.querySelector("main");
  expect(main?.textContent).toMatch(/Is the harbor closed\?.*Until noon/s);
  expect(main?.textContent).toContain("Quarterdeck");
  expect(main?.querySelector("input, textarea")).toBeNull();
  const revoked = await (await shown.submit("Revoke link 1")).follow();
  expect(revoked.text).toContain("Link revoked");
  const gone = await stranger().open(link);
  expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("This link doesn't work.")]);
});

it("a link hides restricted passages, and none opens if guessed, altered or of a deleted conversation", async () => {
  const plan = { title: "Plan", text: "Layoffs in May.", visibility: "named", readers: [] };
  const made = await server.ask("/api/rag/ingest", { as: "owner", json: plan });
  const { id: secret } = (await made.json()) as { id: string };
  const passage = {
    number: 1,
    title: "Plan",
    text: plan.text,
    headings: [],
    page: null,
    url: `/rag/${secret}?passage=1`,
    score: 1,
    scores: { keyword: 1, similarity: null, rerank: null },
  };
  const call = { toolCallId: "1", toolName: "qdrant.search", state: "done", input: { query: "plan" } };
  const search = { type: "tool", ...call, output: { passages: [passage] } };
  writeDatabase(server, () =>
    addConversation(
      "con_plan",
      [
        { role: "user", text: "Good morning" },
        { role: "assistant", text: "Good morning to you" },
        { role: "user", text: "What is planned?" },
        { role: "assistant", text: "There are layoffs [1].", parts: [search] },
      ],
      { userId: "usr_owner", title: "The plan", restrictedAt: 1 },
    ),
  );
  const hides = async (path: string, as?: "viewer") => {
    const headers = { accept: "text/html" };
    const seen = await (await server.ask(path, as ? { as, headers } : { headers })).text();
    expect(seen).toContain("Good morning to you");
    for (const text of ["layoffs", "Layoffs", secret]) expect(seen).not.toContain(text);
  };
  const sharing = await open("/chat/con_plan/share");
  await sharing.submit("share", { audience: "everyone" });
  await hides("/chat/shared/con_plan", "viewer");
  const { path } = await createLink(await open("/chat/con_plan/share"));
  await hides(path);
  const page = await stranger().open(path);
  expect(page.text).toContain("Hidden because it may quote documents that you can't see.");
  expect(page.document.querySelector("nav, textarea, main input")).toBeNull();
  expect(page.text).not.toContain("Regenerate");

  const answerTo = async (to: string) => {
    const { status, text } = await stranger().open(to);
    return [to, status, text.includes("This link doesn't work.")];
  };
  const altered = path.slice(0, -1) + (path.endsWith("a") ? "b" : "a");
  for (const wrong of [altered, "/shared/guess", "/shared/con_plan", "/shared/%00", `${path}x`])
    expect(await answerTo(wrong)).toEqual([wrong, 404, true]);
  expect((await stranger().open("/chat/shared/con_plan")).location).toMatch(/\/login\?returnTo=/);

  const deleted = await (await open("/chat/con_plan")).submit("Delete");
  expect((await deleted.follow()).text).toContain("1 conversation deleted");
  expect(await answerTo(path)).toEqual([path, 404, true]);
});

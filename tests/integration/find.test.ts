import { afterAll, beforeAll, expect, it } from "vitest";
import type { FoundItem } from "~/console/palette/find.schema";
import type { Role } from "~/core/actor";
import { startServer, type TestServer } from "../support/server";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

async function find(q: string, as: Role): Promise<string[]> {
  const response = await server.ask(`/api/search?q=${encodeURIComponent(q)}`, { as });
  expect(response.status).toBe(200);
  const { found } = (await response.json()) as { found: FoundItem[] };
  return found.map(({ kind, title }) => `${kind}: ${title}`);
}

it("finds by name what a person may open, and nothing else", async () => {
  const ingest = (json: object) =>
    server.ask("/api/rag/ingest", { method: "POST", as: "owner", json: { type: "text", ...json } });
  await ingest({ title: "Harbour 100% tides", text: "High water." });
  await ingest({ title: "Harbour salaries", text: "Secret.", visibility: "named", readers: [] });
  await server.ask("/api/personas", { method: "POST", as: "member", json: { name: "Harbour pilot" } });
  const model = "quarterdeck-offline";
  const messages = [{ role: "user", content: "Where is the harbour?" }];
  await (await server.ask("/api/ai/chat", { as: "member", json: { model, messages } })).text();

  const member = await find("HARBOUR", "member");
  expect(member).toContain("document: Harbour 100% tides");
  expect(member).toContain("persona: Harbour pilot");
  expect(member.some((one) => one.startsWith("conversation: "))).toBe(true);
  expect(member).not.toContain("document: Harbour salaries");
  const owner = await find("harbour", "owner");
  expect(owner).toContain("document: Harbour salaries");
  expect(owner.some((one) => one.startsWith("conversation: "))).toBe(false);
  expect(await find("100%", "member")).toEqual(["document: Harbour 100% tides"]);
  expect(await find("100_", "member")).toEqual([]);
  expect(await find('harbour" OR tides*', "member")).toEqual([]);
  expect(await find("where harb", "member")).toEqual([expect.stringMatching(/^conversation: /)]);
  expect(await find("text chunk size", "owner")).toEqual([]);
  expect(await find("chunk size", "owner")).toContain("setting: RAG & Embedding Settings: Chunk size");
  expect(await find("chunk size", "viewer")).toEqual([]);
  expect(await find("settings members", "owner")).toEqual(["setting: Members"]);
  expect(await find("settings members", "viewer")).toEqual([]);
  expect(await find(" ", "owner")).toEqual([]);
});

const FOLDED: readonly (readonly [text: string, query: string])[] = [
  ["Die Straßenverkehrsordnung ist zu beachten", "Strassenverkehrsordnung"],
  ["Schlüsselverlust ist abgesichert", "Schluesselverlust"],
  ["Die Reisekostenabrechnung des Monats", "kosten"],
  ["Matkalaskut on toimitettava", "MATKALASKU"],
  ["停車位申請由總務部負責", "停车位"],
  ["我的假期申请", "假期"],
  ["有給休暇のｶﾞｲﾄﾞ", "ガイド"],
  ["연차휴가 신청", "휴가"],
  ["แบบฟอร์มการลาป่วย", "การลา"],
  ["إجازة سنوية مدتها", "الاجازه"],
  ["طلب الإجازة السنوية", "إجازة"],
  ["טופס לחופשה שנתית", "החופשה"],
  ["İstanbul ofisi", "istanbul"],
];

it("finds folded words and parts of words in lists, palette, conversations and the audit log", async () => {
  const post = async (path: string, json: object) => {
    const response = await server.ask(path, { method: "POST", as: "owner", json });
    expect([path, response.ok]).toEqual([path, true]);
    await response.text();
  };
  const model = "quarterdeck-offline";
  for (const [text] of FOLDED) {
    await post("/api/rag/ingest", { type: "text", title: text, text: `A document: ${text}` });
    await post("/api/personas", { name: text });
    await post("/api/prompts", { name: text, text: "Answer" });
    await post("/api/ai/chat", { model, messages: [{ role: "user", content: `Say ${text}` }] });
  }
  const DOORS = [
    "/api/rag/documents?search=",
    "/api/search?q=",
    "/api/prompts?find=",
    "/api/ai/conversations/search?q=",
    "/api/audit?search=",
  ];
  const missed: string[] = [];
  for (const [text, query] of FOLDED)
    for (const door of DOORS) {
      const response = await server.ask(`${door}${encodeURIComponent(query)}`, { as: "owner" });
      const answer = await response.text();
      const isFound = door.includes("conversations") ? answer.includes('"hit":true') : answer.includes(text);
      if (response.status !== 200 || !isFound) missed.push(`${door}${query}: ${answer.slice(0, 200)}`);
    }
  expect(missed).toEqual([]);
});

it("offers a viewer no command that would be refused, with and without the palette", async () => {
  const page = async (as: Role, query = "") =>
    await (await server.ask(`/search${query}`, { as, headers: { accept: "text/html" } })).text();
  expect(await page("owner")).toContain("Configure provider");
  const viewer = await page("viewer");
  expect(viewer).not.toContain("Configure provider");
  expect(viewer).not.toContain("Add new persona");
  expect(viewer).toContain("Search RAG documents");
  const found = await page("owner", "?q=persona");
  expect(found).toContain("Add new persona");
  expect(found).not.toContain("Configure provider");
  expect(await page("owner", "?q=nothing+of+this+kind")).toContain("No results found.");
});

import { setTimeout } from "node:timers/promises";
import { addCheck, addManual } from "./demo-manual";
import { makeEncryptedPdf } from "./document-files";
import type { TestServer } from "./server";

const TEXTS = [
  {
    title: "Employee handbook",
    category: "Management",
    text: "# Working hours\n\nThe office opens at eight. Who works late starts later.\n\n# Holidays\n\nEverybody has thirty days of holiday a year. Ask your team a week before.\n\n## Carrying days over\n\nUp to ten days can be taken until the end of March.",
  },
  {
    title: "Travel expenses",
    category: "Finance",
    text: "# Travel expenses\n\nTrains are booked in second class. Hotels cost up to 140 dollars a night.\n\nHand receipts in within thirty days; what comes later isn't paid.",
  },
  {
    title: "Return of goods",
    category: "Customers",
    text: "Customers return goods within fourteen days. The refund goes to the card that was charged, without the cost of delivery.",
  },
  {
    title: "Escalation path",
    category: "Service",
    text: "First the person on call, then the team lead, then the head of operations. Write down what was tried.",
  },
] as const;

const QUESTIONS = [
  "Who answers at night?",
  "When is work handed over?",
  "Who decides on severity 1?",
  "What is paid for hotels?",
  "pager",
];

async function post(server: TestServer, path: string, init: Parameters<TestServer["ask"]>[1]): Promise<void> {
  const response = await server.ask(path, { as: "owner", method: "POST", ...init });
  if (response.status >= 300)
    throw new Error(`${path} returned HTTP ${response.status}: ${await response.text()}`);
}

const ingest = (server: TestServer, json: object) => post(server, "/api/rag/ingest", { json });

function upload(server: TestServer, category: string, files: readonly (readonly [string, BlobPart])[]) {
  const form = new FormData();
  form.append("category", category);
  for (const [name, content] of files) form.append("files", new File([content], name));
  return post(server, "/api/rag/upload", { body: form, headers: { accept: "application/json" } });
}

async function settle(server: TestServer): Promise<void> {
  const processing = async () =>
    ((await (await server.ask("/api/rag/stats", { as: "owner" })).json()) as { processing: number })
      .processing;
  while ((await processing()) > 0) await setTimeout(200);
}

/** Includes a failed and a private document. */
export async function addDocuments(server: TestServer): Promise<void> {
  for (const text of TEXTS) await ingest(server, { ...text, format: "markdown" });
  await ingest(server, { title: "Salaries 2026", text: "For the board only.", visibility: "named" });
  await upload(server, "Products", [
    ["price-list.csv", "article,price\nAnchor,120\nChain,40\n"],
    ["catalogue.md", "# Anchors\n\nOurs weigh two tons.\n\n# Chains\n\nSold by the metre."],
    ["contract.pdf", Buffer.from(makeEncryptedPdf())],
  ]);
  await settle(server);
  await addCheck(server, await addManual(server, () => settle(server)), QUESTIONS);
}

/** More than a page of documents with the longest names. */
export async function addManyDocuments(server: TestServer, longName: string): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const files = Array.from({ length: 60 }, (_, index) => {
      const number = n * 60 + index;
      const name = number % 9 === 0 ? `${longName} ${number}` : `Report ${number}`;
      return [`${name}.txt`, `Report number ${number}. ${longName} is responsible.`] as const;
    });
    await upload(server, "Inventory", files);
  }
  for (let n = 0; n < 12; n++)
    await post(server, "/api/rag/categories", { json: { name: `${longName.slice(0, 50)} ${n}` } });
  await settle(server);
  const response = await server.ask("/api/rag/documents?search=operations-manual", { as: "owner" });
  const [manual] = (await response.json()) as { id: string }[];
  const questions = Array.from({ length: 60 }, (_, n) => `Is ${longName} on call in week ${n + 1}?`);
  await addCheck(server, manual?.id ?? "", questions);
}

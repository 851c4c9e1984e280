import { setTimeout } from "node:timers/promises";
import type { TestServer } from "./server";

const DUTIES = [
  "answers the pager within five minutes, at night within fifteen",
  "writes down what was tried, also what didn't help",
  "tells the customers by the status page, first within half an hour",
  "hands over at nine, with everything that is open",
] as const;

const chapter = (number: number) => `## ${number}. ${["Pagers", "Backups", "Access", "Handovers"][number % 4]}

${DUTIES.map((duty) => `Whoever is on call ${duty}. `.repeat(4)).join("\n\n")}

| Severity | Told within | Who decides |
|---|---:|---|
| ${number}.1 | 5 minutes | the head of operations |
| ${number}.2 | 1 hour | the person on call |
| ${number}.3 | 1 day | the team, at its next meeting |

\`\`\`sh
systemctl status console-${number}   # running since the last release
journalctl -u console-${number} --since "1 hour ago" | grep -i error
\`\`\``;

const manual = (chapters: number) =>
  `# Operations manual\n\n${Array.from({ length: chapters }, (_, n) => chapter(n + 1)).join("\n\n")}`;

async function send(server: TestServer, path: string, init: Parameters<TestServer["ask"]>[1]) {
  const response = await server.ask(path, { as: "owner", method: "POST", ...init });
  if (response.status >= 300)
    throw new Error(`${path} returned HTTP ${response.status}: ${await response.text()}`);
  return (await response.json()) as { id: string };
}

const file = (field: string, content: string) => {
  const form = new FormData();
  form.append(field, new File([content], "operations-manual.md"));
  return { body: form, headers: { accept: "application/json" } };
};

/** A long document with two versions. @returns its id */
export async function addManual(server: TestServer, settle: () => Promise<void>): Promise<string> {
  await send(server, "/api/rag/upload", file("files", manual(3)));
  await settle();
  const response = await server.ask("/api/rag/documents?search=operations-manual", { as: "owner" });
  const [document] = (await response.json()) as { id: string }[];
  if (!document) throw new Error("The manual isn't listed.");
  await send(server, `/api/rag/documents/${document.id}/versions`, file("file", manual(9)));
  await settle();
  return document.id;
}

/** Questions of varying quality with two runs. */
export async function addCheck(
  server: TestServer,
  documentId: string,
  questions: readonly string[],
): Promise<void> {
  const quotes = ["answers the pager", "hands over at nine", "the head of operations"] as const;
  for (const [index, question] of questions.entries()) {
    const passages = [{ documentId, quote: quotes[index % quotes.length] }];
    await send(server, "/api/rag/check/questions", { json: { question, passages } });
  }
  for (let run = 0; run < 2; run++) {
    const { id } = await send(server, "/api/rag/check/runs", {});
    const state = async () => {
      const answer = await server.ask(`/api/rag/check/runs/${id}`, { as: "owner" });
      return ((await answer.json()) as { state: string }).state;
    };
    while ((await state()) === "running") await setTimeout(100);
  }
}

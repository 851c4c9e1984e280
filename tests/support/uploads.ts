import type { Role } from "~/core/actor";
import type { TestServer } from "./server";

export interface UploadedFile {
  id: string;
  name: string;
  status: string;
  error: string | null;
  duplicateOf: string | null;
}

/** Fields first, then files. */
export function uploadForm(
  files: readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>, type?: string])[],
  fields: Record<string, string | string[]> = {},
): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  for (const [name, content, type = ""] of files) form.append("files", new Blob([content], { type }), name);
  return form;
}

export async function upload(
  server: TestServer,
  files: Parameters<typeof uploadForm>[0],
  { as = "member", fields = {} }: { as?: Role; fields?: Record<string, string | string[]> } = {},
): Promise<{ status: number; batchId: string; files: UploadedFile[] }> {
  const response = await server.ask("/api/rag/upload", { as, body: uploadForm(files, fields) });
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${body}`);
  return {
    status: response.status,
    batchId: response.headers.get("x-batch-id") ?? "",
    files: JSON.parse(body) as UploadedFile[],
  };
}

export interface BatchView {
  id: string;
  label: string;
  cancelledAt: string | null;
  counts: Record<"total" | "queued" | "running" | "done" | "failed" | "cancelled", number>;
  items: {
    documentId: string | null;
    name: string;
    state: string;
    outcome: string | null;
    error: string | null;
  }[];
}

export async function readBatch(server: TestServer, id: string, as: Role = "member"): Promise<BatchView> {
  const response = await server.ask(`/api/rag/batches/${id}`, { as });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as BatchView;
}

/** Waits for a finished batch. */
export async function batchEnded(server: TestServer, id: string, timeoutMs = 30_000): Promise<BatchView> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const batch = await readBatch(server, id);
    if (batch.counts.total > 0 && batch.counts.queued + batch.counts.running === 0) return batch;
    if (Date.now() > end) throw new Error(`The batch doesn't end: ${JSON.stringify(batch)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

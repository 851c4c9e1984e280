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
  counts: Record<"total" | "processing" | "ready" | "failed", number>;
  sitemap: { isActive: boolean; error: string | null } | null;
  documents: { id: string; name: string; status: string; error: string | null }[];
}

/** A batch with the first hundred of its documents. */
export async function readBatch(server: TestServer, id: string, as: Role = "member"): Promise<BatchView> {
  const get = async (path: string) => {
    const response = await server.ask(path, { as });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return response.json();
  };
  const batch = (await get(`/api/rag/batches/${id}`)) as Omit<BatchView, "documents">;
  const documents = (await get(`/api/rag/documents?batch=${id}`)) as BatchView["documents"];
  return { ...batch, documents };
}

/** Waits for a finished batch. */
export async function batchEnded(server: TestServer, id: string, timeoutMs = 30_000): Promise<BatchView> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const batch = await readBatch(server, id);
    if (batch.counts.processing === 0 && !batch.sitemap?.isActive) return batch;
    if (Date.now() > end) throw new Error(`The batch doesn't end: ${JSON.stringify(batch)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

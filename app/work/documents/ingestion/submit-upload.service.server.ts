import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { receiveUpload, type Upload, type UploadPart } from "./upload.service.server";

export interface RefusedUpload {
  problem: string;
  fields: [name: string, value: string][];
}

/** Like `receiveUpload`, but returns a rejection with the typed values, so that the form can show them again. */
export async function submitUpload(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<Upload | RefusedUpload> {
  const fields: RefusedUpload["fields"] = [];
  async function* recordFields(): AsyncGenerator<UploadPart> {
    for await (const part of parts) {
      if (part.kind === "file" && part.fileName === "") continue;
      if (part.kind === "field") fields.push([part.name, part.value]);
      yield part;
    }
  }
  try {
    return await receiveUpload(actor, recordFields(), signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { problem: error.message, fields };
  }
}

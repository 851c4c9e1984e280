import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { receiveUpload, type Upload, type UploadPart } from "./upload.service.server";

/** An upload that was refused as a whole: why, and the fields that came with it. */
export interface RefusedUpload {
  problem: string;
  fields: [name: string, value: string][];
}

/** As `receiveUpload`, for a form that is shown again where it is refused. */
export async function submitUpload(
  actor: Actor,
  parts: AsyncIterable<UploadPart>,
  signal?: AbortSignal,
): Promise<Upload | RefusedUpload> {
  const fields: RefusedUpload["fields"] = [];
  async function* noted(): AsyncGenerator<UploadPart> {
    for await (const part of parts) {
      // A browser sends a nameless, empty part for a file field that no one filled in.
      if (part.kind === "file" && part.fileName === "") continue;
      if (part.kind === "field") fields.push([part.name, part.value]);
      yield part;
    }
  }
  try {
    return await receiveUpload(actor, noted(), signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "forbidden") throw error;
    return { problem: error.message, fields };
  }
}

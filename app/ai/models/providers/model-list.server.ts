import { z } from "zod";
import { MAX_LIST_VALUES, parseJson } from "~/core/json";
import type { ListedModel } from "../models.schema";
import { MalformedResponse, ProviderHttpError } from "../provider-errors.server";
import type { ProviderCall } from "./provider-type";

const LIST_LIMIT = 2000;

/** @throws ProviderHttpError, MalformedResponse, and errors of the fetch */
export async function readList<T extends z.ZodType>(
  call: ProviderCall,
  path: string,
  headers: Record<string, string>,
  schema: T,
): Promise<z.infer<T>> {
  const response = await call.fetch(call.baseUrl + path, {
    headers: { accept: "application/json", ...headers },
  });
  const body = await response.text();
  if (!response.ok) throw new ProviderHttpError(response.status, body, response.headers);
  try {
    return schema.parse(parseJson(body, MAX_LIST_VALUES));
  } catch (error) {
    throw new MalformedResponse(error);
  }
}

/** Trims, deduplicates and limits ids. */
export function cleanModels(models: readonly ListedModel[]): ListedModel[] {
  const modelsById = new Map<string, ListedModel>();
  for (const model of models) {
    const id = model.id.trim();
    if (id.length > 0 && id.length <= 200 && !modelsById.has(id)) modelsById.set(id, { ...model, id });
  }
  return [...modelsById.values()].slice(0, LIST_LIMIT);
}

export const OpenAiList = z.object({ data: z.array(z.object({ id: z.string() })) });

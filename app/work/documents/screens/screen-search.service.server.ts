import type { Actor } from "~/core/actor";
import { AppError } from "~/core/errors";
import { SearchInput } from "~/work/search/search.schema";
import { searchDocuments } from "~/work/search/search.service.server";
import type { SearchOutcome, SearchView } from "./rag-screen.schema";

export async function searchForScreen(
  actor: Actor,
  { q, in: category, ...rest }: SearchView,
  signal: AbortSignal,
): Promise<SearchOutcome | undefined> {
  if (q === undefined) return undefined;
  const set = Object.entries({ category, ...rest }).filter(([, value]) => value !== "");
  const input = SearchInput.safeParse({ query: q, filters: Object.fromEntries(set) });
  if (!input.success) return { missing: input.error.issues[0]?.message ?? "" };
  try {
    return { answer: await searchDocuments(actor, input.data, signal) };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}
